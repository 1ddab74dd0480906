// fardel channel init: the first root of a channel, a text that is then signed with 'fardel channel sign'.

#include "channel/channel_file.h"
#include "channel/channel_verbs.h"
#include "channel/root_text.h"
#include "console/clock.h"
#include "console/labelled_keys.h"
#include "console/output_file.h"

#include <fardel/base/random.h>
#include <fardel/delivery/tree_paths.h>
#include <fardel/format/name.h>
#include <fardel/hosting/channel_tree.h>

namespace fardel {
namespace {

struct ChannelInitCommand {
    std::string name;
    std::string out;
    std::vector<std::string> root, release, head;  // public key files
    std::uint64_t root_threshold = 1, release_threshold = 1, head_threshold = 1;
    std::string policy;  // empty: the release keys alone vouch for bundles
    std::uint64_t days = 365;
    bool json = false;
};

Result<Exit> init_channel(const ChannelInitCommand& command, Console& console) {
    ChannelRoot root;
    root.channel = command.name;
    if (!is_tree_path(channel_release_path(command.name, Hash())))
        return Error(ErrorCode::malformed, printable(command.name) +
                                               ": the name of a channel has at most 118 characters, of a-z, 0-9, . "
                                               "_ - and /, and no part of it begins with a dot");
    fill_random(std::as_writable_bytes(std::span(root.id.bytes)));
    FARDEL_TRY_ASSIGN(root.created, creation_time());
    root.expires = root.created + command.days * kDaySeconds;
    if (!command.policy.empty()) {
        FARDEL_TRY_ASSIGN(const TrustPolicy policy, read_trust_policy(command.policy));
        root.trust = policy.rules();
    }
    KeyReader reader(root.trust.keys);
    FARDEL_TRY_ASSIGN(root.root, read_role(reader, command.root, command.root_threshold));
    FARDEL_TRY_ASSIGN(root.release, read_role(reader, command.release, command.release_threshold));
    FARDEL_TRY_ASSIGN(root.head, read_role(reader, command.head, command.head_threshold));
    root.trust.keys = reader.all();
    FARDEL_TRY(verify_new_file(command.out, "; choose another name for the root"));
    return write_root(std::move(root), command.out, command.json, console);
}

}  // namespace

Result<Exit> run_channel_init(Words words, Console& console) {
    CommandLine line(
        "channel init", "NAME --root KEY.pub... --release KEY.pub... --head KEY.pub... -o ROOT [options]",
        "Writes the first root of a channel: a text that says which keys sign what, and whose bundles count. "
        "Its root keys sign it with 'fardel channel sign'.",
        "  fardel channel init mygame/stable --root a.key.pub --root b.key.pub --root c.key.pub --root-threshold 2 "
        "--release release.key.pub --head head.key.pub --trust authors.trust -o 1.root\n");
    ChannelInitCommand command;
    line.text("NAME", "NAME", command.name, "The name of the channel, such as mygame/stable").required();
    line.texts("--root", "KEY.pub", command.root, "A root key, which is kept offline; may be repeated").required();
    line.texts("--release", "KEY.pub", command.release, "A key that signs releases; may be repeated").required();
    line.texts("--head", "KEY.pub", command.head, "A key that signs heads, kept online; may be repeated").required();
    line.number("--root-threshold", command.root_threshold, 1, 16, "So many root keys must sign (default: 1)");
    line.number("--release-threshold", command.release_threshold, 1, 16, "So many release keys (default: 1)");
    line.number("--head-threshold", command.head_threshold, 1, 16, "So many head keys (default: 1)");
    line.text("--trust", "POLICY", command.policy,
              "A trust policy: the bundles of the channel need the signatures that its rules require (default: "
              "the release keys alone vouch for bundles)");
    line.number("--days", command.days, 1, 3660, "The root expires after so many days (default: 365)");
    line.text("-o,--output", "ROOT", command.out, "The file to write").required();
    line.json(command.json);
    return line.run(words, console, [&] { return init_channel(command, console); });
}

}  // namespace fardel
