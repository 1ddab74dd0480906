// ByteSource: bytes at offsets; the one seam between readers and the disk.
//
// A file source pins one descriptor: renaming, replacing or deleting the path afterwards changes nothing. The bytes are
// untrusted. read_at may be called from any number of threads at once.
#pragma once

#include <fardel/format/result.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace fardel {

class ByteSource {
public:
    virtual ~ByteSource() = default;
    // Size when the source was opened; a file that grows or shrinks later does not change it.
    virtual std::uint64_t size_bytes() const noexcept = 0;
    // Fills `out` whole. Errors: corrupt (the source is shorter than it was), io.
    virtual Status read_at(std::uint64_t offset, std::span<std::byte> out) const = 0;
    // Announces that these bytes will be read soon, so that the system can read ahead. A hint; does not wait.
    virtual void prefetch(std::uint64_t, std::uint64_t) const {}
    // The bytes at `offset` without a copy; `length` > 0. Those of a file remain part of it: a program that may write
    // to the file can change them at any time, and if it truncates the file, touching them is fatal (SIGBUS). Use it
    // only for files that no other program writes. Errors: unsupported (this source has no such bytes), corrupt (past
    // the end), io.
    virtual Result<std::shared_ptr<const std::byte[]>> map(std::uint64_t offset, std::uint64_t length) const;
};

// A regular file, read with positioned reads into the caller's memory. Errors: missing, denied, io, malformed (a
// directory, device or FIFO).
Result<std::shared_ptr<const ByteSource>> open_file_source(const std::string& path);

// Bytes in memory; the source owns them.
std::shared_ptr<const ByteSource> make_memory_source(std::vector<std::byte> bytes);

}  // namespace fardel
