#include <fardel/vfs/pure_policy.h>

#include "domain_hash.h"

#include <fardel/base/ascii.h>
#include <fardel/base/text_fields.h>
#include <fardel/format/channel.h>
#include <fardel/format/content_set.h>
#include <fardel/format/glob_set.h>
#include <fardel/format/id_path.h>
#include <fardel/format/limits.h>
#include <fardel/format/name.h>
#include <fardel/vfs/vfs_path.h>

#include <algorithm>

namespace fardel {
namespace {

constexpr std::string_view kTitle = "fardel-pure ";
constexpr std::string_view kVersion = "1";

Error malformed(std::string message) { return Error(ErrorCode::malformed, std::move(message)); }

Status verify_pattern(std::string_view pattern) {
    FARDEL_TRY(verify_glob(pattern));
    if (pattern.find(' ') != std::string_view::npos)
        return malformed("a pattern has no spaces; write ? where the name has one");
    return ok();
}

Status verify(const PureBundle& bundle) {
    if (!bundle.mount_point.empty()) {
        FARDEL_TRY(verify_name(bundle.mount_point));
        if (bundle.mount_point.find(' ') != std::string::npos)
            return malformed("a mount point has no spaces");
        if (find_id_path(bundle.mount_point))
            return Error(ErrorCode::denied, "nothing is mounted at /assets and /bundles, or below an id there");
    }
    return bundle.name.empty() ? ok() : verify_name(bundle.name);
}

Status verify(const PureAxis& axis) {
    if (!is_word(axis.axis) || axis.tags.empty() || !std::ranges::all_of(axis.tags, is_word))
        return malformed("an axis is written \"variant texture astc,bc7\"; words are letters, digits and - _ . +");
    if (axis.tags.size() > PurePolicy::kTagsMax)
        return Error(ErrorCode::limit, "an axis has at most " + std::to_string(PurePolicy::kTagsMax) + " tags");
    if (std::ranges::adjacent_find(axis.tags) != axis.tags.end())
        return malformed("a tag is listed twice in one axis");
    return ok();
}

Status verify(const PureRole& role) {
    if (!find_role(role_name(role.role)))
        return malformed(role_name(role.role) + " is not a role");
    if (role.keys.size() > PurePolicy::kRoleKeysMax)
        return Error(ErrorCode::limit,
                     "an exception has at most " + std::to_string(PurePolicy::kRoleKeysMax) + " keys");
    if (std::ranges::adjacent_find(role.keys) != role.keys.end())
        return malformed("a key is listed twice in one exception");
    if (role.threshold == 0 || role.threshold > role.keys.size())
        return malformed("no bundle can have " + std::to_string(role.threshold) + " signatures of " +
                         std::to_string(role.keys.size()) + " keys");
    return ok();
}

Status verify(const PureChannel& channel) { return verify_channel_name(channel.name); }

Status verify(const PureException& exception) {
    if (exception.role) {
        if (!exception.signer.is_zero())
            return malformed("an exception has either one key or a role");
        FARDEL_TRY(verify(*exception.role));
    }
    FARDEL_TRY(verify_pattern(exception.bundles));
    return verify_pattern(exception.paths);
}

// A pattern for loose files.
Status verify(std::string_view pattern) {
    FARDEL_TRY(verify_pattern(pattern));
    // An engine interprets a file by how it loads it, and not by its extension.
    if (pattern.substr(0, pattern.find('/')).find_first_of("*?") != std::string_view::npos)
        return malformed(
            "a pattern for loose files begins with a plain part, such as screenshots/** or autoexec.cfg: "
            "one kind of file is not tolerated everywhere");
    return ok();
}

template <class Id>
Status verify(const Revocation<Id>& revocation) {
    if (revocation.reason.size() > limits::kCommentBytesMax)
        return Error(ErrorCode::limit, "a reason has at most " + std::to_string(limits::kCommentBytesMax) + " bytes");
    if (printable(revocation.reason, limits::kCommentBytesMax) != revocation.reason ||
        revocation.reason.starts_with(' '))
        return malformed("the reason is not plain text");
    return ok();
}

// Sorts; refuses duplicates.
template <class T, class Projection = std::identity>
Status sort_distinct(std::vector<T>& list, std::string_view what, Projection projection = {}) {
    std::ranges::sort(list, {}, projection);
    if (std::ranges::adjacent_find(list, {}, projection) != list.end())
        return malformed(std::string(what) + " is listed twice");
    return ok();
}

Status verify_count(std::size_t count, std::size_t count_max, std::string_view what) {
    if (count > count_max)
        return Error(ErrorCode::limit, std::to_string(count) + " " + std::string(what) + ", at most " +
                                           std::to_string(count_max) + " allowed");
    return ok();
}

// A client runs the patterns for each name that it misses (glob_set.h).
Status verify_pattern_bytes(const PureRules& rules) {
    std::size_t loose_bytes = 0;
    std::size_t exception_bytes = 0;
    for (const std::string& pattern : rules.loose)
        loose_bytes += pattern.size();
    for (const PureException& exception : rules.exceptions)
        exception_bytes += exception.bundles.size() + exception.paths.size();
    for (const std::size_t bytes : {loose_bytes, exception_bytes})
        if (bytes > kGlobSetBytesMax)
            return Error(ErrorCode::limit, "the patterns of one kind have " + std::to_string(bytes) +
                                               " bytes together, at most " + std::to_string(kGlobSetBytesMax) +
                                               " allowed");
    return ok();
}

// Checks the rules against each other, and sorts those without an order.
Status settle(PureRules& rules) {
    FARDEL_TRY(verify_count(rules.variants.size(), PurePolicy::kAxesMax, "axes"));
    FARDEL_TRY(verify_count(rules.exceptions.size(), PurePolicy::kPatternsMax, "exceptions"));
    FARDEL_TRY(verify_count(rules.loose.size(), PurePolicy::kPatternsMax, "patterns for loose files"));
    FARDEL_TRY(verify_count(rules.channels.size(), PurePolicy::kChannelsMax, "channels"));
    FARDEL_TRY(verify_pattern_bytes(rules));
    // What has no order is sorted, so that one policy has one text and one digest. Bundles keep theirs: later ones win.
    FARDEL_TRY(sort_distinct(rules.variants, "an axis", &PureAxis::axis));
    FARDEL_TRY(sort_distinct(rules.exceptions, "an exception"));
    FARDEL_TRY(sort_distinct(rules.loose, "a pattern for loose files"));
    FARDEL_TRY(sort_distinct(rules.revoked_keys, "a withdrawn key", &Revocation<PublicKey>::id));
    FARDEL_TRY(sort_distinct(rules.revoked_bundles, "a withdrawn bundle", &Revocation<BundleId>::id));
    FARDEL_TRY(sort_distinct(rules.channels, "a channel"));
    for (const PureBundle& bundle : rules.bundles)
        if (std::ranges::binary_search(rules.revoked_bundles, bundle.bundle, {}, &Revocation<BundleId>::id))
            return malformed("bundle " + bundle.bundle.hex() + " is in the content set and withdrawn");
    return ok();
}

// ---- Lines ----------------------------------------------------------------------------------------------------------

Result<PureBundle> parse_bundle(std::string_view text) {
    PureBundle bundle;
    FARDEL_TRY_ASSIGN(bundle.bundle, BundleId::parse(read_until(text, ' ')));
    const std::string_view rule = read_until(text, ' ');
    if (rule != "exact" && rule != "fold")
        return malformed("a bundle is written \"bundle ID exact /MOUNT-POINT NAME\", or with fold for exact");
    bundle.case_rule = rule == "fold" ? CaseRule::fold : CaseRule::exact;
    const std::string_view mount_point = read_until(text, ' ');
    if (!mount_point.starts_with('/'))
        return malformed("a bundle's mount point begins with '/'; the root is '/' alone");
    bundle.mount_point = mount_point.substr(1);
    bundle.name = text;
    return bundle;
}

PureAxis parse_axis(std::string_view text) {
    PureAxis axis;
    axis.axis = read_until(text, ' ');
    while (!text.empty() && axis.tags.size() <= PurePolicy::kTagsMax)
        axis.tags.emplace_back(read_until(text, ','));
    std::ranges::sort(axis.tags);
    return axis;
}

// "registry=1:KEY,KEY"
Result<PureRole> parse_role(std::string_view text) {
    PureRole role;
    const auto known = find_role(read_until(text, '='));
    const auto threshold = parse_decimal(read_until(text, ':'), PurePolicy::kRoleKeysMax);
    if (!known || !threshold || text.ends_with(','))
        return malformed("the signers of an exception are written KEY, or registry=1:KEY,KEY");
    role.role = *known;
    role.threshold = static_cast<std::uint32_t>(*threshold);
    while (!text.empty() && role.keys.size() <= PurePolicy::kRoleKeysMax) {
        FARDEL_TRY_ASSIGN(role.keys.emplace_back(), PublicKey::parse(read_until(text, ',')));
    }
    std::ranges::sort(role.keys);
    return role;
}

Result<PureException> parse_exception(std::string_view text) {
    PureException exception;
    exception.bundles = read_until(text, ' ');
    const std::string_view signers = read_until(text, ' ');
    if (signers.find('=') != std::string_view::npos) {
        FARDEL_TRY_ASSIGN(exception.role, parse_role(signers));
    } else {
        FARDEL_TRY_ASSIGN(exception.signer, PublicKey::parse(signers));
    }
    exception.paths = text;
    return exception;
}

Result<PureChannel> parse_channel(std::string_view text) {
    PureChannel channel;
    channel.name = read_until(text, ' ');
    FARDEL_TRY_ASSIGN(channel.id, Hash::parse(text));
    return channel;
}

template <class Id>
Result<Revocation<Id>> parse_revocation(std::string_view text) {
    Revocation<Id> revocation;
    FARDEL_TRY_ASSIGN(revocation.id, Id::parse(read_until(text, ' ')));
    revocation.reason = text;
    return revocation;
}

template <class T>
Status add(Result<T> parsed, std::vector<T>& list) {
    FARDEL_TRY_ASSIGN(T value, std::move(parsed));
    FARDEL_TRY(verify(value));
    list.push_back(std::move(value));
    return ok();
}

Status parse_line(std::string_view line, PureRules& rules) {
    if (printable(line, line.size()) != line)
        return malformed("not plain text (a tab and a carriage return are control characters)");
    if (line.empty() || line.starts_with('#'))
        return ok();
    if (line == "unsigned allow") {
        rules.unsigned_allowed = true;
        return ok();
    }
    std::string_view rest = line;
    const std::string_view directive = read_until(rest, ' ');
    if (directive == "bundle")
        return add(parse_bundle(rest), rules.bundles);
    if (directive == "variant")
        return add<PureAxis>(parse_axis(rest), rules.variants);
    if (directive == "except")
        return add(parse_exception(rest), rules.exceptions);
    if (directive == "channel")
        return add(parse_channel(rest), rules.channels);
    if (directive == "loose")
        return add<std::string>(std::string(rest), rules.loose);
    if (directive == "revoke") {
        const std::string_view kind = read_until(rest, ' ');
        if (kind == "key")
            return add(parse_revocation<PublicKey>(rest), rules.revoked_keys);
        if (kind == "bundle")
            return add(parse_revocation<BundleId>(rest), rules.revoked_bundles);
    }
    return malformed("\"" + printable(line, 40) + "\" is not a rule that is known");
}

template <class Id>
void format_revocations(std::string& text, std::string_view kind, const std::vector<Revocation<Id>>& list) {
    for (const Revocation<Id>& revocation : list) {
        text += "revoke " + std::string(kind) + " " + revocation.id.hex();
        if (!revocation.reason.empty())
            text += " " + revocation.reason;
        text += "\n";
    }
}

std::string format_signers(const PureException& exception) {
    if (!exception.role)
        return exception.signer.hex();
    std::string text = role_name(exception.role->role) + "=" + std::to_string(exception.role->threshold);
    for (const PublicKey& key : exception.role->keys)
        text += (&key == &exception.role->keys.front() ? ":" : ",") + key.hex();
    return text;
}

std::string format_rules(const PureRules& rules) {
    std::string text = std::string(kTitle) + std::string(kVersion) + "\n";
    for (const PureBundle& bundle : rules.bundles) {
        text += "bundle " + bundle.bundle.hex() + (bundle.case_rule == CaseRule::fold ? " fold /" : " exact /") +
                bundle.mount_point;
        text += bundle.name.empty() ? "\n" : " " + bundle.name + "\n";
    }
    for (const PureAxis& axis : rules.variants) {
        text += "variant " + axis.axis + " ";
        for (std::size_t i = 0; i < axis.tags.size(); ++i)
            text += (i == 0 ? "" : ",") + axis.tags[i];
        text += "\n";
    }
    for (const PureException& exception : rules.exceptions)
        text += "except " + exception.bundles + " " + format_signers(exception) + " " + exception.paths + "\n";
    for (const std::string& pattern : rules.loose)
        text += "loose " + pattern + "\n";
    format_revocations(text, "key", rules.revoked_keys);
    format_revocations(text, "bundle", rules.revoked_bundles);
    for (const PureChannel& channel : rules.channels)
        text += "channel " + channel.name + " " + channel.id.hex() + "\n";
    if (rules.unsigned_allowed)
        text += "unsigned allow\n";
    return text;
}

}  // namespace

PurePolicy::PurePolicy(PureRules rules, std::shared_ptr<const ContentSet> content)
    : rules_(std::move(rules)), content_(std::move(content)), digest_(domain_hash("fardel pure policy 1", format())) {}

Result<PurePolicy> PurePolicy::make(PureRules rules) {
    std::vector<BundleId> bundles;
    for (const PureBundle& bundle : rules.bundles) {
        FARDEL_TRY(verify(bundle));
        bundles.push_back(bundle.bundle);
    }
    for (PureAxis& axis : rules.variants) {
        std::ranges::sort(axis.tags);
        FARDEL_TRY(verify(axis));
    }
    for (PureException& exception : rules.exceptions) {
        if (exception.role)
            std::ranges::sort(exception.role->keys);
        FARDEL_TRY(verify(exception));
    }
    for (const PureChannel& channel : rules.channels)
        FARDEL_TRY(verify(channel));
    for (const std::string& pattern : rules.loose)
        FARDEL_TRY(verify(pattern));
    for (const auto& revocation : rules.revoked_keys)
        FARDEL_TRY(verify(revocation));
    for (const auto& revocation : rules.revoked_bundles)
        FARDEL_TRY(verify(revocation));
    FARDEL_TRY(settle(rules));
    FARDEL_TRY_ASSIGN(ContentSet content, ContentSet::make(std::move(bundles)));
    PurePolicy policy(std::move(rules), std::make_shared<const ContentSet>(std::move(content)));
    FARDEL_TRY(verify_count(policy.format().size(), kBytesMax, "bytes of pure policy"));
    return policy;
}

Result<PurePolicy> PurePolicy::parse(std::string_view text) {
    FARDEL_TRY(verify_count(text.size(), kBytesMax, "bytes of pure policy"));
    if (!text.ends_with('\n'))
        return malformed("pure policy: does not end with a line feed; has it been cut off?");
    const std::string_view title = read_line(text);
    if (!title.starts_with(kTitle))
        return malformed("pure policy: line 1: not \"fardel-pure 1\"");
    if (title.substr(kTitle.size()) != kVersion)
        return Error(ErrorCode::unsupported, "pure policy: line 1: not a version that this library knows");
    PureRules rules;
    for (std::size_t number = 2; !text.empty(); ++number)
        if (auto status = parse_line(read_line(text), rules); !status)
            return std::move(status).error().with_context("pure policy: line " + std::to_string(number));
    auto policy = make(std::move(rules));
    if (!policy)
        return std::move(policy).error().with_context("pure policy");
    return policy;
}

std::string PurePolicy::format() const { return format_rules(rules_); }

}  // namespace fardel
