// CheckedBlob: a blob that nobody believes, which gives the bytes of its asset or an error.
//
// Every reading is checked, not only the first: what lies in a cache may change between two. Streams hold their last
// bytes back until the whole is known to be right. Any number of threads.
#pragma once

#include <fardel/format/bundle_plan.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/hash.h>
#include <fardel/format/ids.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

namespace fardel {

class CheckedBlob final : public BlobSource {
public:
    // `on_broken`: called whenever the bytes are not the asset's, or the source says so itself; from any thread.
    CheckedBlob(std::shared_ptr<const BlobSource> source, const AssetId& asset, std::uint64_t size_bytes,
                std::function<void()> on_broken = {});

    // Errors: corrupt (other bytes), those of the source.
    Result<std::unique_ptr<BlobStream>> open() const override;
    // Reads the whole once, and remembers a hash for each piece, which later reads are compared with.
    Result<std::shared_ptr<const ByteSource>> open_bytes() const override;
    std::optional<Hash> find_version() const override { return id_from<Hash>(asset_); }

    // Reads all of it.
    Status verify() const;
    std::uint64_t size_bytes() const noexcept { return size_bytes_; }
    // A reading failed, by the bytes' fault or the source's: whoever wrote them elsewhere had no part in it.
    bool has_failed() const noexcept { return failed_; }

private:
    class Stream;
    class Bytes;

    Error broken(std::string_view how) const;
    Error failed(Error error) const;

    const std::shared_ptr<const BlobSource> source_;
    const AssetId asset_;
    const std::uint64_t size_bytes_;
    const std::function<void()> on_broken_;
    mutable std::atomic<bool> failed_ = false;
};

}  // namespace fardel
