#include "scan/reference_scanners.h"
#include "script_text.h"

#include <fardel/base/ascii.h>
#include <fardel/base/extension.h>
#include <fardel/format/limits.h>
#include <fardel/format/meant_names.h>
#include <fardel/format/name.h>
#include <fardel/format/name_form.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace fardel {
namespace {

// In the game's order: without the first image the game draws no side.
constexpr std::string_view kSkyBoxSides[] = {"_rt", "_bk", "_lf", "_ft", "_up", "_dn"};

std::span<const std::string> extensions_of(const GameProfile& profile, ReferenceUse use) {
    switch (use) {
        case ReferenceUse::texture:
        case ReferenceUse::shader: return profile.texture_extensions;
        case ReferenceUse::sound: return profile.sound_extensions;
        case ReferenceUse::model: return profile.model_extensions;
        case ReferenceUse::video: return profile.video_extensions;
        default: return {};
    }
}

// Both \ and / separate folders; the game ignores one at the start.
std::string game_path(std::string_view spelling) {
    std::string path(spelling);
    std::ranges::replace(path, '\\', '/');
    if (path.starts_with('/'))
        path.erase(0, 1);
    return path;
}

int hexadecimal(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    const char small = static_cast<char>(c | 0x20);
    return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

// A % that begins no escape stands for itself: exporters write file names as they are, "10%.bin".
std::string percent_decoded(std::string_view uri) {
    std::string path;
    for (std::size_t i = 0; i < uri.size(); ++i) {
        const int high = uri[i] == '%' && i + 1 < uri.size() ? hexadecimal(uri[i + 1]) : -1;
        const int low = high >= 0 && i + 2 < uri.size() ? hexadecimal(uri[i + 2]) : -1;
        path += low >= 0 ? static_cast<char>(high * 16 + low) : uri[i];
        i += low >= 0 ? 2 : 0;
    }
    return path;
}

// The scheme of an address: "https" of "https://host/a.png". One letter is a drive, "C:\a.png", and no scheme.
std::string_view scheme_of(std::string_view spelling) {
    const std::size_t colon = spelling.find(':');
    const std::string_view word = spelling.substr(0, colon == spelling.npos ? 0 : colon);
    const bool good = word.size() >= 2 && std::ranges::all_of(word, [](char c) {
                          return is_ascii_letter_or_digit(c) || c == '+' || c == '-' || c == '.';
                      });
    return good ? word : std::string_view();
}

// What a URI may mean, as the standard has it first. Many exporters write names as they are, so that a # or ? begins no
// fragment or query, and a % no escape.
std::vector<std::string> uri_paths(std::string_view uri) {
    if (!scheme_of(uri).empty())
        return {};
    const std::string_view path = uri.substr(0, uri.find_first_of("?#"));
    return {percent_decoded(path), percent_decoded(uri), std::string(path), std::string(uri)};
}

std::optional<std::string> find_joined_parts(std::string_view from, std::string_view path) {
    std::string joined(from.substr(0, from.rfind('/') == from.npos ? 0 : from.rfind('/')));
    while (true) {
        const std::string_view part = path.substr(0, path.find('/'));
        if (part == "..") {
            if (joined.empty())
                return std::nullopt;
            joined.erase(joined.rfind('/') == joined.npos ? 0 : joined.rfind('/'));
        } else if (part != "." && !part.empty()) {
            joined += joined.empty() ? "" : "/";
            joined += part;
        }
        if (part.size() == path.size())
            return joined;
        path.remove_prefix(part.size() + 1);
    }
}

// Resolves `path` relative to the folder of `from`, as file systems do: the result has no . and no .. parts, and none
// that is empty. Nothing if it leaves the tree.
std::optional<std::string> find_joined(std::string_view from, std::string path) {
    std::ranges::replace(path, '\\', '/');
    path.erase(path.find_last_not_of(' ') + 1);
    return path.starts_with('/') ? std::nullopt : find_joined_parts(from, path);
}

std::vector<std::string> paths_of(const FoundReference& reference, std::string_view from) {
    std::vector<std::string> written;
    switch (reference.form) {
        case ReferenceForm::from_root:
        case ReferenceForm::speaker:
        case ReferenceForm::player: return {game_path(reference.spelling)};
        case ReferenceForm::below_textures: return {"textures/" + game_path(reference.spelling)};
        case ReferenceForm::relative: written = {reference.spelling}; break;
        case ReferenceForm::relative_uri: written = uri_paths(reference.spelling); break;
    }
    std::vector<std::string> paths;
    for (std::string& path : written)
        if (auto joined = find_joined(from, std::move(path)))
            paths.push_back(*std::move(joined));
    return paths;
}

bool is_relative(const FoundReference& reference) {
    return reference.form == ReferenceForm::relative || reference.form == ReferenceForm::relative_uri;
}

class CandidateList {
public:
    void add_shader(std::string_view name) {
        if (!name.empty())
            list_.push_back({CandidateKind::shader, std::string(name)});
    }

    // Names are composed, and some tools write decomposed accents.
    void add_asset(std::string name, bool is_bare = false) {
        NameCandidate candidate{CandidateKind::asset, compose_text(name)};
        candidate.is_respelled = candidate.name != name;
        candidate.is_bare = is_bare;
        if (verify_name(candidate.name) && std::ranges::find(list_, candidate) == list_.end())
            list_.push_back(std::move(candidate));
    }

    // All that the readings may mean.
    void add_meant(std::span<const std::string> readings, std::span<const std::string> extensions) {
        for (std::string& name : meant_names(readings, extensions)) {
            const bool is_written = std::ranges::find(readings, name) != readings.end();
            const bool is_bare = extensions.empty() ? !is_written : !has_extension_of(name, extensions);
            add_asset(std::move(name), is_bare);
        }
    }
    void add_meant(const std::string& path, std::span<const std::string> extensions) {
        add_meant(std::span(&path, 1), extensions);
    }

    std::vector<NameCandidate> take() && { return std::move(list_); }

private:
    std::vector<NameCandidate> list_;
};

// A player's files lie in models/players/NAME, or below one of two more folders. NAME/head.md3 may also be
// heads/NAME/NAME.md3, and NAME/head_SKIN.skin also NAME/SKIN/head_default.skin.
void add_player(CandidateList& list, const std::string& path, std::span<const std::string> extensions) {
    constexpr std::string_view kPlayers = "models/players/";
    list.add_meant(path, extensions);
    if (!path.starts_with(kPlayers))
        return;
    const std::string rest = path.substr(kPlayers.size());
    for (const std::string_view folder : {"characters/", "heads/"})
        list.add_meant(std::string(kPlayers) + std::string(folder) + rest, extensions);
    const std::size_t slash = std::min(rest.rfind('/'), rest.size());
    const std::string folder = rest.substr(0, slash);
    const std::string file = rest.substr(std::min(slash + 1, rest.size()));
    if (file == "head.md3")
        list.add_asset(std::string(kPlayers) + "heads/" + folder + "/" + folder + ".md3");
    for (const std::string_view kind : {"head_", "icon_"})
        if (file.starts_with(kind)) {
            const std::string extension(extension_of(file));
            const std::string skin = file.substr(kind.size(), file.size() - kind.size() - extension.size() - 1);
            const std::string inside = folder + "/" + skin + "/" + std::string(kind) + "default." + extension;
            list.add_asset(std::string(kPlayers) + inside);
        }
}

// The name by which a script would define the shader.
std::string shader_name(const FoundReference& reference, const std::string& path, const GameProfile& profile) {
    if (!profile.exact_shader_names)
        return std::string(strip_extension(path));
    const std::string spelled =
        (reference.form == ReferenceForm::below_textures ? "textures/" : "") + reference.spelling;
    return std::string(strip_extension(spelled));
}

std::string replaced(std::string text, std::string_view word, std::string_view by) {
    if (const std::size_t at = text.find(word); at != text.npos)
        text.replace(at, word.size(), by);
    return text;
}

}  // namespace

std::vector<FoundReference> sky_box_sides(const FoundReference& box) {
    std::vector<FoundReference> sides(std::size(kSkyBoxSides), box);
    for (std::size_t i = 0; i < sides.size(); ++i) {
        sides[i].spelling += kSkyBoxSides[i];
        sides[i].use = ReferenceUse::texture;
    }
    return sides;
}

std::vector<NameCandidate> candidate_names(const FoundReference& reference, std::string_view from,
                                           const GameProfile& profile) {
    if (reference.use == ReferenceUse::sky_box)
        return candidate_names(sky_box_sides(reference).front(), from, profile);
    CandidateList list;
    if (reference.spelling.empty() || reference.spelling.size() > 3 * std::size_t(limits::kNameBytesMax))
        return {};
    const auto extensions = extensions_of(profile, reference.use);
    if (is_relative(reference)) {
        list.add_meant(paths_of(reference, from),
                       profile.relative_extensions ? extensions : std::span<const std::string>());
        return std::move(list).take();
    }
    std::string path = paths_of(reference, from).front();
    if (reference.form == ReferenceForm::player) {
        add_player(list, path, extensions);
        return std::move(list).take();
    }
    if (reference.form == ReferenceForm::speaker && path.find(profile.speaker_suffix) == path.npos)
        path += profile.speaker_suffix;
    if (reference.use == ReferenceUse::shader)
        list.add_shader(shader_name(reference, path, profile));
    if (reference.use == ReferenceUse::map)
        path = "maps/" + path + ".bsp";
    if (reference.use == ReferenceUse::video && path.find('/') == path.npos)
        path.insert(0, "video/");
    list.add_meant(path, extensions);
    return std::move(list).take();
}

std::string why_no_candidate(const FoundReference& reference, std::string_view from) {
    const std::string_view spelling = reference.spelling;
    if (const std::string_view scheme = scheme_of(spelling); !scheme.empty() && is_relative(reference))
        return "an address (" + std::string(scheme) + ":), not a name of the game";
    const bool has_drive = spelling.size() >= 2 && is_ascii_letter(spelling[0]) && spelling[1] == ':';
    if (has_drive || (is_relative(reference) && spelling.find_first_of("/\\") == 0))
        return "an absolute path";
    const auto paths = paths_of(reference, from);
    if (paths.empty())
        return "leads out of the tree";
    const Status verified = verify_name(paths.front());
    return verified ? std::string() : verified.error().message();
}

std::vector<FoundReference> companions_of(std::string_view name, const GameProfile& profile) {
    std::vector<FoundReference> companions;
    const std::string_view path = strip_extension(name);
    const std::string_view stem = path.substr(path.rfind('/') + 1);
    for (const Companion& companion : profile.companions)
        if (glob_matches(companion.of, fold_name(name)))
            companions.push_back({.spelling = replaced(replaced(companion.name, "{path}", path), "{stem}", stem),
                                  .use = companion.use,
                                  .optional = true});
    return companions;
}

}  // namespace fardel
