#include "incoming/incoming_log.h"

#include <fardel/base/byte_reader.h>
#include <fardel/base/byte_writer.h>
#include <fardel/base/file.h>
#include <fardel/base/file_lock.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace fardel {
namespace {

constexpr std::string_view kLogMagic = "FARDELIN";
constexpr std::uint64_t kLogVersion = 1;

std::vector<std::byte> encode_entry(const LogEntry& entry) {
    ByteWriter writer;
    writer.u64(entry.offset);
    writer.u64(entry.length_bytes);
    writer.fixed(entry.hash);
    return writer.take();
}

}  // namespace

IncomingLog::IncomingLog(Descriptor file, FilePath path) : file_(std::move(file)), path_(std::move(path)) {}

Result<IncomingLog> IncomingLog::open(FilePath path) {
    FARDEL_TRY_ASSIGN(Descriptor file, open_or_create_file(path));
    return IncomingLog(std::move(file), std::move(path));
}

Result<std::optional<std::uint64_t>> IncomingLog::read_head() const {
    std::array<std::byte, kLogHeadBytes> head{};
    FARDEL_TRY_ASSIGN(const std::size_t count, read_whole_at(file_, 0, head, path_));
    const std::span<const std::byte> found = std::span<const std::byte>(head).first(count);
    ByteReader reader(found, "log");
    const bool is_log = reader.text(kLogMagic.size()) == kLogMagic && reader.u64() == kLogVersion;
    const std::uint64_t size = reader.u64();
    return is_log && !reader.failed() ? std::optional(size) : std::nullopt;
}

Result<std::optional<LogEntry>> IncomingLog::read_entry(std::uint64_t at) const {
    std::array<std::byte, kLogEntryBytes> entry{};
    FARDEL_TRY_ASSIGN(const std::size_t count, read_whole_at(file_, at, entry, path_));
    const std::span<const std::byte> found = std::span<const std::byte>(entry).first(count);
    ByteReader fields(found, "log entry");
    LogEntry read;
    read.offset = fields.u64();
    read.length_bytes = fields.u64();
    read.hash = fields.fixed<Hash>();
    return fields.failed() ? std::nullopt : std::optional(read);
}

Result<std::optional<LogEntry>> IncomingLog::read_last() const {
    FARDEL_TRY_ASSIGN(const FileStatus status, file_status(file_, path_));
    if (status.size_bytes < kLogHeadBytes + kLogEntryBytes)
        return std::optional<LogEntry>();
    const std::uint64_t entries = (status.size_bytes - kLogHeadBytes) / kLogEntryBytes;
    return read_entry(kLogHeadBytes + (entries - 1) * kLogEntryBytes);
}

Status IncomingLog::write_head(std::uint64_t file_bytes) {
    ByteWriter writer;
    writer.text(kLogMagic);
    writer.u64(kLogVersion);
    writer.u64(file_bytes);
    FARDEL_TRY(write_whole_at(file_, 0, writer.bytes(), path_));
    size_bytes_ = std::max(size_bytes_, kLogHeadBytes);
    return ok();
}

Status IncomingLog::append(const LogEntry& entry) {
    FARDEL_TRY(write_whole_at(file_, size_bytes_, encode_entry(entry), path_));
    size_bytes_ += kLogEntryBytes;
    return ok();
}

Result<LogEntry> IncomingLog::forget_location(std::uint64_t at) {
    FARDEL_TRY_ASSIGN(auto entry, read_entry(at));
    if (!entry)
        return Error(ErrorCode::io, path_.text() + ": became shorter");
    entry->offset = kUnlocated;
    FARDEL_TRY(write_whole_at(file_, at, encode_entry(*entry), path_));
    return *entry;
}

Status IncomingLog::truncate(std::uint64_t size_bytes) {
    FARDEL_TRY(resize_file(file_, size_bytes, path_));
    size_bytes_ = size_bytes;
    return ok();
}

Status IncomingLog::remove() const {
    FARDEL_TRY(remove_file(path_, path_));
    return ok();
}

}  // namespace fardel
