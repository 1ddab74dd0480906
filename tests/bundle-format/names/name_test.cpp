#include <fardel/format/limits.h>
#include <fardel/format/name.h>

#include "kit/test.h"
#include "name_vectors.h"
#include "names/unicode.h"

#include <array>
#include <compare>

namespace fardel::tests::name_test {

namespace limits = fardel::limits;
namespace unicode = fardel::unicode;

void check_accepted(std::string_view text) {
    CAPTURE(fardel::printable(text));
    const auto status = verify_name(text);
    CHECK_MESSAGE(status, (status ? "" : status.error().text()));
    const auto name = AssetName::parse(text);
    REQUIRE(name);
    CHECK(name->text() == text);
}

// Returns the message of the refusal, which must have the given code and contain no raw untrusted bytes.
std::string refusal(std::string_view text, ErrorCode code = ErrorCode::malformed) {
    CAPTURE(fardel::printable(text));
    const auto status = verify_name(text);
    REQUIRE_FALSE(status);
    CHECK(status.error().code() == code);
    const auto name = AssetName::parse(text);
    REQUIRE_FALSE(name);
    CHECK(name.error().message() == status.error().message());
    CHECK(fardel::printable(status.error().message(), 1000) == status.error().message());
    return status.error().message();
}

// `text` as a whole name, and as the first, a middle and the last part of a longer one.
void check_part_refused(std::string_view part) {
    const std::string text(part);
    refusal(text);
    refusal(text + "/x");
    refusal("x/" + text);
    refusal("x/" + text + "/x");
}

void check_part_accepted(std::string_view part) {
    const std::string text(part);
    check_accepted(text);
    check_accepted(text + "/x");
    check_accepted("x/" + text);
    check_accepted("x/" + text + "/x");
}

// `count` parts of `part`.
std::string repeated(std::string_view part, std::size_t count) {
    std::string text(part);
    for (; count > 1; --count)
        text.append("/").append(part);
    return text;
}

TEST_CASE("name: the Unicode data is version 15.0.0") {
    // It decides how names are refused, folded and hashed. If a library brings another version, first decide what
    // happens to existing names (docs/names.md), then change this line.
    CHECK(unicode::version() == "15.0.0");
}

TEST_CASE("name: ordinary names are accepted as they are") {
    for (const std::string_view text : {"a",
                                        "textures/base/water.tga",
                                        "models/players/Sarge/icon_default.tga",
                                        ".gitignore",
                                        "...a",
                                        "a b/c d.txt",
                                        "a..b",
                                        "x/.hidden/y",
                                        "(1) [2] {3} + - _ = ! @ # $ % ^ & ' ` , ;",
                                        "a;b",
                                        "~",
                                        "a~",
                                        "~a",
                                        "Straße/Ärger.txt",
                                        "地図/水.png",
                                        "текстуры/Стены",
                                        "ᾳ̣",
                                        "❤.png",
                                        "a\u00a0b",
                                        "\U0001f600.png",
                                        "가\u11a7",
                                        "क्षि"})
        check_accepted(text);
}

TEST_CASE("name: no name of OpenArena is refused") {
    for (const std::string& text : read_openarena_names())
        check_accepted(text);
}

TEST_CASE("name: an empty name and an empty part are refused") {  // A01
    CHECK(refusal("") == "name is empty");
    CHECK(refusal("/") == "part 1 of the name at byte 0 is empty");
    CHECK(refusal("/a") == "part 1 of the name at byte 0 is empty");
    CHECK(refusal("a/") == "part 2 of the name at byte 2 is empty");
    CHECK(refusal("a//b") == "part 2 of the name at byte 2 is empty");
    refusal("//");
    refusal("//host/share");  // A02
    refusal("a/b//");
}

TEST_CASE("name: a part '.' or '..' is refused") {  // A01
    for (const std::string_view part : {".", ".."})
        check_part_refused(part);
    CHECK(refusal("a/../b") == "part 2 of the name (\"..\") at byte 2 is a relative step");
}

TEST_CASE("name: back slashes, drives and device paths are refused") {  // A02
    for (const std::string_view text : {"\\", "a\\b", "\\\\host\\share", "C:", "C:/a", "C:\\a", "\\\\?\\C:\\a",
                                        "\\\\.\\pipe\\a", "//?/C:/a", "a/C:b", "a\\"})
        refusal(text);
    CHECK(refusal("maps\\dm01") == "name has a back slash (parts are separated by '/') at byte 4");
}

TEST_CASE("name: each byte of ASCII is allowed or refused as the rules say, at each position") {  // A03
    constexpr std::string_view kRefused = "\\:*?\"<>|";
    for (unsigned value = 0; value < 0x80; ++value) {
        const char c = static_cast<char>(value);
        const bool good = value >= 0x20 && value != 0x7f && kRefused.find(c) == kRefused.npos;
        CAPTURE(value);
        for (const std::string_view frame : {"ab@cd", "x/a@b/y", "aaaaaaaaaaaaaaaaaaaaaaaaa@a", "a@b\u00e9"}) {
            std::string text(frame);
            text[text.find('@')] = c;
            if (good)
                check_accepted(text);
            else
                refusal(text);
        }
    }
    CHECK(refusal("a\nb") == "name has a control character (U+000A) at byte 1");
    CHECK(refusal(std::string_view("a\0b", 3)) == "name has a control character (U+0000) at byte 1");
    CHECK(refusal("maps/a:stream") == "name has the character : (none of \\ : * ? \" < > | is allowed) at byte 6");
}

TEST_CASE("name: a part that ends in a dot is refused") {  // A04
    for (const std::string_view part : {"a.", "a..", "...", "a.b.", "\u00e9."})
        check_part_refused(part);
    CHECK(refusal("a/b.") == "part 2 of the name (\"b.\") at byte 2 ends in a dot");
}

TEST_CASE("name: a part that starts or ends with a space of any kind is refused") {  // A04
    for (const char32_t space : {0x20u, 0xa0u, 0x1680u, 0x2002u, 0x200au, 0x202fu, 0x205fu, 0x3000u}) {
        const std::string c = utf8(space);
        for (const std::string& part : {c, c + "a", "a" + c, "a." + c, "\u00e9" + c, c + "\u00e9"})
            check_part_refused(part);
        check_part_accepted("a" + c + "b");
    }
    CHECK(refusal("a/b ") == "part 2 of the name (\"b \") at byte 2 ends in a space");
    CHECK(refusal("a/ b") == "part 2 of the name (\" b\") at byte 2 starts with a space");
    CHECK(refusal("b\u3000") == "part 1 of the name (\"b\\u{3000}\") at byte 0 ends in a space");
}

TEST_CASE("name: a part that Windows reserves is refused in any case and with any extension") {  // A05
    std::vector<std::string> devices = {"con", "prn", "aux", "nul", "conin$", "conout$"};
    for (const std::string_view port : {"com", "lpt"})
        for (const std::string_view digit : {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "¹", "²", "³"})
            devices.push_back(std::string(port).append(digit));
    CHECK(devices.size() == 32);
    for (const std::string& device : devices) {
        std::string upper = device, mixed = device;
        std::ranges::transform(upper, upper.begin(), [](char c) { return c >= 'a' && c <= 'z' ? char(c - 32) : c; });
        mixed[1] = upper[1];
        for (const std::string& form : {device, upper, mixed}) {
            check_part_refused(form);
            check_part_refused(form + ".txt");
            check_part_refused(form + ".tar.gz");
            check_part_refused(form + " .txt");
            check_part_refused(form + "   .a b.c");
            check_part_refused(form + ".\u00e9");
            check_part_accepted(form + "a");
            check_part_accepted("a" + form);
            check_part_accepted("." + form);
            check_part_accepted(form + " a.txt");
            check_part_accepted("a." + form);
            check_part_accepted(form + "\u00e9");
        }
    }
    CHECK(refusal("a/Con.txt") ==
          "part 2 of the name (\"Con.txt\") at byte 2 is a name that Windows reserves for a device");
}

TEST_CASE("name: a part that only resembles a reserved one is accepted") {
    for (const std::string_view part : {"con1",        "com",    "lpt",   "com10",     "com1a", "com⁴",    "common",
                                        "console",     "config", "nul1",  "auxiliary", "conin", "conin$$", "conout",
                                        "context.txt", "prn_",   "lpt¹¹", "ＣＯＮ",    "сon",   "nu",      "c.on"})
        check_part_accepted(part);
}

TEST_CASE("name: a part in the form of an 8.3 alias is a good name, since only a set of names can be confused") {
    for (const std::string_view part :
         {"PROGRA~1", "progra~1", "a~1", "~1", "~0", "git~1", "AB1234~1.TXT", "a~12.tga", "a~1.b", "longfi~9.htm",
          "abcde~12", "\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9~1", "a~1.\u00e9\u00e9\u00e9", "a~~1", "~12345", "x~1~2.c"})
        check_part_accepted(part);
    for (const std::string_view part :
         {"backup~", "a~b", "a~1b", "1~", "program~1", "a~1.jpeg", "a~1.tar.gz", "a~1.b c", "a b~1", ".a~1", "~",
          "\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9~1", "a.b~1", "a~\u0661", "a~1.b~12"})
        check_part_accepted(part);
}

TEST_CASE("name: a text that is not in NFC is refused") {  // A09
    for (const std::string_view text :
         {"e\u0301", "A\u030a", "\u212b", "\u2126", "\u1100\u1161", "a\u0323\u0301b\u0301\u0323", "\u0958", "\u0340",
          "\u2000x", "\uf900", "=\u0338"})
        refusal(text);
    CHECK(refusal("e\u0301") == "name is not in Unicode normalization form C (NFC)");
    check_accepted("\u00e9");
    check_accepted("\ufb01");  // a compatibility character is in NFC
}

TEST_CASE("name: no two characters below U+0300 change each other in NFC") {
    // Therefore names that consist of them alone need no check for NFC.
    for (char32_t a = 0x20; a < 0x300; ++a)
        for (char32_t b = 0x20; b < 0x300; ++b)
            if (!unicode::is_nfc(utf8(a) + utf8(b)))
                FAIL_CHECK("U+" << std::hex << static_cast<std::uint32_t>(a) << " U+" << static_cast<std::uint32_t>(b));
}

TEST_CASE("name: characters that cannot be seen are refused") {  // A09
    struct {
        char32_t first, last;
    } const ranges[] = {{0x80, 0x9f},     {0xad, 0xad},       {0x34f, 0x34f},     {0x600, 0x605},    {0x61c, 0x61c},
                        {0x115f, 0x1160}, {0x17b4, 0x17b5},   {0x180b, 0x180f},   {0x200b, 0x200f},  {0x2028, 0x202e},
                        {0x2060, 0x206f}, {0x3164, 0x3164},   {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},  {0xffa0, 0xffa0},
                        {0xfff0, 0xfffb}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff}};
    for (const auto& range : ranges)
        for (char32_t c = range.first; c <= range.last; ++c)
            refusal("a" + utf8(c) + "b");
    CHECK(refusal("a\u202eb") == "name has an invisible character (U+202E) at byte 1");
    CHECK(refusal("\ufeffa") == "name has an invisible character (U+FEFF) at byte 0");
    CHECK(refusal("a\u2028") == "name has a line or paragraph separator (U+2028) at byte 1");
    CHECK(refusal("❤\ufe0f.png") == "name has an invisible character (U+FE0F) at byte 3");
}

