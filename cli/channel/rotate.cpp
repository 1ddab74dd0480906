// fardel channel rotate: the next root of a channel, with other keys, thresholds or rules.

#include "channel/channel_file.h"
#include "channel/channel_verbs.h"
#include "channel/root_text.h"
#include "console/clock.h"
#include "console/labelled_keys.h"
#include "console/output_file.h"

#include <fardel/format/name.h>

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace fardel {
namespace {

struct RotateCommand {
    std::string root;  // the file of the newest root
    std::string out;
    std::vector<std::string> added;       // ROLE=KEY.pub
    std::vector<std::string> removed;     // ROLE=LABEL
    std::vector<std::string> replaced;    // LABEL=KEY.pub
    std::vector<std::string> thresholds;  // ROLE=NUMBER
    std::vector<std::string> revoked;     // labels
    std::string reason;
    std::string policy;
    std::uint64_t days = 365;
    bool json = false;
};

struct Assignment {
    std::string left, right;
};

Result<Assignment> parse_assignment(std::string_view option, const std::string& text, std::string_view form) {
    const std::size_t at = text.find('=');
    if (at == 0 || at == std::string::npos || at + 1 == text.size())
        return Error(ErrorCode::malformed, fmt::format("{} takes {}, not {}", option, form, printable(text)));
    return Assignment{text.substr(0, at), text.substr(at + 1)};
}

Result<ChannelRole*> find_channel_role(ChannelRoot& root, std::string_view option, const std::string& name) {
    for (const auto& [kind, role] :
         {std::pair(ChannelText::root, &root.root), std::pair(ChannelText::release, &root.release),
          std::pair(ChannelText::head, &root.head)})
        if (name == channel_text_name(kind))
            return role;
    return Error(ErrorCode::malformed,
                 fmt::format("{}: the roles are root, release and head, not {}", option, printable(name)));
}

Result<std::string> read_key(KeyReader& reader, const std::string& path) {
    FARDEL_TRY_ASSIGN(const auto keys, reader.read({path}));
    return keys.front().label;
}

Status add_keys(ChannelRoot& root, const RotateCommand& command, KeyReader& reader) {
    for (const std::string& text : command.added) {
        FARDEL_TRY_ASSIGN(const Assignment one, parse_assignment("--add", text, "ROLE=KEY.pub"));
        FARDEL_TRY_ASSIGN(ChannelRole* const role, find_channel_role(root, "--add", one.left));
        FARDEL_TRY_ASSIGN(role->labels.emplace_back(), read_key(reader, one.right));
    }
    return ok();
}

Error no_such_key(std::string_view option, const std::string& label) {
    return Error(ErrorCode::missing, fmt::format("{}: no key has the label {} there", option, printable(label)));
}

Status remove_keys(ChannelRoot& root, const RotateCommand& command) {
    for (const std::string& text : command.removed) {
        FARDEL_TRY_ASSIGN(const Assignment one, parse_assignment("--remove", text, "ROLE=LABEL"));
        FARDEL_TRY_ASSIGN(ChannelRole* const role, find_channel_role(root, "--remove", one.left));
        if (std::erase(role->labels, one.right) == 0)
            return no_such_key("--remove", one.right);
    }
    return ok();
}

// In all roles that the old key has.
Status replace_keys(ChannelRoot& root, const RotateCommand& command, KeyReader& reader) {
    for (const std::string& text : command.replaced) {
        FARDEL_TRY_ASSIGN(const Assignment one, parse_assignment("--replace", text, "LABEL=KEY.pub"));
        FARDEL_TRY_ASSIGN(const std::string label, read_key(reader, one.right));
        bool found = false;
        for (ChannelRole* const role : {&root.root, &root.release, &root.head})
            if (const auto at = std::ranges::find(role->labels, one.left); at != role->labels.end()) {
                *at = label;
                found = true;
            }
        if (!found)
            return no_such_key("--replace", one.left);
    }
    return ok();
}

Status set_thresholds(ChannelRoot& root, const RotateCommand& command) {
    for (const std::string& text : command.thresholds) {
        FARDEL_TRY_ASSIGN(const Assignment one, parse_assignment("--threshold", text, "ROLE=NUMBER"));
        FARDEL_TRY_ASSIGN(ChannelRole* const role, find_channel_role(root, "--threshold", one.left));
        const bool is_number = one.right.size() <= 2 && one.right.find_first_not_of("0123456789") == std::string::npos;
        if (!is_number)
            return Error(ErrorCode::malformed, "--threshold: " + printable(one.right) + " is not a number of keys");
        role->threshold = static_cast<std::uint32_t>(std::stoul(one.right));
    }
    return ok();
}

Status revoke_keys(ChannelRoot& root, const RotateCommand& command) {
    for (const std::string& label : command.revoked) {
        const auto key = std::ranges::find(root.trust.keys, label, &PolicyKey::label);
        if (key == root.trust.keys.end())
            return no_such_key("--revoke", label);
        root.trust.revoked_keys.push_back({key->key, command.reason});
    }
    return ok();
}

// Keys stay that a role or a rule names.
void drop_unused_keys(ChannelRoot& root) {
    const auto in = [](const std::vector<std::string>& labels, const std::string& label) {
        return std::ranges::find(labels, label) != labels.end();
    };
    std::erase_if(root.trust.keys, [&](const PolicyKey& key) {
        const bool in_role =
            in(root.root.labels, key.label) || in(root.release.labels, key.label) || in(root.head.labels, key.label);
        const bool in_rule = std::ranges::any_of(root.trust.allow, [&](const AllowRule& rule) {
            return std::ranges::any_of(rule.roles, [&](const RoleThreshold& one) { return in(one.labels, key.label); });
        });
        const bool in_licence = std::ranges::any_of(
            root.trust.licenses, [&](const LicenseRule& rule) { return in(rule.labels, key.label); });
        return !in_role && !in_rule && !in_licence;
    });
}

// The rules of another policy; revocations of the root stay.
Status replace_rules(ChannelRoot& root, const std::string& path) {
    FARDEL_TRY_ASSIGN(const TrustPolicy policy, read_trust_policy(path));
    const TrustRules& rules = policy.rules();
    for (const PolicyKey& key : rules.keys) {
        const auto same = std::ranges::find(root.trust.keys, key.label, &PolicyKey::label);
        if (same != root.trust.keys.end() && same->key != key.key)
            return Error(ErrorCode::conflict, "--trust: the label " + key.label + " is another key in the root");
        if (same == root.trust.keys.end())
            root.trust.keys.push_back(key);
    }
    root.trust.allow = rules.allow;
    root.trust.licenses = rules.licenses;
    const auto append = [](auto& list, const auto& more) { list.insert(list.end(), more.begin(), more.end()); };
    append(root.trust.revoked_keys, rules.revoked_keys);
    append(root.trust.revoked_bundles, rules.revoked_bundles);
    return ok();
}

Result<Exit> rotate(const RotateCommand& command, Console& console) {
    FARDEL_TRY_ASSIGN(ChannelRoot root, read_root_file(command.root));
    FARDEL_TRY_ASSIGN(root.created, creation_time());
    root.expires = root.created + command.days * kDaySeconds;
    ++root.version;
    // First, while the key still has its label. A revocation names the key itself, so it outlives the removal below.
    FARDEL_TRY(revoke_keys(root, command));
    if (!command.policy.empty())
        FARDEL_TRY(replace_rules(root, command.policy));
    KeyReader reader(root.trust.keys);
    FARDEL_TRY(add_keys(root, command, reader));
    FARDEL_TRY(replace_keys(root, command, reader));
    root.trust.keys = reader.all();
    // After the new keys, so that one command can put a key in the place of the last one of a role.
    FARDEL_TRY(remove_keys(root, command));
    FARDEL_TRY(set_thresholds(root, command));
    drop_unused_keys(root);
    FARDEL_TRY(verify_new_file(command.out, "; choose another name for the root"));
    return write_root(std::move(root), command.out, command.json, console);
}

}  // namespace

Result<Exit> run_channel_rotate(Words words, Console& console) {
    CommandLine line(
        "channel rotate", "ROOT -o NEXT [options]",
        "Writes the root that comes after ROOT, with the changes that the options say; without any, its date is later. "
        "Enough root keys of both have to sign it.",
        "  fardel channel rotate 1.root -o 2.root\n"
        "  fardel channel rotate 1.root -o 2.root --replace head=new-head.key.pub\n"
        "  fardel channel rotate 1.root -o 2.root --remove root=laptop --revoke laptop --reason 'stolen 2026-01-03'\n");
    RotateCommand command;
    line.text("ROOT", "ROOT", command.root, "The file of the newest root").required();
    line.text("-o,--output", "NEXT", command.out, "The file to write").required();
    line.texts("--add", "ROLE=KEY.pub", command.added, "Give a role another key: root=, release= or head=");
    line.texts("--remove", "ROLE=LABEL", command.removed, "Take a key from a role");
    line.texts("--replace", "LABEL=KEY.pub", command.replaced, "Put another key in place of one, in all its roles");
    line.texts("--threshold", "ROLE=NUMBER", command.thresholds, "So many keys of the role must sign");
    line.texts("--revoke", "LABEL", command.revoked, "Withdraw what a key has signed on bundles; may be repeated");
    line.text("--reason", "TEXT", command.reason, "With --revoke: why");
    line.text("--trust", "POLICY", command.policy, "Take the rules about bundles from this policy instead");
    line.number("--days", command.days, 1, 3660, "The root expires after so many days (default: 365)");
    line.json(command.json);
    return line.run(words, console, [&] { return rotate(command, console); });
}

}  // namespace fardel
