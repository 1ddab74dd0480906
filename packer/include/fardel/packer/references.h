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
    // A statement that can be read in several ways, as "mtllib test file.mtl", numbered from 1 in its asset; 0: only in
    // this one. Its readings are numbered from 0; the first of which all references lead somewhere is meant.
    std::uint32_t statement = 0;
    std::uint32_t reading = 0;

    friend bool operator==(const FoundReference&, const FoundReference&) = default;
};

// A reference that leads to nothing.
struct MissingReference {
    std::string from;  // logical name
    FoundReference reference;
    std::vector<std::string> tried;  // the names that were looked up, in order
    std::string why_not_tried;  // why the spelling is no name of the game: "an absolute path"; empty: it may be one
    std::string why_soft;       // why the running game does not look it up, or continues; empty: it is hard
};
// "maps/a.map:3: texture env/gone", safe to show.
std::string describe(const MissingReference& missing);
// "tried env/gone.tga, env/gone.jpg, env/gone.png and 3 more", or why nothing was; safe to show.
std::string describe_tried(const MissingReference& missing);

// A reference whose target is there under another spelling, such as another case. A mount finds it only if it folds.
struct RespelledReference {
    std::string from;  // logical name
    FoundReference reference;
    std::string name;  // the file that is there
};
// "m.gltf: texture Textures/Wall.PNG is textures/wall.png", safe to show.
std::string describe(const RespelledReference& respelled);

enum class BrokenKind : std::uint8_t {
    whole,         // nothing of it was read
    part,          // the reason names a part that was not read
    other_format,  // another program's file, whose extension is that of a format that a scanner reads
};
inline constexpr BrokenKind kBrokenKindLast = BrokenKind::other_format;

// An asset that could not be scanned, or not all of it.
struct BrokenAsset {
    std::string name;
    std::string reason;
    BrokenKind kind = BrokenKind::whole;
    std::string why_soft;  // why the game does not read it; empty: the references of the game are not known
};

}  // namespace fardel
