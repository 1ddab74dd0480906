// CacheLayer: one place where records and objects of derived data are kept: memory, a bundle, a folder, a server.
//
// A seam. Layers believe nothing and promise nothing: whoever asks checks what comes back, and a layer may lose
// anything at any time. From any thread.
#pragma once

#include <fardel/format/bundle_plan.h>
#include <fardel/store/cache_record.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fardel {

class CacheLayer {
public:
    virtual ~CacheLayer() = default;

    // For people, safe to show: "folder /home/ann/.cache/fardel".
    virtual std::string name() const = 0;
    virtual bool is_writable() const = 0;

    // Nothing: it is not here. Errors: unreachable, busy, denied, untrusted (a server's certificate), io; and of what
    // is here and no good: corrupt, malformed, limit (more than kCacheRecordBytesMax).
    virtual Result<std::optional<std::vector<std::byte>>> find_record(const BuildKey& key) = 0;
    // Replaces whatever is there, whole or not at all. Errors: unreachable, busy, denied, untrusted, limit (the server
    // takes none so large), no_space, io.
    virtual Status write_record(const BuildKey& key, std::span<const std::byte> bytes) = 0;

    // A blob of `size_bytes` bytes that have not been checked; nothing: it is not here, or has another size. Errors as
    // above.
    virtual Result<std::shared_ptr<const BlobSource>> find_object(const AssetId& asset, std::uint64_t size_bytes) = 0;
    // `bytes` are the asset's. Whole or not at all; nothing happens if it is here. Errors as above, and those of the
    // source.
    virtual Status write_object(const AssetId& asset, std::uint64_t size_bytes, const BlobSource& bytes) = 0;

    // What was found broken, so that it is not found again; of a read-only layer: nothing happens.
    virtual void drop_record(const BuildKey& key) = 0;
    virtual void drop_object(const AssetId& asset) = 0;
};

}  // namespace fardel
