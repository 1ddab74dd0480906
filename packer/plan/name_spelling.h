// Spells names as the formats of references require: the reverse of candidate_names. Pure.
#pragma once

#include <fardel/packer/references.h>

#include <optional>
#include <string>
#include <string_view>

namespace fardel {

// How a reference of that form in the asset `from` spells `name`; nothing if the form cannot express it.
std::optional<std::string> find_spelling(std::string_view name, ReferenceForm form, std::string_view from);

// Whether `name` is the first file that the game looks up for `reference` in the asset `from`.
bool means_first(const FoundReference& reference, std::string_view from, std::string_view name);

}  // namespace fardel
