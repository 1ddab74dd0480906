// The blob of an entry of a zip. zlib inflates it; size and CRC-32 are compared.
#pragma once

#include "zip_directory.h"

#include <fardel/format/bundle_plan.h>

#include <memory>
#include <string>

namespace fardel {

// State of zlib that no stream uses, kept for the next: to allocate it costs more than to inflate a small entry.
class Inflaters;
std::shared_ptr<Inflaters> make_inflaters();

struct ZipArchive {
    std::shared_ptr<const ByteSource> bytes;
    std::uint64_t data_end = 0;  // see ZipDirectory
    std::shared_ptr<Inflaters> inflaters = make_inflaters();
};

// `entry` is stored or deflated, and not encrypted; `origin` names it in messages. Errors of the blob: corrupt, io.
std::shared_ptr<const BlobSource> make_zip_blob(std::shared_ptr<const ZipArchive> archive, ZipEntry entry,
                                                std::string origin);

}  // namespace fardel
