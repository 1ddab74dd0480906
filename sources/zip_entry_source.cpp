#include "zip_entry_source.h"

#include <fardel/base/little_endian.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

namespace fardel {
namespace {

constexpr std::uint16_t kVersion = 20;        // zip 2.0, written on FAT: no attributes of Unix
constexpr std::uint32_t kDate = 0x0021'0000;  // 1 January 1980

// Appends the fields that the local header and the record of the directory share, in their order.
void append_shared(std::vector<std::byte>& out, const ZipEntry& entry) {
    append_le(out, kVersion);
    append_le<std::uint16_t>(out, 0);
    append_le(out, entry.method);
    append_le(out, kDate);
    append_le(out, entry.crc32);
    append_le(out, static_cast<std::uint32_t>(entry.stored_bytes));
    append_le(out, static_cast<std::uint32_t>(entry.raw_bytes));
    append_le<std::uint16_t>(out, sizeof kZipEntryName - 1);
    append_le<std::uint16_t>(out, 0);
}

void append_name(std::vector<std::byte>& out) {
    const auto name = std::as_bytes(std::span(kZipEntryName));
    out.insert(out.end(), name.begin(), name.end() - 1);
}

std::vector<std::byte> encode_local_header(const ZipEntry& entry) {
    std::vector<std::byte> out;
    append_le<std::uint32_t>(out, 0x0403'4b50);
    append_shared(out, entry);
    append_name(out);
    return out;
}

// Returns what follows the entry's bytes, which end at `data_end`. The directory begins at a multiple of 32, so its
// offset in the end record can never look like the signature of an end record.
std::vector<std::byte> encode_directory(const ZipEntry& entry, std::uint64_t data_end) {
    const auto offset = static_cast<std::uint32_t>((data_end + 31) / 32 * 32);
    std::vector<std::byte> out(static_cast<std::size_t>(offset - data_end));
    const std::size_t padding = out.size();
    append_le<std::uint32_t>(out, 0x0201'4b50);
    append_le(out, kVersion);
    append_shared(out, entry);
    for (int i = 0; i < 7; ++i)
        append_le<std::uint16_t>(out, 0);  // comment length, disk, attributes, offset of the local header
    append_name(out);
    const auto bytes = static_cast<std::uint32_t>(out.size() - padding);

    append_le<std::uint32_t>(out, 0x0605'4b50);
    append_le<std::uint32_t>(out, 0);  // disks
    append_le<std::uint16_t>(out, 1);
    append_le<std::uint16_t>(out, 1);
    append_le(out, bytes);
    append_le(out, offset);
    append_le<std::uint16_t>(out, 0);
    return out;
}

// PhysicsFS 3.0.2 refuses a whole zip for one duplicate name, drops links, compares no CRC-32, aborts on a crafted
// zip64 end, and takes time that grows with the square of the entries. So it is given a zip of one entry, with a name
// and headers written here, and does nothing but inflate.
class ZipEntrySource final : public ByteSource {
public:
    ZipEntrySource(std::shared_ptr<const ByteSource> archive, std::uint64_t data_offset, const ZipEntry& entry)
        : archive_(std::move(archive)),
          data_offset_(data_offset),
          data_bytes_(entry.stored_bytes),
          before_(encode_local_header(entry)) {
        after_ = encode_directory(entry, before_.size() + data_bytes_);
    }

    std::uint64_t size_bytes() const noexcept override { return before_.size() + data_bytes_ + after_.size(); }

    Status read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        assert(offset <= size_bytes() && out.size() <= size_bytes() - offset);
        if (out.empty())
            return ok();
        offset = copy(before_, offset, out);
        if (!out.empty() && offset < data_bytes_) {
            const std::size_t count =
                static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), data_bytes_ - offset));
            FARDEL_TRY(archive_->read_at(data_offset_ + offset, out.first(count)));
            out = out.subspan(count);
            offset += count;
        }
        if (!out.empty())
            copy(after_, offset - data_bytes_, out);
        return ok();
    }

private:
    // Copies the bytes of `from` at `offset` to the front of `out`, removes them from `out`, and returns the remaining
    // offset, which counts from the end of `from`.
    static std::uint64_t copy(const std::vector<std::byte>& from, std::uint64_t offset, std::span<std::byte>& out) {
        if (offset >= from.size())
            return offset - from.size();
        const std::size_t count = std::min(out.size(), from.size() - static_cast<std::size_t>(offset));
        std::memcpy(out.data(), from.data() + offset, count);
        out = out.subspan(count);
        return 0;
    }

    std::shared_ptr<const ByteSource> archive_;
    std::uint64_t data_offset_;
    std::uint64_t data_bytes_;
    std::vector<std::byte> before_;
    std::vector<std::byte> after_;
};

}  // namespace

std::shared_ptr<const ByteSource> make_zip_entry_source(std::shared_ptr<const ByteSource> archive,
                                                        std::uint64_t data_offset, const ZipEntry& entry) {
    assert(entry.stored_bytes <= kZipEntryBytesMax && entry.raw_bytes <= kZipEntryBytesMax && !entry.encrypted);
    return std::make_shared<ZipEntrySource>(std::move(archive), data_offset, entry);
}

}  // namespace fardel
