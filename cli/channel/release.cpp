// fardel channel release: the next release of a channel, made from the one before.

#include "bundles/bundle_word.h"
#include "bundles/tree_option.h"
#include "channel/channel_verbs.h"
#include "channel/tree_channel.h"
#include "console/clock.h"
#include "console/figures.h"
#include "console/json.h"

#include <fardel/base/interrupt.h>
#include <fardel/format/key_file.h>
#include <fardel/format/name.h>
#include <fardel/hosting/channel_change.h>

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

// All but the bundles that are added.
Result<ChannelChange> change_of(const ReleaseCommand& command) {
    ChannelChange change;
    change.removed = command.removed;
    change.epoch = command.epoch;
    change.older_versions = command.keeps_versions ? OlderVersions::kept : OlderVersions::replaced;
    for (const std::string& text : command.recalled_bundles) {
        FARDEL_TRY_ASSIGN(const BundleId id, parse_bundle_id(text));
        change.recalled_bundles.push_back({id, command.reason});
    }
    for (const std::string& path : command.recalled_keys) {
        FARDEL_TRY_ASSIGN(const PublicKeyFile file, read_public_key_file(path));
        change.recalled_keys.push_back({file.key, command.reason});
    }
    for (const std::string& text : command.restored) {
        FARDEL_TRY_ASSIGN(change.restored.emplace_back(), parse_bundle_id(text));
    }
    return change;
}

Result<ChannelRelease> make_next_release(const ReleaseCommand& command, const TreeChannel& channel, UnixTime now,
                                         Console& console) {
    const ChannelRoot& root = channel.update.root();
    FARDEL_TRY_ASSIGN(const auto before, find_newest_release(*channel.tree, channel.update));
    FARDEL_TRY_ASSIGN(ChannelChange change, change_of(command));
    // What the new release recalls is judged with it.
    FARDEL_TRY_ASSIGN(const ChannelRelease recalling, next_release(before, root, change, now));
    FARDEL_TRY_ASSIGN(const TrustPolicy policy, policy_for_follower(nullptr, root, recalling));
    for (const std::string& word : std::span(command.words).first(command.words.size() - 1)) {
        FARDEL_TRY_ASSIGN(const BundleId id, id_of_word(word));
        FARDEL_TRY_ASSIGN(BundleToRelease found,
                          find_bundle_to_release(*channel.tree, id, policy, now, printable(word)));
        if (before)
            if (auto older = describe_older(found.bundle, before->release.bundles,
                                            "release " + std::to_string(before->release.version) + " has"))
                found.remarks.push_back(*std::move(older));
        for (const std::string& remark : found.remarks)
            console.say("fardel: " + remark);
        change.added.push_back(std::move(found.bundle));
    }
    return next_release(before, root, change, now);
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
    FARDEL_TRY_ASSIGN(const UnixTime now, creation_time());
    FARDEL_TRY_ASSIGN(const TreeChannel channel,
                      open_tree_channel(command.words.back(), command.make, now, interrupt.token()));
    remark_dates(channel.update, now, console);
    FARDEL_TRY_ASSIGN(const ChannelRelease release, make_next_release(command, channel, now, console));
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
        "Makes the next release of a channel: the bundles of the one before, and these. "
        "A bundle replaces those of the same name. What was recalled stays recalled.",
        "  fardel channel release game-1.1.fardel /srv/www/mygame --channel mygame/stable --key release.key\n"
        "  fardel channel release base-2.0.fardel /srv/www/mods --channel mods/all --key release.key --keep-versions\n"
        "  fardel channel release /srv/www/mygame --channel mygame/stable --key release.key "
        "--recall-bundle 6f0c...2d1a --reason 'crashes on the second level'\n");
    ReleaseCommand command;
    line.texts("BUNDLE", "BUNDLE", command.words,
               "Bundles that are published in the tree: files, or all 64 digits of their ids; the last word is TREE: " +
                   std::string(kTreeHelp))
        .required();
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
