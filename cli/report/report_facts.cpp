#include "report_facts.h"

#include "bundles/bundle_file.h"

#include <fardel/format/manifest.h>
#include <fardel/vfs/vfs.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace fardel {
namespace {

// ---- Reading --------------------------------------------------------------------------------------------------------

// One per file, in the order of ReportFacts::bundles.
using OpenBundles = std::vector<std::shared_ptr<const Bundle>>;

Result<ReportBundle> read_bundle(const std::string& file, const Bundle& bundle) {
    ReportBundle read{
        .file = file, .id = bundle.id(), .layout = bundle.layout_id(), .file_bytes = bundle.source()->size_bytes()};
    FARDEL_TRY_ASSIGN(read.name, bundle_text(bundle, "name"));
    FARDEL_TRY_ASSIGN(read.version, bundle_text(bundle, "version"));
    for (const Envelope& envelope : bundle.envelopes())
        read.signatures += envelope.signatures.size();
    FARDEL_TRY_ASSIGN(read.contents, read_contents(bundle));
    return read;
}

Status number_mounts(const Vfs& vfs, ReportFacts& facts) {
    std::map<BundleId, std::uint32_t> by_id;
    for (std::uint32_t i = 0; i < facts.bundles.size(); ++i)
        by_id[facts.bundles[i].id] = i;
    for (const MountDescription& mount : vfs.mounts()) {
        const auto found = by_id.find(mount.bundle);
        if (found == by_id.end())
            return Error(ErrorCode::conflict, mount.label + ": the file was replaced while it was read; try again");
        facts.bundle_numbers[mount.id] = found->second;
    }
    return ok();
}

void number_assets(ReportFacts& facts) {
    std::uint32_t first_node = 0;
    for (ReportBundle& bundle : facts.bundles) {
        bundle.first_node = first_node;
        first_node += static_cast<std::uint32_t>(bundle.contents.assets.size());
    }
}

// ---- Where references lead ------------------------------------------------------------------------------------------

// Asks the Vfs for the target of each reference, as a game that opened the referring asset would.
class ReferenceResolver {
public:
    ReferenceResolver(const Vfs& vfs, const ReportFacts& facts, const OpenBundles& bundles)
        : vfs_(vfs), facts_(facts), bundles_(bundles) {
        for (const ReportBundle& bundle : facts.bundles)
            first_nodes_.emplace(bundle.id, bundle.first_node);
    }

    Status resolve_all(std::vector<ReportReference>& out) const {
        for (std::uint32_t index = 0; index < facts_.bundles.size(); ++index) {
            const ReportBundle& bundle = facts_.bundles[index];
            for (std::uint32_t asset = 0; asset < bundle.contents.assets.size(); ++asset)
                FARDEL_TRY(resolve_asset(bundle, bundles_[index], asset, out));
        }
        return ok();
    }

private:
    Status resolve_asset(const ReportBundle& bundle, const std::shared_ptr<const Bundle>& opened, std::uint32_t asset,
                         std::vector<ReportReference>& out) const {
        const auto& references = bundle.contents.assets[asset].references;
        if (references.empty())
            return ok();
        FARDEL_TRY_ASSIGN(const File from, File::of(opened, AssetIndex{asset}));
        for (const ContentReference& reference : references) {
            const bool dynamic = reference.kind == ReferenceKind::dynamic;
            FARDEL_TRY_ASSIGN(const auto target, find_target(from, reference.spelling));
            out.push_back({.from = bundle.first_node + asset,
                           .to = target,
                           .spelling = reference.spelling,
                           .wanted = dynamic ? reference.name : reference.asset.hex(),
                           .optional = reference.optional,
                           .dynamic = dynamic});
        }
        return ok();
    }

    Result<std::optional<std::uint32_t>> find_target(const File& from, const std::string& spelling) const {
        const auto found = vfs_.find({spelling, {}, &from});
        if (!found) {
            const ErrorCode code = found.error().code();
            // The dependency is not mounted, the reference is no valid name, or the asset has expired: a game would not
            // get an asset either.
            if (code == ErrorCode::unresolved || code == ErrorCode::malformed || code == ErrorCode::limit ||
                code == ErrorCode::expired)
                return std::optional<std::uint32_t>();
            return found.error();
        }
        if (!found->has_value())
            return std::optional<std::uint32_t>();
        const auto first_node = first_nodes_.find((*found)->bundle_id());
        if (first_node == first_nodes_.end())
            return std::optional<std::uint32_t>();
        return std::optional(first_node->second + static_cast<std::uint32_t>((*found)->index()));
    }

