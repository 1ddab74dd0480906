// Requirement: what a bundle expects of another one, by name and versions: "studio/base >= 1.0, < 2".
// docs/installing.md defines the text.
//
// A bundle states each requirement in its metadata, the name in the key ("requires.studio/base") and the rest in the
// value, so the bundle id covers it. A static dependency is an id; a requirement is resolved when a bundle is
// installed. Texts are untrusted; parsed values are well-formed.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle_version.h>
#include <fardel/format/ids.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fardel {

class Bundle;

inline constexpr std::string_view kRequirementKeyPrefix = "requires.";
inline constexpr std::size_t kRequirementNameBytesMax = 240;  // so that a metadata key can hold it
inline constexpr std::size_t kRequirementBoundsMax = 8;
inline constexpr std::size_t kRequirementTextBytesMax = 1024;
inline constexpr std::size_t kRequirementsMax = 256;  // of one bundle

struct VersionBound {
    enum class Relation : std::uint8_t { equal, at_least, above, at_most, below };
    Relation relation = Relation::equal;
    BundleVersion version;  // not empty

    friend bool operator==(const VersionBound&, const VersionBound&) = default;
};

struct Requirement {
    std::string name;                  // of a bundle; without spaces
    std::vector<VersionBound> bounds;  // all must hold; none: any version
    std::optional<PublicKey> signer;   // an author who must have signed the bundle

    // Reads "NAME", "NAME BOUNDS", "NAME by KEY" or "NAME BOUNDS by KEY". Errors: malformed, limit.
    static Result<Requirement> parse(std::string_view text);
    // Reads what a bundle's metadata have under a key with kRequirementKeyPrefix. Errors: malformed, limit.
    static Result<Requirement> of_metadata(std::string_view key, std::string_view value);

    std::string metadata_key() const;
    std::string metadata_value() const;  // "*" if it has no bounds
    // In the one form that parse() reads and people write; without "*".
    std::string text() const;

    // Whether the version is within the bounds. A preview is accepted only if a bound names a preview, and "< 2" never
    // accepts a preview of 2.
    bool accepts(const BundleVersion& version) const;
    // Whether it would accept the version if that were no preview.
    bool misses_preview(const BundleVersion& version) const;

    friend bool operator==(const Requirement&, const Requirement&) = default;
};

// Returns what the bundle requires, by name. Errors: malformed (one of them), limit (more than kRequirementsMax), those
// of reading its tables.
Result<std::vector<Requirement>> requirements_of(const Bundle& bundle);

// Whether the bundle has the name, a version within the bounds, and a valid signature of the signer as its author.
// Whether its signers are trusted is not the question: a policy answers it. Errors: unresolved, untrusted, those of
// reading the bundle.
Status verify_meets(const Requirement& requirement, const Bundle& bundle);

// Bundles by their names, which requirements are compared with. It refers to the bundles.
class NamedBundles {
public:
    // A bundle whose name cannot be read meets nothing.
    void add(const Bundle& bundle);
    // Whether one of them meets the requirement. Errors: unresolved (none has the name, or the version), or what
    // verify_meets says of the first that has the name.
    Status verify_meet(const Requirement& requirement) const;

private:
    std::unordered_map<std::string_view, std::vector<const Bundle*>> by_name_;
};

}  // namespace fardel
