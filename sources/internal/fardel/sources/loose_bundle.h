// Loose bundles: a folder or a legacy archive as the bundle that is created in memory over it (unpacked_bundle.h).
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/unpacked_bundle.h>
#include <fardel/sources/archive_reader.h>
#include <fardel/sources/scan_report.h>

#include <memory>
#include <stop_token>
#include <string>

namespace fardel {

struct LooseOptions {
    const ArchiveReader* archives = nullptr;  // nullptr: `path` is a folder
    std::shared_ptr<DigestCache> digests;  // not nullptr; digests of files that did not change since are taken from it
    std::string digest_folder;             // where the digests of its files are kept on disk; empty: nowhere
    bool refuses_secrets = false;          // for a folder that is served (secret_files.h)
    std::stop_token stop;                  // asked to stop: cancelled
};

struct LooseBundle {
    std::shared_ptr<const ByteSource> source;
    ScanReport report;
};

// Each file that is admitted is published under its path. Files whose digests are known are neither opened nor read.
// Errors: those of scan_sources, plan_entries and make_unpacked_source.
Result<LooseBundle> open_loose_bundle(const std::string& path, const LooseOptions& options);

}  // namespace fardel
