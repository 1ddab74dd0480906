// fardel channel: makes, signs, publishes and shows the texts of a channel. Its sub-verbs are in channel/.

#include "channel/channel_verbs.h"
#include "verbs.h"

namespace fardel {
namespace {

constexpr std::string_view kChannelHelp =
    "Usage: fardel channel init|sign|publish|release|head|rotate|status ...\n"
    "\n"
    "A channel says which bundles are current, and which are recalled: small signed texts in a static tree.\n"
    "\n"
    "  init NAME -o ROOT         make the first root: who may sign what\n"
    "  sign TEXT --key KEY       add a signature to a root, release or head, offline\n"
    "  publish TEXT... TREE      put signed texts into a tree\n"
    "  release BUNDLE... TREE    make the next release: what is current, and what is recalled\n"
    "  head TREE                 point clients to the newest release, for some days\n"
    "  rotate ROOT -o NEXT       make the next root: other keys, thresholds or rules\n"
    "  status TREE|URL           show what is there, who signed it, and what is wrong\n"
    "\n"
    "Examples:\n"
    "  fardel channel init mygame/stable --root root.key.pub --release release.key.pub --head head.key.pub -o 1.root\n"
    "  fardel channel status /srv/www/mygame --channel mygame/stable\n\n"
    "Players follow a channel with 'fardel fetch --channel'. 'fardel channel init --help' explains one sub-verb. "
    "More: man fardel-channel\n";

}  // namespace

Result<Exit> run_channel(Words words, Console& console) {
    static constexpr SubVerb kVerbs[] = {{"init", run_channel_init},       {"sign", run_channel_sign},
                                         {"publish", run_channel_publish}, {"release", run_channel_release},
                                         {"head", run_channel_head},       {"rotate", run_channel_rotate},
                                         {"status", run_channel_status}};
    return run_sub_verb("channel", kVerbs, kChannelHelp, words, console);
}

}  // namespace fardel
