// CacheLayer: a store for records and objects of derived data: memory, a bundle, a folder or a server.
//
// A seam. The caller checks everything that a layer returns, and a layer may lose anything at any time. From any
// thread.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle_plan.h>
#include <fardel/format/ids.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fardel {

inline constexpr std::size_t kCacheRecordBytesMax = 4u << 20;

class CacheLayer {
public:
    virtual ~CacheLayer() = default;

    // For people, safe to print: "folder /home/ann/.cache/fardel".
    virtual std::string name() const = 0;
    virtual bool is_writable() const = 0;

    // Returns nothing if the layer does not have it. Errors: unreachable, busy, denied, untrusted (a server's
    // certificate), io; if it has it, but damaged: corrupt, malformed, limit (more than kCacheRecordBytesMax).
    virtual Result<std::optional<std::vector<std::byte>>> find_record(const BuildKey& key) = 0;
    // Replaces an existing record, completely or not at all. Errors: unreachable, busy, denied, untrusted, limit (too
    // large for the server), no_space, io.
    virtual Status write_record(const BuildKey& key, std::span<const std::byte> bytes) = 0;

    // Returns a blob of `size_bytes` unchecked bytes; nullptr if the layer does not have it, or in another size.
    // Errors: those of find_record().
    virtual Result<std::shared_ptr<const BlobSource>> find_object(const AssetId& asset, std::uint64_t size_bytes) = 0;
    // `bytes` are those of the asset. Writes completely or not at all; does nothing if the layer has the object.
    // Errors: those of write_record() and those of `bytes`.
    virtual Status write_object(const AssetId& asset, std::uint64_t size_bytes, const BlobSource& bytes) = 0;

    // Returns those of the keys, which are ascending, without records here, as far as the layer can say at once: the
    // caller is about to look for all of them. A server may remember its answer until a record is written.
    virtual std::vector<BuildKey> find_lacking(std::span<const BuildKey> keys) {
        std::vector<BuildKey> lacking;
        for (const BuildKey& key : keys)
            if (const auto record = find_record(key); record && !*record)
                lacking.push_back(key);
        return lacking;
    }

    // Removes what the caller found broken, so that it is not found again. Does nothing in a read-only layer.
    virtual void drop_record(const BuildKey& key) = 0;
    virtual void drop_object(const AssetId& asset) = 0;
};

}  // namespace fardel
