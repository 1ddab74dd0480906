#include "incoming/incoming_extras.h"

#include <fardel/base/byte_reader.h>
#include <fardel/base/byte_writer.h>
#include <fardel/base/file.h>
#include <fardel/base/file_lock.h>
#include <fardel/base/fits.h>
#include <fardel/format/hash.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace fardel {
namespace {

constexpr std::string_view kExtrasMagic = "FARDELEX";
constexpr std::uint64_t kVersion = 1;
constexpr std::uint64_t kHeadBytes = 8 + 8;
constexpr std::uint64_t kEntryHeadBytes = 32 + 8 + 32;
constexpr std::size_t kExtrasPieceBytes = 1u << 20;

std::vector<std::byte> encoded_head() {
    ByteWriter writer;
    writer.text(kExtrasMagic);
    writer.u64(kVersion);
    return writer.take();
}

// Returns nothing if the file is shorter.
Result<std::optional<Hash>> hash_of_range(const Descriptor& file, std::uint64_t offset, std::uint64_t length_bytes,
                                          std::string_view path) {
    Hasher hasher;
    std::vector<std::byte> piece;
    while (length_bytes != 0) {
        piece.resize(static_cast<std::size_t>(std::min<std::uint64_t>(length_bytes, kExtrasPieceBytes)));
        FARDEL_TRY_ASSIGN(const std::size_t count, read_whole_at(file, offset, piece, path));
        if (count != piece.size())
            return std::optional<Hash>();
        hasher.update(piece);
        offset += count;
        length_bytes -= count;
    }
    return std::optional(hasher.finish());
}

}  // namespace

Result<IncomingExtras> IncomingExtras::open(FilePath path) {
    IncomingExtras extras(std::move(path));
    auto found =
        open_regular_file(extras.path_, extras.path_, {.access = FileAccess::read_write, .links = Links::refused});
    if (!found && found.error().code() == ErrorCode::missing)
        return extras;
    FARDEL_TRY_ASSIGN(RegularFile file, std::move(found));
    if (file.status.links > 1)  // open_or_create_file() replaces it
        return extras;
    extras.file_ = std::move(file.descriptor);
    FARDEL_TRY(extras.read_entries(file.status.size_bytes));
    return extras;
}

Status IncomingExtras::read_entries(std::uint64_t file_bytes) {
    std::array<std::byte, kHeadBytes> head{};
    FARDEL_TRY_ASSIGN(const std::size_t head_count, read_whole_at(file_, 0, head, path_));
    if (head_count != head.size() || !std::ranges::equal(head, encoded_head()))
        return ok();
    end_ = kHeadBytes;
    for (;;) {
        std::array<std::byte, kEntryHeadBytes> entry{};
        FARDEL_TRY_ASSIGN(const std::size_t count, read_whole_at(file_, end_, entry, path_));
        ByteReader fields(std::span<const std::byte>(entry).first(count), "entry");
        const auto key = fields.fixed<Hash>();
        const std::uint64_t length_bytes = fields.u64();
        const auto hash = fields.fixed<Hash>();
        const std::uint64_t offset = end_ + kEntryHeadBytes;
        if (fields.failed() || !fits(offset, length_bytes, file_bytes))
            return ok();
        FARDEL_TRY_ASSIGN(const auto found, hash_of_range(file_, offset, length_bytes, path_));
        if (found != hash)
            return ok();
        entries_.emplace(key, Entry{.offset = offset, .length_bytes = length_bytes});
        end_ = offset + length_bytes;
    }
}

Result<std::optional<std::vector<std::byte>>> IncomingExtras::read(const Hash& key) const {
    const auto found = entries_.find(key);
    if (found == entries_.end())
        return std::optional<std::vector<std::byte>>();
    std::vector<std::byte> bytes(static_cast<std::size_t>(found->second.length_bytes));
    FARDEL_TRY_ASSIGN(const std::size_t count, read_whole_at(file_, found->second.offset, bytes, path_));
    if (count != bytes.size())
        return Error(ErrorCode::io, path_.text() + ": became shorter");
    return std::optional(std::move(bytes));
}

Status IncomingExtras::add(const Hash& key, std::span<const std::byte> bytes) {
    if (has(key))
        return ok();
    if (!file_) {
        FARDEL_TRY_ASSIGN(file_, open_or_create_file(path_));
    }
    if (end_ == 0) {
        FARDEL_TRY(write_whole_at(file_, 0, encoded_head(), path_));
        end_ = kHeadBytes;
    }
    ByteWriter entry;
    entry.fixed(key);
    entry.u64(bytes.size());
    entry.fixed(blake3(bytes));
    FARDEL_TRY(write_whole_at(file_, end_, entry.bytes(), path_));
    const std::uint64_t offset = end_ + kEntryHeadBytes;
    FARDEL_TRY(write_whole_at(file_, offset, bytes, path_));
    entries_.emplace(key, Entry{.offset = offset, .length_bytes = bytes.size()});
    end_ = offset + bytes.size();
    return ok();
}

}  // namespace fardel
