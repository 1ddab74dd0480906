#include <fardel/packer/split.h>

#include "component_order.h"
#include "shared_pieces.h"

#include <fardel/format/name.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace fardel {
namespace {

// There are at most so many common bundles, or as many as there are roots if that is more.
constexpr std::size_t kCommonBundlesLeast = 4;
// The limit of steps of the walks from all roots together.
constexpr std::uint64_t kSplitStepsMax = std::uint64_t{1} << 30;

Error bad_split(std::string what) { return Error(ErrorCode::malformed, std::move(what)); }

Status verify_input(std::span<const std::string> names, std::span<const SplitInput> inputs,
                    std::span<const std::uint32_t> roots) {
    if (names.size() != inputs.size())
        return bad_split(std::to_string(inputs.size()) + " names to split, with " + std::to_string(names.size()) +
                         " texts");
    const auto is_bad = [&](std::uint32_t index) { return index >= inputs.size(); };
    for (const SplitInput& input : inputs)
        if (std::ranges::any_of(input.uses, is_bad))
            return bad_split("a name uses an index that does not exist");
    if (std::ranges::any_of(roots, is_bad))
        return bad_split("a root is an index that does not exist");
    return ok();
}

// Unique texts for the names of bundles. They also differ as parts of file names, where '/' becomes '-'.
class Titles {
public:
    std::string claim(const std::string& wanted) {
        std::string title = wanted;
        for (std::size_t number = 2; !claimed_.insert(key_of(title)).second; ++number)
            title = wanted + "-" + std::to_string(number);
        return title;
    }

private:
    static std::string key_of(const std::string& title) {
        std::string key = fold_name(title);
        std::ranges::replace(key, '/', '-');
        return key;
    }
    std::set<std::string> claimed_;
};

std::string without_extension(const std::string& name) {
    const std::size_t dot = name.rfind('.');
    const std::size_t slash = name.rfind('/');
    return dot == name.npos || dot == 0 || (slash != name.npos && dot <= slash + 1) ? name : name.substr(0, dot);
}

// `bundle_of`: the bundle of each name. Sets what each bundle needs directly.
std::vector<SplitBundle> bundles_of(std::span<const SplitInput> inputs, const std::vector<std::uint32_t>& bundle_of,
                                    std::vector<std::string> titles) {
    std::vector<SplitBundle> bundles(titles.size());
    for (std::size_t i = 0; i < titles.size(); ++i)
        bundles[i].name = std::move(titles[i]);
    for (std::uint32_t name = 0; name < inputs.size(); ++name) {
        SplitBundle& bundle = bundles[bundle_of[name]];
        bundle.names.push_back(name);
        for (const std::uint32_t used : inputs[name].uses)
            if (bundle_of[used] != bundle_of[name])
                bundle.needs.push_back(bundle_of[used]);
    }
    for (SplitBundle& bundle : bundles) {
        std::ranges::sort(bundle.needs);
        bundle.needs.erase(std::unique(bundle.needs.begin(), bundle.needs.end()), bundle.needs.end());
    }
    return bundles;
}

std::vector<std::uint32_t> sorted_by_text(std::span<const std::string> names) {
    std::vector<std::uint32_t> sorted(names.size());
    std::iota(sorted.begin(), sorted.end(), 0u);
    std::ranges::sort(sorted, {}, [&](std::uint32_t name) { return std::pair(std::string_view(names[name]), name); });
    return sorted;
}

// ---- By roots -------------------------------------------------------------------------------------------------------

constexpr std::uint32_t kNoGroup = 0xffff'ffffu;

// Names that the same roots reach.
struct Group {
    std::uint32_t roots = 0;          // number of roots
    std::uint32_t root = 0;           // the last of these roots, in the order of roots
    std::uint32_t parent = kNoGroup;  // the group of the same roots without the last one
    std::uint64_t size_bytes = 0;
    std::vector<std::uint32_t> names;  // ascending by text
};

class RootSplit {
public:
    RootSplit(std::span<const std::string> names, std::span<const SplitInput> inputs,
              std::span<const std::uint32_t> roots)
        : names_(names), inputs_(inputs), roots_(roots.begin(), roots.end()) {
        std::ranges::sort(roots_, {},
                          [&](std::uint32_t root) { return std::pair(std::string_view(names_[root]), root); });
        roots_.erase(std::unique(roots_.begin(), roots_.end()), roots_.end());
    }

