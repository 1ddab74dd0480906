#include <fardel/packer/references.h>

#include <fardel/format/name.h>
#include <fardel/format/name_form.h>

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

std::string describe(std::string_view from, const FoundReference& reference) {
    const std::string line = reference.line != 0 ? ":" + std::to_string(reference.line) : "";
    return printable(from) + line + ": " + std::string(reference_use_name(reference.use)) + " " +
           printable(reference.spelling);
}

}  // namespace

std::string_view reference_use_name(ReferenceUse use) noexcept { return kUses[static_cast<std::size_t>(use)]; }

std::optional<ReferenceUse> find_reference_use(std::string_view word) { return find_value<ReferenceUse>(kUses, word); }

std::optional<ReferenceForm> find_reference_form(std::string_view word) {
    return find_value<ReferenceForm>(kForms, word);
}

std::string describe(const MissingReference& missing) { return describe(missing.from, missing.reference); }

std::string describe_tried(const MissingReference& missing) {
    constexpr std::size_t kShownMax = 3;
    const std::vector<std::string>& tried = missing.tried;
    if (tried.empty())
        return missing.why_not_tried.empty() ? "tried nothing" : missing.why_not_tried;
    std::string text;
    for (std::size_t i = 0; i < std::min(tried.size(), kShownMax); ++i)
        text += (i == 0 ? "tried " : ", ") + printable(tried[i]);
    if (tried.size() > kShownMax)
        text += " and " + std::to_string(tried.size() - kShownMax) + " more";
    return missing.why_not_tried.empty() ? text : text + "; " + missing.why_not_tried;
}

std::string describe(const RespelledReference& respelled) {
    const std::string& spelling = respelled.reference.spelling;
    return describe(respelled.from, respelled.reference) + " is " + printable(respelled.name) +
           (compose_text(spelling) != spelling ? ", whose accents are composed" : "");
}

}  // namespace fardel
