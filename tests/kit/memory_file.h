// A StagedFile in memory, for tests of the writer: a test can read its bytes and let its n-th operation fail.
#pragma once

#include <fardel/format/bundle_staging.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

namespace fardel::tests {

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
