// The root of a channel. docs/channels.md, "The texts".
#include "channel_lines.h"

#include <fardel/base/text_fields.h>
#include <fardel/format/channel.h>
#include <fardel/format/limits.h>
#include <fardel/format/printable.h>

#include <algorithm>
#include <array>

namespace fardel {
namespace {

constexpr std::array kRoles{ChannelText::root, ChannelText::release, ChannelText::head};

ChannelRole& role_of(ChannelRoot& root, ChannelText text) {
    return text == ChannelText::root ? root.root : text == ChannelText::release ? root.release : root.head;
}

// "role release 1 alice,bob": what follows the word `role`.
Status parse_role_line(std::string_view text, ChannelText expected, const ChannelLines& lines, ChannelRole& role) {
    const std::string_view name = read_until(text, ' ');
    const auto threshold = parse_decimal(read_until(text, ' '), limits::kSignaturesMax);
    if (name != channel_text_name(expected) || !threshold)
        return lines.bad_line("expected \"role " + std::string(channel_text_name(expected)) + " NUMBER LABEL,…\"");
    role.threshold = static_cast<std::uint32_t>(*threshold);
    for (const std::string_view label : split_text(text, ','))
        role.labels.emplace_back(label);
    return ok();
}

Status verify_role(const ChannelRoot& root, ChannelText text) {
    const ChannelRole& role = root.role(text);
    const std::string name = "role " + std::string(channel_text_name(text));
    const auto is_known = [&](const std::string& label) {
        return std::ranges::find(root.trust.keys, label, &PolicyKey::label) != root.trust.keys.end();
    };
    if (role.labels.size() > limits::kSignaturesMax)
        return Error(ErrorCode::limit, name + ": more than " + std::to_string(limits::kSignaturesMax) + " keys");
    for (const std::string& label : role.labels)
        if (!is_known(label))
            return Error(ErrorCode::malformed, name + ": no key has the label " + in_quotes(label));
    auto keys = root.keys_of(role);
    // One key under two labels would meet a threshold of two alone.
    if (std::ranges::adjacent_find(keys) != keys.end())
        return Error(ErrorCode::malformed, name + ": a key stands twice");
    if (role.threshold < 1 || role.threshold > keys.size())
        return Error(ErrorCode::malformed, name + ": " + std::to_string(role.threshold) + " of " +
                                               std::to_string(keys.size()) + " keys can never have signed");
    return ok();
}

Status verify_root(const ChannelRoot& root) {
    FARDEL_TRY(verify_channel_name(root.channel));
    if (root.version < 1 || root.version > kChannelNumberMax || root.expires.seconds > kChannelNumberMax ||
        root.created >= root.expires)
        return Error(ErrorCode::malformed,
                     "channel root: the version is not from 1 to 2^53-1, or it ends before it begins");
    if (root.trust.unsigned_allowed || root.trust.expired_content_allowed || root.trust.unlicensed_allowed)
        return Error(ErrorCode::malformed,
                     "channel root: a channel cannot allow what is unsigned, expired or unlicensed");
    for (const ChannelText text : kRoles)
        FARDEL_TRY(verify_role(root, text));
    return ok();
}

}  // namespace

const ChannelRole& ChannelRoot::role(ChannelText text) const noexcept {
    return text == ChannelText::root ? root : text == ChannelText::release ? release : head;
}

std::vector<PublicKey> ChannelRoot::keys_of(const ChannelRole& role) const {
    std::vector<PublicKey> keys;
    for (const PolicyKey& known : trust.keys)
        keys.insert(keys.end(), static_cast<std::size_t>(std::ranges::count(role.labels, known.label)), known.key);
    std::ranges::sort(keys);
    return keys;
}

Result<ChannelRoot> parse_channel_root(std::string_view body) {
    FARDEL_TRY_ASSIGN(ChannelLines lines, ChannelLines::open(ChannelText::root, body));
    ChannelRoot root;
    FARDEL_TRY_ASSIGN(root.channel, lines.read_field("channel"));
    FARDEL_TRY_ASSIGN(const std::string_view id, lines.read_field("id"));
    const auto parsed_id = Hash::parse(id);
    if (!parsed_id)
        return lines.bad_line("an id has 64 digits");
    root.id = *parsed_id;
    FARDEL_TRY_ASSIGN(root.version, lines.read_number("version", 1));
    FARDEL_TRY_ASSIGN(root.created.seconds, lines.read_number("created"));
    FARDEL_TRY_ASSIGN(root.expires.seconds, lines.read_number("expires", 1));
    // The other lines are those of a trust policy, with the same numbers, so that its errors name the right line.
    std::string policy = "fardel-trust 1\n" + std::string(lines.number() - 1, '\n');
    std::size_t roles = 0;
    while (!lines.empty()) {
        if (lines.is_next("role") && roles < kRoles.size()) {
            FARDEL_TRY_ASSIGN(const std::string_view text, lines.read_field("role"));
            FARDEL_TRY(parse_role_line(text, kRoles[roles], lines, role_of(root, kRoles[roles])));
            ++roles;
            policy += '\n';
        } else {
            policy.append(lines.read_line()).append("\n");
        }
    }
    FARDEL_TRY_ASSIGN(const TrustPolicy trust, TrustPolicy::parse(policy));
    root.trust = trust.rules();
    FARDEL_TRY(verify_root(root));
    // One body for one value: order, comments and empty lines are no matter of taste.
    FARDEL_TRY_ASSIGN(const std::string own, format_channel_root(root));
    if (own != body)
        return Error(ErrorCode::malformed, "channel root: its lines are not in the order that docs/channels.md gives");
    return root;
}

Result<std::string> format_channel_root(const ChannelRoot& root) {
    FARDEL_TRY(verify_root(root));
    FARDEL_TRY_ASSIGN(const TrustPolicy trust, TrustPolicy::make(root.trust));
    std::string text = channel_title(ChannelText::root) + "\n";
    append_line(text, "channel", root.channel);
    append_line(text, "id", root.id.hex());
    append_line(text, "version", root.version);
    append_line(text, "created", root.created.seconds);
    append_line(text, "expires", root.expires.seconds);
    const std::string policy = trust.format();
    std::string_view rest = policy;
    read_until(rest, '\n');  // its title
    while (rest.starts_with("key "))
        append_line(text, "key", read_until(rest, '\n').substr(4));
    for (const ChannelText kind : kRoles) {
        std::string value = std::string(channel_text_name(kind)) + " " + std::to_string(root.role(kind).threshold);
        for (std::size_t i = 0; i < root.role(kind).labels.size(); ++i)
            value += (i == 0 ? " " : ",") + root.role(kind).labels[i];
        append_line(text, "role", value);
    }
    text += rest;
    if (text.size() > channel_body_bytes_max(ChannelText::root))
        return Error(ErrorCode::limit,
                     "channel root: more than " + std::to_string(channel_body_bytes_max(ChannelText::root)) + " bytes");
    return text;
}

}  // namespace fardel
