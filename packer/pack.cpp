#include <fardel/packer/pack.h>

#include <fardel/packer/content_type.h>

#include <algorithm>
#include <array>
#include <utility>

namespace fardel {
namespace {

bool is_version_character(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || std::string_view(".+-_~").find(c) != std::string_view::npos;
}

Status verify_options(std::span<const std::string> sources, const PackOptions& options) {
    if (sources.empty())
        return Error(ErrorCode::malformed, "there is no source to pack");
    if (Status good = verify_name(options.name); !good)
        return std::move(good).error().with_context("bundle name");
    if (!std::ranges::all_of(options.version, is_version_character))
        return Error(ErrorCode::malformed, "bundle version \"" + printable(options.version) + "\": only letters, digits and . + - _ ~ may be in it");
    return ok();
}

// The content type of each entry, from its first bytes.
Result<std::vector<std::string_view>> read_content_types(std::span<const SourceEntry> entries) {
    std::vector<std::string_view> types;
    types.reserve(entries.size());
    for (const SourceEntry& entry : entries) {
        FARDEL_TRY_ASSIGN(const auto stream, entry.blob->open());
        std::array<std::byte, kContentHeadBytes> head;
        std::size_t size = 0;
        for (std::size_t count = 1; count > 0 && size < head.size(); size += count) {
            FARDEL_TRY_ASSIGN(count, stream->read(std::span(head).subspan(size)));
        }
        types.push_back(content_type(entry.name.view(), std::span(head).first(size)));
    }
    return types;
}

// One asset and one published name for each entry; the writer finds equal bytes.
BundlePlan plan_bundle(std::vector<SourceEntry> entries, std::span<const std::string_view> types, const PackOptions& options) {
    BundlePlan plan;
    plan.assets.reserve(entries.size());
    plan.names.reserve(entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
        SourceEntry& entry = entries[i];
        plan.assets.push_back({.source = std::move(entry.blob),
                               .key = entry.name.text(),
                               .content_type = std::string(types[i]),
                               .streamed = is_streamed(types[i], entry.size_bytes)});
        plan.names.push_back({.name = std::move(entry.name), .variants = {{.asset = static_cast<std::uint32_t>(i)}}});
    }
    plan.metadata.push_back({.key = "name", .value = options.name});
    if (!options.version.empty())
        plan.metadata.push_back({.key = "version", .value = options.version});
    return plan;
}

}  // namespace

Result<PackPlan> pack_sources(std::span<const std::string> sources, const PackOptions& options) {
    FARDEL_TRY(verify_options(sources, options));
    FARDEL_TRY_ASSIGN(ScanResult scan, scan_sources(sources, options.excludes));
    FARDEL_TRY_ASSIGN(const std::vector<std::string_view> types, read_content_types(scan.entries));
    return PackPlan{.plan = plan_bundle(std::move(scan.entries), types, options), .report = std::move(scan.report)};
}

}  // namespace fardel
