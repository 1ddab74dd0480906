// CheckedBlob: wraps a blob of an untrusted source. Readers receive the bytes of the asset, or an error.
//
// Every read is checked, not only the first, because a file in a cache may change. A stream withholds its last bytes
// until the whole is known to be right. Any number of threads.
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
    // Calls `on_broken` whenever the bytes are not the asset's, or the source reports them as corrupt or malformed;
    // from any thread.
    CheckedBlob(std::shared_ptr<const BlobSource> source, const AssetId& asset, std::uint64_t size_bytes,
                std::function<void()> on_broken = {});

    // Errors: corrupt (other bytes), those of the source.
    Result<std::unique_ptr<BlobStream>> open() const override;
    // Reads the whole blob once and keeps a hash of each piece, with which later reads are compared.
    Result<std::shared_ptr<const ByteSource>> open_bytes() const override;
    std::optional<Hash> find_version() const override { return id_from<Hash>(asset_); }

    // Reads and checks everything.
    Status verify() const;
    std::uint64_t size_bytes() const noexcept { return size_bytes_; }
    // Whether a read has failed because of the bytes or the source. So the layer to which they were being written is
    // not at fault.
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
