// fardel channel sign: adds one signature to a text of a channel, on a machine that needs no network.

#include "channel/channel_file.h"
#include "channel/channel_verbs.h"
#include "channel/tree_channel.h"
#include "console/clock.h"
#include "console/figures.h"
#include "console/json.h"
#include "console/signing_key.h"

#include <fardel/format/name.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace fardel {
namespace {

struct SignCommand {
    std::string path;
    SigningKey key;
    bool json = false;
};

// Anybody may sign a text; whether it counts is found out only when it is published.
Status remark_signer(const ChannelFile& file, const PublicKey& key, Console& console) {
    if (file.kind != ChannelText::root)
        return ok();  // the root says whose signatures count, and it is not here
    FARDEL_TRY_ASSIGN(const ChannelRoot root, parse_channel_root(file.text.body));
    const auto keys = root.keys_of(root.root);
    if (std::ranges::find(keys, key) == keys.end())
        console.say(
            fmt::format("fardel: this is none of the root keys of {} ({}); it counts only if it was one of the "
                        "root before",
                        title_of(file), fmt::join(root.root.labels, ", ")));
    return ok();
}

Result<Exit> sign(const SignCommand& command, Console& console) {
    FARDEL_TRY_ASSIGN(ChannelFile file, read_channel_file(command.path));
    FARDEL_TRY_ASSIGN(const auto signer, open_signer(command.key));
    if (Status added = sign_text(file.kind, file.text, *signer); !added)
        return std::move(added).error().with_context(printable(command.path));
    FARDEL_TRY_ASSIGN(const UnixTime now, creation_time());
    remark_date(file, now, console);
    FARDEL_TRY(remark_signer(file, signer->public_key(), console));
    FARDEL_TRY(write_channel_file(command.path, file));
    const PublicKey key = signer->public_key();
    return print_result(
        console, command.json,
        [&] {
            return Json{{"file", command.path},    {"text", channel_text_name(file.kind)},
                        {"channel", file.channel}, {"version", file.version},
                        {"key", key.hex()},        {"signatures", file.text.signatures.size()}};
        },
        [&] {
            return fmt::format("signed {}: {}\n  key  {}\n  it has {} now\n", printable(command.path), title_of(file),
                               key.hex(), format_count(file.text.signatures.size(), "signature", "signatures"));
        });
}

}  // namespace

Result<Exit> run_channel_sign(Words words, Console& console) {
    CommandLine line("channel sign", "TEXT --key KEY [--signer PROGRAM] [--json]",
                     "Adds a signature to a root, release or head that is in a file. "
                     "Nothing else in it changes. Look at the text before: you vouch for all of it.",
                     "  fardel channel sign 1.root --key a.key\n"
                     "  fardel channel sign 1.root --key b.key.pub --signer ./my-token\n");
    SignCommand command;
    line.text("TEXT", "TEXT", command.path, "The file of the text").required();
    add_signing_options(line, command.key).required();
    line.json(command.json);
    return line.run(words, console, [&] { return sign(command, console); });
}

}  // namespace fardel
