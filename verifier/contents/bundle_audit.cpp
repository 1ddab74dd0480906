#include <fardel/verifier/bundle_audit.h>

#include <fardel/format/glob_set.h>
#include <fardel/format/manifest.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace fardel {
namespace {

constexpr std::string_view kAnyExtension = ".*";

// "stem.*": found by look-up; other globs are compared with each name.
bool is_any_extension(std::string_view glob) {
    return glob.ends_with(kAnyExtension) &&
           glob.substr(0, glob.size() - kAnyExtension.size()).find_first_of("*?") == std::string_view::npos;
}

}  // namespace

struct BundleAuditor::Impl {
    // Only tables are read: scanning hostile assets would be a risk for a registry, which has neither the project nor,
    // by its floor, the packer. A reference that the packer found no target for is in no table.
    explicit Impl(const BundleContents& own_contents) : contents(own_contents), first_names(contents.assets.size()) {
        for (const ContentName& name : contents.names)
            for (const ContentVariant& variant : name.variants)
                if (first_names[variant.asset].empty())
                    first_names[variant.asset] = name.text;
        gather_consumed();
        gather_references();
        gather_globs();
        for (const ContentName& name : contents.names)
            if (name.published && !name.extends && !name.variants.empty())
                note_published(name.text);
    }

    struct Need {
        bool pattern = false;
        bool optional = false;
        bool consumed = false;  // then the consume says whether it is optional
        std::uint32_t from = 0;
        std::uint64_t references = 0;
        bool is_met = false;
    };
    // A reference into a dependency.
    struct Foreign {
        std::uint32_t asset = 0;
        std::uint32_t reference = 0;
    };

    std::string asset_title(std::uint32_t asset) const {
        return first_names[asset].empty() ? contents.assets[asset].id.hex() : std::string(first_names[asset]);
    }

    void gather_consumed() {
        for (const ContentConsume& consume : contents.consumes)
            needs.emplace(consume.text,
                          Need{.pattern = consume.pattern, .optional = consume.optional, .consumed = true});
    }

    void gather_references() {
        for (std::uint32_t asset = 0; asset < contents.assets.size(); ++asset) {
            const auto& references = contents.assets[asset].references;
            audit.references += references.size();
            for (std::uint32_t i = 0; i < references.size(); ++i)
                switch (references[i].kind) {
                    case ReferenceKind::internal: ++audit.inside; break;
                    case ReferenceKind::foreign:
                        ++audit.dependencies;
                        foreign[contents.dependencies[references[i].dependency].bundle].push_back({asset, i});
                        break;
                    case ReferenceKind::dynamic:
                        ++audit.by_name;
                        note_need(references[i], asset);
                        break;
                }
        }
    }

    // The packer consumes "stem.*" for a name that a game looks up with several extensions.
    void note_need(const ContentReference& reference, std::uint32_t asset) {
        auto found = needs.find(std::string_view(reference.name));
        if (found == needs.end())
            found = needs.find(reference.name.substr(0, reference.name.rfind('.')) + std::string(kAnyExtension));
        if (found == needs.end())
            found = needs.emplace(reference.name, Need{.optional = true}).first;
        Need& need = found->second;
        if (need.references++ == 0)
            need.from = asset;
        if (!need.consumed)
            need.optional = need.optional && reference.optional;
    }

    void gather_globs() {
        std::vector<std::string> globs;
        std::size_t bytes = 0;
        for (auto& [text, need] : needs)
            if (need.pattern && !is_any_extension(text) && (bytes += text.size()) <= kAuditGlobBytesMax) {
                globs.push_back(text);
                glob_needs.push_back(&need);
            }
        patterns = GlobSet(globs);
        matched.resize(globs.size());
    }

    void note_published(std::string_view name) {
        if (const auto found = needs.find(name); found != needs.end() && !found->second.pattern)
            found->second.is_met = true;
        int extensions = 0;
        for (auto dot = name.rfind('.'); dot != std::string_view::npos && dot > 0; dot = name.rfind('.', dot - 1)) {
            // A name of a thousand dots must not cost a thousand look-ups.
            if (name.find('/', dot) != std::string_view::npos || ++extensions > kAuditExtensionsMax)
                break;
            const auto found = needs.find(std::string(name.substr(0, dot)) + std::string(kAnyExtension));
            if (found != needs.end() && found->second.pattern)
                found->second.is_met = true;
        }
        if (!matched.empty())
            patterns.find_matches(name, matched);
    }

