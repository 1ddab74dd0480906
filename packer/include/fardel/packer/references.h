// Reference scanners: the names that occur in the bytes of an asset, and the files that each of them may mean.
//
// docs/reference-scanners.md states per format what is read, and the source of each rule. Pure, no I/O; any thread.
// The bytes are hostile: every count and offset in them is checked before it is used, and the number of findings is
// limited by limits::kReferencesPerAssetMax. Time: n log n in the number of findings, linear in the bytes.
#pragma once

#include <fardel/format/result.h>

#include <cstddef>
#include <cstdint>
#include <span>
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

// The word for people: "texture".
std::string_view reference_use_name(ReferenceUse use) noexcept;

// How a spelling becomes a name.
enum class ReferenceForm : std::uint8_t {
    from_root,       // a name in the game's tree
    below_textures,  // a name in the game's tree, without its leading "textures/"
    relative,        // relative to the folder of the asset that contains the spelling
    relative_uri,    // the same, percent-encoded (RFC 3986)
};

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

// Text formats are refused above this size.
inline constexpr std::size_t kScannedTextBytesMax = std::size_t(256) << 20;
// An asset with more locations of spellings is refused.
inline constexpr std::size_t kSpellingLocationsMax = 4'000'000;

// Raised when any scanner finds something else in the same bytes: then remembered findings are not used.
inline constexpr std::uint32_t kScannersVersion = 1;

// A word that identifies the scanner of such an asset; empty if no scanner reads it.
std::string_view scanner_for(std::string_view name, std::string_view content_type) noexcept;
// Whether that scanner reads text, and so can report where spellings are.
bool scans_text(std::string_view name, std::string_view content_type) noexcept;

// `content_type`: as content_type.h detects it. A type without a scanner has no references. `with_locations` fills
// ScanFindings::locations. Errors: malformed (the bytes do not match the type), limit, unsupported (another version of
// the format).
Result<ScanFindings> scan_references(std::string_view name, std::string_view content_type,
                                     std::span<const std::byte> bytes, bool with_locations = false);

enum class CandidateKind : std::uint8_t { shader, asset };

struct NameCandidate {
    CandidateKind kind = CandidateKind::asset;
    std::string name;  // shader: as in ScanFindings::defines; asset: a well-formed name. Both are compared by fold_name

    friend bool operator==(const NameCandidate&, const NameCandidate&) = default;
};

// The images of a sky box as references. The first one decides whether the game draws the box at all.
std::vector<FoundReference> sky_box_sides(const FoundReference& box);

// The names that `reference`, found in the asset `from`, may mean; the first one that exists is meant. Empty if the
// spelling cannot be a name. For a sky box: the candidates of its first side.
std::vector<NameCandidate> candidate_names(const FoundReference& reference, std::string_view from);

}  // namespace fardel
