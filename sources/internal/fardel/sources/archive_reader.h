// ArchiveReader: lists a legacy archive (zip, pk3, 7z, …). The seam between scans and what reads such archives.
//
// A scan tells an archive by its signature, but needs a reader to see what is inside. The library fardel::archives has
// one, see legacy_archives.h; a program that links none needs no PhysicsFS, and scans and mounts folders alone.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/byte_source.h>

#include <memory>
#include <string>
#include <string_view>

namespace fardel {

class SourceListing;

// The name of the zip format, pk3 and pk4 included, for ArchiveReader::list.
inline constexpr std::string_view kZipFormat = "zip";

class ArchiveReader {
public:
    virtual ~ArchiveReader() = default;
    // Adds every entry to `listing`, in the archive's order. `format` is the usual extension of the format, and `bytes`
    // have its signature; `path` is for messages. Any number of threads. Errors: malformed (the archive contradicts
    // itself), limit, unsupported, io.
    virtual Status list(std::shared_ptr<const ByteSource> bytes, std::string_view format, const std::string& path,
                        SourceListing& listing) const = 0;
};

}  // namespace fardel