TEST_CASE("name: unassigned and private-use code points are refused") {  // A09
    for (const char32_t c : {0x378u, 0xfdd0u, 0xffffu, 0x1fffeu, 0x2ffffu, 0x50000u, 0x10ffffu, 0x1c89u})
        refusal("a" + utf8(c));
    for (const char32_t c : {0xe000u, 0xf8ffu, 0xf0000u, 0x10fffdu})
        refusal("a" + utf8(c));
    CHECK(refusal("a\u0378") == "name has a code point that Unicode 15.0 does not assign (U+0378) at byte 1");
    CHECK(refusal("a\ue000") == "name has a private-use character (U+E000) at byte 1");
    check_accepted(utf8(0x11f02) + utf8(0x1e4d0));  // new in 15.0
}

TEST_CASE("name: each code point is accepted or refused by its kind") {
    std::size_t accepted = 0;
    for (char32_t c = 0x80; c <= 0x10ffff; ++c) {
        if (c >= 0xd800 && c <= 0xdfff)
            continue;
        const std::string text = "_" + utf8(c) + "_";  // '_' composes with no mark
        const unicode::Kind kind = unicode::kind_of(c);
        const bool good = (kind == unicode::Kind::visible || kind == unicode::Kind::space) && unicode::is_nfc(text);
        if (static_cast<bool>(verify_name(text)) != good)
            FAIL_CHECK("U+" << std::hex << static_cast<std::uint32_t>(c));
        accepted += good;
    }
    // The number is that of ICU 72, which has the same Unicode version, minus the refused ASCII characters.
    CHECK(accepted == 147'627 - 95);
}

TEST_CASE("name: ill-formed UTF-8 is refused") {  // A10
    using namespace std::string_view_literals;
    for (const std::string_view bad : {"\x80"sv,
                                       "\xbf"sv,
                                       "\xc0\x80"sv,
                                       "\xc0\xaf"sv,
                                       "\xc1\xbf"sv,
                                       "\xc3"sv,
                                       "\xc3\x28"sv,
                                       "\xe0\x80\xaf"sv,
                                       "\xe0\x9f\xbf"sv,
                                       "\xe2\x82"sv,
                                       "\xed\xa0\x80"sv,
                                       "\xed\xbf\xbf"sv,
                                       "\xed\xa0\xbd\xed\xb8\x80"sv,
                                       "\xf0\x80\x80\xaf"sv,
                                       "\xf0\x8f\xbf\xbf"sv,
                                       "\xf0\x9f\x98"sv,
                                       "\xf4\x90\x80\x80"sv,
                                       "\xf5\x80\x80\x80"sv,
                                       "\xf8\x88\x80\x80\x80"sv,
                                       "\xfc\x84\x80\x80\x80\x80"sv,
                                       "\xfe"sv,
                                       "\xff"sv,
                                       "\xc3\xa9\xa9"sv}) {
        refusal(bad);
        refusal("a" + std::string(bad) + "b");
        refusal("a/" + std::string(bad));
    }
    CHECK(refusal("ab\xc0\xaf") == "name has ill-formed UTF-8 (byte 0xC0) at byte 2");
}

TEST_CASE("name: a name at each limit is accepted, one past it is refused") {  // A11
    const std::string part(limits::kNamePartBytesMax, 'a');
    check_accepted(part);
    check_accepted("x/" + part);
    CHECK(refusal(part + "a", ErrorCode::limit) ==
          "part 1 of the name (\"" + std::string(40, 'a') + "…\") at byte 0 has 256 bytes, more than 255");
    refusal("x/" + part + "a/x", ErrorCode::limit);

    const std::string longest = repeated(std::string(204, 'b'), 5);
    CHECK(longest.size() == limits::kNameBytesMax);
    check_accepted(longest);
    CHECK(refusal(longest + "b", ErrorCode::limit) == "name has 1025 bytes, more than 1024");
    refusal(std::string(1 << 20, '/'), ErrorCode::limit);

    check_accepted(repeated("a", limits::kNameDepthMax));
    check_accepted(repeated("abcdef", limits::kNameDepthMax));
    CHECK(refusal(repeated("a", limits::kNameDepthMax + 1), ErrorCode::limit) == "name has more than 64 parts");
    refusal(repeated("abcdef", limits::kNameDepthMax + 1), ErrorCode::limit);
    refusal(repeated("\u00e9", limits::kNameDepthMax + 1), ErrorCode::limit);

    std::string wide;  // 127 characters of 2 bytes, and one of 1
    for (int i = 0; i < 127; ++i)
        wide += "\u00e9";
    check_accepted(wide + "a");
    refusal(wide + "\u00e9", ErrorCode::limit);
}

TEST_CASE("name: a long name meets the same rules as a short one") {
    // The fast path is for short names. A prefix of plain parts changes no verdict.
    const std::string prefix = repeated("plain", 30) + "/";
    CHECK(prefix.size() > 127);
    for (const std::string_view good : {"a", "common.txt", "a b", ".a", "a~b", "a~1"})
        check_accepted(prefix + std::string(good));
    for (const std::string_view bad : {"", ".", "a.", "a ", " a", "con", "aux.b", "a:b", "a\x7f", "a//b"})
        refusal(prefix + std::string(bad));
}

TEST_CASE("name: a random ASCII text gets the verdict of a plain reading of the rules") {
    FARDEL_RANDOM(random);
    // This is a second, slow implementation of rules N3, N4 and N6 to N9 for ASCII. The alphabet consists mostly of
    // the characters that these rules mention.
    constexpr std::string_view kAlphabet = "//////....   ~~~11CONconaAuUxXlLpPtTmM09$iI:\x1f";
    const auto good_part = [](std::string_view part) {
        if (part.empty() || part.back() == '.' || part.back() == ' ' || part.front() == ' ')
            return false;
        std::string lower(part);
        std::ranges::transform(lower, lower.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
        std::string base = lower.substr(0, lower.find('.'));
        base.erase(base.find_last_not_of(' ') + 1);
        for (const std::string_view device : {"con", "prn", "aux", "nul", "conin$", "conout$"})
            if (base == device)
                return false;
        return !(base.size() == 4 && (base.starts_with("com") || base.starts_with("lpt")) && base[3] >= '0' &&
                 base[3] <= '9');
    };
    for (int round = 0; round < 300'000; ++round) {
        std::string text;
        for (std::size_t left = 1 + random() % 12; left > 0; --left)
            text += kAlphabet[random() % kAlphabet.size()];
        bool good = text.find_first_of(":\x1f") == text.npos;
        for (std::size_t at = 0; at <= text.size(); at = std::min(text.find('/', at), text.size()) + 1)
            good = good && good_part(std::string_view(text).substr(at, text.find('/', at) - at));
        CAPTURE(fardel::printable(text));
        if (static_cast<bool>(verify_name(text)) != good)
            FAIL_CHECK("the rules say " << good);
    }
}

TEST_CASE("name: leaf and parent are the text after and before the last '/'") {
    const auto check = [](std::string_view text, std::string_view parent, std::string_view leaf) {
        const auto name = AssetName::parse(text);
        REQUIRE(name);
        CHECK(name->parent() == parent);
        CHECK(name->leaf() == leaf);
        CHECK(name->view() == text);
    };
    check("a", "", "a");
    check("a/b", "a", "b");
    check("a/b/c.tga", "a/b", "c.tga");
}

TEST_CASE("name: order is that of the bytes, which is that of code points") {
    std::vector<std::string> texts = {"a", "a/b", "a0", "ab", "b", "é", "地", "\U0001f600"};
    for (std::size_t i = 0; i < texts.size(); ++i)
        for (std::size_t j = 0; j < texts.size(); ++j) {
            const auto a = AssetName::parse(texts[i]), b = AssetName::parse(texts[j]);
            REQUIRE(a);
            REQUIRE(b);
            CHECK((*a <=> *b) == (i <=> j));
            CHECK((*a == *b) == (i == j));
        }
}

}  // namespace fardel::tests::name_test
