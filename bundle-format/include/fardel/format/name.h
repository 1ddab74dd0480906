// AssetName: a logical name that is known to be well formed; parse() is the only way to one.
//
// The rules, the fold and the hash are normative in docs/names.md. In short: UTF-8 in NFC; parts between '/'; no empty,
// "." or ".." part; none of \ : * ? " < > |; nothing unassigned, private or invisible; no part that starts or ends with
// a space, ends in a dot, is reserved by Windows or has the form of an 8.3 alias; part ≤ 255 bytes, name ≤ 1024 bytes,
// ≤ 64 parts. A name that is good on one system is good on all. Nothing is normalised silently. Unicode data: 15.0.
// Every text here may be hostile unless a function says otherwise. All functions are pure; any thread.
#pragma once

#include <fardel/format/result.h>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace fardel {

class AssetName {
public:
    // Errors: malformed (which rule and where, without printing raw untrusted bytes), limit (too long or too deep).
    static Result<AssetName> parse(std::string_view text);

    const std::string& text() const noexcept { return text_; }
    std::string_view view() const noexcept { return text_; }
    // The part after the last '/'.
    std::string_view leaf() const noexcept;
    // All before the last '/'; empty for a name of one part.
    std::string_view parent() const noexcept;

    // By bytes, which is also the order of code points.
    friend bool operator==(const AssetName&, const AssetName&) = default;
    friend std::strong_ordering operator<=>(const AssetName& a, const AssetName& b) noexcept {
        return a.text_.compare(b.text_) <=> 0;
    }

private:
    explicit AssetName(std::string text) : text_(std::move(text)) {}
    std::string text_;
};

// The rules of AssetName::parse without making one; the hot path of readers.
Status verify_name(std::string_view text);

// How names are compared: by their bytes, or by their fold.
enum class CaseRule : std::uint8_t { exact, fold };

// Full Unicode case folding, kept in NFC: equal folds mean "the same name" on a case-insensitive system. `name` must be
// well formed; anything else gives an unspecified but safe string. May be longer than `name`.
std::string fold_name(std::string_view name);

// Whether fold_name(a) == fold_name(b); no allocation when both are ASCII.
bool names_fold_equal(std::string_view a, std::string_view b);

// 64-bit hash of fold_name(name): by which names are looked up. No allocation when ASCII. Not secret and not
// collision-proof: compare names after it.
std::uint64_t name_hash(std::string_view name);

// Text made safe to show: controls, escapes, invisible characters and bad UTF-8 become "\u{…}" or "\x…". Shows at most
// `bytes_max` bytes, whole characters only, then "…" if anything is left out. For people: it cannot be read back.
std::string printable(std::string_view untrusted, std::size_t bytes_max = 200);

// A glob over names: '*' any characters within a part, '?' one character within a part, "**" as a whole part any number
// of parts (at the end: at least one), nothing else special; case counts.
// Error: malformed, for a pattern that could match no name at all by its form; limit, above limits::kNameBytesMax.
Status verify_glob(std::string_view pattern);

// Whether `pattern` matches the whole of the well-formed `name`. Time: pattern × name. What verify_glob refuses matches
// nothing.
bool glob_matches(std::string_view pattern, std::string_view name);

}  // namespace fardel
