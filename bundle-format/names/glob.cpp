#include <fardel/format/limits.h>
#include <fardel/format/name.h>

#include "name_characters.h"

namespace fardel {

namespace {

constexpr std::size_t kNone = std::string_view::npos;

// Returns the part of `text` that begins at `at`. The next part begins after the '/' behind it.
std::string_view part_at(std::string_view text, std::size_t at) noexcept {
    return text.substr(at, text.find('/', at) - at);
}

// Whether each "**" in `pattern` is a whole part.
bool stars_are_parts(std::string_view pattern) noexcept {
    for (std::size_t at = pattern.find("**"); at != kNone; at = pattern.find("**", at + 2)) {
        const bool starts = at == 0 || pattern[at - 1] == '/';
        const bool ends = at + 2 == pattern.size() || pattern[at + 2] == '/';
        if (!starts || !ends)
            return false;
    }
    return true;
}

// Whether `byte` continues a character of UTF-8 that began before it.
bool continues(char byte) noexcept { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

// Returns the end of the character at `at`.
std::size_t after_character(std::string_view text, std::size_t at) noexcept {
    do
        ++at;
    while (at < text.size() && continues(text[at]));
    return at;
}

// The classic greedy match. Only the latest '*' is ever extended: any match that extending an earlier one could find,
// the latest finds too. So no pair of characters is compared twice.
bool part_matches(std::string_view pattern, std::string_view part) noexcept {
    std::size_t p = 0, n = 0;
    std::size_t after_star = kNone, star_end = 0;
    while (n < part.size()) {
        char expected = p < pattern.size() ? pattern[p] : '\0';
        if (continues(part[n]) && (expected == '*' || expected == '?'))
            expected = '\0';  // ill-formed pattern: a wildcard stands for whole characters
        if (expected == '*') {
            after_star = ++p;
            star_end = n;
        } else if (expected == '?') {
            ++p;
            n = after_character(part, n);
        } else if (expected == part[n]) {
            ++p;
            ++n;
        } else if (after_star != kNone) {
            p = after_star;
            star_end = after_character(part, star_end);
            n = star_end;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*')
        ++p;
    return p == pattern.size();
}

}  // namespace

Status verify_glob(std::string_view pattern) {
    if (pattern.size() > limits::kNameBytesMax)
        return Error(ErrorCode::limit, "glob has " + std::to_string(pattern.size()) + " bytes, more than " +
                                           std::to_string(limits::kNameBytesMax));
    if (pattern.empty())
        return Error(ErrorCode::malformed, "glob is empty");
    FARDEL_TRY(verify_characters(pattern, "glob", true));
    if (!stars_are_parts(pattern))
        return Error(ErrorCode::malformed, "glob has \"**\" that is not a whole part (between '/')");
    for (std::size_t at = 0; at <= pattern.size(); at += part_at(pattern, at).size() + 1) {
        const std::string_view part = part_at(pattern, at);
        if (part.empty())
            return Error(ErrorCode::malformed, "glob has an empty part at byte " + std::to_string(at));
        if (part == "." || part == "..")
            return Error(ErrorCode::malformed, "glob has a relative step at byte " + std::to_string(at));
    }
    return ok();
}

// The same match as part_matches, with parts instead of characters and "**" instead of '*'.
bool glob_matches(std::string_view pattern, std::string_view name) {
    if (pattern.size() > limits::kNameBytesMax || !stars_are_parts(pattern))
        return false;
    // Positions run to one past the size, as if the last part also ended with a '/'.
    std::size_t p = 0, n = 0;
    std::size_t after_stars = kNone, stars_end = 0;
    while (n <= name.size()) {
        const bool more = p <= pattern.size();
        const std::string_view expected = more ? part_at(pattern, p) : std::string_view();
        const std::string_view part = part_at(name, n);
        if (expected == "**") {
            p += 3;
            if (p > pattern.size())
                return true;  // a trailing "**" needs at least one part, and one is left
            after_stars = p;
            stars_end = n;
        } else if (more && part_matches(expected, part)) {
            p += expected.size() + 1;
            n += part.size() + 1;
        } else if (after_stars != kNone) {
            p = after_stars;
            stars_end += part_at(name, stars_end).size() + 1;
            n = stars_end;
        } else {
            return false;
        }
    }
    return p > pattern.size();
}

}  // namespace fardel
