// Blobs, sources and staged files that are in memory or generated while they are read.
#pragma once

#include "test.h"

#include <fardel/format/bundle_plan.h>
#include <fardel/format/bundle_staging.h>
#include <fardel/format/byte_source.h>

#include <atomic>
#include <cstring>

namespace fardel::tests {

inline std::shared_ptr<const BlobSource> blob_of(std::string_view text) { return make_memory_blob(bytes_of(text)); }

inline Bytes all_bytes(const ByteSource& source) {
    Bytes bytes(source.size_bytes());
    REQUIRE(source.read_at(0, bytes));
    return bytes;
}

// Reads the whole blob in steps of a given size; returns its bytes or the error.
inline Result<Bytes> read_blob(const BlobSource& blob, std::size_t step = 4096) {
    FARDEL_TRY_ASSIGN(const auto stream, blob.open());
    Bytes whole;
    for (Bytes buffer(step);;) {
        FARDEL_TRY_ASSIGN(const std::size_t count, stream->read(buffer));
        if (count == 0)
            return whole;
        whole.insert(whole.end(), buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(count));
    }
}

inline Result<std::string> read_blob_text(const BlobSource& blob, std::size_t step = 4096) {
    FARDEL_TRY_ASSIGN(const Bytes bytes, read_blob(blob, step));
    return text_of(bytes);
}

// A blob whose bytes are generated when they are read, for assets that are too large or too many for memory.
// `fill(offset, out)` generates the bytes [offset, offset + out.size()), the same each time.
template <class Fill>
class GeneratedBlob final : public BlobSource {
public:
    GeneratedBlob(std::uint64_t size_bytes, Fill fill) : size_bytes_(size_bytes), fill_(std::move(fill)) {}
    Result<std::unique_ptr<BlobStream>> open() const override {
        return std::unique_ptr<BlobStream>(std::make_unique<Stream>(size_bytes_, fill_));
    }

private:
    struct Stream final : BlobStream {
        Stream(std::uint64_t bytes_left, const Fill& fill) : left(bytes_left), fill_at(fill) {}
        Result<std::size_t> read(std::span<std::byte> out) override {
            const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), left));
            fill_at(offset, out.first(count));
            offset += count;
            left -= count;
            return count;
        }
        std::uint64_t offset = 0;
        std::uint64_t left;
        Fill fill_at;
    };
    std::uint64_t size_bytes_;
    Fill fill_;
};

template <class Fill>
std::shared_ptr<const BlobSource> generated_blob(std::uint64_t size_bytes, Fill fill) {
    return std::make_shared<GeneratedBlob<Fill>>(size_bytes, std::move(fill));
}

// A source in memory that counts what is read from it, by any thread.
class CountingSource final : public ByteSource {
public:
    explicit CountingSource(Bytes bytes) : inner_(make_memory_source(std::move(bytes))) {}
    std::uint64_t size_bytes() const noexcept override { return inner_->size_bytes(); }
    Status read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        ++reads;
        bytes_read += out.size();
        return inner_->read_at(offset, out);
    }
    mutable std::atomic<std::uint64_t> reads = 0;
    mutable std::atomic<std::uint64_t> bytes_read = 0;

private:
    std::shared_ptr<const ByteSource> inner_;
};

// A StagedFile in memory, for tests of the writer: a test can read its bytes and let its n-th operation fail.
struct MemoryDisk {
    std::vector<std::byte> bytes;
    bool committed = false;
    bool removed = false;  // the StagedFile was destroyed without commit
    int operations = 0;    // so far
    int fails_at = 0;      // the operation that fails, counted from 1; 0: none
    ErrorCode failure = ErrorCode::no_space;
    std::size_t bytes_largest = 0;
};

class MemoryFile final : public StagedFile {
public:
    explicit MemoryFile(MemoryDisk& disk) : disk_(disk) {}
    ~MemoryFile() override { disk_.removed = !disk_.committed; }

    Status write_at(std::uint64_t offset, std::span<const std::byte> bytes) override {
        if (Status status = next_operation(); !status) {
            write(offset, bytes.first(bytes.size() / 2));  // as a full disk does
            return status;
        }
        write(offset, bytes);
        return ok();
    }
    Status resize(std::uint64_t size_bytes) override {
        FARDEL_TRY(next_operation());
        disk_.bytes.resize(size_bytes);
        return ok();
    }
    Status commit() override {
        FARDEL_TRY(next_operation());
        disk_.committed = true;
        return ok();
    }

private:
    Status next_operation() {
        if (++disk_.operations == disk_.fails_at)
            return Error(disk_.failure, "operation " + std::to_string(disk_.operations) + " fails on purpose");
        return ok();
    }
    void write(std::uint64_t offset, std::span<const std::byte> bytes) {
        if (bytes.empty())
            return;
        disk_.bytes.resize(std::max<std::size_t>(disk_.bytes.size(), offset + bytes.size()));
        disk_.bytes_largest = std::max(disk_.bytes_largest, disk_.bytes.size());
        std::memcpy(disk_.bytes.data() + offset, bytes.data(), bytes.size());
    }

    MemoryDisk& disk_;
};

inline std::unique_ptr<StagedFile> make_memory_file(MemoryDisk& disk) { return std::make_unique<MemoryFile>(disk); }

}  // namespace fardel::tests
