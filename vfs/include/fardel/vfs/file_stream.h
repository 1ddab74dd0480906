// FileStream: a File read from front to back, or from wherever seek() puts it, in pieces of any size.
//
// Keeps one piece of the asset (64 or 256 KiB) and tells the system of the ones behind it, so small reads cost a copy.
// One thread at a time.
#pragma once

#include <fardel/format/result.h>
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
    // Any position; behind the end there is nothing to read.
    void seek(std::uint64_t position) noexcept { position_ = position; }
    // Up to out.size() bytes, fewer only at the end, 0 at or behind it; the position moves by as many. On an error it
    // stays. Errors: those of File::read_at.
    Result<std::size_t> read(std::span<std::byte> out);

private:
    Status load(std::uint64_t piece);

    File file_;
    std::uint64_t position_ = 0;
    std::vector<std::byte> piece_;    // the bytes of
    std::uint64_t piece_offset_ = 0;  // the piece that begins here
    std::uint64_t fetched_to_ = 0;    // the system knows what comes up to here
};

}  // namespace fardel
