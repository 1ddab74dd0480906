#include "channel/tree_channel.h"

#include "bundles/tree_option.h"

#include <fardel/format/name.h>
#include <fardel/hosting/channel_dates.h>

#include <fmt/format.h>

#include <utility>

namespace fardel {

void add_make_options(CommandLine& line, MakeOptions& options) {
    line.text("--channel", "NAME", options.channel, "The name of the channel, such as mygame/stable").required();
    add_signing_options(line, options.key);
    line.text("-o,--output", "TEXT", options.out,
              "Write the text to this file instead, for others to sign: 'fardel channel sign', then 'publish'");
    line.json(options.json);
}

Result<TreeChannel> open_tree_channel(const std::string& address, const MakeOptions& options, UnixTime now,
                                      std::stop_token stop) {
    FARDEL_TRY_ASSIGN(auto tree, open_tree(address, "", std::move(stop)));
    FARDEL_TRY_ASSIGN(auto there, read_channel(*tree, options.channel));
    if (!there)
        return Error(ErrorCode::missing,
                     fmt::format("{} has no channel {}; publish its first root with 'fardel channel publish'",
                                 tree->name(), printable(options.channel)));
    FARDEL_TRY_ASSIGN(ChannelUpdate update, begin_in_tree(std::move(there->files), now));
    return TreeChannel{.tree = std::move(tree), .update = std::move(update)};
}

void remark_dates(const ChannelUpdate& update, UnixTime now, Console& console) {
    const auto remark = [&](ChannelText kind, const auto& text) {
        if (!text)
            return;
        if (const auto ahead = describe_ahead(kind, text->channel, text->version, text->created, now))
            console.say("fardel: " + *ahead);
    };
    remark(ChannelText::head, update.head());
    remark(ChannelText::release, update.release());
}

void remark_date(const ChannelFile& file, UnixTime now, Console& console) {
    if (const auto ahead = describe_ahead(file.kind, file.text.body, now))
        console.say("fardel: " + *ahead + "; is one of the clocks wrong?");
}

Status publish_text(TreeTarget& tree, const ChannelFile& file, UnixTime now) {
    const std::string text = format_signed_text(file.text);
    switch (file.kind) {
        case ChannelText::root: return publish_channel_root(tree, text, now);
        case ChannelText::release: return publish_channel_release(tree, text, now);
        case ChannelText::head: break;
    }
    return publish_channel_head(tree, text, now);
}

Status sign_and_put(ChannelFile& file, const MakeOptions& options, TreeTarget& tree, UnixTime now) {
    if (!options.key.key_path.empty()) {
        FARDEL_TRY_ASSIGN(const auto signer, open_signer(options.key));
        FARDEL_TRY(sign_text(file.kind, file.text, *signer));
    }
    if (!options.out.empty())
        return write_channel_file(options.out, file);
    return publish_text(tree, file, now);
}

std::string format_made(const ChannelFile& file, const MakeOptions& options) {
    if (options.out.empty())
        return fmt::format("published {}\n", title_of(file));
    return fmt::format("wrote {}: {}\nnext: fardel channel sign {} --key KEY, then fardel channel publish {} TREE\n",
                       printable(options.out), title_of(file), printable(options.out), printable(options.out));
}

}  // namespace fardel
