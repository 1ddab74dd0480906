// IncomingLog: which ranges of a bundle file an incoming pack has. A head with the size of the bundle file, then one
// entry for each range, in the order of the bytes in the pack: offset, length, hash. Before the incoming pack gets its
// name as a pack, the log is sealed: its last entry then has the length 0, and the number of bytes and the id of the
// pack. A size of 0 in the head is not known yet. One thread.
#pragma once

#include <fardel/base/descriptor.h>
#include <fardel/base/file_path.h>
#include <fardel/base/result.h>
#include <fardel/format/ids.h>

#include <cstdint>
#include <optional>
#include <string>

namespace fardel {

inline constexpr std::uint64_t kLogHeadBytes = 8 + 8 + 8;
inline constexpr std::uint64_t kLogEntryBytes = 8 + 8 + 32;
inline constexpr std::uint64_t kUnlocated = UINT64_MAX;  // in an entry: whose bytes are kept, but belong nowhere yet

struct LogEntry {
    std::uint64_t offset = 0;  // in the bundle file
    std::uint64_t length_bytes = 0;
    Hash hash;
};

class IncomingLog {
public:
    static Result<IncomingLog> open(FilePath path);

    // Returns the size of the bundle file; nothing if the file is no log.
    Result<std::optional<std::uint64_t>> read_head() const;
    // Returns nothing at the end of the log.
    Result<std::optional<LogEntry>> read_entry(std::uint64_t at) const;
    // Returns the last whole entry of the file; nothing: it has none.
    Result<std::optional<LogEntry>> read_last() const;

    // Where the next entry goes. At first 0: the file is empty, or nobody has read it.
    std::uint64_t size_bytes() const noexcept { return size_bytes_; }
    void continue_at(std::uint64_t size_bytes) noexcept { size_bytes_ = size_bytes; }

    Status write_head(std::uint64_t file_bytes);
    Status append(const LogEntry& entry);
    // The bytes of the entry at this offset belong nowhere from now on. Returns the entry.
    Result<LogEntry> forget_location(std::uint64_t at);
    Status truncate(std::uint64_t size_bytes);
    Status remove() const;

private:
    IncomingLog(Descriptor file, FilePath path);

    Descriptor file_;
    FilePath path_;
    std::uint64_t size_bytes_ = 0;
};

}  // namespace fardel
