// ReportSince: how the sizes of bundles changed: by folder, content type and owner, and asset by asset.
#pragma once

#include "console/json.h"
#include "report_sizes.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

struct GroupChange {
    std::string group;
    SizeSum before;
    SizeSum after;
};

// The words of fardel-diff(1); `repacked`: the same bytes, stored otherwise.
enum class SizeChangeKind { added, removed, renamed, changed, repacked };
inline constexpr std::size_t kSizeChangeKinds = 5;
std::string_view size_change_name(SizeChangeKind kind);

struct SizeChange {
    SizeChangeKind kind{};
    std::optional<SizedAsset> before;  // nothing: added
    std::optional<SizedAsset> after;   // nothing: removed
};

// All lists begin with the largest change of stored bytes, then of raw bytes.
struct ReportSince {
    std::vector<std::string> files;  // what is compared with
    SizeSum before;
    SizeSum after;
    std::vector<GroupChange> folders;  // without those that did not change, here and below
    std::vector<GroupChange> types;
    std::vector<GroupChange> owners;
    std::vector<SizeChange> assets;
    std::array<std::uint64_t, kSizeChangeKinds> counts{};  // of `assets`, by kind
};

// Pure. Assets are the same if their name, tags and bundle are; without a name, if their id is.
ReportSince compare_sizes(const std::vector<SizedAsset>& before, const std::vector<SizedAsset>& after);

// `list_max`: of entries in each list; `show`: what is done with texts, which may be hostile.
Json json_of(const ReportSince& since, std::size_t list_max, std::string (*show)(std::string_view));

// For the console: totals, and the largest changes of folders and assets.
std::string format_since(const ReportSince& since);

}  // namespace fardel
