#include "channel/channel_status.h"

#include "bundles/tree_option.h"
#include "channel/channel_file.h"
#include "channel/root_text.h"
#include "console/clock.h"
#include "console/figures.h"

#include <fardel/delivery/follow_channel.h>
#include <fardel/delivery/tree_paths.h>
#include <fardel/format/channel_update.h>
#include <fardel/format/name.h>
#include <fardel/hosting/channel_change.h>
#include <fardel/hosting/channel_dates.h>
#include <fardel/hosting/channel_tree.h>
#include <fardel/hosting/publish.h>

#include <fmt/format.h>

#include <map>
#include <string_view>
#include <utility>

namespace fardel {
namespace {

constexpr std::uint64_t kHeadSoonSeconds = 2 * kDaySeconds;
constexpr std::uint64_t kRootSoonSeconds = 30 * kDaySeconds;
constexpr std::uint64_t kHeadDays = 7;  // the default of 'fardel channel head --days'

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

Result<ChannelStatus> look_into_tree(const ChannelAddress& channel, UnixTime now, std::stop_token stop) {
    if (channel.address.starts_with("http://") || channel.address.starts_with("https://"))
        return Error(ErrorCode::missing, printable(channel.address, 400) +
                                             ": a server is asked as its clients ask it, which needs a root of the "
                                             "channel; give one with --root");
    FARDEL_TRY_ASSIGN(const auto tree, open_tree(channel.address, "", std::move(stop)));
    FARDEL_TRY_ASSIGN(const auto there, read_channel(*tree, channel.name));
    if (!there)
        return Error(ErrorCode::missing, fmt::format("{} has no channel {}", tree->name(), printable(channel.name)));
    FARDEL_TRY_ASSIGN(const ChannelUpdate update, ChannelUpdate::begin(there->files, now));
    FARDEL_TRY_ASSIGN(ChannelStatus status, status_of(update));
    if (status.release)
        FARDEL_TRY(check_bundles(*tree, *status.release, status.problems));
    FARDEL_TRY(check_newer(*tree, update, status));
    return status;
}

// As a client that has only that root.
Result<ChannelStatus> ask_server(const ChannelAddress& channel, UnixTime now, std::stop_token stop) {
    ChannelFiles files;
    FARDEL_TRY_ASSIGN(const ChannelRoot root, read_root_file(channel.root, &files.root));
    if (root.channel != channel.name)
        return Error(ErrorCode::untrusted,
                     fmt::format("{} is the root of channel {}, not of {}", printable(channel.root),
                                 printable(root.channel), printable(channel.name)));
    FARDEL_TRY_ASSIGN(
        auto followed,
        follow_channel(std::move(files),
                       {.trees = {channel.address}, .now = now, .connections = {}, .stop = std::move(stop)}));
    FARDEL_TRY_ASSIGN(ChannelStatus status, status_of(followed.update));
    if (followed.failure)
        status.problems.push_back(*followed.failure);
    return status;
}

// ---- Dates ----------------------------------------------------------------------------------------------------------

void check_date(std::string_view what, UnixTime expires, std::uint64_t soon_s, UnixTime now, std::string_view advice,
                ChannelStatus& status) {
    if (expires <= now)
        status.problems.emplace_back(ErrorCode::expired,
                                     fmt::format("the {} expired on {}; {}", what, format_date(expires), advice));
    else if (expires - now < soon_s)
        status.warnings.push_back(fmt::format("the {} expires on {}; {}", what, format_date(expires), advice));
}

void check_dates(ChannelStatus& status, UnixTime now) {
    check_date("root", status.root.expires, kRootSoonSeconds, now, "make the next one: fardel channel rotate", status);
    if (status.head)
        check_date("head", status.head->expires, kHeadSoonSeconds, now, "renew it: fardel channel head", status);
    else
        status.problems.emplace_back(ErrorCode::missing, "there is no head: clients see no release");
}

// Texts that were signed while a clock ran ahead, or that this computer, whose clock is behind, takes for such.
void check_dates_ahead(ChannelStatus& status, UnixTime now) {
    const auto check = [&](ChannelText kind, const auto& text) {
        if (auto ahead = describe_ahead(kind, text.channel, text.version, text.created, now))
            status.warnings.push_back(*std::move(ahead));
    };
    check(ChannelText::root, status.root);
    if (status.release)
        check(ChannelText::release, *status.release);
    if (Status ready = verify_not_behind(status.head, now, kHeadDays * kDaySeconds); !ready)
        status.problems.push_back(std::move(ready).error());
    else if (status.head)
        check(ChannelText::head, *status.head);
}

void check_numbers(ChannelStatus& status) {
    const auto check = [&](ChannelText kind, std::uint64_t version) {
        if (Status left = verify_number_left(kind, version, status.root); !left)
            status.problems.push_back(std::move(left).error());
    };
    if (status.head)
        check(ChannelText::head, status.head->version);
    if (status.release)
        check(ChannelText::release, status.release->version);
}

}  // namespace

Result<ChannelStatus> read_channel_status(const ChannelAddress& channel, UnixTime now, std::stop_token stop) {
    FARDEL_TRY_ASSIGN(ChannelStatus status, channel.root.empty() ? look_into_tree(channel, now, std::move(stop))
                                                                 : ask_server(channel, now, std::move(stop)));
    check_dates(status, now);
    check_dates_ahead(status, now);
    check_numbers(status);
    return status;
}

}  // namespace fardel
