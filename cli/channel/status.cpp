// fardel channel status: what a tree or a server has of a channel, who signed it, and what is wrong.

#include "bundles/tree_option.h"
#include "channel/channel_file.h"
#include "channel/channel_verbs.h"
#include "channel/root_text.h"
#include "console/clock.h"
#include "console/figures.h"
#include "console/json.h"

#include <fardel/base/interrupt.h>
#include <fardel/delivery/channel_tree.h>
#include <fardel/delivery/follow_channel.h>
#include <fardel/delivery/publish.h>
#include <fardel/format/channel_update.h>
#include <fardel/format/name.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace fardel {
namespace {

constexpr std::uint64_t kHeadSoonSeconds = 2 * kDaySeconds;
constexpr std::uint64_t kRootSoonSeconds = 30 * kDaySeconds;

struct StatusCommand {
    std::string address;
    std::string channel;
    std::string root;  // a file; needed for a server
    bool json = false;
};

struct ChannelStatus {
    ChannelRoot root;
    std::optional<ChannelRelease> release;
    std::optional<ChannelHead> head;
    std::vector<std::string> root_signers, release_signers, head_signers;
    std::vector<Error> problems;
    std::vector<std::string> warnings;
};

// ---- What there is --------------------------------------------------------------------------------------------------

Result<std::vector<std::string>> signers_in(ChannelText kind, const std::string& file, const ChannelRoot& root,
                                            std::vector<Error>& problems) {
    FARDEL_TRY_ASSIGN(const SignedText text, parse_signed_text(kind, file));
    if (Status enough = verify_signers(kind, text, root, root.role(kind)); !enough)
        problems.push_back(std::move(enough).error());
    return signers_of(kind, text, root);
}

Result<ChannelStatus> status_of(const ChannelUpdate& update) {
    ChannelStatus status;
    status.root = update.root();
    status.release = update.release();
    status.head = update.head();
    const ChannelFiles& files = update.files();
    FARDEL_TRY_ASSIGN(status.root_signers, signers_in(ChannelText::root, files.root, status.root, status.problems));
    if (status.release) {
        FARDEL_TRY_ASSIGN(status.release_signers,
                          signers_in(ChannelText::release, files.release, status.root, status.problems));
    }
    if (status.head) {
        FARDEL_TRY_ASSIGN(status.head_signers, signers_in(ChannelText::head, files.head, status.root, status.problems));
    }
    return status;
}

// Whether the tree has the bundles of the release.
Status check_bundles(TreeTarget& tree, const ChannelRelease& release, std::vector<Error>& problems) {
    FARDEL_TRY_ASSIGN(const auto files, tree.list("bundles"));
    std::map<std::string, std::uint64_t> sizes;
    for (const TreeFile& file : files)
        sizes[file.path] = file.size_bytes;
    for (const ReleasedBundle& one : release.bundles) {
        const auto found = sizes.find(tree_path_of(one.bundle));
        if (found == sizes.end())
            problems.emplace_back(ErrorCode::missing,
                                  fmt::format("{} {}: the tree lacks bundle {}", printable(one.name),
                                              one.version.text(), one.bundle.hex()));
        else if (found->second != one.file_bytes)
            problems.emplace_back(
                ErrorCode::corrupt,
                fmt::format("{} {}: the file of bundle {} has {} bytes, and the release says {}", printable(one.name),
                            one.version.text(), one.bundle.hex(), found->second, one.file_bytes));
    }
    return ok();
}

// A newer release that no head names yet.
Status check_newer(TreeTarget& tree, const ChannelUpdate& update, ChannelStatus& status) {
    FARDEL_TRY_ASSIGN(const auto newest, find_newest_release(tree, update));
    if (newest && (!status.release || newest->release.version > status.release->version))
        status.warnings.push_back(
            fmt::format("release {} is there, and no head names it yet: fardel channel head", newest->release.version));
    return ok();
}

Result<ChannelStatus> look_into_tree(const StatusCommand& command, std::uint64_t now, const Interrupt& interrupt) {
    FARDEL_TRY_ASSIGN(const auto tree, open_tree(command.address, "", interrupt.token()));
    FARDEL_TRY_ASSIGN(const auto there, read_channel(*tree, command.channel));
    if (!there)
        return Error(ErrorCode::missing, fmt::format("{} has no channel {}", tree->name(), printable(command.channel)));
    FARDEL_TRY_ASSIGN(const ChannelUpdate update, ChannelUpdate::begin(there->files, now));
    FARDEL_TRY_ASSIGN(ChannelStatus status, status_of(update));
    if (status.release)
        FARDEL_TRY(check_bundles(*tree, *status.release, status.problems));
    FARDEL_TRY(check_newer(*tree, update, status));
    return status;
}

// As a client that has only that root.
Result<ChannelStatus> ask_server(const StatusCommand& command, std::uint64_t now, const Interrupt& interrupt) {
    ChannelFiles files;
    FARDEL_TRY_ASSIGN(const ChannelRoot root, read_root_file(command.root, &files.root));
    if (root.channel != command.channel)
        return Error(ErrorCode::untrusted,
                     fmt::format("{} is the root of channel {}, not of {}", printable(command.root),
                                 printable(root.channel), printable(command.channel)));
    FARDEL_TRY_ASSIGN(
        auto followed,
        follow_channel(std::move(files),
                       {.trees = {command.address}, .now_s = now, .connections = {}, .stop = interrupt.token()}));
    FARDEL_TRY_ASSIGN(ChannelStatus status, status_of(followed.update));
    if (followed.failure)
        status.problems.push_back(*followed.failure);
    return status;
}

// ---- Dates ----------------------------------------------------------------------------------------------------------

void check_date(std::string_view what, std::uint64_t expires_s, std::uint64_t soon_s, std::uint64_t now,
                std::string_view advice, ChannelStatus& status) {
    if (expires_s <= now)
        status.problems.emplace_back(ErrorCode::expired,
                                     fmt::format("the {} expired on {}; {}", what, format_date(expires_s), advice));
    else if (expires_s - now < soon_s)
        status.warnings.push_back(fmt::format("the {} expires on {}; {}", what, format_date(expires_s), advice));
}

void check_dates(ChannelStatus& status, std::uint64_t now) {
    check_date("root", status.root.expires_s, kRootSoonSeconds, now, "make the next one: fardel channel rotate",
               status);
    if (status.head)
        check_date("head", status.head->expires_s, kHeadSoonSeconds, now, "renew it: fardel channel head", status);
    else
        status.problems.emplace_back(ErrorCode::missing, "there is no head: clients see no release");
}

// ---- Output ---------------------------------------------------------------------------------------------------------

std::string days_left(std::uint64_t expires_s, std::uint64_t now) {
    return expires_s <= now ? "expired" : format_count((expires_s - now) / kDaySeconds, "day", "days") + " left";
}

std::string format_text(ChannelText kind, std::uint64_t version, const std::vector<std::string>& signers,
                        std::uint64_t created_s, std::string_view rest) {
    return fmt::format("{:<8} {}  of {}, signed by {}{}\n", channel_text_name(kind), version, format_date(created_s),
                       signers.empty() ? "nobody" : fmt::format("{}", fmt::join(signers, ", ")), rest);
}

std::string format_status(const ChannelStatus& status, std::uint64_t now) {
    std::string text = fmt::format("channel  {}  {}\n", printable(status.root.channel), status.root.id.hex());
    text += format_text(ChannelText::root, status.root.version, status.root_signers, status.root.created_s,
                        ", " + days_left(status.root.expires_s, now));
    text += format_roles(status.root);
    if (status.head)
        text += format_text(ChannelText::head, status.head->version, status.head_signers, status.head->created_s,
                            ", " + days_left(status.head->expires_s, now));
    if (status.release) {
        text += format_text(ChannelText::release, status.release->version, status.release_signers,
                            status.release->created_s, "");
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

Json json_dates(std::uint64_t version, std::uint64_t created_s, const std::vector<std::string>& signers) {
    return Json{{"version", version}, {"created", created_s}, {"signers", signers}};
}

template <class Id>
Json json_of(const std::vector<Revocation<Id>>& recalls) {
    return json_list(recalls, [](const auto& one) { return Json{{"id", one.id.hex()}, {"reason", one.reason}}; });
}

Json json_of(const ChannelStatus& status) {
    Json root = json_dates(status.root.version, status.root.created_s, status.root_signers);
    root["expires"] = status.root.expires_s;
    root["roles"] = json_roles(status.root);
    Json head, release;
    if (status.head) {
        head = json_dates(status.head->version, status.head->created_s, status.head_signers);
        head["expires"] = status.head->expires_s;
    }
    if (status.release) {
        release = json_dates(status.release->version, status.release->created_s, status.release_signers);
        release["epoch"] = status.release->epoch;
        release["bundles"] = json_list(status.release->bundles, [](const ReleasedBundle& one) {
            return Json{{"bundle", one.bundle.hex()}, {"name", one.name}, {"version", one.version.text()}};
        });
        release["recalled_bundles"] = json_of(status.release->recalled_bundles);
        release["recalled_keys"] = json_of(status.release->recalled_keys);
    }
    return Json{{"channel", status.root.channel},
                {"id", status.root.id.hex()},
                {"root", root},
                {"head", head},
                {"release", release},
                {"notes", status.warnings},
                {"wrong", json_list(status.problems, [](const Error& one) {
                     return Json{{"code", error_code_name(one.code())}, {"text", one.message()}};
                 })}};
}

Result<Exit> show_status(const StatusCommand& command, Console& console) {
    const Interrupt interrupt;
    const std::uint64_t now = now_s();
    FARDEL_TRY_ASSIGN(ChannelStatus status, command.root.empty() ? look_into_tree(command, now, interrupt)
                                                                 : ask_server(command, now, interrupt));
    check_dates(status, now);
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
    line.text("TREE", "TREE", command.address,
              "With --root, the URL of a tree on a server; otherwise " + std::string(kTreeHelp))
        ->required();
    line.text("--channel", "NAME", command.channel, "The name of the channel")->required();
    line.text("--root", "ROOT", command.root, "The file of a root that is known to be right");
    line.json(command.json);
    return line.run(words, console, [&] { return show_status(command, console); });
}

}  // namespace fardel
