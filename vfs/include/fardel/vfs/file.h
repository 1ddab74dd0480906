// File: one opened asset, from which verified bytes are read; and how a batch of files is received.
//
// A cheap value (a reference to its bundle and a few numbers) without a position; copies read the same asset. It keeps
// its bundle alive, so unmounting the bundle or destroying the Vfs changes nothing for it. Any number of threads may
// read one File.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/ids.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace fardel {

class Bundle;                           // Fardel's own
enum class AssetIndex : std::uint32_t;  // Fardel's own
struct AssetRecord;

// Bytes of a bundle's file, mapped into memory. They matched their hashes when the view was created; after that they
// are the file's: a program that writes to the file changes them, and one that truncates it makes touching them fatal.
// Only for bundles that no other program writes. Keeps its bytes valid, whatever becomes of the File and the mount.
class FileView {
public:
    FileView(std::shared_ptr<const std::byte[]> bytes, std::size_t size) noexcept
        : bytes_(std::move(bytes)), size_(size) {}
    std::span<const std::byte> bytes() const noexcept { return {bytes_.get(), size_}; }

private:
    std::shared_ptr<const std::byte[]> bytes_;
    std::size_t size_;
};

class File {
public:
    // An asset of `bundle`; `record` is its record.
    File(std::shared_ptr<const Bundle> bundle, AssetIndex index, const AssetRecord& record) noexcept;
    // The same, with the record read from the bundle; for tools that visit every asset. Errors: corrupt, malformed, io.
    static Result<File> of(std::shared_ptr<const Bundle> bundle, AssetIndex index);

    std::uint64_t size_bytes() const noexcept { return size_bytes_; }
    const AssetId& asset_id() const noexcept { return asset_id_; }
    const BundleId& bundle_id() const noexcept;
    const std::shared_ptr<const Bundle>& bundle() const noexcept { return bundle_; }
    AssetIndex index() const noexcept { return index_; }
    // Whether its bundle states something about this asset: metadata_of() (inspect.h) reads it.
    bool has_metadata() const noexcept { return has_metadata_; }

    // Reads up to out.size() bytes at `offset` and returns the number read: fewer only at the end, 0 at or behind it.
    // Each byte is verified. On an error the contents of `out` are unspecified. Errors: corrupt, malformed, io.
    Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) const;
    // The whole asset, in new memory. `bytes_max` bounds the allocation; above it: limit.
    Result<std::vector<std::byte>> read_all(std::uint64_t bytes_max = 1ull << 32) const;
    // The whole asset, into memory of exactly size_bytes() bytes. Another size is a limit, and `out` is unchanged.
    // Otherwise as read_at.
    Status read_all(std::span<std::byte> out) const;

    // The bytes in the mapped file, without a copy; compared with their hashes now. Opt-in: see FileView. Errors:
    // unsupported (they are compressed, or not in a file or memory), limit (not all in the file; length 0), corrupt,
    // malformed, io.
    Result<FileView> view(std::uint64_t offset, std::uint64_t length) const;
    Result<FileView> view() const { return view(0, size_bytes_); }

private:
    std::shared_ptr<const Bundle> bundle_;
    std::uint64_t size_bytes_;
    AssetIndex index_;
    AssetId asset_id_;
    bool has_metadata_;
};

// Receives one file of a batch: its index in the list, and its bytes, which are valid during the call, or the error of
// open() or of File::read_all(). Returns whether to go on.
using BatchReceiver = std::function<bool(std::size_t index, const Result<std::span<const std::byte>>& content)>;

struct BatchOptions {
    bool in_order = false;  // files are received in the order of the list; otherwise as they are ready
    // Bounds the bytes of files that are read and not yet received, with the memory that is kept for the next ones. A
    // larger file is read when no other one is held; 0: one file after the other.
    std::uint64_t bytes_max = 64u << 20;
};

// Reads a File from front to back, or from any position, in pieces of any size. Keeps one piece of the asset (up to
// 256 KiB) and asks the system to prefetch the next ones, so a small read costs a copy. One thread at a time.
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
