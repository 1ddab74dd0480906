#include "unicode.h"

#include <fardel/format/name_form.h>

#include <utf8proc.h>

#include <array>
#include <cassert>
#include <span>
#include <vector>

namespace fardel::unicode {

namespace {

const utf8proc_uint8_t* bytes_of(std::string_view text) noexcept {
    return reinterpret_cast<const utf8proc_uint8_t*>(text.data());
}

utf8proc_ssize_t size_of(std::string_view text) noexcept { return static_cast<utf8proc_ssize_t>(text.size()); }

// A text's code points after utf8proc's decomposition: canonical, in canonical order, case folded if asked to.
class Decomposition {
public:
    Decomposition(std::string_view text, unsigned options)
        : options_(static_cast<utf8proc_option_t>(options | UTF8PROC_STABLE)) {
        points_ = room_;
        count_ = decompose(text);
        if (count_ > room()) {
            more_room_.resize(static_cast<std::size_t>(count_) + 1);
            points_ = more_room_;
            count_ = decompose(text);
        }
    }

    Decomposition(const Decomposition&) = delete;
    Decomposition& operator=(const Decomposition&) = delete;

    // Returns false if the text is not UTF-8; then no other function may be called.
    bool valid() const noexcept { return count_ >= 0; }

    // Returns the code points, recomposed if the options say so. Call only one of the following two functions, and only
    // once.
    std::span<const utf8proc_int32_t> normalized() noexcept {
        const auto count = utf8proc_normalize_utf32(points_.data(), count_, options_);
        return points_.first(static_cast<std::size_t>(count));
    }

    std::string encoded() {
        const auto size_bytes = utf8proc_reencode(points_.data(), count_, options_);
        assert(size_bytes >= 0);
        return std::string(reinterpret_cast<const char*>(points_.data()), static_cast<std::size_t>(size_bytes));
    }

private:
    utf8proc_ssize_t decompose(std::string_view text) noexcept {
        return utf8proc_decompose(bytes_of(text), size_of(text), points_.data(), room(), options_);
    }

    // utf8proc_reencode needs room for one more than it is given.
    utf8proc_ssize_t room() const noexcept { return static_cast<utf8proc_ssize_t>(points_.size()) - 1; }

    utf8proc_option_t options_;
    std::array<utf8proc_int32_t, 512> room_;  // enough for most names; more_room_ serves the others
    std::vector<utf8proc_int32_t> more_room_;
    std::span<utf8proc_int32_t> points_;
    utf8proc_ssize_t count_ = 0;
};

// Whether folding must see the decomposed text. Only U+0345 makes a difference (Unicode 15.0, D145): it is a combining
// mark that folds to a letter, so it must first be ordered among the other marks. In UTF-8 it is CD 85, and every
// character that contains it is in U+1F80…U+1FFF.
bool may_hold_iota_subscript(std::string_view text) noexcept {
    for (const std::string_view bytes : {"\xcd\x85", "\xe1\xbe", "\xe1\xbf"})
        if (text.find(bytes) != text.npos)
            return true;
    return false;
}

// utf8proc 2.8 loses U+11A7 after a Hangul syllable: it mistakes it for a trailing consonant, the first of which is
// U+11A8. U+11A7 is a starter that composes with nothing and folds to itself, so the runs between its occurrences can
// be normalized and folded separately.
constexpr std::string_view kLoner = "\xe1\x86\xa7";

bool is_run_nfc(std::string_view run) {
    Decomposition decomposition(run, UTF8PROC_COMPOSE);
    if (!decomposition.valid())
        return false;
    for (const utf8proc_int32_t wanted : decomposition.normalized()) {
        const CodePoint given = run.empty() ? CodePoint() : decode_first(run);
        if (given.size_bytes == 0 || given.value != static_cast<char32_t>(wanted))
            return false;
        run.remove_prefix(given.size_bytes);
    }
    return run.empty();
}

std::string fold_run(std::string_view run) {
    std::string decomposed;
    if (may_hold_iota_subscript(run)) {
        Decomposition decomposition(run, UTF8PROC_DECOMPOSE);
        if (!decomposition.valid())
            return std::string(run);
        decomposed = decomposition.encoded();
        run = decomposed;
    }
    Decomposition folded(run, UTF8PROC_CASEFOLD | UTF8PROC_COMPOSE);
    return folded.valid() ? folded.encoded() : std::string(run);
}

}  // namespace

std::string_view version() noexcept { return utf8proc_unicode_version(); }

CodePoint decode_first(std::string_view text) noexcept {
    assert(!text.empty());
    utf8proc_int32_t value = 0;
    const auto size = utf8proc_iterate(bytes_of(text), size_of(text), &value);
    if (size <= 0)
        return {};
    return {static_cast<char32_t>(value), static_cast<std::size_t>(size)};
}

Kind kind_of(char32_t code_point) noexcept {
    const utf8proc_property_t& property = *utf8proc_get_property(static_cast<utf8proc_int32_t>(code_point));
    switch (property.category) {
        case UTF8PROC_CATEGORY_CN:
        case UTF8PROC_CATEGORY_CS: return Kind::unassigned;
        case UTF8PROC_CATEGORY_CO: return Kind::private_use;
        case UTF8PROC_CATEGORY_CC: return Kind::control;
        case UTF8PROC_CATEGORY_CF: return Kind::invisible;
        case UTF8PROC_CATEGORY_ZL:
        case UTF8PROC_CATEGORY_ZP: return Kind::separator;
        case UTF8PROC_CATEGORY_ZS: return Kind::space;
        default: return property.ignorable ? Kind::invisible : Kind::visible;
    }
}

bool is_nfc(std::string_view text) {
    for (;;) {
        const std::size_t at = text.find(kLoner);
        if (!is_run_nfc(text.substr(0, at)))
            return false;
        if (at == text.npos)
            return true;
        text.remove_prefix(at + kLoner.size());
    }
}

std::string fold(std::string_view text) {
    for (std::string folded;;) {
        const std::size_t at = text.find(kLoner);
        folded += fold_run(text.substr(0, at));
        if (at == text.npos)
            return folded;
        folded += kLoner;
        text.remove_prefix(at + kLoner.size());
    }
}

std::string compose(std::string_view text) {
    Decomposition composed(text, UTF8PROC_STABLE | UTF8PROC_COMPOSE);
    return composed.valid() ? composed.encoded() : std::string(text);
}

bool is_plain_text(std::string_view text) noexcept {
    while (!text.empty()) {
        const CodePoint point = decode_first(text);
        const bool control = point.value < 0x20 || (point.value >= 0x7f && point.value < 0xa0);
        if (point.size_bytes == 0 || control)
            return false;
        text.remove_prefix(point.size_bytes);
    }
    return true;
}

}  // namespace fardel::unicode

namespace fardel {

bool is_well_formed_utf8(std::string_view text) noexcept {
    while (!text.empty()) {
        const unicode::CodePoint point = unicode::decode_first(text);
        if (point.size_bytes == 0)
            return false;
        text.remove_prefix(point.size_bytes);
    }
    return true;
}

std::string compose_text(std::string_view text) { return unicode::compose(text); }

}  // namespace fardel
