// The blobs of the entries of a zip. zlib inflates them; size and CRC-32 are compared.
#pragma once

#include "zip_directory.h"

#include <fardel/base/path_stamp.h>
#include <fardel/format/bundle_plan.h>
#include <fardel/sources/source_scan.h>

#include <memory>
#include <optional>

namespace fardel {

// The blobs of one zip. They lie together in memory, as those of a folder do.
class ZipBlobs {
public:
    // `data_end`: see ZipDirectory. Without a stamp, the blobs have no versions.
    ZipBlobs(std::shared_ptr<const ByteSource> bytes, std::uint64_t data_end, const std::optional<PathStamp>& stamp);
    // The entry is stored or deflated, and not encrypted; `origin` names it in messages. Errors of the blob: corrupt,
    // io.
    std::shared_ptr<const BlobSource> add(const ZipExtent& entry, EntryOrigin origin);

private:
    struct List;
    std::shared_ptr<List> list_;
};

}  // namespace fardel
