#include "seven_zip_methods.h"

#include "crc32.h"

#include <fardel/base/byte_reader.h>
#include <fardel/base/byte_writer.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace fardel {
namespace {

constexpr std::uint64_t kStartBytes = 32;           // what precedes the packed streams
constexpr std::uint64_t kListBytesMax = 64u << 20;  // of a list of files, packed or not
constexpr std::uint64_t kCodersMax = 32;            // in one folder
constexpr std::string_view kSignature = "7z\xbc\xaf\x27\x1c";

enum Id : std::uint8_t {
    kEnd = 0,
    kHeader = 1,
    kMainStreams = 4,
    kFilesInfo = 5,
    kPackInfo = 6,
    kUnpackInfo = 7,
    kSubStreamsInfo = 8,
    kSize = 9,
    kDigests = 10,
    kFolder = 11,
    kCodersUnpackSize = 12,
    kNumUnpackStream = 13,
    kEmptyStream = 14,
    kNames = 17,
    kEncodedHeader = 23,
};

struct Method {
    std::uint64_t id = 0;
    std::string_view name;
    bool is_readable = true;
};

constexpr Method kMethods[] = {
    {0x00, "Copy"},
    {0x03, "Delta"},
    {0x04, "BCJ"},
    {0x05, "PPC"},
    {0x06, "IA64"},
    {0x07, "ARM"},
    {0x08, "ARMT"},
    {0x09, "SPARC"},
    {0x0a, "ARM64", false},
    {0x0b, "RISCV", false},
    {0x21, "LZMA2"},
    {0x030101, "LZMA"},
    {0x03030103, "BCJ"},
    {0x0303011b, "BCJ2"},
    {0x03030205, "PPC"},
    {0x03030401, "IA64"},
    {0x03030501, "ARM"},
    {0x03030701, "ARMT"},
    {0x03030805, "SPARC"},
    {0x030401, "PPMd", false},
    {0x040108, "Deflate", false},
    {0x040109, "Deflate64", false},
    {0x040202, "BZip2", false},
    {0x04f71101, "Zstandard", false},
    {0x04f71102, "Brotli", false},
    {0x04f71104, "LZ4", false},
    {0x04f71105, "LZ5", false},
    {0x04f71106, "Lizard", false},
    {0x06f10701, "AES encryption", false},
};

Error bad_list(std::string_view what) {
    return Error(ErrorCode::malformed, "the list of files of the 7z: " + std::string(what));
}

struct Folder {
    SevenZipMethods methods;
    std::uint64_t streams_out = 0;
    std::uint64_t files = 1;
    bool has_digest = false;
};

void add_method(std::span<const std::byte> id, SevenZipMethods& methods) {
    std::uint64_t number = 0;
    std::string digits;
    for (const std::byte byte : id) {
        constexpr std::string_view kDigits = "0123456789ABCDEF";
        number = number << 8 | std::to_integer<std::uint64_t>(byte);
        digits += kDigits[std::to_integer<std::size_t>(byte >> 4)];
        digits += kDigits[std::to_integer<std::size_t>(byte & std::byte{15})];
    }
    const auto* const known = std::ranges::find(kMethods, number, &Method::id);
    const bool found = known != std::end(kMethods);
    methods.names += (methods.names.empty() ? "" : ", ") + (found ? std::string(known->name) : "method " + digits);
    methods.is_readable = methods.is_readable && (!found || known->is_readable);
}

// Reads the records of a list of files.
class ListReader {
public:
    explicit ListReader(std::span<const std::byte> bytes) : size_bytes_(bytes.size()), reader_(bytes, "7z") {}

