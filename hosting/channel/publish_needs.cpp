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

}  // namespace

Result<NeedsOfBundles> read_needs_in_tree(TreeTarget& tree, const ChannelRelease& release,
                                          const NeedsOfBundles& known) {
    NeedsOfBundles all;
    DependencyWalk walk;
    const DependencyWalk::Steps steps{.enter = [&](const BundleId& id) -> Result<std::optional<std::vector<BundleId>>> {
                                          if (const auto found = known.find(id); found != known.end())
                                              all.insert(*found);
                                          if (!all.contains(id)) {
                                              FARDEL_TRY_ASSIGN(auto needs, read_needs(tree, id));
                                              if (!needs)
                                                  return std::optional<std::vector<BundleId>>();
                                              all.emplace(id, *std::move(needs));
                                          }
                                          return std::optional(all.at(id).needs);
                                      },
                                      .leave = [](const BundleId&) { return ok(); }};
    for (const ReleasedBundle& one : release.bundles)
        FARDEL_TRY(walk.run(one.bundle, steps));
    return all;
}

Status publish_release_needs(TreeTarget& tree, const ChannelRelease& release, const Hash& release_hash,
                             const PublishWork& work, const NeedsOfBundles& known) {
    FARDEL_TRY_ASSIGN(const NeedsOfBundles needs, read_needs_in_tree(tree, release, known));
    const std::string text = format_release_needs(needs);
    if (text.size() > kReleaseNeedsBytesMax)
        return Error(ErrorCode::limit, "what the bundles of the release need takes more than " +
                                           std::to_string(kReleaseNeedsBytesMax) + " bytes");
    const auto bytes = std::as_bytes(std::span(text));
    const auto source = make_memory_source({bytes.begin(), bytes.end()});
    FARDEL_TRY(tree.put(channel_requirements_path(release.channel, release_hash), *source, work));
    return ok();
}

}  // namespace fardel
