#include "fetch/content_choice.h"

#include <fardel/format/dependencies.h>
#include <fardel/format/glob_set.h>
#include <fardel/format/manifest.h>
#include <fardel/format/name.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace fardel {
namespace {

class Choice {
public:
    Choice(const std::vector<std::shared_ptr<const Bundle>>& bundles, std::span<const BundleId> roots,
           const ContentSelection& selection)
        : roots_(roots), selection_(selection) {
        for (const auto& bundle : bundles)
            states_.emplace(bundle->id(), State{.bundle = bundle.get(),
                                                .chosen = ChosenAssets(bundle->asset_count()),
                                                .followed = ChosenAssets(bundle->asset_count())});
    }

    Result<std::map<BundleId, ChosenAssets>> run() {
        FARDEL_TRY(choose_names());
        for (const std::string& name : selection_.closures)
            FARDEL_TRY(choose_closure(name));
        for (const AssetId& asset : selection_.assets)
            FARDEL_TRY(choose_listed(asset));
        // The bundles decide how deep references go, so nothing here recurses.
        while (!waiting_.empty()) {
            const Waiting next = waiting_.back();
            waiting_.pop_back();
            FARDEL_TRY(follow(*next.state, next.asset));
        }
        std::map<BundleId, ChosenAssets> chosen;
        for (auto& [id, state] : states_)
            chosen.emplace(id, std::move(state.chosen));
        return chosen;
    }

private:
    struct State {
        const Bundle* bundle = nullptr;
        ChosenAssets chosen;
        ChosenAssets followed;  // whose references are chosen, too, or will be
    };
    struct Waiting {
        State* state = nullptr;
        AssetIndex asset{};
    };
    enum class Follows : bool { no, yes };

    Status choose_names() {
        const bool all = selection_.names.empty() && selection_.closures.empty() && selection_.assets.empty();
        if (selection_.names.empty() && !all)
            return ok();
        for (const std::string& glob : selection_.names)
            FARDEL_TRY(verify_glob(glob));
        const GlobSet globs(selection_.names);
        bool matched = all;
        for (auto& [id, state] : states_)
            for (std::uint32_t i = 0; i < state.bundle->name_count(); ++i) {
                FARDEL_TRY_ASSIGN(const std::string_view text, state.bundle->name_text(NameIndex{i}));
                if (!all && (!verify_name(text) || !globs.matches(text)))
                    continue;
                matched = true;
                FARDEL_TRY(choose_name(state, NameIndex{i}, Follows::no));
            }
        if (matched)
            return ok();
        return Error(ErrorCode::missing,
                     "no name in these bundles matches " + printable(selection_.names.front(), 200));
    }

    Status choose_closure(const std::string& name) {
        bool found = false;
        for (const BundleId& root : roots_)
            if (const auto state = states_.find(root); state != states_.end()) {
                FARDEL_TRY_ASSIGN(const bool chosen, choose_text(state->second, name));
                found = found || chosen;
            }
        if (!found) {
            FARDEL_TRY_ASSIGN(found, choose_everywhere(name));
        }
        if (found)
            return ok();
        return Error(ErrorCode::missing, "none of these bundles has the name " + printable(name, 200));
    }

    Status choose_listed(const AssetId& asset) {
        bool found = false;
        for (auto& [id, state] : states_) {
            FARDEL_TRY_ASSIGN(const auto index, state.bundle->find_asset(asset));
            found = found || index;
            if (index)
                FARDEL_TRY(choose_asset(state, static_cast<std::uint32_t>(*index), Follows::no));
        }
        if (found)
            return ok();
        return Error(ErrorCode::missing, "none of these bundles has the asset " + asset.hex());
    }

    Status choose_name(State& state, NameIndex index, Follows follows) {
        FARDEL_TRY_ASSIGN(const NameRecord name, state.bundle->name(index));
        if (name.is(NameRecord::tombstone))
            return ok();
        if (!name.is(NameRecord::has_variants))
            return choose_asset(state, name.target, follows);
        bool any = false;
        for (std::uint32_t i = 0; i < name.count; ++i) {
            FARDEL_TRY_ASSIGN(const VariantRecord variant, state.bundle->variant(name.target + i));
            FARDEL_TRY_ASSIGN(const bool fits, has_wanted_tags(*state.bundle, variant));
            if (!fits)
                continue;
            any = true;
            FARDEL_TRY(choose_asset(state, variant.asset, follows));
        }
        if (any)
            return ok();
        // No variant has the tags. The default one is chosen, so that no name is left without an asset.
        FARDEL_TRY_ASSIGN(const AssetIndex first, state.bundle->default_asset(name));
        return choose_asset(state, static_cast<std::uint32_t>(first), follows);
    }

    Result<bool> has_wanted_tags(const Bundle& bundle, const VariantRecord& variant) const {
        for (std::uint32_t i = 0; i < variant.tag_count; ++i) {
            FARDEL_TRY_ASSIGN(const TagRecord tag, bundle.tag(variant.tag_first + i));
            FARDEL_TRY_ASSIGN(const std::string_view axis, bundle.string(tag.axis));
            FARDEL_TRY_ASSIGN(const std::string_view value, bundle.string(tag.value));
            const auto is_of_axis = [&](const Tag& one) { return one.axis == axis; };
            const auto is_wanted = [&](const Tag& one) { return one.axis == axis && one.value == value; };
            if (std::ranges::any_of(selection_.tags, is_of_axis) && std::ranges::none_of(selection_.tags, is_wanted))
                return false;
        }
        return true;
    }

