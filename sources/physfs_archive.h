// PhysfsArchive: one archive, mounted in PhysicsFS where no other is, unmounted with the last reference to it.
//
// Names are those of the archive, parts between '/'. From any number of threads; a stream has one reader at a time. The
// archive's bytes come from a ByteSource, never from a path.
#pragma once

#include "physfs_session.h"

#include <fardel/format/bundle_plan.h>
#include <fardel/format/byte_source.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fardel {

class PhysfsArchive : public std::enable_shared_from_this<PhysfsArchive> {
public:
    struct Item {
        bool is_folder = false;
        std::uint64_t size_bytes = 0;
    };

    // `extension` is that of the format, "7z", and the bytes have its signature: PhysicsFS tries no other format then.
    // Errors: malformed, busy, io.
    static Result<std::shared_ptr<const PhysfsArchive>> mount(std::shared_ptr<const ByteSource> bytes,
                                                              std::string_view extension);
    ~PhysfsArchive();
    PhysfsArchive(const PhysfsArchive&) = delete;
    PhysfsArchive& operator=(const PhysfsArchive&) = delete;

    // The names in a folder, in byte order; "" is the root. What PhysicsFS has twice is listed twice.
    Result<std::vector<std::string>> list(const std::string& folder) const;
    Result<Item> stat(const std::string& name) const;
    // A stream of just `size_bytes`; `label` names it in errors, which are also those of reading: corrupt (fewer
    // bytes), missing, unsupported, limit, io.
    Result<std::unique_ptr<BlobStream>> open(const std::string& name, std::uint64_t size_bytes,
                                             const std::string& label) const;

private:
    PhysfsArchive(std::shared_ptr<const PhysfsSession> session, std::string place, std::string file_name)
        : session_(std::move(session)), place_(std::move(place)), file_name_(std::move(file_name)) {}
    std::string path_of(const std::string& name) const { return place_ + '/' + name; }

    std::shared_ptr<const PhysfsSession> session_;
    std::string place_;      // the mount point
    std::string file_name_;  // what PhysicsFS knows the archive by
    bool mounted_ = false;
};

}  // namespace fardel
