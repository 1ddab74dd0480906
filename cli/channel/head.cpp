// fardel channel head: points the clients of a channel to its newest release, until a date.

#include "bundles/tree_option.h"
#include "channel/channel_verbs.h"
#include "channel/root_text.h"
#include "channel/tree_channel.h"
#include "console/clock.h"
#include "console/figures.h"
#include "console/json.h"

#include <fardel/base/interrupt.h>
#include <fardel/hosting/channel_change.h>

#include <fmt/format.h>

namespace fardel {
namespace {

struct HeadCommand {
    std::string tree;
    std::uint64_t days = 7;
    MakeOptions make;
};

Result<ChannelHead> make_next_head(const TreeChannel& channel, UnixTime now, std::uint64_t days) {
    FARDEL_TRY_ASSIGN(const auto newest, find_newest_release(*channel.tree, channel.update));
    if (!newest)
        return Error(ErrorCode::missing, channel.tree->name() +
                                             " has no release that the keys of its newest root have signed; "
                                             "make one with 'fardel channel release'");
    return next_head(channel.update, *newest, now, days * kDaySeconds);
}

Result<Exit> make_head(const HeadCommand& command, Console& console) {
    const Interrupt interrupt;
    FARDEL_TRY_ASSIGN(const UnixTime now, creation_time());
    FARDEL_TRY_ASSIGN(const TreeChannel channel, open_tree_channel(command.tree, command.make, now, interrupt.token()));
    FARDEL_TRY_ASSIGN(const ChannelHead head, make_next_head(channel, now, command.days));
    remark_dates(channel.update, now, console);
    ChannelFile file{.kind = ChannelText::head, .text = {}, .channel = head.channel, .version = head.version};
    FARDEL_TRY_ASSIGN(file.text.body, format_channel_head(head));
    FARDEL_TRY(sign_and_put(file, command.make, *channel.tree, now));
    return print_result(
        console, command.make.json,
        [&] {
            return Json{{"channel", head.channel},
                        {"version", head.version},
                        {"release", head.release_version},
                        {"root", head.root_version},
                        {"expires", head.expires.seconds}};
        },
        [&] {
            return format_made(file, command.make) +
                   fmt::format("  release  {}\n  expires  {}\n", head.release_version, format_date(head.expires));
        });
}

}  // namespace

Result<Exit> run_channel_head(Words words, Console& console) {
    CommandLine line(
        "channel head", "TREE --channel NAME (--key KEY | -o TEXT) [--days N] [options]",
        "Replaces the head of a channel, which names the newest release in the tree. "
        "Clients believe a head until it expires, so a timer renews it: docs/channels.md has one for systemd.",
        "  fardel channel head /srv/www/mygame --channel mygame/stable --key head.key\n");
    HeadCommand command;
    line.text("TREE", "TREE", command.tree, kTreeHelp).required();
    line.number("--days", command.days, 1, 30, "The head expires after so many days (default: 7)");
    add_make_options(line, command.make);
    if (const auto over = line.parse(words, console))
        return *over;
    if (command.make.out.empty() && command.make.key.key_path.empty())
        return line.mistake("give a --key to publish the head, or -o to write it to a file", console);
    return make_head(command, console);
}

}  // namespace fardel
