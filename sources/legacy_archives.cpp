#include <fardel/sources/legacy_archives.h>

#include "physfs_archive_scan.h"
#include "zip_scan.h"

#include <utility>

namespace fardel {
namespace {

class LegacyArchives final : public ArchiveReader {
public:
    Status list(std::shared_ptr<const ByteSource> bytes, std::string_view format, const std::string& path,
                SourceListing& listing) const override {
        return format == kZipFormat ? list_zip(std::move(bytes), path, listing)
                                    : list_physfs_archive(std::move(bytes), format, path, listing);
    }
};

}  // namespace

std::shared_ptr<const ArchiveReader> make_archive_reader() { return std::make_shared<LegacyArchives>(); }

}  // namespace fardel
