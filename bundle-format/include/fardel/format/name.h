// AssetName: a well-formed logical name; only parse() creates one.
//
// The rules, the fold and the hash are normative in docs/names.md. In short: UTF-8 in NFC; parts between '/'; no empty,
// "." or ".." part; none of \ : * ? " < > |; no unassigned, private-use or invisible character; no part that starts or
// ends with a space, ends in a dot or is reserved by Windows; part ≤ 255 bytes, name ≤ 1024 bytes, ≤ 64 parts. A name
// that is valid on one system is valid on all; short_alias.h finds the names that must not be beside each other. Names
// are never normalised silently. Unicode data: 15.0. Every text here may be hostile unless a function says otherwise.
// All functions are pure; any thread.
#pragma once

#include <fardel/base/result.h>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace fardel {

// A text that never changes. A copy takes a pointer and shares the bytes: each of a million names is in many lists.
// Copies may be used on different threads.
class SharedText {
public:
    SharedText() noexcept = default;  // empty
    SharedText(std::string_view text);
    SharedText(const std::string& text) : SharedText(std::string_view(text)) {}
    SharedText(const char* text) : SharedText(std::string_view(text)) {}
    SharedText(const SharedText& other) noexcept;
    SharedText(SharedText&& other) noexcept : bytes_(std::exchange(other.bytes_, nullptr)) {}
    SharedText& operator=(SharedText other) noexcept {
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    ~SharedText();

    // The view lives as long as any of the copies.
    std::string_view view() const noexcept;
    operator std::string_view() const noexcept { return view(); }
    std::string text() const { return std::string(view()); }
    bool empty() const noexcept { return bytes_ == nullptr; }

    friend bool operator==(const SharedText& a, const SharedText& b) noexcept { return a.view() == b.view(); }
    friend std::strong_ordering operator<=>(const SharedText& a, const SharedText& b) noexcept {
        return a.view() <=> b.view();
    }

private:
    struct Bytes;
    Bytes* bytes_ = nullptr;
};

class AssetName {
public:
    // Errors: malformed (the rule and position, without printing raw untrusted bytes), limit (too long or too deep).
    static Result<AssetName> parse(std::string_view text);

    std::string text() const { return text_.text(); }
    std::string_view view() const noexcept { return text_.view(); }
    const SharedText& shared_text() const noexcept { return text_; }
    // Returns the part after the last '/'.
    std::string_view leaf() const noexcept;
    // Returns the text before the last '/'; empty for a name of one part.
    std::string_view parent() const noexcept;

    // Compares by bytes, which is also the order of code points.
    friend bool operator==(const AssetName&, const AssetName&) = default;
    friend std::strong_ordering operator<=>(const AssetName& a, const AssetName& b) noexcept = default;

private:
    explicit AssetName(SharedText text) : text_(std::move(text)) {}
    SharedText text_;
};

// Checks the rules of AssetName::parse without creating a name; the hot path of readers.
Status verify_name(std::string_view text);

// Whether names are compared by their bytes or by their fold.
enum class CaseRule : std::uint8_t { exact, fold };

// Full Unicode case folding, kept in NFC: equal folds mean "the same name" on a case-insensitive system. `name` must be
// well formed; anything else gives an unspecified but safe string. The result may be longer than `name`.
std::string fold_name(std::string_view name);

// Whether fold_name(a) == fold_name(b); allocates nothing if both are ASCII.
bool names_fold_equal(std::string_view a, std::string_view b);

// The 64-bit hash of fold_name(name), which look-ups use. Allocates nothing for ASCII. Not secret and not
// collision-proof: compare the names as well.
std::uint64_t name_hash(std::string_view name);

// Makes text safe to show: controls, escapes, invisible characters and bad UTF-8 become "\u{…}" or "\x…". Shows at most
// `bytes_max` bytes, whole characters only, then "…" if anything is left out. For people: it cannot be parsed back.
std::string printable(std::string_view untrusted, std::size_t bytes_max = 200);

// Checks a glob over names: '*' matches any characters within a part, '?' one character within a part, "**" as a whole
// part any number of parts (at the end: at least one); no other character is special; case counts. Errors: malformed
// (the pattern's form can match no name), limit (longer than limits::kNameBytesMax).
Status verify_glob(std::string_view pattern);

// Whether `pattern` matches the whole of the well-formed `name`. Time: pattern × name. A pattern that verify_glob
// refuses matches nothing.
bool glob_matches(std::string_view pattern, std::string_view name);

// ---- URLs of strangers ----------------------------------------------------------------------------------------------

// A URL that a server, a lock file or another text of a stranger has named. A value.
//
// It converts to no text, so that nothing connects to it as if the user had named it: a game server that names
// "http://192.168.0.1/" would have its players ask the routers at their homes. ServerList::of_strangers()
// (<fardel/http/server_list.h>) opens it, by a rule.
class ForeignUrl {
public:
    explicit ForeignUrl(std::string text) : text_(std::move(text)) {}

    // To show and to write it; for people, printable() comes first.
    const std::string& named() const noexcept { return text_; }

    friend bool operator==(const ForeignUrl&, const ForeignUrl&) = default;

private:
    std::string text_;
};

}  // namespace fardel
