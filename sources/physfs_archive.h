// PhysfsArchive: one archive, mounted in PhysicsFS at a mount point of its own until the last reference to it is gone.
//
// Names are those of the archive, with '/' between their parts. Any number of threads; a stream has one reader at a
// time. The bytes of the archive come from a ByteSource, never from a path.
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

    // `extension` is that of the format, such as "7z", and the bytes have its signature, so PhysicsFS tries no other.
    // Errors: malformed, busy, io.
    static Result<std::shared_ptr<const PhysfsArchive>> mount(std::shared_ptr<const ByteSource> bytes,
                                                              std::string_view extension);
    ~PhysfsArchive();
    PhysfsArchive(const PhysfsArchive&) = delete;
    PhysfsArchive& operator=(const PhysfsArchive&) = delete;

    // Returns the names in a folder, in byte order; "" is the root. A name that PhysicsFS has twice is listed twice.
    Result<std::vector<std::string>> list(const std::string& folder) const;
    Result<Item> stat(const std::string& name) const;
    // Opens a stream of exactly `size_bytes`; `label` names it in messages. Errors, also of reading: corrupt (fewer
    // bytes), missing, unsupported, limit, io.
    Result<std::unique_ptr<BlobStream>> open(const std::string& name, std::uint64_t size_bytes,
                                             const std::string& label) const;

private:
    PhysfsArchive(std::shared_ptr<const PhysfsSession> session, std::string mount_point, std::string file_name)
        : session_(std::move(session)), mount_point_(std::move(mount_point)), file_name_(std::move(file_name)) {}
    std::string path_of(const std::string& name) const { return mount_point_ + '/' + name; }

    std::shared_ptr<const PhysfsSession> session_;
    std::string mount_point_;
    std::string file_name_;  // the archive's name in PhysicsFS
    bool mounted_ = false;
};

}  // namespace fardel
