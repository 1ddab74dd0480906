// Reference scanners: find the names that occur in the bytes of an asset, and the files that each of them may mean.
//
// docs/reference-scanners.md states per format what is read, and the source of each rule. Pure, no I/O; any thread.
// The bytes are hostile: every count and offset in them is checked before it is used, and the number of findings is
// limited by limits::kReferencesPerAssetMax. Time: n log n in the number of findings, linear in the bytes.
#pragma once

#include <fardel/base/result.h>
#include <fardel/packer/asset_scan.h>
#include <fardel/packer/game_profile.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

// Text formats are refused above this size.
inline constexpr std::size_t kScannedTextBytesMax = std::size_t(256) << 20;
// An asset with more locations of spellings is refused.
inline constexpr std::size_t kSpellingLocationsMax = 4'000'000;

// Raised when any scanner finds something else in the same bytes: then remembered findings are not used.
inline constexpr std::uint32_t kScannersVersion = 4;

// The names of scanners, in alphabetical order: a profile switches them off by these.
std::span<const std::string_view> scanner_names() noexcept;

// A word that identifies the scanner of such an asset; empty if no scanner reads it.
std::string_view scanner_for(std::string_view name, std::string_view content_type,
                             const GameProfile& profile = no_profile());
// Whether that scanner reads text, and so can report where spellings are.
bool scans_text(std::string_view name, std::string_view content_type, const GameProfile& profile = no_profile());

// `content_type`: as content_type.h detects it. A type without a scanner has no references. `with_locations` fills
// ScanFindings::locations. Errors: malformed (the bytes do not match the type), limit, unsupported (another version of
// the format).
Result<ScanFindings> scan_references(std::string_view name, std::string_view content_type,
                                     std::span<const std::byte> bytes, bool with_locations = false,
                                     const GameProfile& profile = no_profile());

enum class CandidateKind : std::uint8_t { shader, asset };

struct NameCandidate {
    CandidateKind kind = CandidateKind::asset;
    std::string name;  // shader: as in ScanFindings::defines; asset: a well-formed name. Both are compared by fold_name
    bool is_respelled = false;  // the asset has the name in another form than this one, which is that of all names
    bool is_bare = false;       // without an extension that the use requires: the name of several formats, as variants

    friend bool operator==(const NameCandidate&, const NameCandidate&) = default;
};

// The images of a sky box as references. The first one decides whether the game draws the box at all.
std::vector<FoundReference> sky_box_sides(const FoundReference& box);

// The names that `reference`, found in the asset `from`, may mean; the first one that exists is meant. Empty if the
// spelling cannot be a name. For a sky box: the candidates of its first side. Without a profile: those of no game. The
// rule is that of meant_names.h, by which a Vfs looks names up, too.
std::vector<NameCandidate> candidate_names(const FoundReference& reference, std::string_view from,
                                           const GameProfile& profile = no_profile());

// Why a reference has no candidates: "an absolute path". Empty if its spelling may be a name.
std::string why_no_candidate(const FoundReference& reference, std::string_view from);

// What belongs to an asset of that name by the profile, as optional references.
std::vector<FoundReference> companions_of(std::string_view name, const GameProfile& profile);

}  // namespace fardel
