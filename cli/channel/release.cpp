// fardel channel release: the next release of a channel, made from the one before.

#include "bundles/bundle_file.h"
#include "bundles/tree_option.h"
#include "channel/channel_verbs.h"
#include "channel/tree_channel.h"
#include "console/clock.h"
#include "console/figures.h"
#include "console/json.h"

#include <fardel/base/interrupt.h>
#include <fardel/delivery/publish.h>
#include <fardel/format/key_file.h>
#include <fardel/format/name.h>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace fardel {
namespace {

struct ReleaseCommand {
    std::vector<std::string> words;  // bundles, then the address of the tree
    std::vector<std::string> removed;
    std::vector<std::string> recalled_bundles;
    std::vector<std::string> recalled_keys;  // public key files
    std::string reason;
    std::vector<std::string> restored;  // bundle ids
    bool keeps_versions = false;        // older versions of a name stay
    std::uint64_t epoch = 0;            // 0: that of the release before
    MakeOptions make;
};

// The bundle that a word names, as it is in the tree.
class TreeBundles {
public:
    TreeBundles(TreeTarget& tree, const TrustPolicy* policy, std::uint64_t now_s)
        : tree_(tree), policy_(policy), now_s_(now_s) {}

    Result<ReleasedBundle> find(const std::string& word) const {
        FARDEL_TRY_ASSIGN(const BundleId id, id_of(word));
        auto source = tree_.open(tree_path_of(id));
        if (!source && source.error().code() == ErrorCode::missing)
            return Error(ErrorCode::missing, fmt::format("{}: {} does not have this bundle; 'fardel publish' brings it",
                                                         printable(word), tree_.name()));
        if (!source)
            return std::move(source).error();
        // Who follows the channel would refuse what its own rules do not accept.
        FARDEL_TRY_ASSIGN(
            const auto bundle,
            Bundle::open(*source,
                         {.policy = policy_, .time = TrustTime::at(now_s_), .cache = {}, .label = printable(word)}));
        if (bundle->id() != id)
            return Error(ErrorCode::corrupt,
                         fmt::format("{}: {} has another bundle under its name", printable(word), tree_.name()));
        ReleasedBundle released{
            .bundle = id, .file_bytes = (*source)->size_bytes(), .epoch = 0, .version = {}, .name = {}};
        if (bundle->verdict().statement)
            released.epoch = bundle->verdict().statement->epoch;
        FARDEL_TRY_ASSIGN(released.name, bundle_text(*bundle, "name"));
        FARDEL_TRY_ASSIGN(const std::string version, bundle_text(*bundle, "version"));
        FARDEL_TRY_ASSIGN(released.version, BundleVersion::parse(version));
        if (released.name.empty() || released.version.empty())
            return Error(ErrorCode::unresolved,
                         fmt::format("{}: a released bundle has a name and a version; pack it with --name and "
                                     "--version",
                                     printable(word)));
        return released;
    }

private:
    static Result<BundleId> id_of(const std::string& word) {
        if (auto id = BundleId::parse(word))
            return id;
        FARDEL_TRY_ASSIGN(const auto bundle, open_bundle(word));
        return bundle->id();
    }

