// BundledFile: a record or an object in a bundle of `fardel cache export`; the packs of a folder are such bundles, too.
//
// The bundle compares its bytes with its own hashes. Whether a record is one, its reader checks. From any thread.
#pragma once

#include "cache_folder.h"

#include <fardel/base/result.h>
#include <fardel/format/bundle.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/ids.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fardel {

struct BundledFile {
    std::shared_ptr<const Bundle> bundle;
    AssetIndex asset{};
    std::uint64_t size_bytes = 0;

    // Errors: limit (more than `bytes_max`), those of Bundle.
    Result<std::vector<std::byte>> read(std::size_t bytes_max) const;
    // Reads when it is read, and keeps the bundle open.
    std::shared_ptr<const ByteSource> open() const;
};

// The name of a record or object in such a bundle: "records/<64 digits>".
std::string bundled_name(CacheFileKind kind, const Hash& id);

// Errors: those of Bundle.
Result<std::optional<BundledFile>> find_bundled_record(const std::shared_ptr<const Bundle>& bundle,
                                                       const BuildKey& key);
// Finds the object by its id, whatever its name is.
Result<std::optional<BundledFile>> find_bundled_object(const std::shared_ptr<const Bundle>& bundle,
                                                       const AssetId& asset);

}  // namespace fardel
