#include "boot_file.h"

#include "cache_plan.h"

#include <fardel/format/block_cache.h>
#include <fardel/format/bundle.h>
#include <fardel/format/bundle_writer.h>
#include <fardel/format/whole_file.h>

#include <limits>
#include <utility>

namespace fardel {
namespace {

constexpr std::uint64_t kBootEntryBytes = 1'024;  // what the tables of a bundle need for a record and its object
constexpr std::size_t kBootFrontBytes = std::size_t(1) << 20;  // heads, and tables that are nearly empty

std::uint64_t boot_bytes_of(const CacheRecord& record) {
    std::uint64_t bytes = kBootEntryBytes + record.notes.size();
    for (const CachedOutput& output : record.outputs)
        bytes += kBootEntryBytes + output.name.size() + output.size_bytes;
    return bytes;
}

constexpr std::size_t kBootBlockCacheBytes = std::size_t(16) << 20;

}  // namespace

BootStart read_boot_file(const std::string& path, std::size_t bytes_max) {
    const std::size_t file_max =
        bytes_max < std::numeric_limits<std::size_t>::max() - kBootFrontBytes ? bytes_max + kBootFrontBytes : bytes_max;
    auto bytes = read_unlinked_file(path, file_max);
    if (!bytes)
        return {.bundle = nullptr,
                .problem = bytes.error().code() == ErrorCode::missing ? std::string() : bytes.error().text()};
    auto bundle = Bundle::open(make_memory_source(*std::move(bytes)),
                               {.cache = std::make_shared<BlockCache>(kBootBlockCacheBytes), .label = path});
    if (!bundle)
        return {.bundle = nullptr, .problem = bundle.error().text()};
    return {.bundle = *std::move(bundle)};
}

void BootContents::add(std::uint64_t number, CacheRecord record,
                       std::vector<std::shared_ptr<const BlobSource>> outputs) {
    if (const auto known = numbers_.find(record.key); known != numbers_.end()) {
        number = known->second;
        remove(number);
    }
    const std::uint64_t bytes = boot_bytes_of(record);
    if (bytes > bytes_max_)
        return;
    numbers_.emplace(record.key, number);
    entries_.emplace(number, Entry{std::move(record), std::move(outputs), bytes});
    bytes_ += bytes;
    while (bytes_ > bytes_max_)
        remove(entries_.rbegin()->first);
}

void BootContents::remove(std::uint64_t number) {
    const auto at = entries_.find(number);
    bytes_ -= at->second.bytes;
    numbers_.erase(at->second.record.key);
    entries_.erase(at);
}

Status BootContents::write(const std::string& path, const std::shared_ptr<const Bundle>& old) const {
    CachePlan plan;
    for (const auto& [key, number] : numbers_) {  // by key, so that equal sessions write equal files
        const Entry& entry = entries_.at(number);
        FARDEL_TRY_ASSIGN(const auto bytes, encode_cache_record(entry.record));
        FARDEL_TRY(plan.add(entry.record, bytes, [&](std::size_t output) { return entry.outputs[output]; }));
    }
    if (plan.record_count() == 0 || (old && plan.is_all_of(*old)))
        return ok();
    // Who closes an editor does not want to wait, so the level is the quickest.
    FARDEL_TRY_ASSIGN(StagedBundle staged, write_bundle(plan.take(), path, {.level = 1}));
    return staged.commit();
}

}  // namespace fardel
