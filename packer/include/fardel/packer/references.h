// References: the names of other files that scanners find in the bytes of an asset. Plain values.
//
// Spellings are hostile bytes. docs/reference-scanners.md states per format what is found.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

enum class ReferenceUse : std::uint8_t {
    file,     // exactly that file: a glTF buffer, a font
    texture,  // an image
    shader,   // a shader of that name; if there is none, an image
    sound,
    model,
    video,
    map,      // a level, by its bare name
    script,   // text that is read as part of this text: menus, headers, material libraries
    sky_box,  // six images whose names begin with the spelling: sky_box_sides
};
inline constexpr ReferenceUse kReferenceUseLast = ReferenceUse::sky_box;

// Returns the word for people and for files: "texture".
std::string_view reference_use_name(ReferenceUse use) noexcept;
std::optional<ReferenceUse> find_reference_use(std::string_view word);

// How a spelling becomes a name.
enum class ReferenceForm : std::uint8_t {
    from_root,       // a name in the game's tree
    below_textures,  // a name in the game's tree, without its leading "textures/"
    relative,        // relative to the folder of the asset that contains the spelling
    relative_uri,    // the same, percent-encoded (RFC 3986)
    speaker,         // a name in the game's tree, to which a game may append an extension
    player,          // a name below models/players/, or in its folders characters/ and heads/
};
inline constexpr ReferenceForm kReferenceFormLast = ReferenceForm::player;

// Parses a word such as "from_root".
std::optional<ReferenceForm> find_reference_form(std::string_view word);

// FoundReference::defined_in of a reference that belongs to the whole asset.
inline constexpr std::uint32_t kNoDefinition = 0xffff'ffffu;

struct FoundReference {
    std::string spelling;  // as the asset has it: hostile bytes without NUL; printable() makes it safe to show
    ReferenceUse use = ReferenceUse::file;
    ReferenceForm form = ReferenceForm::from_root;
    bool optional = false;   // the game runs without it: only editors and compilers read it, or a fall-back exists
    std::uint32_t line = 0;  // from 1; 0 in binary formats
    // Index into ScanFindings::defines: only a reader of that definition needs this reference.
    std::uint32_t defined_in = kNoDefinition;

    friend bool operator==(const FoundReference&, const FoundReference&) = default;
};

// A reference that leads to nothing.
struct MissingReference {
    std::string from;  // logical name
    FoundReference reference;
    std::vector<std::string> tried;  // the names that were looked up, in order
    std::string why_soft;            // why the running game does not look it up, or continues; empty: it is hard
};
// "maps/a.map:3: texture env/gone", safe to show.
std::string describe(const MissingReference& missing);

// An asset that could not be scanned.
struct BrokenAsset {
    std::string name;
    std::string reason;
};

}  // namespace fardel