    const Vfs& vfs_;
    const ReportFacts& facts_;
    const OpenBundles& bundles_;
    std::unordered_map<BundleId, std::uint32_t> first_nodes_;
};

// ---- Closures -------------------------------------------------------------------------------------------------------

// For each node the index of its first reference, then the number of references.
std::vector<std::size_t> starts_of(const ReportFacts& facts) {
    std::vector<std::size_t> starts(facts.node_count() + std::size_t{1});
    for (const ReportReference& reference : facts.references)
        ++starts[reference.from + std::size_t{1}];
    for (std::size_t i = 1; i < starts.size(); ++i)
        starts[i] += starts[i - 1];
    return starts;
}

ReportRoot closure_of(const ReportFacts& facts, const std::vector<std::size_t>& starts, std::uint32_t root,
                      std::vector<std::uint32_t>& seen, std::uint32_t round) {
    ReportRoot closure{.node = root};
    std::vector<std::uint32_t> queue{root};
    seen[root] = round;
    while (!queue.empty()) {
        const std::uint32_t node = queue.back();
        queue.pop_back();
        ++closure.assets;
        closure.raw_bytes += facts.asset(node).raw_bytes;
        closure.stored_bytes += facts.asset(node).stored_bytes;
        for (std::size_t i = starts[node]; i < starts[node + std::size_t{1}]; ++i) {
            const ReportReference& reference = facts.references[i];
            if (!reference.to)
                closure.missing += reference.optional ? 0 : 1;
            else if (std::exchange(seen[*reference.to], round) != round)
                queue.push_back(*reference.to);
        }
    }
    return closure;
}

void find_roots(ReportFacts& facts) {
    const std::vector<std::size_t> starts = starts_of(facts);
    std::vector<bool> referred(facts.node_count());
    for (const ReportReference& reference : facts.references)
        // An asset that refers to itself can be a root nevertheless.
        if (reference.to && *reference.to != reference.from)
            referred[*reference.to] = true;
    std::vector<std::uint32_t> roots;
    for (std::uint32_t node = 0; node < facts.node_count(); ++node)
        if (!referred[node] && starts[node] != starts[node + std::size_t{1}])
            roots.push_back(node);
    // If there are too many, keeps those with the most references.
    std::ranges::stable_sort(roots, std::ranges::greater{},
                             [&](std::uint32_t node) { return starts[node + std::size_t{1}] - starts[node]; });
    facts.roots_left_out = roots.size() - std::min(roots.size(), kReportRootsMax);
    roots.resize(std::min(roots.size(), kReportRootsMax));
    // One array for all roots: clearing it for each would cost more than the walk. It holds the round of the last
    // visit.
    std::vector<std::uint32_t> seen(facts.node_count());
    std::uint32_t round = 0;
    for (const std::uint32_t root : roots)
        facts.roots.push_back(closure_of(facts, starts, root, seen, ++round));
    std::ranges::stable_sort(facts.roots, std::ranges::greater{}, &ReportRoot::raw_bytes);
}

// ---- Duplicates -----------------------------------------------------------------------------------------------------

void find_duplicates(ReportFacts& facts) {
    std::map<AssetId, ReportDuplicate> by_asset;
    for (const ReportBundle& bundle : facts.bundles)
        for (const ContentAsset& asset : bundle.contents.assets) {
            ReportDuplicate& duplicate = by_asset[asset.id];
            duplicate.asset = asset.id;
            duplicate.raw_bytes = asset.raw_bytes;
            ++duplicate.copies;
        }
    for (std::uint32_t index = 0; index < facts.bundles.size(); ++index)
        for (const ContentName& name : facts.bundles[index].contents.names)
            for (const ContentVariant& variant : name.variants)
                by_asset[facts.bundles[index].contents.assets[variant.asset].id].names.emplace_back(index, name.text);
    for (auto& entry : by_asset)
        if (entry.second.names.size() > 1)
            facts.duplicates.push_back(std::move(entry.second));
    std::ranges::stable_sort(facts.duplicates, std::ranges::greater{}, [](const ReportDuplicate& duplicate) {
        return duplicate.raw_bytes * (duplicate.names.size() - 1);
    });
}

}  // namespace

std::uint32_t ReportFacts::node_count() const noexcept {
    return bundles.empty()
               ? 0
               : bundles.back().first_node + static_cast<std::uint32_t>(bundles.back().contents.assets.size());
}

std::uint32_t ReportFacts::bundle_of(std::uint32_t node) const noexcept {
    const auto behind = std::ranges::upper_bound(bundles, node, {}, &ReportBundle::first_node);
    return static_cast<std::uint32_t>(behind - bundles.begin()) - 1;
}

const ContentAsset& ReportFacts::asset(std::uint32_t node) const noexcept {
    const ReportBundle& bundle = bundles[bundle_of(node)];
    return bundle.contents.assets[node - bundle.first_node];
}

std::vector<const std::string*> node_names(const ReportFacts& facts) {
    std::vector<const std::string*> names(facts.node_count());
    for (const ReportBundle& bundle : facts.bundles)
        for (const ContentName& name : bundle.contents.names)
            for (const ContentVariant& variant : name.variants)
                if (const std::string*& first = names[bundle.first_node + variant.asset]; first == nullptr)
                    first = &name.text;
    return names;
}

void derive_facts(ReportFacts& facts) {
    number_assets(facts);
    find_roots(facts);
    find_duplicates(facts);
    facts.sharing = find_sharing(facts.bundles);
}

Result<ReportBundle> read_report_bundle(const std::string& file) {
    FARDEL_TRY_ASSIGN(const auto bundle, open_bundle(file));
    return read_bundle(file, *bundle);
}

Result<ReportFacts> gather_facts(const Vfs& vfs, const std::vector<std::string>& files) {
    ReportFacts facts;
    OpenBundles bundles;
    for (const std::string& file : files) {
        FARDEL_TRY_ASSIGN(auto bundle, open_bundle(file));
        FARDEL_TRY_ASSIGN(ReportBundle read, read_bundle(file, *bundle));
        facts.bundles.push_back(std::move(read));
        bundles.push_back(std::move(bundle));
    }
    number_assets(facts);
    FARDEL_TRY(number_mounts(vfs, facts));
    FARDEL_TRY_ASSIGN(facts.conflicts, vfs.conflicts());
    FARDEL_TRY_ASSIGN(facts.needs, vfs.check_links());
    FARDEL_TRY(ReferenceResolver(vfs, facts, bundles).resolve_all(facts.references));
    derive_facts(facts);
    return facts;
}

}  // namespace fardel