    TreeTarget& tree_;
    const TrustPolicy* const policy_;
    const std::uint64_t now_s_;
};

Status remove_named(ChannelRelease& release, const std::vector<std::string>& names) {
    for (const std::string& name : names)
        if (std::erase_if(release.bundles, [&](const ReleasedBundle& one) { return one.name == name; }) == 0)
            return Error(ErrorCode::missing, fmt::format("--remove: release {} has no bundle named {}",
                                                         release.version - 1, printable(name)));
    return ok();
}

template <class Id>
void add_recall(std::vector<Revocation<Id>>& recalls, const Id& id, const std::string& reason) {
    const auto at = std::ranges::lower_bound(recalls, id, {}, &Revocation<Id>::id);
    if (at == recalls.end() || at->id != id)
        recalls.insert(at, {id, reason});
}

// What is recalled is not listed any more.
Status recall(ChannelRelease& release, const ReleaseCommand& command) {
    for (const std::string& text : command.recalled_bundles) {
        FARDEL_TRY_ASSIGN(const BundleId id, BundleId::parse(text));
        add_recall(release.recalled_bundles, id, command.reason);
        std::erase_if(release.bundles, [&](const ReleasedBundle& one) { return one.bundle == id; });
    }
    for (const std::string& path : command.recalled_keys) {
        FARDEL_TRY_ASSIGN(const PublicKeyFile file, read_public_key_file(path));
        add_recall(release.recalled_keys, file.key, command.reason);
    }
    for (const std::string& text : command.restored) {
        FARDEL_TRY_ASSIGN(const BundleId id, BundleId::parse(text));
        if (std::erase_if(release.recalled_bundles, [&](const auto& one) { return one.id == id; }) == 0)
            return Error(ErrorCode::missing, "--take-back: no such recall");
    }
    return ok();
}

// A new version of a bundle takes the position of all older ones of its name, or stands beside them.
Status add_bundles(ChannelRelease& release, std::span<const std::string> words, const TreeBundles& tree,
                   bool keeps_versions) {
    std::vector<ReleasedBundle> added;
    for (const std::string& word : words) {
        FARDEL_TRY_ASSIGN(added.emplace_back(), tree.find(word));
    }
    for (const ReleasedBundle& one : added) {
        const auto recalled = std::ranges::find(release.recalled_bundles, one.bundle, &Revocation<BundleId>::id);
        if (recalled != release.recalled_bundles.end())
            return Error(ErrorCode::revoked, fmt::format("{} {}: it has been recalled: {}", printable(one.name),
                                                         one.version.text(), printable(recalled->reason)));
        std::erase_if(release.bundles, [&](const ReleasedBundle& old) {
            return old.name == one.name && (!keeps_versions || old.version == one.version);
        });
    }
    release.bundles.insert(release.bundles.end(), added.begin(), added.end());
    std::ranges::sort(release.bundles, {}, [](const ReleasedBundle& one) {
        return std::pair<std::string_view, std::string_view>(one.name, one.version.text());
    });
    return ok();
}

Result<ChannelRelease> next_release(const ReleaseCommand& command, const TreeChannel& channel, std::uint64_t now) {
    FARDEL_TRY_ASSIGN(const auto before, find_newest_release(*channel.tree, channel.update));
    ChannelRelease release = before ? before->release : ChannelRelease();
    release.channel = channel.update.root().channel;
    release.version = before ? before->release.version + 1 : 1;
    release.created_s = now;
    if (command.epoch != 0)
        release.epoch = command.epoch;
    // Also if no head names the release before yet: somebody may make one at any time.
    if (before && (release.epoch < before->release.epoch ||
                   (!command.restored.empty() && release.epoch == before->release.epoch)))
        return Error(ErrorCode::rollback, fmt::format("release {} has epoch {}, which never falls; a recall is taken "
                                                      "back with a higher one",
                                                      before->release.version, before->release.epoch));
    FARDEL_TRY(remove_named(release, command.removed));
    FARDEL_TRY(recall(release, command));
    FARDEL_TRY_ASSIGN(const auto policy, channel_policy(channel.update.root(), release));
    const TreeBundles tree(*channel.tree, policy ? &*policy : nullptr, now);
    FARDEL_TRY(
        add_bundles(release, std::span(command.words).first(command.words.size() - 1), tree, command.keeps_versions));
    return release;
}

Json json_of(const ChannelRelease& release) {
    return Json{{"channel", release.channel},
                {"version", release.version},
                {"epoch", release.epoch},
                {"bundles", json_list(release.bundles,
                                      [](const ReleasedBundle& one) {
                                          return Json{{"bundle", one.bundle.hex()},
                                                      {"name", one.name},
                                                      {"version", one.version.text()},
                                                      {"file_bytes", one.file_bytes}};
                                      })},
                {"recalled_bundles", release.recalled_bundles.size()},
                {"recalled_keys", release.recalled_keys.size()}};
}

Result<Exit> make_release(const ReleaseCommand& command, Console& console) {
    const Interrupt interrupt;
    FARDEL_TRY_ASSIGN(const std::uint64_t now, created_s());
    FARDEL_TRY_ASSIGN(const TreeChannel channel,
                      open_tree_channel(command.words.back(), command.make, now, interrupt.token()));
    FARDEL_TRY_ASSIGN(const ChannelRelease release, next_release(command, channel, now));
    ChannelFile file{.kind = ChannelText::release, .text = {}, .channel = release.channel, .version = release.version};
    FARDEL_TRY_ASSIGN(file.text.body, format_channel_release(release));
    FARDEL_TRY(sign_and_put(file, command.make, *channel.tree, now));
    return print_result(
        console, command.make.json, [&] { return json_of(release); },
        [&] {
            std::string text = format_made(file, command.make);
            for (const ReleasedBundle& one : release.bundles)
                text += fmt::format("  {}  {} {}\n", short_id(one.bundle), printable(one.name), one.version.text());
            if (command.make.out.empty())
                text += "no client sees it before a head names it: fardel channel head\n";
            return text;
        });
}

}  // namespace

