// ByteSource: bytes at offsets; readers access the disk only through it.
//
// A file source pins one descriptor: renaming, replacing or deleting the path afterwards has no effect. The bytes are
// untrusted. read_at may be called from any number of threads at once.
#pragma once

#include <fardel/base/result.h>

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
    // Returns the size when the source was opened; a file that grows or shrinks later does not change it.
    virtual std::uint64_t size_bytes() const noexcept = 0;
    // Fills the whole of `out`. Errors: corrupt (the source is shorter than it was), io.
    virtual Status read_at(std::uint64_t offset, std::span<std::byte> out) const = 0;
    // Whether these bytes are here: otherwise read_at returns `missing`, or has a server send them first. Says nothing
    // about whether they are right; does not wait. The range is within the file.
    virtual bool holds(std::uint64_t, std::uint64_t) const { return true; }
    // Announces that these bytes will be read soon, so that the system can read ahead. Only a hint; does not wait.
    virtual void prefetch(std::uint64_t, std::uint64_t) const {}
    // Returns the bytes at `offset` without a copy; `length` > 0. The bytes of a file source remain part of the file: a
    // program that may write to it can change them at any time, and if it truncates the file, touching them is fatal
    // (SIGBUS). Use it only for files that no other program writes. Errors: unsupported (this source cannot be mapped),
    // corrupt (past the end), io.
    virtual Result<std::shared_ptr<const std::byte[]>> map(std::uint64_t offset, std::uint64_t length) const;
};

// Opens a regular file, which is read with positioned reads into the caller's memory. Errors: missing, denied, io,
// malformed (a directory, device or FIFO).
Result<std::shared_ptr<const ByteSource>> open_file_source(const std::string& path);

// Returns the bundle that `fardel append` has put behind a program, as a window of `program`. Errors: missing (nothing
// is appended), malformed (the record at the end does not fit the file), unsupported (a newer version of the format),
// those of `program`.
Result<std::shared_ptr<const ByteSource>> open_appended_source(std::shared_ptr<const ByteSource> program);
// The same for the program at `path`; empty: the running program. Additional errors: those of open_file_source;
// unsupported (the system does not tell where the running program is).
Result<std::shared_ptr<const ByteSource>> open_appended_file(const std::string& path = {});

// Returns a source over bytes in memory, which it owns.
std::shared_ptr<const ByteSource> make_memory_source(std::vector<std::byte> bytes);

}  // namespace fardel