    Result<std::vector<SplitBundle>> run(std::uint64_t bytes_max) && {
        FARDEL_TRY(find_groups());
        std::vector<std::uint32_t> bundle_of(inputs_.size());
        std::vector<std::string> texts;
        Titles titles;
        const auto add = [&](const Group& group, std::uint32_t bundle) {
            for (const std::uint32_t name : group.names)
                bundle_of[name] = bundle;
        };
        // First what several roots reach, then one bundle per root, then the rest: a bundle needs only earlier ones, so
        // there is no circle.
        const std::vector<std::uint32_t> shared = shared_groups();
        for (const auto& pieces :
             join_pieces(pieces_of(shared), std::max(kCommonBundlesLeast, roots_.size()), bytes_max)) {
            for (const std::uint32_t piece : pieces)
                add(groups_[shared[piece]], static_cast<std::uint32_t>(texts.size()));
            texts.push_back(titles.claim("common-" + std::to_string(texts.size() + 1)));
        }
        for (const std::uint32_t at : order_)
            if (const Group& group = groups_[at]; group.roots == 1) {
                add(group, static_cast<std::uint32_t>(texts.size()));
                texts.push_back(titles.claim(without_extension(names_[roots_[group.root]])));
            }
        for (const std::uint32_t at : order_)
            if (const Group& group = groups_[at]; group.roots == 0) {
                add(group, static_cast<std::uint32_t>(texts.size()));
                texts.push_back(titles.claim("rest"));
            }
        return bundles_of(inputs_, bundle_of, std::move(texts));
    }

private:
    // Splits the groups root by root: into the names that the root reaches, and the others.
    Status find_groups() {
        group_of_.assign(inputs_.size(), 0);
        groups_.assign(inputs_.empty() ? 0 : 1, {});
        std::vector<std::uint32_t> seen(inputs_.size(), 0);
        std::uint64_t steps = 0;
        for (std::uint32_t round = 0; round < roots_.size(); ++round) {
            std::map<std::uint32_t, std::uint32_t>
                halves;  // group, the new group of those of its names that this root reaches
            std::vector<std::uint32_t> reached{roots_[round]};
            seen[roots_[round]] = round + 1;
            for (std::size_t at = 0; at < reached.size(); ++at) {
                const std::uint32_t name = reached[at];
                const auto half = halves.emplace(group_of_[name], static_cast<std::uint32_t>(groups_.size()));
                if (half.second)
                    groups_.push_back(
                        {.roots = groups_[group_of_[name]].roots + 1, .root = round, .parent = group_of_[name]});
                group_of_[name] = half.first->second;
                for (const std::uint32_t used : inputs_[name].uses) {
                    if (++steps > kSplitStepsMax)
                        return Error(ErrorCode::limit, "the roots reach more than " + std::to_string(kSplitStepsMax) +
                                                           " references in all; name fewer roots");
                    if (std::exchange(seen[used], round + 1) != round + 1)
                        reached.push_back(used);
                }
            }
        }
        fill_groups();
        return ok();
    }

    // Fills the groups and sorts them: groups that more roots reach come first, so a group uses only itself and earlier
    // groups.
    void fill_groups() {
        const std::vector<std::uint32_t> by_text = sorted_by_text(names_);
        std::vector<std::uint32_t> rank(inputs_.size());
        for (std::uint32_t position = 0; position < by_text.size(); ++position) {
            Group& group = groups_[group_of_[by_text[position]]];
            group.names.push_back(by_text[position]);
            group.size_bytes += inputs_[by_text[position]].size_bytes;
            rank[by_text[position]] = position;
        }
        for (std::uint32_t group = 0; group < groups_.size(); ++group)
            if (!groups_[group].names.empty())
                order_.push_back(group);
        const auto first_rank = [&](const Group& group) {
            return rank[group.roots == 1 ? roots_[group.root] : group.names.front()];
        };
        std::ranges::sort(order_, {}, [&](std::uint32_t group) {
            return std::pair(~groups_[group].roots, first_rank(groups_[group]));
        });
    }