Result<Exit> run_channel_release(Words words, Console& console) {
    CommandLine line(
        "channel release", "[BUNDLE...] TREE --channel NAME (--key KEY | -o TEXT) [options]",
        "Makes the next release of a channel: the bundles of the one before, and these. A bundle replaces those of the "
        "same name. What was recalled stays recalled.",
        "  fardel channel release game-1.1.fardel /srv/www/mygame --channel mygame/stable --key release.key\n"
        "  fardel channel release base-2.0.fardel /srv/www/mods --channel mods/all --key release.key --keep-versions\n"
        "  fardel channel release /srv/www/mygame --channel mygame/stable --key release.key --recall-bundle "
        "6f0c...2d1a "
        "--reason 'crashes on the second level'\n");
    ReleaseCommand command;
    line.texts("BUNDLE", "BUNDLE", command.words,
               "Bundles that are published in the tree: files, or all 64 digits of their ids; the last word is TREE: " +
                   std::string(kTreeHelp))
        ->required();
    line.flag("--keep-versions", command.keeps_versions,
              "Keep older versions of the same names, for bundles that require them ('fardel install')");
    line.texts("--remove", "NAME", command.removed, "Leave out the bundles with this name; may be repeated");
    line.texts("--recall-bundle", "ID", command.recalled_bundles,
               "Recall this bundle: nobody fetches or opens it any more; may be repeated");
    line.texts("--recall-key", "KEY.pub", command.recalled_keys,
               "Recall all that this key has signed; may be repeated");
    line.text("--reason", "TEXT", command.reason, "Why, for those who are affected");
    line.texts("--take-back", "ID", command.restored, "With a higher --epoch: recall this bundle no more");
    line.number("--epoch", command.epoch, 1, (1ull << 53) - 1,
                "The epoch of the channel, which only rises: with a higher one, recalls can be taken back");
    add_make_options(line, command.make);
    if (const auto over = line.parse(words, console))
        return *over;
    if ((!command.recalled_bundles.empty() || !command.recalled_keys.empty()) && command.reason.empty())
        return line.mistake("a recall needs a --reason", console);
    if (command.words.size() == 1 && command.removed.empty() && command.recalled_bundles.empty() &&
        command.recalled_keys.empty() && command.restored.empty())
        return line.mistake("name at least one bundle, or what to remove or recall, and the tree", console);
    if (command.make.out.empty() && command.make.key.key_path.empty())
        return line.mistake("give a --key to publish the release, or -o to write it to a file", console);
    return make_release(command, console);
}

}  // namespace fardel
