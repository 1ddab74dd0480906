// LeaseFolder: the leases of programs that use a store or a cache, each a file with a lock on it; docs/retention.md
// gives the bytes.
//
// Any number of threads and processes at once. What other programs wrote is untrusted.
#pragma once

#include "retention/retention_disk.h"

#include <fardel/base/result.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace fardel {

class LeaseFolder {
public:
    // `path`: below `root`, the folder of the store or cache.
    LeaseFolder(std::string root, std::string path) : root_(std::move(root)), path_(std::move(path)) {}

    // Creates the folder, too, if it does not exist. Errors: missing (no root), busy, denied, no_space, io.
    Result<std::unique_ptr<LeaseFile>> create() const;
    Result<std::vector<FoundLease>> list() const;
    Status remove(const std::string& name) const;

private:
    std::string path_of(const std::string& name) const { return path_ + "/" + name; }

    std::string root_;
    std::string path_;
};

std::vector<std::byte> encode_lease(const LeasedIds& ids);
// Returns nothing for other bytes than those of a lease. No bytes are a lease that names nothing yet.
std::optional<LeasedIds> decode_lease(std::span<const std::byte> bytes);

}  // namespace fardel
