// IncomingPack: the file with the received bytes of a bundle, in the order in which they came, until it becomes a pack
// of the store. It is locked as long as the object has it open. One thread.
#pragma once

#include "packs/store_folder.h"
#include "packs/store_record.h"

#include <fardel/base/descriptor.h>
#include <fardel/base/file_path.h>
#include <fardel/base/result.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/hash.h>
#include <fardel/format/ids.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace fardel {

class IncomingPack {
public:
    // What the file has counts when accept() was called with it. Errors: those of StoreFolder::lock_incoming.
    static Result<IncomingPack> open(const StoreFolder& folder, const BundleId& bundle);
    bool is_open() const noexcept { return static_cast<bool>(file_); }
    void close() noexcept { file_.close(); }

    // The bytes that count, from the beginning of the file on.
    std::uint64_t size_bytes() const noexcept { return size_bytes_; }
    // Whether the file has bytes, whether they count or not.
    Result<bool> has_bytes() const;
    // Returns false if the file ends before.
    Result<bool> read_at(std::uint64_t offset, std::span<std::byte> out) const;
    // Returns the first bytes of the file. Lives as long as the object or longer.
    Result<std::shared_ptr<const ByteSource>> open_source(std::uint64_t size_bytes) const;

    // Writes behind the bytes that count. They are accepted when the log has them: it gives the parts of the file their
    // places, one after the other.
    Status write_next(std::span<const std::byte> bytes) const;
    void accept(std::span<const std::byte> bytes);
    // Removes what does not count.
    Status cut_rest() const;
    // Removes everything.
    Status clear();

    // What the file will be. Nothing is accepted afterwards.
    StorePack pack() const noexcept { return {.id = hasher_.finish(), .size_bytes = size_bytes_}; }
    Status sync() const;
    // Gives the file its name as a pack.
    Status name(const StoreFolder& folder, const PackId& id) const { return folder.name_pack(path_, id); }
    // Removes the file unless its name has become that of another one.
    Status remove() const;

private:
    IncomingPack(Descriptor file, FilePath path) : file_(std::move(file)), path_(std::move(path)) {}

    Descriptor file_;
    FilePath path_;
    std::uint64_t size_bytes_ = 0;
    Hasher hasher_;
};

}  // namespace fardel
