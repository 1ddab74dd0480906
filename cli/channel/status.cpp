// fardel channel status: what a tree or a server has of a channel, who signed it, and what is wrong.

#include "bundles/tree_option.h"
#include "channel/channel_status.h"
#include "channel/channel_verbs.h"
#include "channel/root_text.h"
#include "console/clock.h"
#include "console/figures.h"
#include "console/json.h"

#include <fardel/base/interrupt.h>
#include <fardel/delivery/follow_channel.h>
#include <fardel/format/channel_update.h>
#include <fardel/format/name.h>
#include <fardel/hosting/channel_tree.h>
#include <fardel/hosting/publish.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace fardel {
namespace {

struct StatusCommand {
    ChannelAddress channel;
    bool json = false;
};

// ---- Output ---------------------------------------------------------------------------------------------------------

std::string days_left(UnixTime expires, UnixTime now) {
    return expires <= now ? "expired" : format_count((expires - now) / kDaySeconds, "day", "days") + " left";
}

std::string format_text(ChannelText kind, std::uint64_t version, const std::vector<std::string>& signers,
                        UnixTime created, std::string_view rest) {
    return fmt::format("{:<8} {}  of {}, signed by {}{}\n", channel_text_name(kind), version, format_date(created),
                       signers.empty() ? "nobody" : fmt::format("{}", fmt::join(signers, ", ")), rest);
}

std::string format_status(const ChannelStatus& status, UnixTime now) {
    std::string text = fmt::format("channel  {}  {}\n", printable(status.root.channel), status.root.id.hex());
    text += format_text(ChannelText::root, status.root.version, status.root_signers, status.root.created,
                        ", " + days_left(status.root.expires, now));
    text += format_roles(status.root);
    if (status.head)
        text += format_text(ChannelText::head, status.head->version, status.head_signers, status.head->created,
                            ", " + days_left(status.head->expires, now));
    if (status.release) {
        text += format_text(ChannelText::release, status.release->version, status.release_signers,
                            status.release->created, "");
        for (const ReleasedBundle& one : status.release->bundles)
            text += fmt::format("  {}  {} {}\n", short_id(one.bundle), printable(one.name), one.version.text());
        for (const auto& one : status.release->recalled_bundles)
            text += fmt::format("  {}  recalled: {}\n", short_id(one.id), printable(one.reason));
        for (const auto& one : status.release->recalled_keys)
            text += fmt::format("  key {}  recalled: {}\n", key_id(one.id), printable(one.reason));
    }
    for (const std::string& warning : status.warnings)
        text += "note: " + warning + "\n";
    for (const Error& problem : status.problems)
        text += fmt::format("wrong: {} [{}]\n", problem.message(), error_code_name(problem.code()));
    return text;
}

Json json_dates(std::uint64_t version, UnixTime created, const std::vector<std::string>& signers) {
    return Json{{"version", version}, {"created", created.seconds}, {"signers", signers}};
}

template <class Id>
Json json_of(const std::vector<Revocation<Id>>& recalls) {
    return json_list(recalls, [](const auto& one) { return Json{{"id", one.id.hex()}, {"reason", one.reason}}; });
}

Json json_of(const ChannelStatus& status) {
    Json root = json_dates(status.root.version, status.root.created, status.root_signers);
    root.set("expires", status.root.expires.seconds);
    root.set("roles", json_roles(status.root));
    Json head, release;
    if (status.head) {
        head = json_dates(status.head->version, status.head->created, status.head_signers);
        head.set("expires", status.head->expires.seconds);
    }
    if (status.release) {
        release = json_dates(status.release->version, status.release->created, status.release_signers);
        release.set("epoch", status.release->epoch);
        release.set("bundles", json_list(status.release->bundles, [](const ReleasedBundle& one) {
                        return Json{{"bundle", one.bundle.hex()}, {"name", one.name}, {"version", one.version.text()}};
                    }));
        release.set("recalled_bundles", json_of(status.release->recalled_bundles));
        release.set("recalled_keys", json_of(status.release->recalled_keys));
    }
    return Json{{"channel", status.root.channel},
                {"id", status.root.id.hex()},
                {"root", std::move(root)},
                {"head", std::move(head)},
                {"release", std::move(release)},
                {"notes", status.warnings},
                {"wrong", json_list(status.problems, [](const Error& one) {
                     return Json{{"code", error_code_name(one.code())}, {"text", one.message()}};
                 })}};
}

Result<Exit> show_status(const StatusCommand& command, Console& console) {
    const Interrupt interrupt;
    const UnixTime now = system_now();
    FARDEL_TRY_ASSIGN(const ChannelStatus status, read_channel_status(command.channel, now, interrupt.token()));
    return print_result(
        console, command.json, [&] { return json_of(status); }, [&] { return format_status(status, now); },
        status.problems.empty() ? Exit::fine : Exit::refusal);
}

}  // namespace

Result<Exit> run_channel_status(Words words, Console& console) {
    CommandLine line(
        "channel status", "TREE|URL --channel NAME [--root ROOT] [--json]",
        "Shows the newest root, head and release of a channel, how long they last, who signed them, and what is wrong: "
        "the exit status is 1 if anything is. With --root, a server is asked as a client would.",
        "  fardel channel status /srv/www/mygame --channel mygame/stable\n"
        "  fardel channel status https://example.org/mygame --channel mygame/stable --root 1.root\n");
    StatusCommand command;
    line.text("TREE", "TREE", command.channel.address,
              "With --root, the URL of a tree on a server; otherwise " + std::string(kTreeHelp))
        .required();
    line.text("--channel", "NAME", command.channel.name, "The name of the channel").required();
    line.text("--root", "ROOT", command.channel.root, "The file of a root that is known to be right");
    line.json(command.json);
    return line.run(words, console, [&] { return show_status(command, console); });
}

}  // namespace fardel
