#include "report_facts.h"

#include "bundles/bundle_file.h"
#include "bundles/mounts.h"

#include <fardel/vfs/vfs.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace fardel {
namespace {

// ---- What is read

Result<std::string> read_metadata_text(const Bundle& bundle, std::string_view key) {
    FARDEL_TRY_ASSIGN(const auto text, bundle.find_bundle_text(key));
    return std::string(text.value_or(""));
}

Result<ReportBundle> read_bundle(const std::string& file) {
    FARDEL_TRY_ASSIGN(const auto bundle, open_bundle(file));
    ReportBundle read;
    read.file = file;
    FARDEL_TRY_ASSIGN(read.name, read_metadata_text(*bundle, "name"));
    FARDEL_TRY_ASSIGN(read.version, read_metadata_text(*bundle, "version"));
    read.id = bundle->id();
    read.layout = bundle->layout_id();
    read.file_bytes = bundle->source()->size_bytes();
    for (const Envelope& envelope : bundle->envelopes())
        read.signatures += envelope.signatures.size();
    FARDEL_TRY_ASSIGN(read.contents, read_contents(*bundle));
    return read;
}

using Places = std::map<MountId, std::uint32_t>;

std::string below_root(const std::string& path) { return path.starts_with('/') ? path.substr(1) : path; }

ReportSide side_of(const ConflictSide& side, const Places& places) { return {places.at(side.mount), side.asset}; }

Status read_relations(const Vfs& vfs, const Places& places, ReportFacts& facts) {
    FARDEL_TRY_ASSIGN(const std::vector<Conflict> conflicts, vfs.conflicts());
    for (const Conflict& conflict : conflicts) {
        ReportConflict told{.path = below_root(conflict.path),
                            .harmless = conflict.harmless(),
                            .winner = side_of(conflict.winner, places),
                            .hidden = {}};
        for (const ConflictSide& side : conflict.hidden)
            told.hidden.push_back(side_of(side, places));
        facts.conflicts.push_back(std::move(told));
    }
    FARDEL_TRY_ASSIGN(const LinkReport links, vfs.check_links());
    for (const MissingName& missing : links.names)
        facts.gaps.push_back({places.at(missing.mount), missing.name, missing.pattern, missing.optional});
    for (const MissingBundle& missing : links.bundles)
        facts.absent_bundles.push_back(
            {places.at(missing.mount), missing.bundle, missing.name, missing.version, missing.is_static});
    return ok();
}

// ---- Where references lead

class Resolver {
public:
    explicit Resolver(const ReportFacts& facts) : facts_(facts) {
        for (std::uint32_t bundle = 0; bundle < facts.bundles.size(); ++bundle) {
            by_id_.emplace(facts.bundles[bundle].id, bundle);
            for (const ContentName& name : facts.bundles[bundle].contents.names)
                if (name.published && !name.extends)
                    published_[name.text] = {bundle, &name};  // later ones win, tombstones too
        }
    }

    ReportReference follow(std::uint32_t from, const ContentReference& reference) const {
        const bool dynamic = reference.kind == ReferenceKind::dynamic;
        ReportReference followed{.from = from,
                                 .to = {},
                                 .spelling = reference.spelling,
                                 .wanted = dynamic ? reference.name : reference.asset.hex(),
                                 .optional = reference.optional,
                                 .dynamic = dynamic};
        const std::uint32_t own = facts_.bundle_of(from);
        if (dynamic)
            followed.to = find_named(own, reference.name);
        else if (reference.kind == ReferenceKind::internal)
            followed.to = find_asset(own, reference.asset);
        else if (const auto other = by_id_.find(facts_.bundles[own].contents.dependencies[reference.dependency].bundle);
                 other != by_id_.end())
            followed.to = find_asset(other->second, reference.asset);
        return followed;
    }

private:
    std::optional<std::uint32_t> find_asset(std::uint32_t bundle, const AssetId& id) const {
        const auto& assets = facts_.bundles[bundle].contents.assets;
        const auto found = std::ranges::lower_bound(assets, id, {}, &ContentAsset::id);
        if (found == assets.end() || found->id != id)
            return std::nullopt;
        return facts_.bundles[bundle].first_node + static_cast<std::uint32_t>(found - assets.begin());
    }

