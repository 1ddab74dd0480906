// The head of a channel. docs/channels.md, "The texts".
#include "channel_lines.h"

#include <fardel/base/text_fields.h>
#include <fardel/format/channel.h>

#include <algorithm>

namespace fardel {
namespace {

Status verify_head(const ChannelHead& head) {
    FARDEL_TRY(verify_channel_name(head.channel));
    if (std::min({head.version, head.root_version, head.release_version, head.release_bytes}) < 1 ||
        std::max({head.version, head.root_version, head.release_version, head.release_bytes, head.expires.seconds}) >
            kChannelNumberMax)
        return Error(ErrorCode::malformed, "channel head: a number is not from 1 to 2^53-1");
    if (head.created >= head.expires || head.expires - head.created > kChannelHeadLifeMaxSeconds)
        return Error(ErrorCode::malformed, "channel head: it lives longer than 30 days, or ends before it begins");
    return ok();
}

}  // namespace

Result<ChannelHead> parse_channel_head(std::string_view body) {
    FARDEL_TRY_ASSIGN(ChannelLines lines, ChannelLines::open(ChannelText::head, body));
    ChannelHead head;
    FARDEL_TRY_ASSIGN(head.channel, lines.read_field("channel"));
    FARDEL_TRY_ASSIGN(head.version, lines.read_number("version", 1));
    FARDEL_TRY_ASSIGN(head.created.seconds, lines.read_number("created"));
    FARDEL_TRY_ASSIGN(head.expires.seconds, lines.read_number("expires", 1));
    FARDEL_TRY_ASSIGN(head.root_version, lines.read_number("root", 1));
    FARDEL_TRY_ASSIGN(std::string_view release, lines.read_field("release"));
    const auto version = parse_decimal(read_until(release, ' '), kChannelNumberMax);
    const auto bytes = parse_decimal(read_until(release, ' '), kChannelNumberMax);
    const auto hash = Hash::parse(release);
    if (!version || !bytes || !hash)
        return lines.bad_line("expected \"release VERSION BYTES HASH\"");
    head.release_version = *version;
    head.release_bytes = *bytes;
    head.release_hash = *hash;
    FARDEL_TRY(lines.finish());
    FARDEL_TRY(verify_head(head));
    return head;
}

Result<std::string> format_channel_head(const ChannelHead& head) {
    FARDEL_TRY(verify_head(head));
    std::string text = channel_title(ChannelText::head) + "\n";
    append_line(text, "channel", head.channel);
    append_line(text, "version", head.version);
    append_line(text, "created", head.created.seconds);
    append_line(text, "expires", head.expires.seconds);
    append_line(text, "root", head.root_version);
    append_line(text, "release",
                std::to_string(head.release_version) + " " + std::to_string(head.release_bytes) + " " +
                    head.release_hash.hex());
    return text;
}

}  // namespace fardel
