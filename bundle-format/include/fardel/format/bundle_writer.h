// Writes a BundlePlan as a bundle file. The same plan, purpose, level, libzstd and liblz4 give the same bytes on any
// machine and with any number of threads. Others change the layout and its id, never the bundle id.
//
// Each source is read once, in order. Blocks are encoded on `jobs` threads, and each is decoded again and compared.
// Memory is bounded by a few blocks per thread plus the tables, whatever the size of the assets. Nothing is visible at
// the target path until commit().
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle_plan.h>
#include <fardel/format/ids.h>
#include <fardel/format/statement.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

class Bundle;
class StagedFile;

inline constexpr int kLevelDefault = 9;

struct BundleWriteProgress {
    std::uint64_t assets_done = 0;
    std::uint64_t assets_total = 0;
    std::uint64_t raw_bytes = 0;     // read so far
    std::uint64_t stored_bytes = 0;  // written so far
};

// A bundle (File::bundle()) whose layout the caller knows, for example by its layout id, to be written by this code for
// the same purpose, at the same level, with the same libraries. Its blocks are copied instead of encoded again. The
// result is the same.
struct BundleDonor {
    std::shared_ptr<const Bundle> bundle;  // nullptr: none
    // BundleWriteSummary::block_purposes of the bundle; only blocks of the wanted purpose are copied.
    std::vector<BundlePurpose> block_purposes;
};

struct BundleWriteOptions {
    BundlePurpose purpose = BundlePurpose::balanced;
    int level = kLevelDefault;                                 // zstd, 1–19; of `balanced`
    unsigned jobs = 0;                                         // encoder threads, at most 256; 0: one per core
    std::function<void(const BundleWriteProgress&)> progress;  // called on the caller's thread
    std::stop_token stop;                                      // a request to stop ends the call with cancelled
    BundleDonor donor;
};

struct BundleWriteSummary {
    BundleId bundle;
    LayoutId layout;
    std::string name;  // from the plan's metadata; empty: none
    std::string version;
    std::uint64_t assets = 0;  // distinct
    std::uint64_t names = 0;
    std::uint64_t duplicates = 0;  // planned assets whose bytes were stored already
    std::uint64_t duplicate_bytes = 0;
    std::uint64_t raw_bytes = 0;     // of distinct assets
    std::uint64_t stored_bytes = 0;  // of blocks
    std::uint64_t manifest_bytes = 0;
    std::uint64_t blocks = 0;
    std::uint64_t copied_blocks = 0;  // blocks copied from the donor
    std::uint64_t file_bytes = 0;
    // One per block, which does not tell itself what it was made for; empty if all are for the bundle's purpose.
    std::vector<BundlePurpose> block_purposes;
};

// Returns a statement with the ids, sizes, name and version filled in; the author adds the date and the rest.
Statement statement_about(const BundleWriteSummary& summary);

// A bundle that is written but not yet visible.
class StagedBundle {
public:
    StagedBundle(BundleWriteSummary summary, std::unique_ptr<StagedFile> file);  // for write_bundle
    StagedBundle(StagedBundle&&) noexcept;
    StagedBundle& operator=(StagedBundle&&) noexcept;
    // Removes the file unless commit() was called.
    ~StagedBundle();

    const BundleWriteSummary& summary() const noexcept { return summary_; }
    // Appends an envelope to the trailer; the file is unchanged on error. Errors: limit, malformed, no_space, io.
    Status append(const Envelope& envelope);
    // Syncs the file and renames it to the target, replacing any file there. Call it at most once. On error the target
    // is unchanged, unless the message says that the file already has the target's name. Errors: no_space, io.
    Status commit();

private:
    BundleWriteSummary summary_;
    std::unique_ptr<StagedFile> file_;
    std::uint64_t signatures_ = 0;
    std::uint64_t envelopes_ = 0;
    std::uint64_t trailer_bytes_ = 0;
};

// Writes a temporary file beside `path`, which commit() renames to `path`; a symbolic link there is itself replaced.
// What a killed process leaves behind is removed by the next write into that folder. Errors: malformed (the plan
// contradicts itself: two names equal under case folding, a name that is also a folder, an index out of range …; found
// before any source is opened, except contradictions between assets with equal bytes), limit, conflict (a source
// changed while it was read, or differs from its known id or size), cancelled,
// denied, missing (no such folder), no_space, io, corrupt (a block did not decode to the bytes that were encoded), and
// those of the sources. Nothing is left behind on error.
Result<StagedBundle> write_bundle(const BundlePlan& plan, const std::string& path, const BundleWriteOptions& options);
// The same with less memory: the plan's sources are released as soon as their bytes are stored.
Result<StagedBundle> write_bundle(BundlePlan&& plan, const std::string& path, const BundleWriteOptions& options);

}  // namespace fardel
