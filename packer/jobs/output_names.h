// Computes the names of a processor's outputs from its templates. Pure; any thread.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/name.h>
#include <fardel/packer/processor.h>

#include <string>
#include <string_view>
#include <vector>

namespace fardel {

// Checks a template. For "textures/wall.hd.tga", {folder} is "textures/" (empty for a name of one part), {stem}
// "wall.hd", {extension} "tga", {name} "wall.hd.tga". Error: malformed, for an unknown or unclosed placeholder; the
// rest of the text is not checked.
Status verify_output_template(std::string_view text);
// Returns well-formed names in the order of `outputs`; none if that is empty. Errors: malformed, limit (a name that
// breaks the rules), conflict (two equal names).
Result<std::vector<std::string>> output_names(const Processor& processor, const AssetName& source);

}  // namespace fardel
