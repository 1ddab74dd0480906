#include <fardel/sources/entry_plan.h>

#include <fardel/format/content_type.h>

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>

namespace fardel {
namespace {

static_assert(kBlobHeadBytes == kContentHeadBytes);

Result<std::string_view> content_type_of(const SourceEntry& entry, const DigestCache* digests) {
    const auto version = digests != nullptr ? entry.blob->find_version() : std::nullopt;
    const auto known = version ? digests->find(*version) : nullptr;
    return known ? content_type(entry.name.view(), known->head) : read_content_type(entry.name.view(), *entry.blob);
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

Result<BundlePlan> plan_entries(std::vector<SourceEntry> entries, const DigestCache* digests) {
    BundlePlan plan;
    std::map<std::string_view, SharedText> types;  // few, of many assets
    plan.assets.reserve(entries.size());
    plan.names.reserve(entries.size());
    for (SourceEntry& entry : entries) {
        FARDEL_TRY_ASSIGN(const std::string_view type, content_type_of(entry, digests));
        const SharedText& shared_type = types.try_emplace(type, type).first->second;
        const auto asset = static_cast<std::uint32_t>(plan.assets.size());
        plan.assets.push_back({.source = std::move(entry.blob),
                               .key = entry.name.shared_text(),
                               .content_type = shared_type,
                               .streamed = is_streamed(type, entry.size_bytes)});
        plan.names.push_back({.name = std::move(entry.name), .variants = {{.asset = asset}}});
    }
    return plan;
}

}  // namespace fardel
