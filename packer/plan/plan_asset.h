// The bytes, ids and names of a plan's assets, as scanning and rewriting need them.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle_plan.h>
#include <fardel/format/ids.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace fardel {

// Reads one asset on demand, at most once. The plan outlives the reader.
class AssetReader {
public:
    AssetReader(const PlannedAsset& asset, std::uint64_t size_bytes) : asset_(asset), size_bytes_(size_bytes) {}

    // Reads the asset only if its id is not known. Errors: as bytes().
    Result<AssetId> id();
    // The view lives as long as the reader. Errors: those of the blob, conflict (the size or the known id does not
    // match).
    Result<std::span<const std::byte>> bytes();

private:
    const PlannedAsset& asset_;
    std::uint64_t size_bytes_;
    std::optional<std::vector<std::byte>> bytes_;
};

// Per asset its first name in byte order; if it has no name, its key. Some content types are detected by name.
std::vector<std::string_view> first_names_of(const BundlePlan& plan);

// The number of threads that scan is at most this.
inline constexpr unsigned kScanWorkersMax = 64;

}  // namespace fardel
