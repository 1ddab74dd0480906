// Reference scanners: what the bytes of an asset name, and which names may stand for each.
//
// docs/reference-scanners.md says per format what is read, and where each rule comes from. Pure, no I/O; any thread.
// The bytes are hostile: every count and offset in them is bounded before it is used, and what is found is bounded by
// limits::kReferencesPerAssetMax. Time: linear in the bytes, but for a logarithm of what was found.
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
    file,     // just that file: a glTF buffer, a font
    texture,  // an image
    shader,   // a shader of that name, else an image
    sound,
    model,
    video,
    map,      // a level, by its bare name
    script,   // text that is read as part of this one: menus, headers, material libraries
    sky_box,  // six images, whose names begin with the spelling: sky_box_sides
};
inline constexpr ReferenceUse kReferenceUseLast = ReferenceUse::sky_box;

// The word for people: "texture".
std::string_view reference_use_name(ReferenceUse use) noexcept;

// How a spelling becomes a name.
enum class ReferenceForm : std::uint8_t {
    from_root,       // a name of the game's tree
    below_textures,  // the same, with "textures/" in front of it
    relative,        // to the folder of the asset that names it
    relative_uri,    // the same, percent-encoded (RFC 3986)
};

// In a reference of the asset as a whole.
inline constexpr std::uint32_t kNoDefinition = 0xffff'ffffu;

struct FoundReference {
    std::string spelling;  // as the asset has it: hostile bytes without NUL; printable() shows it
    ReferenceUse use = ReferenceUse::file;
    ReferenceForm form = ReferenceForm::from_root;
    bool optional = false;   // the game goes on without: editors and compilers read it, or a fall-back exists
    std::uint32_t line = 0;  // from 1; 0 in binary formats
    std::uint32_t defined_in =
        kNoDefinition;  // the one of ScanFindings::defines that names it: who wants another one does not want this

    friend bool operator==(const FoundReference&, const FoundReference&) = default;
};

// Where a spelling stands in a text, byte for byte as it would be replaced.
struct SpellingPlace {
    std::uint32_t reference = 0;  // index into ScanFindings::references
    std::uint64_t offset = 0;     // in the asset
    std::uint64_t length = 0;
};

struct ScanFindings {
    std::vector<FoundReference> references;  // in the order of the asset; no two alike but for line and optional
    std::vector<std::string> defines;        // names that a shader file defines, in its order; hostile bytes
    std::vector<SpellingPlace> places;  // when they were asked for, of all spellings that stand in the text as such
};

// Text formats are refused above this.
inline constexpr std::size_t kScannedTextBytesMax = std::size_t(256) << 20;
// More places of spellings in one asset are refused.
inline constexpr std::size_t kSpellingPlacesMax = 4'000'000;

// Raised whenever some scanner finds other things in the same bytes: what was remembered is worth nothing then.
inline constexpr std::uint32_t kScannersVersion = 1;

// Which scanner looks at the bytes of such an asset, by a word of its own; empty: none.
std::string_view scanner_for(std::string_view name, std::string_view content_type) noexcept;
// Whether that one reads text, and so knows where spellings stand.
bool scans_text(std::string_view name, std::string_view content_type) noexcept;

// `content_type`: as content_type.h tells it. A type that no scanner knows has no references. Errors: malformed (the
// bytes are not what the type says), limit, unsupported (another version of the format).
Result<ScanFindings> scan_references(std::string_view name, std::string_view content_type,
                                     std::span<const std::byte> bytes, bool places = false);

enum class CandidateKind : std::uint8_t { shader, asset };

struct NameCandidate {
    CandidateKind kind = CandidateKind::asset;
    std::string name;  // shader: as in ScanFindings::defines; asset: a well-formed name. Both are compared by fold_name

    friend bool operator==(const NameCandidate&, const NameCandidate&) = default;
};

// The images of a sky box, as references of their own: the first decides whether the game draws the box at all.
std::vector<FoundReference> sky_box_sides(const FoundReference& box);

// What `reference`, which stands in the asset `from`, may mean: the first that exists is meant. Empty when the spelling
// can be no name at all. Of a sky box: those of its first side.
std::vector<NameCandidate> candidate_names(const FoundReference& reference, std::string_view from);

}  // namespace fardel
