// fardel channel publish: puts texts that are signed into a tree.

#include "bundles/tree_option.h"
#include "channel/channel_verbs.h"
#include "channel/tree_channel.h"
#include "console/clock.h"
#include "console/figures.h"
#include "console/json.h"

#include <fardel/base/interrupt.h>
#include <fardel/delivery/first_contact.h>
#include <fardel/format/name.h>

#include <fmt/format.h>

namespace fardel {
namespace {

struct ChannelPublishCommand {
    std::vector<std::string> words;  // files, then the address of the tree
    bool json = false;
};

Result<Exit> publish_to_channel(const ChannelPublishCommand& command, Console& console) {
    const Interrupt interrupt;
    FARDEL_TRY_ASSIGN(const UnixTime now, creation_time());
    FARDEL_TRY_ASSIGN(const auto tree, open_tree(command.words.back(), "", interrupt.token()));
    std::vector<ChannelFile> files;
    for (const std::string& path : std::span(command.words).first(command.words.size() - 1)) {
        FARDEL_TRY_ASSIGN(files.emplace_back(), read_channel_file(path));
        if (files.back().text.signatures.empty())
            return Error(ErrorCode::untrusted,
                         fmt::format("{}: nobody has signed it; 'fardel channel sign' does so", printable(path)));
        remark_date(files.back(), now, console);
        if (Status put = publish_text(*tree, files.back(), now); !put)
            return std::move(put).error().with_context(printable(path));
    }
    return print_result(
        console, command.json,
        [&] {
            return Json{{"tree", command.words.back()}, {"published", json_list(files, [](const ChannelFile& file) {
                                                             return Json{{"text", channel_text_name(file.kind)},
                                                                         {"channel", file.channel},
                                                                         {"version", file.version}};
                                                         })}};
        },
        [&] {
            return format_each(files, [](const ChannelFile& file) {
                std::string text = fmt::format("published {}\n", title_of(file));
                if (file.kind == ChannelText::root && file.version == 1)  // for players who begin with it
                    text += fmt::format("  its fingerprint, for players who have the address alone: {}\n",
                                        root_fingerprint(format_signed_text(file.text)).hex());
                return text;
            });
        });
}

}  // namespace

Result<Exit> run_channel_publish(Words words, Console& console) {
    CommandLine line("channel publish", "TEXT... TREE [--json]",
                     "Puts signed roots, releases and heads into a tree. "
                     "Nothing is published that clients would refuse.",
                     "  fardel channel publish 1.root /srv/www/mygame\n");
    ChannelPublishCommand command;
    line.texts("TEXT", "TEXT", command.words,
               "The files of the texts; the last word is TREE: " + std::string(kTreeHelp))
        .required();
    line.json(command.json);
    if (const auto over = line.parse(words, console))
        return *over;
    if (command.words.size() < 2)
        return line.mistake("name at least one text, and the tree", console);
    return publish_to_channel(command, console);
}

}  // namespace fardel
