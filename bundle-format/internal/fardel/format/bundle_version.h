// BundleVersion: the version of a bundle ("1.0-rc1") as packers state it and authors sign it.
//
// It has at most 64 letters, digits and . + - _ ~ ; an empty version means that none is stated. Versions are for people
// and policies; Fardel never orders them.
#pragma once

#include <fardel/base/result.h>

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

    friend bool operator==(const BundleVersion&, const BundleVersion&) = default;

private:
    explicit BundleVersion(std::string text) : text_(std::move(text)) {}
    std::string text_;
};

}  // namespace fardel
