#include "archives.h"

#include <fardel/base/little_endian.h>

#include <algorithm>
#include <span>

namespace fardel::tests {
namespace {

void append(Bytes& out, std::string_view text) {
    const auto bytes = std::as_bytes(std::span(text));
    out.insert(out.end(), bytes.begin(), bytes.end());
}

std::string deflate_stored(std::string_view content) {
    std::string out;
    do {
        const std::string_view block = content.substr(0, 0xffff);
        content.remove_prefix(block.size());
        const auto size = static_cast<std::uint16_t>(block.size());
        out += content.empty() ? '\1' : '\0';
        for (const int byte : {size & 0xff, size >> 8, ~size & 0xff, ~size >> 8 & 0xff})
            out += static_cast<char>(byte);
        out += block;
    } while (!content.empty());
    return out;
}

std::string stored_of(const ZipMember& member) {
    return !member.stored.empty() ? member.stored : member.deflated ? deflate_stored(member.content) : member.content;
}

void append_shared(Bytes& out, const ZipMember& member, std::size_t extra_bytes) {
    append_le<std::uint16_t>(out, 20);
    append_le(out, member.flags);
    append_le<std::uint16_t>(out, member.method.value_or(member.deflated ? 8 : 0));
    append_le<std::uint32_t>(out, 0x5a21'6000);
    append_le(out, member.crc32.value_or(zip_crc32(member.content)));
    append_le(out, member.stored_bytes.value_or(static_cast<std::uint32_t>(stored_of(member).size())));
    append_le(out, member.raw_bytes.value_or(static_cast<std::uint32_t>(member.content.size())));
    append_le(out, static_cast<std::uint16_t>(member.name.size()));
    append_le(out, static_cast<std::uint16_t>(extra_bytes));
}

void append_record(Bytes& out, const ZipMember& member, std::uint32_t offset) {
    append_le<std::uint32_t>(out, 0x0201'4b50);
    append_le(out, member.made_by);
    append_shared(out, member, member.extra.size());
    append_le<std::uint32_t>(out, 0);  // comment, disk
    append_le<std::uint16_t>(out, 0);
    append_le(out, member.attributes);
    append_le(out, member.header_offset.value_or(offset));
    append(out, member.name);
    out.insert(out.end(), member.extra.begin(), member.extra.end());
}

void append_zip64_end(Bytes& out, std::uint64_t count, std::uint64_t directory_bytes, std::uint64_t directory_offset) {
    const std::uint64_t at = directory_offset + directory_bytes;
    append_le<std::uint32_t>(out, 0x0606'4b50);
    append_le<std::uint64_t>(out, 44);
    append_le<std::uint32_t>(out, 45 << 16 | 45);
    append_le<std::uint64_t>(out, 0);  // disks
    append_le(out, count);
    append_le(out, count);
    append_le(out, directory_bytes);
    append_le(out, directory_offset);
    append_le<std::uint32_t>(out, 0x0706'4b50);
    append_le<std::uint32_t>(out, 0);
    append_le(out, at);
    append_le<std::uint32_t>(out, 1);
}

}  // namespace

std::uint32_t zip_crc32(std::string_view content) {
    std::uint32_t crc = 0xffff'ffffu;
    for (const char byte : content) {
        crc ^= static_cast<unsigned char>(byte);
        for (int bit = 0; bit < 8; ++bit)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb8'8320u : 0);
    }
    return ~crc;
}

Bytes build_zip(const std::vector<ZipMember>& members, const ZipShape& shape) {
    Bytes out;
    append(out, shape.prefix);
    std::vector<std::uint32_t> offsets;
    for (const ZipMember& member : members) {
        offsets.push_back(static_cast<std::uint32_t>(out.size() - shape.prefix.size()));
        append_le<std::uint32_t>(out, 0x0403'4b50);
        append_shared(out, member, 0);
        append(out, member.name);
        append(out, stored_of(member));
    }
    const std::size_t directory_offset = out.size() - shape.prefix.size();
    for (std::size_t i = 0; i < members.size(); ++i)
        append_record(out, members[i], offsets[i]);
    const std::size_t directory_bytes = out.size() - shape.prefix.size() - directory_offset;
    const auto count = shape.count.value_or(static_cast<std::uint16_t>(members.size()));
    if (shape.zip64)
        append_zip64_end(out, members.size(), directory_bytes, directory_offset);

    append_le<std::uint32_t>(out, 0x0605'4b50);
    append_le<std::uint32_t>(out, 0);
    append_le<std::uint16_t>(out, shape.zip64 ? 0xffff : count);
    append_le<std::uint16_t>(out, shape.zip64 ? 0xffff : count);
    append_le(out,
              shape.zip64 ? 0xffff'ffff : shape.directory_bytes.value_or(static_cast<std::uint32_t>(directory_bytes)));
    append_le(
        out, shape.zip64 ? 0xffff'ffff : shape.directory_offset.value_or(static_cast<std::uint32_t>(directory_offset)));
    append_le(out, static_cast<std::uint16_t>(shape.comment.size()));
    append(out, shape.comment);
    return out;
}

}  // namespace fardel::tests
