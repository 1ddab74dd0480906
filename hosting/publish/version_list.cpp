#include "publish/version_list.h"

#include <fardel/base/text_fields.h>
#include <fardel/format/hash.h>
#include <fardel/hosting/publish_fronts.h>

#include <algorithm>

namespace fardel {
namespace {

constexpr std::string_view kVersionsFirstLine = "fardel-versions 1\n";
constexpr int kVersionAttemptsMax = 8;

Error damaged_versions() { return Error(ErrorCode::malformed, "the list of versions is damaged"); }

}  // namespace

std::string versions_path_of(std::string_view bundle_name) {
    return "versions/" + blake3(std::as_bytes(std::span(bundle_name))).hex();
}

std::string format_version_list(std::span<const BundleId> versions) {
    std::string text(kVersionsFirstLine);
    for (const BundleId& version : versions)
        text += version.hex() + "\n";
    return text;
}

Result<std::vector<BundleId>> parse_version_list(std::string_view text) {
    if (!text.starts_with(kVersionsFirstLine) || !text.ends_with('\n'))
        return damaged_versions();
    std::vector<BundleId> versions;
    for (std::string_view rest = text.substr(kVersionsFirstLine.size()); !rest.empty();) {
        const auto version = BundleId::parse(take_until(rest, '\n'));
        if (!version || versions.size() == kListedVersionsMax ||
            std::ranges::find(versions, *version) != versions.end())
            return damaged_versions();
        versions.push_back(*version);
    }
    return versions;
}

Result<std::vector<BundleId>> add_version(TreeTarget& tree, const std::string& path, const BundleId& bundle) {
    for (int attempt = 1;; ++attempt) {
        FARDEL_TRY_ASSIGN(const auto head, tree.find_head(path));
        std::vector<BundleId> versions;
        if (head)
            if (auto listed =
                    parse_version_list({reinterpret_cast<const char*>(head->bytes.data()), head->bytes.size()}))
                versions = *std::move(listed);
        if (std::ranges::find(versions, bundle) != versions.end())
            return versions;
        if (versions.size() == kListedVersionsMax)
            versions.erase(versions.begin());
        versions.push_back(bundle);
        const std::string text = format_version_list(versions);
        Status replaced = tree.replace_head(path, std::as_bytes(std::span(text)), head ? head->version : "");
        if (replaced)
            return versions;
        if (replaced.error().code() != ErrorCode::conflict || attempt == kVersionAttemptsMax)
            return std::move(replaced).error();
    }
}

}  // namespace fardel
