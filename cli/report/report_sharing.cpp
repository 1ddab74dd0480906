#include "report_sharing.h"

#include "report_facts.h"

#include <fardel/base/path_text.h>
#include <fardel/packer/project.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace fardel {
namespace {

// Which bundle needs which, directly or indirectly, by static dependencies.
using Needs = std::vector<std::set<std::uint32_t>>;

Needs needs_of(const std::vector<ReportBundle>& bundles) {
    std::map<BundleId, std::uint32_t> numbers;
    for (std::uint32_t i = 0; i < bundles.size(); ++i)
        numbers.emplace(bundles[i].id, i);
    Needs needs(bundles.size());
    for (std::uint32_t start = 0; start < bundles.size(); ++start) {
        std::vector<std::uint32_t> queue{start};
        while (!queue.empty()) {
            const std::uint32_t at = queue.back();
            queue.pop_back();
            for (const ContentDependency& dependency : bundles[at].contents.dependencies) {
                const auto found = numbers.find(dependency.bundle);
                if (dependency.is_static && found != numbers.end() && found->second != start &&
                    needs[start].insert(found->second).second)
                    queue.push_back(found->second);
            }
        }
    }
    return needs;
}

// The bundles that have a name, and their records of it.
struct NameHolder {
    std::uint32_t bundle = 0;
    const ContentName* name = nullptr;
};
using NameHolders = std::unordered_map<std::string_view, std::vector<NameHolder>>;

NameHolders holders_of(const std::vector<ReportBundle>& bundles) {
    NameHolders holders;
    for (std::uint32_t i = 0; i < bundles.size(); ++i)
        for (const ContentName& name : bundles[i].contents.names)
            holders[name.text].push_back({i, &name});
    return holders;
}

// Finds what is stored twice, and judges each copy.
class SharingSearch {
public:
    explicit SharingSearch(const std::vector<ReportBundle>& bundles)
        : bundles_(bundles), needs_(needs_of(bundles)), holders_(holders_of(bundles)) {}

    ReportSharing run() {
        ReportSharing sharing{.assets = shared_assets()};
        std::map<std::pair<std::uint32_t, std::uint32_t>, SharingFix> fixes;  // bundle, home
        for (SharedAsset& shared : sharing.assets) {
            judge(shared);
            sharing.extra_raw_bytes += shared.extra_raw_bytes;
            sharing.extra_stored_bytes += shared.extra_stored_bytes;
            add_fixes(shared, fixes);
        }
        for (auto& [key, fix] : fixes) {
            std::ranges::sort(fix.names);
            fix.names.erase(std::unique(fix.names.begin(), fix.names.end()), fix.names.end());
            sharing.fixes.push_back(std::move(fix));
        }
        std::ranges::stable_sort(sharing.assets, std::ranges::greater{}, &SharedAsset::extra_stored_bytes);
        std::ranges::stable_sort(sharing.fixes, std::ranges::greater{}, &SharingFix::stored_bytes);
        return sharing;
    }

private:
    std::vector<SharedAsset> shared_assets() const {
        std::map<AssetId, SharedAsset> by_id;
        for (std::uint32_t i = 0; i < bundles_.size(); ++i)
            for (std::uint32_t asset = 0; asset < bundles_[i].contents.assets.size(); ++asset) {
                const ContentAsset& one = bundles_[i].contents.assets[asset];
                SharedAsset& shared = by_id[one.id];
                shared.asset = one.id;
                shared.raw_bytes = one.raw_bytes;
                shared.copies.push_back({.bundle = i, .asset = asset});
            }
        std::vector<SharedAsset> shared;
        for (auto& [id, one] : by_id)
            if (one.copies.size() > 1)
                shared.push_back(std::move(one));
        add_names(shared);
        return shared;
    }

    void add_names(std::vector<SharedAsset>& shared) const {
        std::map<std::pair<std::uint32_t, std::uint32_t>, StoredCopy*> copies;
        for (SharedAsset& one : shared)
            for (StoredCopy& copy : one.copies)
                copies.emplace(std::pair(copy.bundle, copy.asset), &copy);
        for (std::uint32_t i = 0; i < bundles_.size(); ++i)
            for (const ContentName& name : bundles_[i].contents.names)
                for (const ContentVariant& variant : name.variants)
                    if (const auto found = copies.find({i, variant.asset}); found != copies.end())
                        if (found->second->names.empty() || found->second->names.back() != name.text)
                            found->second->names.push_back(name.text);
    }

