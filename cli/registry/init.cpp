// fardel registry init: the rules of a registry, and the first root of its channel.

#include "channel/root_text.h"
#include "console/classes_option.h"
#include "console/clock.h"
#include "console/console.h"
#include "console/figures.h"
#include "console/labelled_keys.h"
#include "console/output_file.h"
#include "registry/registry_verbs.h"

#include <fardel/base/folder.h>
#include <fardel/base/random.h>
#include <fardel/base/text_fields.h>
#include <fardel/format/limits.h>
#include <fardel/format/name.h>
#include <fardel/format/printable.h>
#include <fardel/hosting/registry_rules.h>
#include <fardel/packer/game_profile.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace fardel {
namespace {

struct RegistryInitCommand {
    std::string folder;
    std::string url;
    std::string channel;
    std::vector<std::string> root;  // public key files, as the next three
    std::uint64_t root_threshold = 1;
    std::string registry, release, head;
    std::vector<std::string> owners;  // GLOB=KEY.pub
    std::vector<std::string> open;    // GLOB, GLOB:publish=GLOB,...
    std::string profile;              // of the bounds of open names without any; empty: none
    std::vector<std::string> licences;
    std::string classes = "data,script,code";  // of open names
    std::optional<std::uint64_t> file_bytes_max, raw_bytes_max, key_bytes_max;
    std::uint64_t versions_max = 100;
    std::uint64_t days = 365;
    std::string out;
    bool json = false;
};

class RegistryMaker {
public:
    explicit RegistryMaker(const RegistryInitCommand& command) : command_(command) {}

    Status make(UnixTime now) {
        rules_.urls = {command_.url};
        rules_.channel = command_.channel;
        rules_.licences = command_.licences;
        rules_.file_bytes_max = command_.file_bytes_max.value_or(0);
        rules_.raw_bytes_max = command_.raw_bytes_max.value_or(0);
        rules_.key_bytes_max = command_.key_bytes_max.value_or(0);
        rules_.versions_max = command_.versions_max;
        root_.channel = command_.channel;
        root_.created = now;
        root_.expires = now + command_.days * kDaySeconds;
        fill_random(std::as_writable_bytes(std::span(root_.id.bytes)));
        FARDEL_TRY_ASSIGN(root_.root, read_role(keys_, command_.root, command_.root_threshold));
        FARDEL_TRY_ASSIGN(root_.release, read_role(keys_, {command_.release}, 1));
        FARDEL_TRY_ASSIGN(root_.head, read_role(keys_, {command_.head}, 1));
        FARDEL_TRY_ASSIGN(const auto hub, keys_.read({command_.registry}));
        registry_ = {.role = SignerRole::registry, .threshold = 1, .labels = {hub.front().label}};
        FARDEL_TRY_ASSIGN(open_brings_, parse_classes_option(command_.classes));
        for (const std::string& owner : command_.owners)
            FARDEL_TRY(add_owner(owner));
        if (!command_.profile.empty()) {
            FARDEL_TRY_ASSIGN(const auto profile, load_game_profile(command_.profile));
            if (profile->mods_publish.empty())
                return Error(ErrorCode::unresolved, "the profile " + printable(command_.profile) +
                                                        " does not say what mods publish ([mods] publish); give "
                                                        "--open 'PATTERN:publish=GLOB,…'");
            mods_publish_ = profile->mods_publish;
        }
        for (const std::string& open : command_.open)
            FARDEL_TRY(add_open(open));
        root_.trust.keys = keys_.all();
        // What the server could not read is refused here, before anything is written.
        FARDEL_TRY(parse_registry_rules(format_registry_rules(rules_)));
        return ok();
    }

    const RegistryRules& rules() const { return rules_; }
    const ChannelRoot& root() const { return root_; }

private:
    // Several owners of one pattern are one rule.
    Status add_owner(const std::string& text) {
        const auto equals = text.find('=');
        if (equals == std::string::npos)
            return Error(ErrorCode::malformed, printable(text) + ": an owner is written PATTERN=KEY.pub");
        const std::string pattern = text.substr(0, equals);
        FARDEL_TRY_ASSIGN(const auto keys, keys_.read({text.substr(equals + 1)}));
        const auto known = std::ranges::find(rules_.owners, pattern, &NameOwners::pattern);
        if (known != rules_.owners.end()) {
            known->keys.push_back(keys.front().key);
            const auto rule = std::ranges::find(root_.trust.allow, pattern, &AllowRule::pattern);
            rule->roles.front().labels.push_back(keys.front().label);
            return ok();
        }
        rules_.owners.push_back({pattern, {keys.front().key}});
        AllowRule rule;
        rule.pattern = pattern;
        rule.roles = {{.role = SignerRole::author, .threshold = 1, .labels = {keys.front().label}}, registry_};
        root_.trust.allow.push_back(std::move(rule));
        return ok();
    }

    // Whoever comes first: their bundles add names to the tree, and replace nobody's. The bounds stand in the root word
    // by word, so that nobody needs this program's defaults to know them.
    Status add_open(const std::string& text) {
        constexpr std::string_view kPublish = ":publish=";
        const auto at = text.find(kPublish);
        const std::string pattern = text.substr(0, at);
        FARDEL_TRY(verify_glob(pattern));
        rules_.open.push_back(pattern);
        AllowRule rule;
        rule.pattern = pattern;
        rule.roles = {registry_};
        rule.brings = open_brings_;
        const auto own = find_name_scope(rule);
        std::vector<std::string> publish = own ? own->publish : std::vector<std::string>();
        if (at == std::string::npos)
            publish.insert(publish.end(), mods_publish_.begin(), mods_publish_.end());
        else
            for (const std::string_view glob : split_text(std::string_view(text).substr(at + kPublish.size()), ','))
                publish.emplace_back(glob);
        if (publish.empty())
            publish = {"**"};
        for (const std::string& glob : publish) {
            FARDEL_TRY(verify_glob(glob));
            if (std::ranges::count(rule.publish, glob) == 0)
                rule.publish.push_back(glob);
        }
        if (rule.publish.size() > limits::kRuleGlobsMax)
            return Error(ErrorCode::limit, printable(pattern) + ": more than " + std::to_string(limits::kRuleGlobsMax) +
                                               " globs of published names");
        root_.trust.allow.push_back(std::move(rule));
        return ok();
    }

