// GameProfile: the conventions of a game's engine as plain values: where files lie, which extensions it tries, what
// belongs to a map, and what only tools read.
//
// A profile is data: packer/profiles/*.toml, part of the program, or a file of a project. docs/profiles.md documents
// its keys. The text of a file is untrusted: what it can make later stages do is bounded, and its texts are safe to
// print. A default GameProfile is that of no game: every scanner applies, and every reference that is not optional is
// hard.
#pragma once

#include <fardel/base/result.h>
#include <fardel/packer/references.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

inline constexpr std::size_t kProfileBytesMax = 256u << 10;
inline constexpr std::size_t kProfileGlobsMax = 1024;     // in the whole profile: each is compared with each name
inline constexpr std::size_t kProfileWordsMax = 64;       // of shaders
inline constexpr std::size_t kProfileExtensionsMax = 16;  // in one list: each is tried for each reference

// References in files that `files` matches are soft.
struct SoftFiles {
    std::string files;  // glob over names
    std::string why;    // "only map compilers read it"
};

// Each file that `of` matches has this companion, as if it referenced it.
struct Companion {
    std::string of;    // glob over names
    std::string name;  // {stem}: the file's name without folder and extension; {path}: without extension
    ReferenceUse use = ReferenceUse::file;
};

// Files that `files` matches are read only where one of `within` matches, too.
struct Placement {
    std::string files;                // glob over names
    std::vector<std::string> within;  // globs over names
    std::string why;                  // "the game reads shader scripts in scripts/ and one folder deeper"
};

struct GameProfile {
    std::string name;  // empty: that of no game

    std::vector<std::string> scanners_off;  // names as scanner_names() has them: the game has no files of these formats

    // In the order in which the engine tries them. A list that is empty: only the name as spelled.
    std::vector<std::string> texture_extensions{"tga", "jpg", "jpeg", "png", "pcx", "bmp"};
    std::vector<std::string> sound_extensions{"wav", "ogg", "opus"};
    std::vector<std::string> model_extensions{"iqm", "mdr", "md3"};
    std::vector<std::string> video_extensions{"roq"};
    // Relative references without a known extension get those of their use, too.
    bool relative_extensions = false;
    // Appended to the sound of a map's speaker unless the spelling contains it; empty: nothing.
    std::string speaker_suffix;

    // A shader's name is compared as spelled: \ is not /, and a / at the start counts.
    bool exact_shader_names = false;
    // Of several definitions of a shader, the game takes the one of the script that it lists last, and in this script
    // the first. Otherwise all definitions count.
    bool last_script_defines = false;
    // Globs over names of shaders that code may name. The others are drawn only if an asset references them. Empty:
    // code may name every shader.
    std::vector<std::string> named_by_code;
    // Further words of shaders and of their stages before an image: "diffuseMap".
    std::vector<std::string> image_words;

    std::vector<SoftFiles> soft;
    std::vector<Companion> companions;
    std::vector<Placement> placements;

    // Globs over the names that a mod of the game brings, beside those below a folder of its own. A registry lets
    // bundles of open names publish them.
    std::vector<std::string> mods_publish;
};

// That of no game.
const GameProfile& no_profile() noexcept;

// Finds a profile that is part of the program. Error: missing; the message lists them in alphabetical order.
Result<std::shared_ptr<const GameProfile>> find_game_profile(std::string_view name);
// Whether a word names a file, "profiles/mygame.toml", and not a profile of the program.
bool is_profile_file(std::string_view word) noexcept;
// Reads a file; the profile's name is that of the file without its extension. Errors: missing, denied, io, those of
// parse_game_profile; malformed also if it is no regular file, or a link that `links` refuses.
enum class ProfileLinks : bool { refused, followed };
Result<std::shared_ptr<const GameProfile>> read_game_profile(const std::string& path, ProfileLinks links);
// For a command line: a name, or the path of a file. Errors: those of find_game_profile and read_game_profile.
Result<std::shared_ptr<const GameProfile>> load_game_profile(const std::string& name_or_path);
// `file` begins the message of an error. Errors: malformed, limit.
Result<GameProfile> parse_game_profile(std::string_view text, std::string_view file);

}  // namespace fardel
