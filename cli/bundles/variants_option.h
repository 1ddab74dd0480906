// The option --variants, the same for all verbs that read content by name, and what of it nothing fits.
#pragma once

#include "console/command_line.h"
#include "console/console.h"

#include <fardel/base/result.h>
#include <fardel/format/bundle.h>
#include <fardel/vfs/vfs.h>

#include <string>
#include <vector>

namespace fardel {

// `words` are for read_variants(). The option takes the words of its preference with or without quotes, and may be
// repeated: --variants texture=astc,bc7 lang=fr.
void add_variants_option(CommandLine& line, std::vector<std::string>& words);
// Errors: those of parse_variant_preference.
Result<VariantPreference> read_variants(const std::vector<std::string>& words);
// The option --extensions, and its list; empty: none. Errors: those of NameExtensions::parse.
void add_extensions_option(CommandLine& line, std::string& list);
Result<NameExtensions> read_extensions(const std::string& list);

// Says on standard error which items of the preference have no effect, because no variant has such an axis, value or
// metric: a misspelled one is not seen otherwise. `axes`: as Vfs::variant_axes(). What cannot be read is not judged.
void say_idle_axes(const VariantPreference& preference, const VariantPreference& axes, Console& console);
void say_idle_axes(const VariantPreference& preference, const Vfs& vfs, Console& console);
void say_idle_axes(const VariantPreference& preference, const Bundle& bundle, Console& console);

}  // namespace fardel