    Status choose_asset(State& state, std::uint32_t asset, Follows follows) {
        // The tables are those of the bundle id, but whoever made them could write any index.
        if (asset >= state.chosen.size())
            return Error(ErrorCode::malformed, "bundle " + state.bundle->id().hex() + ": a name leads to asset " +
                                                   std::to_string(asset) + " of " +
                                                   std::to_string(state.chosen.size()));
        state.chosen[asset] = true;
        if (follows == Follows::no || state.followed[asset])
            return ok();
        state.followed[asset] = true;
        waiting_.push_back({.state = &state, .asset = AssetIndex{asset}});
        return ok();
    }

    Status follow(State& state, AssetIndex index) {
        const Bundle& bundle = *state.bundle;
        FARDEL_TRY_ASSIGN(const AssetRecord asset, bundle.asset(index));
        for (std::uint32_t i = 0; i < asset.reference_count; ++i) {
            FARDEL_TRY_ASSIGN(const ReferenceRecord reference, bundle.reference(asset.reference_first + i));
            switch (reference.kind) {
                case ReferenceKind::internal:
                    FARDEL_TRY(choose_asset(state, reference.target, Follows::yes));
                    FARDEL_TRY(choose_named(state, reference));
                    break;
                case ReferenceKind::foreign: FARDEL_TRY(follow_foreign(bundle, reference)); break;
                case ReferenceKind::dynamic: FARDEL_TRY(follow_dynamic(state, reference)); break;
            }
        }
        return ok();
    }

    // A named reference may also lead to another variant of its name.
    Status choose_named(State& state, const ReferenceRecord& reference) {
        if ((reference.flags & ReferenceRecord::named) == 0)
            return ok();
        FARDEL_TRY_ASSIGN(const std::string_view text, state.bundle->string(reference.name));
        FARDEL_TRY(choose_text(state, text));
        return ok();
    }

    Status follow_foreign(const Bundle& bundle, const ReferenceRecord& reference) {
        FARDEL_TRY_ASSIGN(const ForeignAssetRecord foreign, bundle.foreign_asset(reference.target));
        FARDEL_TRY_ASSIGN(const DependencyRecord dependency, bundle.dependency(foreign.dependency));
        const auto state = states_.find(dependency.bundle);
        if (state == states_.end())
            return ok();
        FARDEL_TRY_ASSIGN(const auto asset, state->second.bundle->find_asset(foreign.id));
        if (asset)
            FARDEL_TRY(choose_asset(state->second, static_cast<std::uint32_t>(*asset), Follows::yes));
        if ((reference.flags & ReferenceRecord::named) == 0)
            return ok();
        FARDEL_TRY_ASSIGN(const std::string_view text, bundle.string(reference.name));
        FARDEL_TRY(choose_text(state->second, text));
        return ok();
    }

    // What the game would find from this bundle. Which other bundle's name it finds depends on what it mounts.
    Status follow_dynamic(State& state, const ReferenceRecord& reference) {
        FARDEL_TRY_ASSIGN(const std::string_view text, state.bundle->string(reference.target));
        FARDEL_TRY_ASSIGN(bool found, choose_text(state, text));
        if (found) {  // its author lets any bundle above replace it
            FARDEL_TRY(choose_everywhere(text));
            return ok();
        }
        FARDEL_TRY_ASSIGN(const std::vector<BundleId> needs, static_dependencies(*state.bundle));
        for (std::size_t i = 0; i < needs.size() && !found; ++i)
            if (const auto other = states_.find(needs[i]); other != states_.end()) {
                FARDEL_TRY_ASSIGN(found, choose_text(other->second, text));
            }
        if (found)
            return ok();
        FARDEL_TRY(choose_everywhere(text));
        return ok();
    }

    // Chooses a name with what it refers to. Returns false if the bundle does not have it.
    Result<bool> choose_text(State& state, std::string_view name) {
        FARDEL_TRY_ASSIGN(const auto index, state.bundle->find_name(name));
        if (index)
            FARDEL_TRY(choose_name(state, *index, Follows::yes));
        return index.has_value();
    }
    Result<bool> choose_everywhere(std::string_view name) {
        bool found = false;
        for (auto& [id, state] : states_) {
            FARDEL_TRY_ASSIGN(const bool chosen, choose_text(state, name));
            found = found || chosen;
        }
        return found;
    }

    const std::span<const BundleId> roots_;
    const ContentSelection& selection_;
    std::map<BundleId, State> states_;
    std::vector<Waiting> waiting_;
};

}  // namespace

Result<std::map<BundleId, ChosenAssets>> choose_content(const std::vector<std::shared_ptr<const Bundle>>& bundles,
                                                        std::span<const BundleId> roots,
                                                        const ContentSelection& selection) {
    return Choice(bundles, roots, selection).run();
}

}  // namespace fardel