    // The number of bits that are set at the front of the first byte is the number of further bytes.
    std::uint64_t number() {
        const std::uint8_t first = reader_.u8();
        std::uint64_t value = 0;
        unsigned shift = 0;
        for (unsigned mask = 0x80; mask != 0; mask >>= 1, shift += 8) {
            if ((first & mask) == 0)
                return value | std::uint64_t(first & (mask - 1)) << shift;
            value |= std::uint64_t(reader_.u8()) << shift;
        }
        return value;
    }
    // A number of items, each of at least `bytes_each` further bytes.
    std::uint64_t count(std::uint64_t bytes_each = 1) {
        const std::uint64_t items = number();
        return items <= size_bytes_ / bytes_each ? items : (reader_.skip(UINT64_MAX), 0);
    }
    void skip_numbers(std::uint64_t count) {
        for (std::uint64_t i = 0; i < count && !failed(); ++i)
            number();
    }
    // One bit per item, the highest first. If `whole`, a first byte that is not 0 stands for all of them.
    std::vector<bool> bits(std::uint64_t count, bool whole) {
        if (count > 8 * size_bytes_)
            reader_.skip(UINT64_MAX);
        if (failed() || (whole && reader_.u8() != 0))
            return std::vector<bool>(failed() ? 0 : static_cast<std::size_t>(count), true);
        std::vector<bool> bits(static_cast<std::size_t>(count));
        const auto bytes = reader_.raw((count + 7) / 8);
        for (std::size_t i = 0; i < bits.size() && i / 8 < bytes.size(); ++i)
            bits[i] = (std::to_integer<unsigned>(bytes[i / 8]) >> (7 - i % 8) & 1u) != 0;
        return bits;
    }
    // Returns how many of the items have a digest.
    std::vector<bool> digests(std::uint64_t count) {
        std::vector<bool> has = bits(count, true);
        reader_.skip(4 * static_cast<std::uint64_t>(std::ranges::count(has, true)));
        return has;
    }