    std::optional<std::uint32_t> target_of(std::uint32_t bundle, const ContentName& name) const {
        if (name.variants.empty())
            return std::nullopt;
        return facts_.bundles[bundle].first_node + name.variants.front().asset;
    }

    std::optional<std::uint32_t> find_in(std::uint32_t bundle, const std::string& text) const {
        const auto& names = facts_.bundles[bundle].contents.names;
        const auto found = std::ranges::lower_bound(names, text, {}, &ContentName::text);
        return found != names.end() && found->text == text ? target_of(bundle, *found) : std::nullopt;
    }

    // As the VFS does: in its own bundle, then in static dependencies, then in the published tree.
    std::optional<std::uint32_t> find_named(std::uint32_t own, const std::string& text) const {
        if (const auto found = find_in(own, text))
            return found;
        for (const ContentDependency& dependency : facts_.bundles[own].contents.dependencies) {
            const auto other = by_id_.find(dependency.bundle);
            if (!dependency.is_static || other == by_id_.end())
                continue;
            if (const auto found = find_in(other->second, text))
                return found;
        }
        const auto found = published_.find(text);
        return found == published_.end() ? std::nullopt : target_of(found->second.first, *found->second.second);
    }

    const ReportFacts& facts_;
    std::unordered_map<BundleId, std::uint32_t> by_id_;
    std::unordered_map<std::string_view, std::pair<std::uint32_t, const ContentName*>> published_;
};

void follow_references(ReportFacts& facts) {
    const Resolver resolver(facts);
    for (std::uint32_t node = 0; node < facts.node_count(); ++node)
        for (const ContentReference& reference : facts.asset(node).references)
            facts.references.push_back(resolver.follow(node, reference));
}

// ---- Closures

// For each node where its references begin, and the end.
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
        if (reference.to && *reference.to != reference.from)
            referred[*reference.to] = true;
    std::vector<std::uint32_t> roots;
    for (std::uint32_t node = 0; node < facts.node_count(); ++node)
        if (!referred[node] && starts[node] != starts[node + std::size_t{1}])
            roots.push_back(node);
    // Of very many the ones that refer to most.
    std::ranges::stable_sort(roots, std::ranges::greater{},
                             [&](std::uint32_t node) { return starts[node + std::size_t{1}] - starts[node]; });
    facts.roots_left_out = roots.size() - std::min(roots.size(), kReportRootsMax);
    roots.resize(std::min(roots.size(), kReportRootsMax));
    std::vector<std::uint32_t> seen(facts.node_count());
    std::uint32_t round = 0;
    for (const std::uint32_t root : roots)
        facts.roots.push_back(closure_of(facts, starts, root, seen, ++round));
    std::ranges::stable_sort(facts.roots, std::ranges::greater{}, &ReportRoot::raw_bytes);
}

// ---- Duplicates

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

void derive_facts(ReportFacts& facts) {
    std::uint32_t first_node = 0;
    for (ReportBundle& bundle : facts.bundles) {
        bundle.first_node = first_node;
        first_node += static_cast<std::uint32_t>(bundle.contents.assets.size());
    }
    follow_references(facts);
    find_roots(facts);
    find_duplicates(facts);
}

Result<ReportFacts> gather_facts(const std::vector<std::string>& files, const std::string& policy_path) {
    ReportFacts facts;
    for (const std::string& file : files) {
        FARDEL_TRY_ASSIGN(ReportBundle bundle, read_bundle(file));
        facts.bundles.push_back(std::move(bundle));
    }
    Vfs vfs;
    FARDEL_TRY(mount_all(vfs, files, policy_path));
    std::map<BundleId, std::uint32_t> by_id;
    for (std::uint32_t i = 0; i < facts.bundles.size(); ++i)
        by_id[facts.bundles[i].id] = i;
    Places places;
    for (const MountDescription& mount : vfs.mounts()) {
        const auto found = by_id.find(mount.bundle);
        if (found == by_id.end())
            return Error(ErrorCode::conflict, mount.label + ": was replaced while it was read; try again");
        places[mount.id] = found->second;
    }
    FARDEL_TRY(read_relations(vfs, places, facts));
    derive_facts(facts);
    return facts;
}

}  // namespace fardel
