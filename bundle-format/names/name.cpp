#include <fardel/format/name.h>

#include "ascii_word.h"
#include "name_characters.h"
#include "plain_name.h"
#include "unicode.h"

#include <fardel/format/limits.h>

#include <algorithm>

namespace fardel {

namespace {

// `lower_case` must be lower-case ASCII.
bool equals_lowered(std::string_view text, std::string_view lower_case) noexcept {
    return std::ranges::equal(text, lower_case, {}, lower_ascii);
}

// N9. Whether `part` is a device name of Windows: alone, with any extension, or followed by spaces ("con", "CON.txt",
// "Com1 .a.b").
bool is_reserved(std::string_view part) noexcept {
    std::string_view base = part.substr(0, part.find('.'));
    while (!base.empty() && base.back() == ' ')
        base.remove_suffix(1);
    if (base.size() < 3 || base.size() > 7)
        return false;
    const std::string_view rest = base.substr(3);
    base = base.substr(0, 3);
    if (equals_lowered(base, "com") || equals_lowered(base, "lpt"))  // and a digit; ¹ ² ³ are digits too
        return (rest.size() == 1 && is_ascii_digit(rest[0])) || rest == "\xc2\xb9" || rest == "\xc2\xb2" ||
               rest == "\xc2\xb3";
    if (equals_lowered(base, "con"))
        return rest.empty() || equals_lowered(rest, "in$") || equals_lowered(rest, "out$");
    return rest.empty() && (equals_lowered(base, "prn") || equals_lowered(base, "aux") || equals_lowered(base, "nul"));
}

// In this and the following functions, `text` is UTF-8 and not empty.
bool starts_with_space(std::string_view text) noexcept {
    return unicode::kind_of(unicode::decode_first(text).value) == unicode::Kind::space;
}

bool ends_with_space(std::string_view text) noexcept {
    std::size_t at = text.size() - 1;
    while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80)
        --at;
    return starts_with_space(text.substr(at));
}

// Returns the rule that `part` breaks, as the end of a sentence; empty if none. `part` has passed verify_characters.
std::string_view broken_rule(std::string_view part) noexcept {
    if (part.empty())
        return "is empty";
    if (part == "." || part == "..")
        return "is a relative step";
    if (part.back() == '.')
        return "ends in a dot";
    if (ends_with_space(part))
        return "ends in a space";
    if (starts_with_space(part))
        return "starts with a space";
    if (is_reserved(part))
        return "is a name that Windows reserves for a device";
    return {};
}

Error refuse_part(ErrorCode code, std::size_t number, std::string_view part, std::size_t at, std::string_view why) {
    std::string message = "part " + std::to_string(number) + " of the name";
    if (!part.empty())
        message.append(" (\"").append(printable(part, 40)).append("\")");
    return Error(code, message.append(" at byte ").append(std::to_string(at)).append(" ").append(why));
}

Status verify_thoroughly(std::string_view text) {
    if (text.size() > limits::kNameBytesMax)
        return Error(ErrorCode::limit, "name has " + std::to_string(text.size()) + " bytes, more than " +
                                           std::to_string(limits::kNameBytesMax));
    if (text.empty())
        return Error(ErrorCode::malformed, "name is empty");
    FARDEL_TRY(verify_characters(text, "name", false));

    std::size_t number = 0;
    for (std::size_t at = 0; at <= text.size();) {
        const std::string_view part = text.substr(at, text.find('/', at) - at);
        if (++number > limits::kNameDepthMax)
            return Error(ErrorCode::limit, "name has more than " + std::to_string(limits::kNameDepthMax) + " parts");
        if (part.size() > limits::kNamePartBytesMax)
            return refuse_part(ErrorCode::limit, number, part, at,
                               "has " + std::to_string(part.size()) + " bytes, more than " +
                                   std::to_string(limits::kNamePartBytesMax));
        if (const std::string_view why = broken_rule(part); !why.empty())
            return refuse_part(ErrorCode::malformed, number, part, at, why);
        at += part.size() + 1;
    }
    return ok();
}

}  // namespace

Status verify_name(std::string_view text) { return is_plain_name(text) ? ok() : verify_thoroughly(text); }

Result<AssetName> AssetName::parse(std::string_view text) {
    FARDEL_TRY(verify_name(text));
    return AssetName(SharedText(text));
}

std::string_view AssetName::leaf() const noexcept {
    const std::size_t slash = view().rfind('/');
    return slash == std::string_view::npos ? view() : view().substr(slash + 1);
}

std::string_view AssetName::parent() const noexcept {
    const std::size_t slash = view().rfind('/');
    return slash == std::string_view::npos ? std::string_view() : view().substr(0, slash);
}

}  // namespace fardel
