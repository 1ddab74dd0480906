// The entries of /assets and /bundles: ids in order, each once, in memory that does not grow with their number.
#pragma once

#include "mounts/mount_set.h"

#include <fardel/base/result.h>
#include <fardel/vfs/listing.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

namespace fardel {

class BundleIdWalk {
public:
    explicit BundleIdWalk(std::shared_ptr<const MountSet> set) noexcept;
    Result<std::optional<ListingEntry>> next();

private:
    std::shared_ptr<const MountSet> set_;
    std::size_t position_ = 0;
};

class AssetIdWalk {
public:
    static Result<AssetIdWalk> open(std::shared_ptr<const MountSet> set);
    Result<std::optional<ListingEntry>> next();

private:
    struct Source {
        const Bundle* bundle;
        std::uint32_t index;
        AssetId id;
    };
    explicit AssetIdWalk(std::shared_ptr<const MountSet> set) noexcept;
    // Adds the source's next asset to the heap, if it has one.
    Status push(Source source);

    std::shared_ptr<const MountSet> set_;
    std::vector<Source> heap_;  // the least id on top
};

using IdWalk = std::variant<AssetIdWalk, BundleIdWalk>;

}  // namespace fardel
