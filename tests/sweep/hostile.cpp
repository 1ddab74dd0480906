#include "hostile.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace fardel::sweep {
namespace {

std::uint64_t number_at(const Bytes& bytes, std::size_t at, std::size_t width) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < width; ++i)
        value |= std::to_integer<std::uint64_t>(bytes[at + i]) << 8 * i;
    return value;
}

void put_number_at(Bytes& bytes, std::size_t at, std::size_t width, std::uint64_t value) {
    for (std::size_t i = 0; i < width; ++i)
        bytes[at + i] = static_cast<std::byte>(value >> 8 * i & 0xff);
}

std::ptrdiff_t step(std::size_t count) { return static_cast<std::ptrdiff_t>(count); }

}  // namespace

std::string hostile_text(Random& random) {
    static const std::array kTexts = std::to_array<std::string>({
        "",
        ".",
        "..",
        "../escaped",
        "a/../../escaped",
        kForbiddenPath,
        "//server/share",
        "C:/windows",
        "a\\..\\b",
        "a//b",
        "a/",
        "CON",
        "aux.txt",
        "PROGRA~1",
        "trailing.",
        " leading",
        "a:stream",
        "tab\there",
        "line\nbreak",
        "carriage\rreturn",
        "\x1b[2J\x1b]0;owned\x07",
        "\xc2\x9b"
        "31mred",
        "\xe2\x80\xae"
        "txt.exe",
        "zero\xe2\x80\x8bwidth",
        "\xff\xfe",
        "\xed\xa0\x80",
        "\xc0\xaf",
        "e\xcc\x81",
        std::string("nul\0inside", 10),
        "<script>alert(1)</script>",
        "</script><b>\"'&",
        "%s%n%x",
        "assets/x",
        "bundles/x",
        "maps/dm01.bsp",
        "**/**/**/**/**",
        "*?*?*?*?*?*",
        "$(touch /tmp/fardel-sweep-escaped)",
        "-o",
        "--trust",
    });
    switch (random.below(8)) {
        case 0: return std::string(random.pick(std::to_array<std::size_t>({255, 256, 1024, 1025, 5000})), 'n');
        case 1: {
            std::string deep;
            for (std::size_t i = random.pick(std::to_array<std::size_t>({63, 64, 65, 400})); i > 0; --i)
                deep += "d/";
            return deep + "f";
        }
        default: return random.pick(kTexts);
    }
}

std::uint64_t hostile_number(Random& random, std::uint64_t before, std::uint64_t count) {
    switch (random.below(16)) {
        case 0: return 0;
        case 1: return 1;
        case 2: return before + 1;
        case 3: return before - 1;
        case 4: return count;
        case 5: return count - 1;
        case 6: return count + 1;
        case 7: return ~std::uint64_t{0};
        case 8: return 0xffff'ffff;
        case 9: return 0x8000'0000;
        case 10: return std::uint64_t{1} << random.below(64);
        case 11: return (std::uint64_t{1} << random.below(64)) - 1;
        case 12: return before ^ std::uint64_t{1} << random.below(64);
        case 13: return before * 2;
        case 14: return random.next();
        default: return random.below(static_cast<std::size_t>(count));
    }
}

void change_field(Bytes& records, std::size_t record_bytes, std::size_t index, Random& random) {
    std::size_t width = std::size_t{1} << random.below(4);
    while (width > record_bytes)
        width /= 2;
    const std::size_t at = index * record_bytes + random.below(record_bytes / width) * width;
    if (at + width > records.size())
        return;
    const std::size_t count = records.size() / record_bytes;
    if (random.once_in(4)) {  // that field of another record
        const std::size_t other = random.below(count) * record_bytes + at % record_bytes;
        put_number_at(records, at, width, number_at(records, other, width));
        return;
    }
    put_number_at(records, at, width, hostile_number(random, number_at(records, at, width), count));
}