    // Chooses the home, and says of each other copy whether its project can leave it out.
    void judge(SharedAsset& shared) const {
        auto home = std::ranges::find_if(shared.copies, [&](const StoredCopy& copy) {
            return std::ranges::none_of(
                shared.copies, [&](const StoredCopy& other) { return needs_[copy.bundle].contains(other.bundle); });
        });
        // Only hostile bundles need each other.
        if (home == shared.copies.end())
            home = shared.copies.begin();
        home->is_home = true;
        for (StoredCopy& copy : shared.copies) {
            if (copy.is_home)
                continue;
            shared.extra_raw_bytes += shared.raw_bytes;
            shared.extra_stored_bytes += bundles_[copy.bundle].contents.assets[copy.asset].stored_bytes;
            copy.obstacle = find_obstacle(copy, *home);
        }
    }

    std::string find_obstacle(const StoredCopy& copy, const StoredCopy& home) const {
        if (bundles_[copy.bundle].id == bundles_[home.bundle].id)
            return "it is the same bundle";
        if (needs_[home.bundle].contains(copy.bundle))
            return "the bundles need each other";
        if (copy.names.empty())
            return "it has no name there";
        for (const std::string& name : copy.names)
            if (std::string obstacle = find_obstacle(name, copy.bundle, home.bundle); !obstacle.empty())
                return obstacle;
        return {};
    }

    // Leaving the name out of `bundle` must change nothing for a game that mounts all of these bundles.
    std::string find_obstacle(const std::string& text, std::uint32_t bundle, std::uint32_t home) const {
        const std::vector<NameHolder>& holders = holders_.at(text);
        const auto in = [&](std::uint32_t wanted) {
            const auto found = std::ranges::find(holders, wanted, &NameHolder::bundle);
            return found == holders.end() ? nullptr : found->name;
        };
        const ContentName* const left_out = in(bundle);
        const ContentName* const kept = in(home);
        if (kept == nullptr)
            return "the other bundle has no '" + text + "'";
        if (!kept->published || !left_out->published || left_out->extends || kept->extends)
            return "'" + text + "' is not published by both";
        if (!has_same_assets(*left_out, bundle, *kept, home))
            return "'" + text + "' has other variants there";
        for (const NameHolder& holder : holders)
            if (holder.bundle != bundle && holder.bundle != home &&
                !has_same_assets(*holder.name, holder.bundle, *kept, home))
                return "'" + text + "' is something else in a third bundle";
        return {};
    }

    bool has_same_assets(const ContentName& a, std::uint32_t of_a, const ContentName& b, std::uint32_t of_b) const {
        return std::ranges::equal(a.variants, b.variants, [&](const ContentVariant& one, const ContentVariant& other) {
            return one.tags == other.tags &&
                   bundles_[of_a].contents.assets[one.asset].id == bundles_[of_b].contents.assets[other.asset].id;
        });
    }

    void add_fixes(const SharedAsset& shared,
                   std::map<std::pair<std::uint32_t, std::uint32_t>, SharingFix>& fixes) const {
        const auto home = std::ranges::find(shared.copies, true, &StoredCopy::is_home);
        for (const StoredCopy& copy : shared.copies) {
            if (copy.is_home || !copy.obstacle.empty())
                continue;
            SharingFix& fix = fixes[{copy.bundle, home->bundle}];
            fix.bundle = copy.bundle;
            fix.home = home->bundle;
            fix.depends = needs_directly(copy.bundle, home->bundle);
            fix.names.insert(fix.names.end(), copy.names.begin(), copy.names.end());
            ++fix.assets;
            fix.raw_bytes += shared.raw_bytes;
            fix.stored_bytes += bundles_[copy.bundle].contents.assets[copy.asset].stored_bytes;
        }
    }

    bool needs_directly(std::uint32_t bundle, std::uint32_t home) const {
        return std::ranges::any_of(bundles_[bundle].contents.dependencies, [&](const ContentDependency& dependency) {
            return dependency.is_static && dependency.bundle == bundles_[home].id;
        });
    }

    const std::vector<ReportBundle>& bundles_;
    Needs needs_;
    NameHolders holders_;
};

}  // namespace

ReportSharing find_sharing(const std::vector<ReportBundle>& bundles) {
    return bundles.size() < 2 ? ReportSharing{} : SharingSearch(bundles).run();
}

std::string format_fix(const SharingFix& fix, const ReportBundle& home) {
    std::string text = "exclude = [\n";
    for (const std::string& name : std::span(fix.names).first(std::min(fix.names.size(), kSharingNamesMax)))
        text += "    " + toml_text(name) + ",\n";
    text += "]\n";
    // Only the author knows where the file lies as seen from the project.
    if (!fix.depends)
        text += "\n[[dependency]]\nfile = " + toml_text(file_name_of_path(home.file)) + "\n";
    return text;
}

}  // namespace fardel
