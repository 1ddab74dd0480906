// The release of a channel. docs/channels.md, "The texts".
#include "channel_lines.h"

#include <fardel/base/text_fields.h>
#include <fardel/format/channel.h>
#include <fardel/format/printable.h>

#include <algorithm>
#include <tuple>

namespace fardel {
namespace {

constexpr std::string_view kBundleRecall = "recall bundle";
constexpr std::string_view kKeyRecall = "recall key";

Result<ReleasedBundle> parse_bundle_line(std::string_view text, const ChannelLines& lines) {
    ReleasedBundle released;
    const auto bundle = BundleId::parse(read_until(text, ' '));
    const auto file_bytes = parse_decimal(read_until(text, ' '), kChannelNumberMax);
    const auto epoch = parse_decimal(read_until(text, ' '), kChannelNumberMax);
    auto version = BundleVersion::parse(read_until(text, ' '));
    if (!bundle || !file_bytes || !epoch || !version || version->empty())
        return lines.bad_line("expected \"bundle ID BYTES EPOCH VERSION NAME\"");
    if (const Status named = verify_name(text); !named)
        return lines.bad_line(named.error().message());
    return ReleasedBundle{*bundle, *file_bytes, *epoch, std::move(*version), std::string(text)};
}

template <class Id>
Status read_recalls(ChannelLines& lines, std::string_view word, std::vector<Revocation<Id>>& list) {
    while (lines.is_next(word)) {
        FARDEL_TRY_ASSIGN(std::string_view text, lines.read_field(word));
        const auto id = Id::parse(read_until(text, ' '));
        if (!id)
            return lines.bad_line("expected \"" + std::string(word) + " ID REASON\"");
        list.push_back({*id, std::string(text)});
    }
    return ok();
}

template <class Id>
Status verify_recalls(const std::vector<Revocation<Id>>& list) {
    if (list.size() > kChannelRecallsMax)
        return Error(ErrorCode::limit,
                     "channel release: more than " + std::to_string(kChannelRecallsMax) + " recalls of one kind");
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (i > 0 && !(list[i - 1].id < list[i].id))
            return Error(ErrorCode::malformed, "channel release: recalls are not sorted, or one stands twice");
        if (list[i].reason.empty() || list[i].reason.size() > kChannelReasonBytesMax ||
            printable(list[i].reason, kChannelReasonBytesMax) != list[i].reason)
            return Error(ErrorCode::malformed,
                         "channel release: a recall has a reason, which is plain text of at most " +
                             std::to_string(kChannelReasonBytesMax) + " bytes");
    }
    return ok();
}

auto order_of(const ReleasedBundle& released) { return std::tie(released.name, released.version.text()); }

Status verify_release(const ChannelRelease& release) {
    FARDEL_TRY(verify_channel_name(release.channel));
    if (release.version < 1 || std::max({release.version, release.epoch, release.created.seconds}) > kChannelNumberMax)
        return Error(ErrorCode::malformed, "channel release: a number is not from 1 to 2^53-1");
    if (release.bundles.size() > kChannelReleasedBundlesMax)
        return Error(ErrorCode::limit,
                     "channel release: more than " + std::to_string(kChannelReleasedBundlesMax) + " bundles");
    for (std::size_t i = 0; i < release.bundles.size(); ++i) {
        FARDEL_TRY(verify_name(release.bundles[i].name));
        if (release.bundles[i].version.empty() ||
            std::max(release.bundles[i].file_bytes, release.bundles[i].epoch) > kChannelNumberMax)
            return Error(ErrorCode::malformed, "channel release: " + in_quotes(release.bundles[i].name) +
                                                   " has no version, or a number above 2^53-1");
        if (i > 0 && !(order_of(release.bundles[i - 1]) < order_of(release.bundles[i])))
            return Error(ErrorCode::malformed, "channel release: bundles are not sorted by name and version, or " +
                                                   in_quotes(release.bundles[i].name) + " stands twice in one version");
    }
    FARDEL_TRY(verify_recalls(release.recalled_bundles));
    return verify_recalls(release.recalled_keys);
}

template <class Id>
void append_recalls(std::string& text, std::string_view word, const std::vector<Revocation<Id>>& list) {
    for (const Revocation<Id>& recall : list)
        append_line(text, word, recall.id.hex() + " " + recall.reason);
}

}  // namespace

Result<ChannelRelease> parse_channel_release(std::string_view body) {
    FARDEL_TRY_ASSIGN(ChannelLines lines, ChannelLines::open(ChannelText::release, body));
    ChannelRelease release;
    FARDEL_TRY_ASSIGN(release.channel, lines.read_field("channel"));
    FARDEL_TRY_ASSIGN(release.version, lines.read_number("version", 1));
    FARDEL_TRY_ASSIGN(release.epoch, lines.read_number("epoch"));
    FARDEL_TRY_ASSIGN(release.created.seconds, lines.read_number("created"));
    while (lines.is_next("bundle")) {
        FARDEL_TRY_ASSIGN(const std::string_view text, lines.read_field("bundle"));
        FARDEL_TRY_ASSIGN(ReleasedBundle released, parse_bundle_line(text, lines));
        release.bundles.push_back(std::move(released));
    }
    FARDEL_TRY(read_recalls(lines, kBundleRecall, release.recalled_bundles));
    FARDEL_TRY(read_recalls(lines, kKeyRecall, release.recalled_keys));
    FARDEL_TRY(lines.finish());
    FARDEL_TRY(verify_release(release));
    return release;
}

Result<std::string> format_channel_release(const ChannelRelease& release) {
    FARDEL_TRY(verify_release(release));
    std::string text = channel_title(ChannelText::release) + "\n";
    append_line(text, "channel", release.channel);
    append_line(text, "version", release.version);
    append_line(text, "epoch", release.epoch);
    append_line(text, "created", release.created.seconds);
    for (const ReleasedBundle& released : release.bundles)
        append_line(text, "bundle",
                    released.bundle.hex() + " " + std::to_string(released.file_bytes) + " " +
                        std::to_string(released.epoch) + " " + released.version.text() + " " + released.name);
    append_recalls(text, kBundleRecall, release.recalled_bundles);
    append_recalls(text, kKeyRecall, release.recalled_keys);
    if (text.size() > channel_body_bytes_max(ChannelText::release))
        return Error(ErrorCode::limit, "channel release: more than " +
                                           std::to_string(channel_body_bytes_max(ChannelText::release)) + " bytes");
    return text;
}

std::optional<std::string> describe_older(const ReleasedBundle& added, std::span<const ReleasedBundle> there,
                                          std::string_view where) {
    const ReleasedBundle* newest = nullptr;
    for (const ReleasedBundle& one : there)
        if (one.name == added.name && one.bundle != added.bundle &&
            (newest == nullptr || compare_builds(newest->version, one.version) < 0))
            newest = &one;
    return newest == nullptr ? std::nullopt : describe_older(added.name, added.version, newest->version, where);
}

}  // namespace fardel
