// FileStream: reads a File from front to back, or from any position, in pieces of any size.
//
// Keeps one piece of the asset (up to 256 KiB) and asks the system to prefetch the next ones, so a small read costs a
// copy. One thread at a time.
#pragma once

#include <fardel/base/result.h>
#include <fardel/vfs/file.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fardel {

class FileStream {
public:
    explicit FileStream(File file) noexcept : file_(std::move(file)) {}

    const File& file() const noexcept { return file_; }
    std::uint64_t position() const noexcept { return position_; }
    // Any position; at or behind the end, reads return 0.
    void seek(std::uint64_t position) noexcept { position_ = position; }
    // Reads up to out.size() bytes, fewer only at the end, 0 at or behind it, and moves the position by as many. On an
    // error the position stays. Errors: those of File::read_at.
    Result<std::size_t> read(std::span<std::byte> out);

private:
    Status load(std::uint64_t piece);

    File file_;
    std::uint64_t position_ = 0;
    std::vector<std::byte> piece_;
    std::uint64_t piece_offset_ = 0;  // in the asset
    std::uint64_t fetched_to_ = 0;    // the system has been asked to prefetch up to here
};

}  // namespace fardel
