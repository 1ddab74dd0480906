// A channel in the tree that a verb changes, and the options that name both.
#pragma once

#include "channel/channel_file.h"
#include "console/command_line.h"
#include "console/console.h"
#include "console/signing_key.h"

#include <fardel/base/result.h>
#include <fardel/format/channel_update.h>
#include <fardel/hosting/channel_tree.h>

#include <memory>
#include <stop_token>
#include <string>

namespace fardel {

// What the verbs that make a release or a head have in common.
struct MakeOptions {
    std::string channel;
    SigningKey key;
    std::string out;  // empty: into the tree
    bool json = false;
};
void add_make_options(CommandLine& line, MakeOptions& options);

struct TreeChannel {
    std::unique_ptr<TreeTarget> tree;
    ChannelUpdate update;  // what the tree's newest root and head say
};
// Errors: those of open_tree, read_channel and begin_in_tree; missing (no such channel).
Result<TreeChannel> open_tree_channel(const std::string& address, const MakeOptions& options, UnixTime now,
                                      std::stop_token stop);

// Says which texts are dated ahead of the clock: the tree's newest ones, or one that is at hand.
void remark_dates(const ChannelUpdate& update, UnixTime now, Console& console);
void remark_date(const ChannelFile& file, UnixTime now, Console& console);

// Puts a signed text into the tree, by the rules of a client.
Status publish_text(TreeTarget& tree, const ChannelFile& file, UnixTime now);

// Signs the text if a key is given; then writes it to the file, or else publishes it. Errors: those of open_signer,
// sign_text and publish_text.
Status sign_and_put(ChannelFile& file, const MakeOptions& options, TreeTarget& tree, UnixTime now);

// "published release 3 of mygame/stable", or where it was written and what comes next.
std::string format_made(const ChannelFile& file, const MakeOptions& options);

}  // namespace fardel
