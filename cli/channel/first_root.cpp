#include "channel/first_root.h"

#include "console/question.h"

#include <fardel/delivery/first_contact.h>
#include <fardel/format/ids.h>
#include <fardel/format/printable.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

namespace fardel {
namespace {

// That a channel is missing, with those that are there, if the tree says so.
Error name_channels(Error missing, const ServerList& servers, const std::stop_token& stop) {
    const auto channels = fetch_channel_list(servers, stop);
    if (!channels || channels->empty())
        return missing;
    return Error(missing.code(), fmt::format("{}; channels there: {}", missing.message(), fmt::join(*channels, ", ")));
}

}  // namespace

Result<std::string> find_only_channel(const ServerList& servers, const std::stop_token& stop) {
    auto channels = fetch_channel_list(servers, stop);
    if (!channels && channels.error().code() == ErrorCode::missing)
        return Error(ErrorCode::missing,
                     fmt::format("{}; so the tree does not say which channels it has: name one with --channel, or "
                                 "check the address",
                                 channels.error().message()));
    if (!channels)
        return std::move(channels).error();
    if (channels->size() != 1)
        return Error(ErrorCode::conflict, channels->empty()
                                              ? "the tree has no channel"
                                              : fmt::format("the tree has {} channels: {}; name one with --channel",
                                                            channels->size(), fmt::join(*channels, ", ")));
    return std::move(channels->front());
}

Status meet_channel(const BundleStore& store, const ServerList& servers, const std::string& fingerprint, bool may_ask,
                    ChannelSubject& subject, const std::stop_token& stop, Console& console) {
    if (!subject.root.empty())
        return ok();
    const auto accepted = accepted_channel(store, subject);
    const bool is_new = !accepted && accepted.error().code() == ErrorCode::missing;
    if (fingerprint.empty() && !is_new)
        return ok();  // whatever else is wrong, its update says
    auto fetched = fetch_first_root(servers, subject.name, stop);
    if (!fetched && fetched.error().code() == ErrorCode::missing)
        return name_channels(std::move(fetched).error(), servers, stop);
    FARDEL_TRY_ASSIGN(std::string root, std::move(fetched));
    const std::string found = root_fingerprint(root).hex();
    if (!fingerprint.empty() && fingerprint != found)
        return Error(ErrorCode::untrusted, fmt::format("the root of channel {} there has the fingerprint {}, not the "
                                                       "one that was given; nothing was accepted",
                                                       printable(subject.name), found));
    if (fingerprint.empty() && (!may_ask || !can_ask()))
        return Error(ErrorCode::untrusted,
                     fmt::format("channel {} was never followed here; its root there has the fingerprint {}: if its "
                                 "owner says the same, give it with --fingerprint, or the file of the root with --root",
                                 printable(subject.name), found));
    if (fingerprint.empty()) {
        FARDEL_TRY(
            console.write(fmt::format("Channel {} was never followed here. The fingerprint of its root is\n"
                                      "  {}\n"
                                      "Its owner says what it has to be. From now on, only what the keys of "
                                      "this root have signed counts.\n",
                                      printable(subject.name), found)));
        FARDEL_TRY_ASSIGN(const bool agreed, ask_carefully("Trust this channel?", console));
        if (!agreed)
            return Error(ErrorCode::cancelled, "the channel was refused; nothing was accepted");
    }
    subject.root = std::move(root);
    return ok();
}

}  // namespace fardel
