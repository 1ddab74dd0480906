#include "channel/publish_needs.h"

#include <fardel/delivery/needs_text.h>
#include <fardel/delivery/tree_paths.h>
#include <fardel/format/dependencies.h>

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace fardel {
namespace {

// Whether an error says what the bytes are, and not that they could not be read.
bool is_about_bytes(ErrorCode code) {
    return code == ErrorCode::malformed || code == ErrorCode::corrupt || code == ErrorCode::unsupported ||
           code == ErrorCode::limit;
}

// Nothing: the tree does not have the bundle.
Result<std::optional<BundleNeeds>> read_needs(TreeTarget& tree, const BundleId& id) {
    auto source = tree.open(tree_path_of(id));
    if (!source && source.error().code() == ErrorCode::missing)
        return std::optional<BundleNeeds>();
    if (!source)
        return std::move(source).error();
    FARDEL_TRY_ASSIGN(const auto bundle, Bundle::open(*std::move(source), {.label = tree_path_of(id)}));
    if (bundle->id() != id)
        return Error(ErrorCode::corrupt, tree.name() + ", " + tree_path_of(id) + ": is another bundle");
    BundleNeeds needs;
    FARDEL_TRY_ASSIGN(needs.needs, static_dependencies(*bundle));
    FARDEL_TRY_ASSIGN(needs.requirements, requirements_of(*bundle));
    return std::optional(std::move(needs));
}

Result<NeedsOfBundles> read_needs_in_tree(TreeTarget& tree, const ChannelRelease& release, const NeedsOfBundles& known,
                                          UnreadableNeeds unreadable) {
    NeedsOfBundles all;
    DependencyWalk walk;
    const auto enter = [&](const BundleId& id) -> Result<std::optional<std::vector<BundleId>>> {
        if (const auto found = known.find(id); found != known.end())
            all.insert(*found);
        if (!all.contains(id)) {
            auto needs = read_needs(tree, id);
            if (!needs && unreadable == UnreadableNeeds::left_out && is_about_bytes(needs.error().code()))
                return std::optional<std::vector<BundleId>>();
            if (!needs)
                return std::move(needs).error();
            if (!*needs)
                return std::optional<std::vector<BundleId>>();
            all.emplace(id, **std::move(needs));
        }
        return std::optional(all.at(id).needs);
    };
    const DependencyWalk::Steps steps{.enter = enter, .leave = [](const BundleId&) { return ok(); }};
    for (const ReleasedBundle& one : release.bundles)
        FARDEL_TRY(walk.run(one.bundle, steps));
    return all;
}

}  // namespace

NeedsOfBundles find_known_needs(TreeTarget& tree, const ChannelUpdate& update) {
    if (!update.head())
        return {};
    const ChannelHead& head = *update.head();
    const auto text =
        read_tree_text(tree, channel_requirements_path(head.channel, head.release_hash), kReleaseNeedsBytesMax);
    auto needs = text ? parse_release_needs(*text) : Result<NeedsOfBundles>(text.error());
    return needs ? *std::move(needs) : NeedsOfBundles();
}

Result<std::string> make_release_needs(TreeTarget& tree, const ChannelRelease& release, const NeedsOfBundles& known,
                                       UnreadableNeeds unreadable) {
    FARDEL_TRY_ASSIGN(const NeedsOfBundles needs, read_needs_in_tree(tree, release, known, unreadable));
    std::string text = format_release_needs(needs);
    std::size_t lines = 0;
    for (const auto& [id, one] : needs)
        lines += one.needs.size() + one.requirements.size();
    if (text.size() > kReleaseNeedsBytesMax || needs.size() > kReleaseNeedsBundlesMax || lines > kReleaseNeedsMax)
        return Error(ErrorCode::limit, "what the bundles of the release need takes more than " +
                                           std::to_string(kReleaseNeedsBytesMax) + " bytes, " +
                                           std::to_string(kReleaseNeedsBundlesMax) + " bundles or " +
                                           std::to_string(kReleaseNeedsMax) + " lines");
    return text;
}

}  // namespace fardel
