#include <fardel/hosting/publish_fronts.h>

#include "publish/version_list.h"

#include <fardel/delivery/tables_file.h>
#include <fardel/delivery/tree_paths.h>
#include <fardel/format/head.h>
#include <fardel/format/limits.h>
#include <fardel/hosting/publish.h>

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

namespace fardel {
namespace {

constexpr std::size_t kVersionsLookedAtMax = 2 * kFrontsMax;  // some may have been pruned

std::uint64_t tables_bytes_of(const Bundle& bundle) {
    return bytes_of(table_sections(bundle.head(), bundle.layout_head(), bundle.source()->size_bytes()));
}

// What a client receives without a front.
Result<std::uint64_t> published_tables_bytes(const Bundle& bundle, TreeTarget& tree) {
    const auto compressed = tree.open(tables_path_of(bundle.id()));
    if (compressed)
        return (*compressed)->size_bytes();
    return compressed.error().code() == ErrorCode::missing ? Result(tables_bytes_of(bundle)) : compressed.error();
}

// Another bundle than the list says has nothing to be compared with, so it counts as missing.
Result<std::shared_ptr<const Bundle>> open_version(const BundleId& id, std::string_view name, TreeTarget& tree) {
    FARDEL_TRY_ASSIGN(auto source, tree.open(tree_path_of(id)));
    FARDEL_TRY_ASSIGN(auto bundle, Bundle::open(std::move(source), {}));
    FARDEL_TRY_ASSIGN(const auto found, bundle->find_bundle_text("name"));
    if (bundle->id() != id || found != name)
        return Error(ErrorCode::missing, "the list of versions names another bundle");
    return bundle;
}

Result<DeltaPublication> publish_from(std::shared_ptr<const Bundle> old, const Bundle& bundle, TreeTarget& tree,
                                      std::uint64_t bytes_end, const DeltaWork& work) {
    // A front from damaged tables would be of no use to anybody, and never change.
    FARDEL_TRY(old->verify_tables());
    return publish_front(std::move(old), bundle, tree, bytes_end, work);
}

Status publish_all(const Bundle& bundle, TreeTarget& tree, const DeltaWork& work, FrontsPublication& publication) {
    FARDEL_TRY_ASSIGN(const auto name, bundle.find_bundle_text("name"));
    if (!name || name->empty())
        return ok();
    FARDEL_TRY_ASSIGN(const std::vector<BundleId> versions, add_version(tree, versions_path_of(*name), bundle.id()));
    const auto self = std::ranges::find(versions, bundle.id());
    auto earlier = std::span(versions).first(static_cast<std::size_t>(self - versions.begin()));
    if (earlier.empty())
        return ok();
    earlier = earlier.last(std::min(earlier.size(), kVersionsLookedAtMax));
    FARDEL_TRY_ASSIGN(const std::uint64_t bytes_end, published_tables_bytes(bundle, tree));
    std::uint64_t tables_bytes = 0;
    for (std::size_t tried = 0; !earlier.empty() && tried < kFrontsMax; earlier = earlier.first(earlier.size() - 1)) {
        auto old = open_version(earlier.back(), *name, tree);
        if (!old && old.error().code() == ErrorCode::missing)
            continue;
        ++tried;
        if (old)
            tables_bytes += tables_bytes_of(**old) + tables_bytes_of(bundle);
        if (tried > 1 && tables_bytes > kFrontTablesBytesMax)
            break;
        auto front = old ? publish_from(*std::move(old), bundle, tree, bytes_end, work) : std::move(old).error();
        if (front && !front->path.empty())
            publication.fronts.push_back(*std::move(front));
        if (!front && front.error().code() == ErrorCode::cancelled)
            return std::move(front).error();
        if (!front && !publication.failure)
            publication.failure = std::move(front).error().with_context("the version " + earlier.back().hex());
    }
    return ok();
}

}  // namespace

FrontsPublication publish_fronts(const Bundle& bundle, TreeTarget& tree, const DeltaWork& work) {
    FrontsPublication publication;
    Status done = publish_all(bundle, tree, work, publication);
    if (!done && done.error().code() != ErrorCode::unsupported)
        publication.failure = std::move(done).error();
    return publication;
}

}  // namespace fardel