    const RegistryInitCommand& command_;
    RegistryRules rules_;
    ChannelRoot root_;
    KeyReader keys_;
    RoleThreshold registry_;
    ContentClass open_brings_ = ContentClass::code;
    std::vector<std::string> mods_publish_;  // of the profile
};

// What the root lets bundles publish, for people who read the rules. The root decides, and may be another one later.
std::string format_bounds(const ChannelRoot& root) {
    std::string text = "# What bundles may publish, as the first root of the channel says:\n";
    for (const AllowRule& rule : root.trust.allow) {
        text += "#   " + rule.pattern + ":";
        const auto scope = find_name_scope(rule);
        if (!scope)
            text += " everything";
        else
            for (const std::string& glob : scope->publish)
                text += " " + glob;
        text += rule.brings == ContentClass::code ? "\n" : "; " + describe_limit(rule.brings) + "\n";
    }
    return text;
}

Result<Exit> init_registry(const RegistryInitCommand& command, Console& console) {
    FARDEL_TRY_ASSIGN(const UnixTime now, creation_time());
    RegistryMaker maker(command);
    FARDEL_TRY(maker.make(now));
    const std::string path = command.folder + "/" + std::string(kRegistryRulesFile);
    FARDEL_TRY(verify_new_file(path, "; the folder is a registry already"));
    FARDEL_TRY(verify_new_file(command.out, "; choose another name for the root"));
    FARDEL_TRY(create_folders(command.folder, Lasting::yes));
    FARDEL_TRY_ASSIGN(const Exit written, write_root(maker.root(), command.out, command.json, console));
    // Last: this file makes the folder a registry, and `init` refuses one that is a registry already.
    FARDEL_TRY(write_file(path, format_registry_rules(maker.rules()) + format_bounds(maker.root())));
    if (!command.json)
        FARDEL_TRY(console.write("then: fardel channel publish " + printable(command.out) + " " +
                                 printable(command.folder) + ", and fardel serve " + printable(command.folder) +
                                 " --registry\n"));
    return written;
}

}  // namespace

Result<Exit> run_registry_init(Words words, Console& console) {
    CommandLine line(
        "registry init",
        "FOLDER --url URL --channel NAME --root KEY.pub... "
        "--registry KEY.pub --release KEY.pub --head KEY.pub -o ROOT [options]",
        "Writes the rules of a registry into a folder, and the first root of its channel, which its root keys sign "
        "with 'fardel channel sign'. Edit registry.rules later; other owners also need another root.",
        "  fardel registry init /srv/www/hub --url https://hub.example --channel hub/stable --root root.key.pub "
        "--registry registry.key.pub --release release.key.pub --head head.key.pub --owner core=studio.key.pub "
        "--open 'maps/*' --profile quake3 -o 1.root\n");
    RegistryInitCommand command;
    line.text("FOLDER", "FOLDER", command.folder, "The folder of the registry, which is created").required();
    line.text("--url", "URL", command.url, "Where authors and players find it").required();
    line.text("--channel", "NAME", command.channel, "The name of its channel, such as hub/stable").required();
    line.texts("--root", "KEY.pub", command.root, "A root key, which is kept offline; may be repeated").required();
    line.number("--root-threshold", command.root_threshold, 1, 16, "So many root keys must sign (default: 1)");
    line.text("--registry", "KEY.pub", command.registry, "The key that countersigns bundles").required();
    line.text("--release", "KEY.pub", command.release, "The key that signs releases").required();
    line.text("--head", "KEY.pub", command.head, "The key that signs heads").required();
    line.texts("--owner", "PATTERN=KEY.pub", command.owners,
               "Names that match belong to this key; may be repeated, also for one pattern");
    line.texts("--open", "PATTERN[:publish=GLOB,...]", command.open,
               "Names that match belong to the author who first brings them; may be repeated. Their bundles publish "
               "names below the folder of PATTERN, and those that match a GLOB");
    line.text("--profile", "NAME", command.profile,
              "What bundles of open names publish in this game, where --open says nothing: quake3, or a file .toml");
    add_classes_option(line, "bundles of open names", command.classes);
    line.texts("--licence", "ID", command.licences,
               "A licence that bundles may state, and then one of these must; may be repeated (default: any or none)");
    line.size("--bytes-max", command.file_bytes_max, "The most that a bundle file may have, such as 500M");
    line.size("--raw-bytes-max", command.raw_bytes_max, "The most that the assets of a bundle may have");
    line.size("--key-bytes-max", command.key_bytes_max, "The most that all bundles by one author may have");
    line.number("--versions-max", command.versions_max, 1, 100'000, "Versions of one name (default: 100)");
    line.number("--days", command.days, 1, 3660, "The root expires after so many days (default: 365)");
    line.text("-o,--output", "ROOT", command.out, "The file to write the root to").required();
    line.json(command.json);
    if (const auto over = line.parse(words, console))
        return *over;
    if (command.owners.empty() && command.open.empty())
        return line.mistake("give at least one --owner or --open: otherwise nobody could upload", console);
    return init_registry(command, console);
}

}  // namespace fardel
