// What scanning and rewriting need of a plan's assets: their bytes, when somebody wants them, and their names.
#pragma once

#include <fardel/format/bundle_plan.h>
#include <fardel/format/ids.h>
#include <fardel/format/result.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace fardel {

// Of one asset. The plan outlives it.
class AssetReader {
public:
    AssetReader(const PlannedAsset& asset, std::uint64_t size_bytes) : asset_(asset), size_bytes_(size_bytes) {}

    // Reads only what nobody has hashed before. Errors: as bytes().
    Result<AssetId> id();
    // Errors: those of the blob, conflict (not the bytes of the plan's known id, or another size).
    Result<std::span<const std::byte>> bytes();

private:
    const PlannedAsset& asset_;
    std::uint64_t size_bytes_;
    std::optional<std::vector<std::byte>> bytes_;
};

// Of each asset the first name in byte order, or its key: some files are known by name.
std::vector<std::string_view> first_names_of(const BundlePlan& plan);

// `work` on so many threads (0: one a core), but not on more than there are items; comes back when all are done.
void work_on_threads(unsigned threads, std::size_t items, const std::function<void()>& work);

}  // namespace fardel
