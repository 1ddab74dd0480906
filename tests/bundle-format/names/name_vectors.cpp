#include "name_vectors.h"

#include "kit/openarena.h"

#include <filesystem>
#include <fstream>

namespace fardel::tests {
namespace {

std::size_t read_number(std::string_view bytes, std::size_t at, std::size_t size) {
    std::size_t number = 0;
    for (std::size_t i = size; i-- > 0;)
        number = number << 8 | static_cast<unsigned char>(bytes.at(at + i));
    return number;
}

std::string read_at(std::ifstream& in, std::size_t offset, std::size_t size) {
    std::string bytes(size, '\0');
    in.seekg(static_cast<std::streamoff>(offset));
    in.read(bytes.data(), static_cast<std::streamsize>(size));
    REQUIRE(in.good());
    return bytes;
}

// Zip (APPNOTE 6.3): the end record contains the offset of the central directory, whose entries contain the names.
void append_zip_names(const std::filesystem::path& archive, std::vector<std::string>& names) {
    std::ifstream in(archive, std::ios::binary);
    const std::size_t archive_bytes = std::filesystem::file_size(archive);
    const std::size_t tail_bytes = std::min<std::size_t>(archive_bytes, 22 + 0xffff);
    const std::string tail = read_at(in, archive_bytes - tail_bytes, tail_bytes);
    const std::size_t end = tail.rfind("PK\x05\x06");
    REQUIRE(end != tail.npos);

    const std::string directory = read_at(in, read_number(tail, end + 16, 4), read_number(tail, end + 12, 4));
    for (std::size_t at = 0; at < directory.size();) {
        REQUIRE(directory.compare(at, 4, "PK\x01\x02") == 0);
        const std::size_t name_bytes = read_number(directory, at + 28, 2);
        if (const std::string name = directory.substr(at + 46, name_bytes); !name.ends_with('/'))  // not a folder
            names.push_back(name);
        at += 46 + name_bytes + read_number(directory, at + 30, 2) + read_number(directory, at + 32, 2);
    }
}

}  // namespace

std::vector<std::string> read_name_vectors(std::string_view fence) {
    std::ifstream in(FARDEL_SOURCE_DIR "/docs/names.md");
    REQUIRE(in.good());
    std::vector<std::string> lines;
    bool inside = false;
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("```"))
            inside = std::string_view(line).substr(3) == fence;
        else if (inside)
            lines.push_back(line);
    }
    REQUIRE_FALSE(lines.empty());
    return lines;
}

std::vector<std::string> read_openarena_names() {
    std::vector<std::string> names;
    for (const std::string& archive : openarena_archives())
        append_zip_names(archive, names);
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

std::string utf8(char32_t code_point) {
    const auto byte = [](char32_t value) { return static_cast<char>(static_cast<unsigned char>(value)); };
    if (code_point < 0x80)
        return {byte(code_point)};
    if (code_point < 0x800)
        return {byte(0xc0 | code_point >> 6), byte(0x80 | (code_point & 0x3f))};
    if (code_point < 0x10000)
        return {byte(0xe0 | code_point >> 12), byte(0x80 | (code_point >> 6 & 0x3f)), byte(0x80 | (code_point & 0x3f))};
    return {byte(0xf0 | code_point >> 18), byte(0x80 | (code_point >> 12 & 0x3f)),
            byte(0x80 | (code_point >> 6 & 0x3f)), byte(0x80 | (code_point & 0x3f))};
}

}  // namespace fardel::tests
