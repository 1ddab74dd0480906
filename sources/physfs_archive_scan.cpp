#include "physfs_archive_scan.h"

#include "physfs_archive.h"

#include <utility>

namespace fardel {
namespace {

// PhysicsFS 3.0.2 keeps the size of an entry in 32 bits.
constexpr std::uint64_t kEntryBytesMax = 0xffff'ffff;

class PhysfsBlob final : public BlobSource {
public:
    PhysfsBlob(std::shared_ptr<const PhysfsArchive> archive, std::string name, std::uint64_t size_bytes,
               std::string origin)
        : archive_(std::move(archive)), name_(std::move(name)), size_bytes_(size_bytes), origin_(std::move(origin)) {}

    Result<std::unique_ptr<BlobStream>> open() const override { return archive_->open(name_, size_bytes_, origin_); }

private:
    std::shared_ptr<const PhysfsArchive> archive_;
    std::string name_;
    std::uint64_t size_bytes_;
    std::string origin_;
};

class PhysfsArchiveScan {
public:
    PhysfsArchiveScan(std::shared_ptr<const PhysfsArchive> archive, const std::string& path, SourceListing& listing)
        : archive_(std::move(archive)), path_(path), listing_(listing) {}

    // The depth of the recursion is bounded by that of names.
    Status list(const std::string& folder) {
        FARDEL_TRY_ASSIGN(const std::vector<std::string> items, archive_->list(folder));
        for (std::size_t i = 0; i < items.size(); ++i) {
            const std::string name = folder.empty() ? items[i] : folder + '/' + items[i];
            const std::string origin = path_ + ": " + printable(name);
            if (i > 0 && items[i] == items[i - 1])
                listing_.refuse(name, origin,
                                Error(ErrorCode::conflict, "PhysicsFS has this name twice and can read only one"));
            else
                FARDEL_TRY(list_item(name, origin));
        }
        return ok();
    }

private:
    Status list_item(const std::string& name, const std::string& origin) {
        // First of all, because PhysicsFS would look for some bad names in another folder.
        if (Status good = verify_name(name); !good) {
            listing_.refuse(name, origin, std::move(good).error());
            return ok();
        }
        Result<PhysfsArchive::Item> item = archive_->stat(name);
        if (!item) {
            listing_.refuse(name, origin, std::move(item).error());
            return ok();
        }
        if (item->is_folder)
            return listing_.admit_folder(name, origin) ? list(name) : ok();
        std::optional<AssetName> admitted = listing_.admit(name, origin);
        if (!admitted)
            return ok();
        if (item->size_bytes > kEntryBytesMax) {
            listing_.refuse(name, origin,
                            Error(ErrorCode::limit, "it has " + std::to_string(item->size_bytes) +
                                                        " bytes, more than " + std::to_string(kEntryBytesMax)));
            return ok();
        }
        listing_.entries.push_back({.name = std::move(*admitted),
                                    .origin = origin,
                                    .size_bytes = item->size_bytes,
                                    .blob = std::make_shared<PhysfsBlob>(archive_, name, item->size_bytes, origin)});
        return ok();
    }

    std::shared_ptr<const PhysfsArchive> archive_;
    const std::string& path_;
    SourceListing& listing_;
};

}  // namespace

Status list_physfs_archive(std::shared_ptr<const ByteSource> bytes, std::string_view extension, const std::string& path,
                           SourceListing& listing) {
    FARDEL_TRY_ASSIGN(auto archive, PhysfsArchive::mount(std::move(bytes), extension));
    return PhysfsArchiveScan(std::move(archive), path, listing).list("");
}

}  // namespace fardel
