#include <fardel/sources/entry_plan.h>

#include <fardel/base/parallel.h>
#include <fardel/format/content_type.h>
#include <fardel/sources/secret_files.h>

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>

namespace fardel {
namespace {

static_assert(kBlobHeadBytes == kContentHeadBytes);

Result<std::string_view> type_of(SourceEntry& entry, const BlobDigest* known) {
    if (known != nullptr)
        return content_type(entry.name.view(), known->first_bytes());
    FARDEL_TRY_ASSIGN(const std::string_view type, read_content_type(entry.name.view(), *entry.blob));
    entry.blob = without_judge(std::move(entry.blob));
    return type;
}

// Of each entry. Small files come from a disk in half the time or less if several are waited for at once, and are in
// memory when they are packed. Errors: of the first entry that has one.
Result<std::vector<std::string_view>> content_types_of(std::span<SourceEntry> entries, const KnownBlobs& known) {
    constexpr unsigned kWaitingThreads = 8;
    std::vector<std::string_view> types(entries.size());
    FARDEL_TRY(try_parallel_for(entries.size(), kWaitingThreads, [&](std::size_t i) -> Status {
        FARDEL_TRY_ASSIGN(types[i], type_of(entries[i], i < known.size() ? known[i].get() : nullptr));
        return ok();
    }));
    return types;
}

}  // namespace

Result<std::string_view> read_content_type(std::string_view name, const BlobSource& blob) {
    FARDEL_TRY_ASSIGN(const auto stream, blob.open());
    std::array<std::byte, kContentHeadBytes> head;
    std::size_t size = 0;
    for (std::size_t count = 1; count > 0 && size < head.size(); size += count) {
        FARDEL_TRY_ASSIGN(count, stream->read(std::span(head).subspan(size)));
    }
    return content_type(name, std::span(head).first(size));
}

Result<BundlePlan> plan_entries(std::vector<SourceEntry> entries, const KnownBlobs& known) {
    FARDEL_TRY_ASSIGN(const std::vector<std::string_view> types, content_types_of(entries, known));
    BundlePlan plan;
    std::map<std::string_view, SharedText> shared_types;  // few, of many assets
    plan.assets.reserve(entries.size());
    plan.names.reserve(entries.size());
    for (SourceEntry& entry : entries) {
        const auto asset = static_cast<std::uint32_t>(plan.assets.size());
        const std::string_view type = types[asset];
        const SharedText& shared_type = shared_types.try_emplace(type, type).first->second;
        plan.assets.push_back({.source = std::move(entry.blob),
                               .key = entry.name.shared_text(),
                               .content_type = shared_type,
                               .streamed = is_streamed(type, entry.size_bytes)});
        plan.names.push_back({.name = std::move(entry.name), .variants = {{.asset = asset}}});
    }
    return plan;
}

}  // namespace fardel
