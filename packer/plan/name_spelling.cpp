#include "name_spelling.h"

#include "scan/reference_scanners.h"

#include <fardel/base/ascii.h>

namespace fardel {
namespace {

std::string percent_encoded(std::string_view path) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    std::string out;
    for (const char c : path) {
        const bool plain = is_ascii_letter_or_digit(c) || std::string_view("-._~/").find(c) != std::string_view::npos;
        if (plain) {
            out += c;
        } else {
            out += '%';
            out += kDigits[static_cast<unsigned char>(c) >> 4];
            out += kDigits[static_cast<unsigned char>(c) & 15];
        }
    }
    return out;
}

// The path that leads from the folder of `from` to `name`.
std::string relative_spelling(std::string_view from, std::string_view name) {
    std::size_t common = 0;  // behind the last / up to which both are alike
    for (std::size_t i = 0; i < from.size() && i < name.size() && from[i] == name[i]; ++i)
        if (from[i] == '/')
            common = i + 1;
    std::string path;
    for (std::size_t i = common; i < from.size(); ++i)
        if (from[i] == '/')
            path += "../";
    return path + std::string(name.substr(common));
}

}  // namespace

std::optional<std::string> find_spelling(std::string_view name, ReferenceForm form, std::string_view from) {
    constexpr std::string_view kTextures = "textures/";
    switch (form) {
        case ReferenceForm::from_root:
        case ReferenceForm::speaker:
        case ReferenceForm::player: return std::string(name);
        case ReferenceForm::below_textures:
            return name.starts_with(kTextures) ? std::optional(std::string(name.substr(kTextures.size())))
                                               : std::nullopt;
        case ReferenceForm::relative: return relative_spelling(from, name);
        case ReferenceForm::relative_uri: return percent_encoded(relative_spelling(from, name));
    }
    return std::nullopt;
}

bool means_first(const FoundReference& reference, std::string_view from, std::string_view name) {
    for (const NameCandidate& candidate : candidate_names(reference, from))
        if (candidate.kind == CandidateKind::asset)
            return candidate.name == name;
    return false;
}

}  // namespace fardel
