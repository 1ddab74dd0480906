#include "scan/reference_scanners.h"
#include "script_text.h"

#include <fardel/format/limits.h>
#include <fardel/format/name.h>

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

std::string_view extension_of(std::string_view name) {
    const std::size_t dot = name.rfind('.');
    const std::size_t slash = name.rfind('/');
    return dot == name.npos || (slash != name.npos && dot < slash) ? std::string_view() : name.substr(dot + 1);
}

std::string_view strip_extension(std::string_view name) {
    const std::string_view extension = extension_of(name);
    return extension.data() ? name.substr(0, name.size() - extension.size() - 1) : name;
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

// The path of a relative URI; nothing if the URI has a scheme or is ill-formed.
std::optional<std::string> find_uri_path(std::string_view uri) {
    uri = uri.substr(0, uri.find_first_of("?#"));
    if (uri.substr(0, uri.find('/')).find(':') != uri.npos)
        return std::nullopt;
    std::string path;
    for (std::size_t i = 0; i < uri.size(); ++i) {
        if (uri[i] != '%') {
            path += uri[i];
            continue;
        }
        const int high = i + 1 < uri.size() ? hexadecimal(uri[i + 1]) : -1;
        const int low = i + 2 < uri.size() ? hexadecimal(uri[i + 2]) : -1;
        if (high < 0 || low < 0)
            return std::nullopt;
        path += static_cast<char>(high * 16 + low);
        i += 2;
    }
    return path;
}

// Resolves `path` relative to the folder of `from`; the result has no . and no .. parts. Nothing if it leaves the tree.
std::optional<std::string> find_joined(std::string_view from, std::string_view path) {
    if (path.starts_with('/'))
        return std::nullopt;
    std::string joined(from.substr(0, from.rfind('/') == from.npos ? 0 : from.rfind('/')));
    while (true) {
        const std::string_view part = path.substr(0, path.find('/'));
        if (part == "..") {
            if (joined.empty())
                return std::nullopt;
            joined.erase(joined.rfind('/') == joined.npos ? 0 : joined.rfind('/'));
        } else if (part != ".") {
            joined += joined.empty() ? "" : "/";
            joined += part;
        }
        if (part.size() == path.size())
            return joined;
        path.remove_prefix(part.size() + 1);
    }
}

std::optional<std::string> find_path(const FoundReference& reference, std::string_view from) {
    switch (reference.form) {
        case ReferenceForm::from_root:
        case ReferenceForm::speaker:
        case ReferenceForm::player: return game_path(reference.spelling);
        case ReferenceForm::below_textures: return "textures/" + game_path(reference.spelling);
        case ReferenceForm::relative: {
            std::string path = reference.spelling;
            std::ranges::replace(path, '\\', '/');
            return find_joined(from, path);
        }
        case ReferenceForm::relative_uri: {
            const auto path = find_uri_path(reference.spelling);
            return path ? find_joined(from, *path) : std::nullopt;
        }
    }
    return std::nullopt;
}

class CandidateList {
public:
    void add_shader(std::string_view name) {
        if (!name.empty())
            list_.push_back({CandidateKind::shader, std::string(name)});
    }

    void add_asset(std::string name) {
        NameCandidate candidate{CandidateKind::asset, std::move(name)};
        if (verify_name(candidate.name) && std::ranges::find(list_, candidate) == list_.end())
            list_.push_back(std::move(candidate));
    }

    std::vector<NameCandidate> take() && { return std::move(list_); }

private:
    std::vector<NameCandidate> list_;
};

// If `path` has one of `extensions`, adds that file first, then the other extensions. Otherwise appends each extension.
void add_by_extension(CandidateList& list, const std::string& path, std::span<const std::string> extensions) {
    if (extensions.empty())
        return list.add_asset(path);
    const std::string_view given = extension_of(path);
    const bool known = std::ranges::any_of(extensions, [&](std::string_view one) { return words_equal(one, given); });
    if (known)
        list.add_asset(path);
    const std::string stem(known ? strip_extension(path) : std::string_view(path));
    for (const std::string& extension : extensions)
        if (!known || !words_equal(extension, given))
            list.add_asset(stem + "." + extension);
}

// The path as it is, then, if it has no extension of its own, with each of `extensions`.
void add_relative(CandidateList& list, const std::string& path, std::span<const std::string> extensions) {
    list.add_asset(path);
    if (extension_of(path).empty())
        for (const std::string& extension : extensions)
            list.add_asset(path + "." + extension);
}

// A player's files lie in models/players/NAME, or below one of two more folders. NAME/head.md3 may also be
// heads/NAME/NAME.md3, and NAME/head_SKIN.skin also NAME/SKIN/head_default.skin.
void add_player(CandidateList& list, const std::string& path, std::span<const std::string> extensions) {
    constexpr std::string_view kPlayers = "models/players/";
    add_by_extension(list, path, extensions);
    if (!path.starts_with(kPlayers))
        return;
    const std::string rest = path.substr(kPlayers.size());
    for (const std::string_view folder : {"characters/", "heads/"})
        add_by_extension(list, std::string(kPlayers) + std::string(folder) + rest, extensions);
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

std::vector<NameCandidate> candidate_names(const FoundReference& reference, std::string_view from) {
    return candidate_names(reference, from, GameProfile());
}

std::vector<NameCandidate> candidate_names(const FoundReference& reference, std::string_view from,
                                           const GameProfile& profile) {
    if (reference.use == ReferenceUse::sky_box)
        return candidate_names(sky_box_sides(reference).front(), from, profile);
    CandidateList list;
    if (reference.spelling.empty() || reference.spelling.size() > 3 * std::size_t(limits::kNameBytesMax))
        return {};
    auto path = find_path(reference, from);
    if (!path)
        return {};
    const auto extensions = extensions_of(profile, reference.use);
    if (reference.form == ReferenceForm::relative || reference.form == ReferenceForm::relative_uri) {
        add_relative(list, *path, profile.relative_extensions ? extensions : std::span<const std::string>());
        return std::move(list).take();
    }
    if (reference.form == ReferenceForm::player) {
        add_player(list, *path, extensions);
        return std::move(list).take();
    }
    if (reference.form == ReferenceForm::speaker && path->find(profile.speaker_suffix) == path->npos)
        *path += profile.speaker_suffix;
    switch (reference.use) {
        case ReferenceUse::file:
        case ReferenceUse::script: list.add_asset(std::move(*path)); break;
        case ReferenceUse::map: list.add_asset("maps/" + *path + ".bsp"); break;
        case ReferenceUse::video:
            add_by_extension(list, path->find('/') == path->npos ? "video/" + *path : *path, extensions);
            break;
        case ReferenceUse::shader: list.add_shader(shader_name(reference, *path, profile)); [[fallthrough]];
        default: add_by_extension(list, *path, extensions);
    }
    return std::move(list).take();
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
