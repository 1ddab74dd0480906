// BundleVersion: the version of a bundle ("1.0-rc1") as packers state it and authors sign it; and the order of
// versions.
//
// It has at most 64 letters, digits and . + - _ ~ ; an empty version means that none is stated. Versions are for
// people, policies and requirements (requirement.h). docs/installing.md, "Versions", defines the order.
#pragma once

#include <fardel/base/result.h>

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace fardel {

class BundleVersion {
public:
    BundleVersion() = default;  // empty
    // Errors: malformed (another character), limit (too long).
    static Result<BundleVersion> parse(std::string_view text);

    const std::string& text() const noexcept { return text_; }
    bool empty() const noexcept { return text_.empty(); }

    // Whether it is earlier than the release of the same number: "1.0-rc1", "1.0b2", "Beta_1.9", "2~x".
    bool is_preview() const noexcept;
    // The version without what makes it a preview: "1.0" of "1.0-rc1".
    BundleVersion release() const;

    friend bool operator==(const BundleVersion&, const BundleVersion&) = default;

private:
    explicit BundleVersion(std::string text) : text_(std::move(text)) {}
    std::string text_;
};

// Orders versions as people mean them: 1.9 before 1.10, 1.0-rc1 before 1.0, v1.0 before 1.0-hotfix1. Different texts
// can be the same version: 1.0 and 1.0.0, or 1.0+a and 1.0+b. Allocates nothing.
std::weak_ordering compare_versions(const BundleVersion& a, const BundleVersion& b) noexcept;

// The same; of one version, what is behind the "+" decides: 1.0+build9 before 1.0+build10. For who chooses the newest.
std::weak_ordering compare_builds(const BundleVersion& a, const BundleVersion& b) noexcept;

// For who adds a version: "base 1.0rc1 comes before base 1.0, which release 3 has: …", or that both count as one.
// Nothing if the added one is newer, or the same text. Safe to show; `where`: who has the other one, "release 3 has".
std::optional<std::string> describe_older(std::string_view name, const BundleVersion& added, const BundleVersion& there,
                                          std::string_view where);

}  // namespace fardel
