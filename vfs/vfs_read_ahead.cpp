// Vfs::read_ahead(): has the system read what a trace lists before a game asks for it.
#include "inspect/inspection.h"
#include "vfs_state.h"

#include <fardel/format/bundle.h>
#include <fardel/format/head.h>
#include <fardel/format/manifest.h>
#include <fardel/format/trace.h>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace fardel {
namespace {

// So much is read in the order of offsets: as much as the packer sorts by type (docs/traces.md), and little enough that
// other readers do not wait for it.
constexpr std::uint64_t kWindowBytes = 1u << 20;
constexpr std::uint64_t kGapBytes = 64u << 10;  // read along with what is on both sides: cheaper than to skip it

struct StoredRange {
    std::uint64_t offset = 0;
    std::uint64_t length_bytes = 0;
};

// What is to be read next. Errors of reading do not matter: who opens the file gets them.
class ReadWindow {
public:
    void add(const File& file) {
        const auto blocks = file.bundle()->blocks_of(file.index());
        if (!blocks)
            return;
        for (const BlockRecord& block : *blocks) {
            const std::uint64_t offset = file.bundle()->layout_head().blocks_offset + block.stored_offset;
            const auto& source = file.bundle()->source();
            if (!seen_[file.bundle_id()].insert(offset).second || !source->holds(offset, block.stored_bytes))
                continue;
            ranges_[source].push_back({.offset = offset, .length_bytes = block.stored_bytes});
            bytes_ += block.stored_bytes;
        }
    }

    bool is_full() const noexcept { return bytes_ >= kWindowBytes; }

    void read(const std::stop_token& stop) {
        bytes_ = 0;
        for (auto& [source, ranges] : std::exchange(ranges_, {})) {
            std::ranges::sort(ranges, {}, &StoredRange::offset);
            StoredRange run;
            for (const StoredRange& range : ranges) {
                const std::uint64_t end = run.offset + run.length_bytes;
                if (run.length_bytes != 0 && range.offset >= end && range.offset - end <= kGapBytes) {
                    run.length_bytes = range.offset + range.length_bytes - run.offset;
                    continue;
                }
                read(*source, run, stop);
                run = range;
            }
            read(*source, run, stop);
        }
    }

private:
    void read(const ByteSource& source, StoredRange run, const std::stop_token& stop) {
        while (run.length_bytes != 0 && !stop.stop_requested()) {
            room_.resize(static_cast<std::size_t>(std::min(run.length_bytes, kWindowBytes)));
            if (!source.holds(run.offset, room_.size()) || !source.read_at(run.offset, room_))
                return;
            run.offset += room_.size();
            run.length_bytes -= room_.size();
        }
    }

    std::unordered_map<BundleId, std::unordered_set<std::uint64_t>> seen_;  // offsets
    std::unordered_map<std::shared_ptr<const ByteSource>, std::vector<StoredRange>> ranges_;
    std::uint64_t bytes_ = 0;
    std::vector<std::byte> room_;
};

std::optional<File> find_traced(const MountSet& set, const TracedAsset& traced) {
    if (const Mount* const mount = set.find_bundle(traced.bundle); mount != nullptr && !mount->paths)
        if (const auto index = mount->bundle().find_asset(traced.asset); index && *index)
            if (auto file = File::of(mount->content.leases->of_this_thread(), **index))
                return *std::move(file);
    auto file = find_asset_file(set, traced.asset);
    return file ? *std::move(file) : std::nullopt;
}

}  // namespace

Status Vfs::read_ahead(std::string_view trace, const std::stop_token& stop) const {
    FARDEL_TRY_ASSIGN(const Trace listed, parse_trace(trace));
    ReadWindow window;
    for (const TracedAsset& traced : listed) {
        if (const auto file = find_traced(*impl_->set.share(), traced))
            window.add(*file);
        if (window.is_full())
            window.read(stop);
        if (stop.stop_requested())
            return Error(ErrorCode::cancelled, "reading ahead was stopped");
    }
    window.read(stop);
    return ok();
}

}  // namespace fardel
