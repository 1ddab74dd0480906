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
};

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

// The bytes of a text that a new spelling would replace.
struct SpellingLocation {
    std::uint32_t reference = 0;  // index into ScanFindings::references
    std::uint64_t offset = 0;     // in the asset
    std::uint64_t length = 0;
};

struct ScanFindings {
    // In the order of the asset. Two references differ in more than line and optional.
    std::vector<FoundReference> references;
    std::vector<std::string> defines;         // names that a shader file defines, in its order; hostile bytes
    std::vector<SpellingLocation> locations;  // only on request; of all spellings that occur literally in the text
};

}  // namespace fardel