    // Those that several roots reach, in their order.
    std::vector<std::uint32_t> shared_groups() const {
        std::vector<std::uint32_t> shared;
        std::ranges::copy_if(order_, std::back_inserter(shared),
                             [&](std::uint32_t group) { return groups_[group].roots > 1; });
        return shared;
    }

    std::vector<SharedPiece> pieces_of(std::span<const std::uint32_t> shared) const {
        std::vector<std::uint32_t> piece_of(groups_.size(), kNoGroup);
        std::vector<SharedPiece> pieces;
        for (const std::uint32_t group : shared) {
            piece_of[group] = static_cast<std::uint32_t>(pieces.size());
            SharedPiece& piece = pieces.emplace_back();
            piece.size_bytes = groups_[group].size_bytes;
            for (std::uint32_t one = group; groups_[one].roots > 0; one = groups_[one].parent)
                piece.roots.push_back(groups_[one].root);
            std::ranges::reverse(piece.roots);
            for (const std::uint32_t name : groups_[group].names)
                for (const std::uint32_t used : inputs_[name].uses)
                    if (group_of_[used] != group)  // what it uses, at least the same roots reach
                        piece.uses.push_back(piece_of[group_of_[used]]);
        }
        return pieces;
    }

    std::span<const std::string> names_;
    std::span<const SplitInput> inputs_;
    std::vector<std::uint32_t> roots_;     // by text
    std::vector<Group> groups_;            // as they came; many are empty at the end
    std::vector<std::uint32_t> group_of_;  // of each name
    std::vector<std::uint32_t> order_;     // groups that are not empty
};

// ---- By size --------------------------------------------------------------------------------------------------------

// Each name comes after the names that it uses; names that use one another stay together.
Result<std::vector<SplitBundle>> split_by_size(std::span<const std::string> names, std::span<const SplitInput> inputs,
                                               std::uint64_t bytes_max) {
    const std::vector<std::uint32_t> by_text = sorted_by_text(names);
    std::vector<std::uint32_t> bundle_of(inputs.size());
    std::vector<std::string> texts;
    std::uint64_t filled = 0;
    for (const auto& component : component_order(
             by_text, [&](std::uint32_t name) { return std::span<const std::uint32_t>(inputs[name].uses); })) {
        std::uint64_t size = 0;
        for (const std::uint32_t name : component)
            size += inputs[name].size_bytes;
        if (size > bytes_max)
            return Error(
                ErrorCode::limit,
                "\"" + printable(names[component.front()]) + "\"" +
                    (component.size() > 1
                         ? ", with " + std::to_string(component.size() - 1) + " names that it uses and that use it,"
                         : "") +
                    " has " + std::to_string(size) + " bytes, and a bundle's budget is " + std::to_string(bytes_max));
        if (texts.empty() || size > bytes_max - filled) {
            texts.push_back("part-" + std::to_string(texts.size() + 1));
            filled = 0;
        }
        filled += size;
        for (const std::uint32_t name : component)
            bundle_of[name] = static_cast<std::uint32_t>(texts.size() - 1);
    }
    return bundles_of(inputs, bundle_of, std::move(texts));
}

}  // namespace

Result<std::vector<SplitBundle>> plan_split(std::span<const std::string> names, std::span<const SplitInput> inputs,
                                            std::span<const std::uint32_t> roots, const SplitOptions& options) {
    FARDEL_TRY(verify_input(names, inputs, roots));
    switch (options.policy) {
        case SplitPolicy::one: break;
        case SplitPolicy::per_root:
            if (roots.empty())
                return bad_split("a split by roots needs a root, and there is none; write patterns that match names");
            return RootSplit(names, inputs, roots).run(options.bytes_max);
        case SplitPolicy::by_size: return split_by_size(names, inputs, options.bytes_max);
    }
    return bundles_of(inputs, std::vector<std::uint32_t>(inputs.size(), 0), {""});
}

}  // namespace fardel