    Status add_dependency(const Bundle& bundle) {
        if (!needs.empty())
            for (std::uint32_t i = 0; i < bundle.name_count(); ++i) {
                FARDEL_TRY_ASSIGN(const NameRecord record, bundle.name(NameIndex{i}));
                if (!record.is(NameRecord::published) || record.is(NameRecord::tombstone) ||
                    record.is(NameRecord::extends))
                    continue;
                FARDEL_TRY_ASSIGN(const std::string_view text, bundle.string(record.text));
                note_published(text);
            }
        const auto found = foreign.find(bundle.id());
        if (found == foreign.end())
            return ok();
        for (const Foreign& one : found->second) {
            const ContentReference& reference = contents.assets[one.asset].references[one.reference];
            FARDEL_TRY_ASSIGN(const auto there, bundle.find_asset(reference.asset));
            if (there)
                continue;
            ++audit.lost_count;
            if (audit.lost.size() < kAuditLossesMax)
                audit.lost.push_back({.from = asset_title(one.asset),
                                      .spelling = reference.spelling,
                                      .dependency = reference.dependency,
                                      .optional = reference.optional});
        }
        return ok();
    }

    // What the published names reach through references inside the bundle.
    std::vector<bool> reached_assets() const {
        std::unordered_map<std::string_view, const ContentName*> names;
        std::unordered_map<AssetId, std::uint32_t> assets;
        for (std::uint32_t i = 0; i < contents.assets.size(); ++i)
            assets.emplace(contents.assets[i].id, i);
        std::vector<bool> reached(contents.assets.size());
        std::vector<std::uint32_t> open;
        const auto reach = [&](std::uint32_t asset) {
            if (!reached[asset])
                open.push_back(asset);
            reached[asset] = true;
        };
        const auto reach_name = [&](const ContentName& name) {
            for (const ContentVariant& variant : name.variants)
                reach(variant.asset);
        };
        for (const ContentName& name : contents.names) {
            names.emplace(name.text, &name);
            if (name.published)
                reach_name(name);
        }
        while (!open.empty()) {
            const ContentAsset& asset = contents.assets[open.back()];
            open.pop_back();
            for (const ContentReference& reference : asset.references) {
                if (reference.kind != ReferenceKind::internal)
                    continue;
                reach(assets.at(reference.asset));
                if (const auto name = names.find(reference.name); name != names.end()) {
                    reach_name(*name->second);
                    names.erase(name);  // once is enough
                }
            }
        }
        return reached;
    }

    void find_unused() {
        // Packed without references, every name that is not published would look unused.
        if (audit.references == 0)
            return;
        const std::vector<bool> reached = reached_assets();
        std::vector<bool> counted(contents.assets.size());
        for (const ContentName& name : contents.names) {
            const bool is_unused = !name.published && std::ranges::none_of(name.variants, [&](const auto& variant) {
                return reached[variant.asset];
            });
            if (!is_unused)
                continue;
            audit.unused.push_back(name.text);
            for (const ContentVariant& variant : name.variants) {
                audit.unused_bytes += counted[variant.asset] ? 0 : contents.assets[variant.asset].raw_bytes;
                counted[variant.asset] = true;
            }
        }
    }

    BundleAudit finish() {
        for (std::size_t i = 0; i < glob_needs.size(); ++i)
            glob_needs[i]->is_met |= matched[i];
        for (const auto& [text, need] : needs)
            if (!need.is_met)
                audit.needs.push_back({.text = text,
                                       .pattern = need.pattern,
                                       .optional = need.optional,
                                       .from = need.references == 0 ? "" : asset_title(need.from),
                                       .references = need.references});
        std::ranges::stable_sort(audit.needs, {}, &AuditNeed::optional);
        std::ranges::sort(audit.lost, {}, [](const AuditLoss& one) {
            return std::tie(one.optional, one.from, one.spelling, one.dependency);
        });
        find_unused();
        return std::move(audit);
    }

    const BundleContents& contents;
    std::vector<std::string_view> first_names;  // by asset; empty: it has no name
    std::map<std::string, Need, std::less<>> needs;
    std::unordered_map<BundleId, std::vector<Foreign>> foreign;
    GlobSet patterns;
    std::vector<Need*> glob_needs;
    std::vector<bool> matched;  // one per need of `glob_needs`
    BundleAudit audit;
};

BundleAuditor::BundleAuditor(const BundleContents& contents) : impl_(std::make_unique<Impl>(contents)) {}
BundleAuditor::~BundleAuditor() = default;
Status BundleAuditor::add_dependency(const Bundle& bundle) { return impl_->add_dependency(bundle); }
BundleAudit BundleAuditor::finish() { return impl_->finish(); }

}  // namespace fardel
