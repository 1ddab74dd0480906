#include <fardel/packer/references.h>

#include <fardel/format/name.h>

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace fardel {
namespace {

constexpr std::string_view kUses[] = {"file",  "texture", "shader", "sound",  "model",
                                      "video", "map",     "script", "sky_box"};
constexpr std::string_view kForms[] = {"from_root", "below_textures", "relative", "relative_uri", "speaker", "player"};
static_assert(std::size(kUses) == static_cast<std::size_t>(kReferenceUseLast) + 1);
static_assert(std::size(kForms) == static_cast<std::size_t>(kReferenceFormLast) + 1);

template <class Value, std::size_t count>
std::optional<Value> find_value(const std::string_view (&words)[count], std::string_view word) {
    const auto at = std::ranges::find(words, word);
    return at != std::end(words) ? std::optional(static_cast<Value>(at - std::begin(words))) : std::nullopt;
}

}  // namespace

std::string_view reference_use_name(ReferenceUse use) noexcept { return kUses[static_cast<std::size_t>(use)]; }

std::optional<ReferenceUse> find_reference_use(std::string_view word) { return find_value<ReferenceUse>(kUses, word); }

std::optional<ReferenceForm> find_reference_form(std::string_view word) {
    return find_value<ReferenceForm>(kForms, word);
}

std::string describe(const MissingReference& missing) {
    const std::string line = missing.reference.line != 0 ? ":" + std::to_string(missing.reference.line) : "";
    return printable(missing.from) + line + ": " + std::string(reference_use_name(missing.reference.use)) + " " +
           printable(missing.reference.spelling);
}

}  // namespace fardel
