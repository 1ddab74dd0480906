#include <fardel/sources/legacy_archives.h>

#include "confined_archive.h"
#include "source_listing.h"

#include <utility>

namespace fardel {
namespace {

class LegacyArchives final : public ArchiveReader {
public:
    explicit LegacyArchives(std::string program) : program_(std::move(program)) {}
    Status list(std::shared_ptr<const ByteSource> bytes, std::string_view format, const std::string& path,
                SourceListing& listing) const override {
        return format == kZipFormat ? list_zip(std::move(bytes), path, listing)
                                    : list_confined_archive(std::move(bytes), format, path, program_, listing);
    }

private:
    const std::string program_;
};

}  // namespace

std::shared_ptr<const ArchiveReader> make_archive_reader() { return std::make_shared<LegacyArchives>(std::string()); }

std::shared_ptr<const ArchiveReader> make_archive_reader_with(std::string program) {
    return std::make_shared<LegacyArchives>(std::move(program));
}

}  // namespace fardel