void change_records(Bytes& records, std::size_t record_bytes, Random& random) {
    const std::size_t count = records.size() / record_bytes;
    if (count == 0)
        return;
    const auto record = [&](std::size_t i) { return records.begin() + step(i * record_bytes); };
    const std::size_t a = random.below(count);
    const std::size_t b = random.below(count);
    const Bytes copy(record(a), record(a) + step(record_bytes));
    switch (random.below(12)) {
        case 0: std::swap_ranges(record(a), record(a) + step(record_bytes), record(b)); break;
        case 1: std::ranges::copy(copy, record(b)); break;
        case 2: records.insert(record(b), copy.begin(), copy.end()); break;
        case 3: records.erase(record(a), record(a) + step(record_bytes)); break;
        case 4: records.resize(a * record_bytes); break;
        case 5: {
            Bytes reversed;
            for (std::size_t i = count; i > 0; --i)
                reversed.insert(reversed.end(), record(i - 1), record(i - 1) + step(record_bytes));
            records = std::move(reversed);
            break;
        }
        default: change_field(records, record_bytes, a, random); break;
    }
}

void damage(Bytes& bytes, Random& random) {
    const std::size_t at = random.below(bytes.size());
    const std::size_t length = std::min<std::size_t>(random.below(64) + 1, bytes.size() - at);
    switch (bytes.empty() ? 5 : random.below(8)) {
        case 0: bytes[at] ^= static_cast<std::byte>(1u << random.below(8)); break;
        case 1:
            bytes[at] = random.pick(std::to_array<std::byte>({std::byte{0}, std::byte{0xff}, std::byte{0x80}}));
            break;
        case 2: bytes.resize(at); break;
        case 3: bytes.erase(bytes.begin() + step(at), bytes.begin() + step(at + length)); break;
        case 4: {
            const Bytes part(bytes.begin() + step(at), bytes.begin() + step(at + length));
            bytes.insert(bytes.begin() + step(random.below(bytes.size())), part.begin(), part.end());
            break;
        }
        case 5: {
            const Bytes noise = tests::noise(random.below(40), random.next());
            bytes.insert(bytes.begin() + step(at), noise.begin(), noise.end());
            break;
        }
        default:
            if (length >= 8)
                change_field(bytes, 8, at / 8, random);
            break;
    }
}

void damage_text(std::string& text, Random& random) {
    const auto word_at = [&](std::size_t at) {
        const auto is_end = [](char c) { return std::string_view(" \n=,:\"[]{}()").find(c) != std::string_view::npos; };
        std::size_t from = at;
        std::size_t to = at;
        while (from > 0 && !is_end(text[from - 1]))
            --from;
        while (to < text.size() && !is_end(text[to]))
            ++to;
        return std::pair(from, to - from);
    };
    const auto line_at = [&](std::size_t at) {
        const std::size_t from = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;  // npos + 1 is 0
        const std::size_t to = text.find('\n', at);
        return text.substr(from, to == std::string::npos ? to : to + 1 - from);
    };
    const std::size_t at = random.below(text.size());
    const auto [from, length] = word_at(at);
    switch (random.below(8)) {
        case 0: text.replace(from, length, hostile_text(random)); break;
        case 1: text.replace(from, length, std::to_string(hostile_number(random, 7, 7))); break;
        case 2: {
            const auto [other, other_length] = word_at(random.below(text.size()));
            text.replace(from, length, text.substr(other, other_length));
            break;
        }
        case 3: text.insert(from, line_at(random.below(text.size()))); break;
        case 4: text += line_at(at); break;
        case 5: text.erase(from, length + 1); break;
        case 6: text.insert(at, 1, "\n \t\x1b\r\0\"[]{}=#.,*"[random.below(17)]); break;
        default: {
            const std::string line = line_at(at);
            if (const std::size_t found = text.find(line); !line.empty() && found != std::string::npos)
                text.erase(found, line.size());
            break;
        }
    }
}

}  // namespace fardel::sweep
