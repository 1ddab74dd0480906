#include "serve/request_head.h"

#include <fardel/base/ascii.h>

#include <algorithm>
#include <cstring>
#include <functional>

namespace fardel {
namespace {

constexpr std::size_t kLineEndMax = 2;  // bytes; the library writes a NUL over each

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

bool is_hex_digit(char c) {
    const char lower = lower_ascii(c);
    return (c >= '0' && c <= '9') || (lower >= 'a' && lower <= 'f');
}

// Reads the head from its first byte to its last.
class HeadWalk {
public:
    HeadWalk(const char* begin, std::size_t bytes) : at_(begin), end_(begin + bytes) {}

    // Goes on behind the next text. Returns false if it does not begin behind `gap_max` bytes of those in `gap` at
    // most.
    bool pass(const char* text, std::string_view gap, std::size_t gap_max) {
        if (text == nullptr || std::less<>()(text, at_) || std::less<>()(end_, text) || !is_gap(text, gap, gap_max))
            return false;
        at_ = text + ::strnlen(text, static_cast<std::size_t>(end_ - text));
        return true;
    }
    void skip(std::size_t bytes) { at_ += bytes; }
    bool ends_behind(std::size_t gap_max) const { return is_gap(end_, std::string_view("\0", 1), gap_max); }

private:
    bool is_gap(const char* to, std::string_view gap, std::size_t gap_max) const {
        const std::string_view between(at_, static_cast<std::size_t>(to - at_));
        return between.size() <= gap_max && between.find_first_not_of(gap) == std::string_view::npos;
    }

    const char* at_;
    const char* const end_;
};

constexpr std::string_view kNul("\0", 1);
constexpr std::string_view kNulOrBlank("\0 \t", 3);

}  // namespace

std::size_t RequestHead::target_bytes() const {
    const std::less<> before;
    const bool is_inside = !before(target, method) && before(target, version) && before(version, method + head_bytes);
    return is_inside ? static_cast<std::size_t>(version - 1 - target) : 0;
}

std::string RequestHead::whole_target() const {
    std::string whole(asked);
    if (const std::size_t bytes = target_bytes(); bytes > whole.size())
        whole += std::string(target + whole.size(), bytes - whole.size());
    return whole;
}

bool RequestHead::is_plain() const {
    HeadWalk walk(method, head_bytes);
    if (target_bytes() != asked.size() || std::ranges::any_of(asked, is_control) || !walk.pass(method, kNul, 0) ||
        std::ranges::any_of(std::string_view(method), is_control) || target != method + std::strlen(method) + 1)
        return false;
    walk.skip(1 + asked.size());
    if (!walk.pass(version, kNul, 1))
        return false;
    for (const auto& [name, value] : fields) {
        // A line that continues the one before it gives the library a name that was never sent.
        if (!walk.pass(name, kNul, kLineEndMax) || !walk.pass(value, kNulOrBlank, head_bytes))
            return false;
        const auto is_wrong = [](char c) { return is_control(c) && c != '\t'; };
        if (std::ranges::any_of(std::string_view(name), [](char c) { return is_control(c) || c == ' '; }) ||
            std::ranges::any_of(std::string_view(value), is_wrong))
            return false;
    }
    return walk.ends_behind(2 * kLineEndMax);
}

bool is_origin_form(std::string_view target) {
    if (!target.starts_with('/'))
        return false;
    for (std::size_t i = 0; i < target.size(); ++i) {
        const char c = target[i];
        if (c <= 0x20 || c >= 0x7f || c == '#')
            return false;
        if (c == '%' && (i + 2 >= target.size() || !is_hex_digit(target[i + 1]) || !is_hex_digit(target[i + 2])))
            return false;
    }
    return true;
}

}  // namespace fardel
