// The first time that a channel is followed, when its user has the address of a tree and no root: the channel is found,
// and its root is shown by its fingerprint and asked about once, as ssh asks about hosts.
#pragma once

#include "channel/followed_channel.h"
#include "console/console.h"

#include <fardel/base/result.h>
#include <fardel/delivery/channel_follow.h>
#include <fardel/http/server_list.h>
#include <fardel/store/bundle_store.h>

#include <stop_token>
#include <string>

namespace fardel {

// The one channel of the tree. Errors: missing (the tree has no list of its channels), conflict (it has several), those
// of the servers.
Result<std::string> find_only_channel(const ServerList& servers, const std::stop_token& stop);

// Gives the subject its root, unless it has one or the channel is followed here already. `fingerprint`: of the root
// that the user knows to be right; empty: a person at the terminal is asked, if `may_ask`. An Interrupt must exist.
// Errors: untrusted (another fingerprint, or nobody can be asked), cancelled (the person refuses), those of the
// servers.
Status meet_channel(const BundleStore& store, const ServerList& servers, const std::string& fingerprint, bool may_ask,
                    ChannelSubject& subject, const std::stop_token& stop, Console& console);

}  // namespace fardel