    std::uint8_t id() { return reader_.u8(); }
    std::span<const std::byte> raw(std::uint64_t size) { return reader_.raw(size); }
    bool failed() const { return reader_.failed(); }
    std::size_t at() const { return reader_.position(); }

private:
    std::size_t size_bytes_;
    ByteReader reader_;
};

Status verify(const ListReader& list, bool good = true) {
    return good && !list.failed() ? ok() : Status(bad_list("is cut off, or not understood"));
}

// The packed streams of files, or of a list of files.
struct Streams {
    std::vector<Folder> folders;
    std::uint64_t pack_offset = 0;
    std::uint64_t packed_bytes = 0;
    std::size_t after_pack_offset = 0;  // where in the list the record goes on
    bool has_sub_streams = false;
};

Status read_pack(ListReader& list, Streams& streams) {
    streams.pack_offset = list.number();
    streams.after_pack_offset = list.at();
    const std::uint64_t count = list.count();
    for (std::uint8_t id = list.id(); id != kEnd; id = list.id()) {
        FARDEL_TRY(verify(list, id == kSize || id == kDigests));
        if (id == kDigests)
            list.digests(count);
        for (std::uint64_t i = 0; id == kSize && i < count; ++i) {
            const std::uint64_t size = list.number();
            FARDEL_TRY(verify(list, size <= UINT64_MAX - streams.packed_bytes));
            streams.packed_bytes += size;
        }
    }
    return verify(list);
}

Result<Folder> read_folder(ListReader& list) {
    Folder folder;
    const std::uint64_t coders = list.number();
    FARDEL_TRY(verify(list, coders > 0 && coders <= kCodersMax));
    std::uint64_t in = 0;
    for (std::uint64_t i = 0; i < coders; ++i) {
        const std::uint8_t flags = list.id();
        add_method(list.raw(flags & 15u), folder.methods);
        const bool is_complex = (flags & 0x10u) != 0;
        const std::uint64_t streams_in = is_complex ? list.number() : 1;
        const std::uint64_t streams_out = is_complex ? list.number() : 1;
        FARDEL_TRY(verify(list, streams_in <= kCodersMax && streams_out <= kCodersMax));
        in += streams_in;
        folder.streams_out += streams_out;
        if ((flags & 0x20u) != 0)
            list.raw(list.number());
    }
    FARDEL_TRY(verify(list, folder.streams_out > 0 && in + 1 >= folder.streams_out));
    list.skip_numbers(2 * (folder.streams_out - 1));
    const std::uint64_t packed = in - (folder.streams_out - 1);
    list.skip_numbers(packed > 1 ? packed : 0);
    return folder;
}

Status read_folders(ListReader& list, Streams& streams) {
    FARDEL_TRY(verify(list, list.id() == kFolder));
    const std::uint64_t count = list.count();
    FARDEL_TRY(verify(list, list.id() == 0));  // the folders are here, and not in another stream
    for (std::uint64_t i = 0; i < count; ++i) {
        FARDEL_TRY_ASSIGN(Folder folder, read_folder(list));
        streams.folders.push_back(std::move(folder));
    }
    for (std::uint8_t id = list.id(); id != kEnd; id = list.id()) {
        FARDEL_TRY(verify(list, id == kCodersUnpackSize || id == kDigests));
        if (id == kCodersUnpackSize)
            for (const Folder& folder : streams.folders)
                list.skip_numbers(folder.streams_out);
        else if (const auto has = list.digests(count); has.size() == count)
            for (std::size_t i = 0; i < has.size(); ++i)
                streams.folders[i].has_digest = has[i];
    }
    return verify(list);
}

Status read_sub_streams(ListReader& list, Streams& streams) {
    streams.has_sub_streams = true;
    std::uint8_t id = list.id();
    if (id == kNumUnpackStream) {
        for (Folder& folder : streams.folders)
            folder.files = list.count(1);
        id = list.id();
    }
    std::uint64_t without_digest = 0;
    for (const Folder& folder : streams.folders)
        if (folder.files != 1 || !folder.has_digest) {
            FARDEL_TRY(verify(list, folder.files <= kListBytesMax - without_digest));
            without_digest += folder.files;
        }
    for (; id != kEnd; id = list.id()) {
        FARDEL_TRY(verify(list, id == kSize || id == kDigests));
        if (id == kDigests)
            list.digests(without_digest);
        else
            for (const Folder& folder : streams.folders)
                list.skip_numbers(folder.files > 0 ? folder.files - 1 : 0);
    }
    return verify(list);
}

Result<Streams> read_streams(ListReader& list) {
    Streams streams;
    for (std::uint8_t id = list.id(); id != kEnd; id = list.id())
        switch (id) {
            case kPackInfo: FARDEL_TRY(read_pack(list, streams)); break;
            case kUnpackInfo: FARDEL_TRY(read_folders(list, streams)); break;
            case kSubStreamsInfo: FARDEL_TRY(read_sub_streams(list, streams)); break;
            default: return verify(list, false).error();
        }
    FARDEL_TRY(verify(list));
    return streams;
}

// ---- Files ----------------------------------------------------------------------------------------------------------

void append_utf8(std::uint32_t point, std::string& text) {
    const auto add = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
    if (point < 0x80)
        return add(point);
    if (point < 0x800) {
        add(0xc0 | point >> 6);
    } else if (point < 0x10000) {
        add(0xe0 | point >> 12);
        add(0x80 | (point >> 6 & 63));
    } else {
        add(0xf0 | point >> 18);
        add(0x80 | (point >> 12 & 63));
        add(0x80 | (point >> 6 & 63));
    }
    add(0x80 | (point & 63));
}

// Names in UTF-16, each with a 0 behind it.
std::vector<std::string> read_names(std::span<const std::byte> bytes) {
    std::vector<std::string> names;
    std::string name;
    std::uint32_t high = 0;
    for (std::size_t at = 0; at + 1 < bytes.size(); at += 2) {
        const std::uint32_t unit = load_le<std::uint16_t>(bytes.data() + at);
        if (unit == 0)
            names.push_back(std::exchange(name, {}));
        else if (unit >= 0xd800 && unit < 0xdc00)
            high = unit;
        else if (unit >= 0xdc00 && unit < 0xe000)
            append_utf8(0x10000 + ((std::exchange(high, 0) & 0x3ff) << 10) + (unit & 0x3ff), name);
        else
            append_utf8(unit, name);
    }
    return names;
}

// Each file that is not empty is the next stream of the folders, in their order.
Status read_files(ListReader& list, const Streams& streams, SevenZipContent& content) {
    const std::uint64_t count = list.number();
    FARDEL_TRY(verify(list, count <= kListBytesMax));
    std::vector<bool> is_empty(static_cast<std::size_t>(count));
    std::vector<std::string> names;
    for (std::uint64_t id = list.number(); id != kEnd; id = list.number()) {
        const auto bytes = list.raw(list.number());
        FARDEL_TRY(verify(list));
        if (id == kEmptyStream)
            is_empty = ListReader(bytes).bits(count, false);
        if (id == kNames && !bytes.empty())
            names = read_names(bytes.subspan(1));
    }
    FARDEL_TRY(verify(list, is_empty.size() == count && names.size() == count));
    auto folder = streams.folders.begin();
    std::uint64_t in_folder = 0;
    for (std::size_t file = 0; file < names.size(); ++file) {
        if (is_empty[file])
            continue;
        while (folder != streams.folders.end() && in_folder == folder->files) {
            ++folder;
            in_folder = 0;
        }
        FARDEL_TRY(verify(list, folder != streams.folders.end()));
        ++in_folder;
        content.files[names[file]] = folder->methods;
    }
    return ok();
}

// ---- The archive ----------------------------------------------------------------------------------------------------

Result<std::vector<std::byte>> read_part(const ByteSource& archive, std::uint64_t offset, std::uint64_t size) {
    if (size > kListBytesMax || offset > archive.size_bytes() || size > archive.size_bytes() - offset)
        return bad_list("lies outside the file");
    std::vector<std::byte> bytes(static_cast<std::size_t>(size));
    FARDEL_TRY(archive.read_at(offset, bytes));
    return bytes;
}

Result<std::vector<std::byte>> read_list(const ByteSource& archive) {
    FARDEL_TRY_ASSIGN(const auto start, read_part(archive, 0, kStartBytes));
    const auto offset = load_le<std::uint64_t>(start.data() + 12);
    const auto size = load_le<std::uint64_t>(start.data() + 20);
    if (offset > archive.size_bytes())
        return bad_list("lies outside the file");
    return read_part(archive, kStartBytes + offset, size);
}

std::uint32_t crc_of(std::span<const std::byte> bytes) {
    Crc32 crc;
    crc.update(bytes);
    return crc.value();
}

// A 7z whose only file is the packed list: `record` describes its streams.
std::vector<std::byte> as_archive(std::span<const std::byte> packed, std::span<const std::byte> record,
                                  const Streams& streams) {
    constexpr std::uint8_t kBefore[] = {kHeader, kMainStreams, kPackInfo, 0};
    constexpr std::uint8_t kSubStreams[] = {kSubStreamsInfo, kEnd};
    constexpr std::uint8_t kAfter[] = {kEnd, kFilesInfo, 1, kNames, 5, 0, 'f', 0, 0, 0, kEnd, kEnd};
    ByteWriter list;
    list.raw(std::as_bytes(std::span(kBefore)));
    list.raw(record.subspan(streams.after_pack_offset, record.size() - streams.after_pack_offset - 1));
    if (!streams.has_sub_streams)
        list.raw(std::as_bytes(std::span(kSubStreams)));
    list.raw(std::as_bytes(std::span(kAfter)));
    ByteWriter start;
    start.u64(packed.size());
    start.u64(list.size_bytes());
    start.u32(crc_of(list.bytes()));
    ByteWriter archive;
    archive.raw(std::as_bytes(std::span(kSignature)));
    constexpr std::uint8_t kVersion[] = {0, 4};
    archive.raw(std::as_bytes(std::span(kVersion)));
    archive.u32(crc_of(start.bytes()));
    archive.raw(start.bytes());
    archive.raw(packed);
    archive.raw(list.bytes());
    return archive.take();
}

Status read_plain_list(std::span<const std::byte> bytes, SevenZipContent& content) {
    ListReader list(bytes);
    FARDEL_TRY(verify(list, list.id() == kHeader));
    Streams streams;
    for (std::uint8_t id = list.id(); id != kEnd; id = list.id()) {
        if (id == kMainStreams) {
            FARDEL_TRY_ASSIGN(streams, read_streams(list));
        } else {
            FARDEL_TRY(verify(list, id == kFilesInfo));
            FARDEL_TRY(read_files(list, streams, content));
        }
    }
    return verify(list);
}

}  // namespace

Result<SevenZipContent> read_seven_zip(const ByteSource& archive, const UnpackSevenZip& unpack) {
    SevenZipContent content;
    FARDEL_TRY_ASSIGN(std::vector<std::byte> bytes, read_list(archive));
    if (bytes.empty())  // an archive without files
        return content;
    if (bytes.front() == std::byte{kEncodedHeader}) {
        const std::span<const std::byte> record = std::span(bytes).subspan(1);
        ListReader list(record);
        FARDEL_TRY_ASSIGN(const Streams streams, read_streams(list));
        FARDEL_TRY(verify(list, streams.folders.size() == 1 && streams.after_pack_offset > 0 &&
                                    streams.pack_offset <= archive.size_bytes()));
        content.list = streams.folders.front().methods;
        if (!unpack)
            return content;
        FARDEL_TRY_ASSIGN(const auto packed,
                          read_part(archive, kStartBytes + streams.pack_offset, streams.packed_bytes));
        FARDEL_TRY_ASSIGN(bytes, unpack(as_archive(packed, record.first(list.at()), streams)));
    }
    FARDEL_TRY(read_plain_list(bytes, content));
    return content;
}

}  // namespace fardel
