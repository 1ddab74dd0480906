#include "inspect/inspection.h"

#include "lookup/scope.h"

#include <fardel/format/bundle.h>
#include <fardel/format/manifest.h>

#include <map>
#include <set>
#include <utility>

namespace fardel {
namespace {

class MissingContentSearch {
public:
    MissingContentSearch(const MountSet& set, ContentReach reach, std::size_t assets_max)
        : set_(set), reach_(reach), assets_max_(assets_max) {}

    // A question about paths instead of an error of open(): an error cannot carry a list, and a list in each would cost
    // every program that never looks at it.
    Result<std::vector<MissingContent>> run(const std::vector<File>& files) {
        for (const File& file : files)
            enqueue(file);
        while (!waiting_.empty()) {
            const File file = std::move(waiting_.back());
            waiting_.pop_back();
            FARDEL_TRY(visit(file));
        }
        std::vector<MissingContent> all;
        for (auto& [bundle, assets] : missing_)
            all.push_back({.bundle = bundle,
                           .assets = {assets.begin(), assets.end()},
                           .is_mounted = set_.find_bundle(bundle) != nullptr});
        return all;
    }

private:
    void enqueue(const File& file) {
        if (queued_.emplace(file.bundle_id(), static_cast<std::uint32_t>(file.index())).second)
            waiting_.push_back(file);
    }

    Status add(const BundleId& bundle, const AssetId& asset) {
        if (missing_[bundle].insert(asset).second && ++count_ > assets_max_)
            return Error(ErrorCode::limit,
                         "the content of more than " + std::to_string(assets_max_) + " assets is missing");
        return ok();
    }

    Status visit(const File& file) {
        FARDEL_TRY_ASSIGN(const bool here, file.bundle()->holds_content(file.index()));
        if (!here)
            FARDEL_TRY(add(file.bundle_id(), file.asset_id()));
        if (reach_ == ContentReach::assets)
            return ok();
        FARDEL_TRY_ASSIGN(const AssetRecord asset, file.bundle()->asset(file.index()));
        for (std::uint32_t i = 0; i < asset.reference_count; ++i) {
            FARDEL_TRY_ASSIGN(const ReferenceRecord reference, file.bundle()->reference(asset.reference_first + i));
            FARDEL_TRY(follow(file, reference));
        }
        return ok();
    }

    // A reference that leads nowhere is not missing content: check_links() reports it.
    Status follow(const File& file, const ReferenceRecord& reference) {
        const Bundle& bundle = *file.bundle();
        FARDEL_TRY_ASSIGN(const std::string_view spelling, bundle.string(reference.spelling));
        auto target = find_in_scope(set_, file, spelling);
        if (target) {
            if (*target)
                enqueue(**target);
            return ok();
        }
        if (target.error().code() != ErrorCode::unresolved)
            return std::move(target).error();
        if (reference.kind != ReferenceKind::foreign)
            return ok();
        FARDEL_TRY_ASSIGN(const ForeignAssetRecord foreign, bundle.foreign_asset(reference.target));
        FARDEL_TRY_ASSIGN(const DependencyRecord dependency, bundle.dependency(foreign.dependency));
        return set_.find_bundle(dependency.bundle) == nullptr ? add(dependency.bundle, foreign.id) : ok();
    }

    const MountSet& set_;
    const ContentReach reach_;
    const std::size_t assets_max_;
    std::size_t count_ = 0;
    std::set<std::pair<BundleId, std::uint32_t>> queued_;
    std::vector<File> waiting_;
    std::map<BundleId, std::set<AssetId>> missing_;
};

}  // namespace

Result<std::vector<MissingContent>> find_missing_content(const MountSet& set, const std::vector<File>& files,
                                                         ContentReach reach, std::size_t assets_max) {
    return MissingContentSearch(set, reach, assets_max).run(files);
}

Result<std::optional<File>> find_asset_file(const MountSet& set, const AssetId& id) {
    std::optional<File> first;
    for (const Mount& mount : set.mounts()) {
        if (mount.paths)
            continue;
        FARDEL_TRY_ASSIGN(const auto index, mount.bundle().find_asset(id));
        if (!index)
            continue;
        FARDEL_TRY_ASSIGN(const bool here, mount.bundle().holds_content(*index));
        if (!here && first)
            continue;
        FARDEL_TRY_ASSIGN(first, File::of(mount.content.leases->of_this_thread(), *index));
        if (here)
            break;
    }
    return first;
}

}  // namespace fardel
