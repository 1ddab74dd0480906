// fardel pure policy: writes the policy of a server.

#include "bundles/bundle_file.h"
#include "channel/channel_file.h"
#include "console/output_file.h"
#include "pure_verbs.h"

#include <fardel/base/path_text.h>
#include <fardel/base/text_fields.h>
#include <fardel/format/content_set.h>
#include <fardel/format/key_file.h>
#include <fardel/format/name.h>

namespace fardel {
namespace {

struct PolicyCommand {
    std::vector<std::string> files;
    std::string out;
    std::vector<std::string> variants;
    std::vector<std::string> exceptions;
    std::vector<std::string> loose;
    std::vector<std::string> channels;
    bool allow_unsigned = false;
    bool json = false;
};

// The name in the metadata of the bundle, or else the name of its file; empty if neither is a valid name.
Result<std::string> name_of(const Bundle& bundle) {
    FARDEL_TRY_ASSIGN(std::string text, bundle_text(bundle, "name"));
    if (verify_name(text))
        return text;
    const std::string stem(stem_of_path(bundle.label()));
    return verify_name(stem) ? stem : std::string();
}

// "registry=1:KEY.pub,KEY.pub"
Result<PureRole> parse_role(std::string_view word) {
    PureRole role;
    const auto known = find_role(read_until(word, '='));
    const auto threshold = parse_decimal(read_until(word, ':'), PurePolicy::kRoleKeysMax);
    if (!known || !threshold)
        return Error(ErrorCode::malformed, "--except: signers are written KEY.pub, or registry=1:KEY.pub,KEY.pub");
    role.role = *known;
    role.threshold = static_cast<std::uint32_t>(*threshold);
    while (!word.empty()) {
        FARDEL_TRY_ASSIGN(const PublicKeyFile key, read_public_key_file(std::string(read_until(word, ','))));
        role.keys.push_back(key.key);
    }
    return role;
}

// "BUNDLES:KEY.pub:PATHS", "BUNDLES:registry=1:KEY.pub,KEY.pub:PATHS"
Result<PureException> parse_exception(const std::string& word) {
    const std::size_t first = word.find(':');
    const std::size_t last = word.rfind(':');
    if (first == std::string::npos || first == last)
        return Error(ErrorCode::malformed, "--except " + printable(word) + ": expected BUNDLES:KEY.pub:PATHS");
    PureException exception{word.substr(0, first), {}, word.substr(last + 1), {}};
    const std::string signers = word.substr(first + 1, last - first - 1);
    if (signers.find(':') != std::string::npos) {
        FARDEL_TRY_ASSIGN(exception.role, parse_role(signers));
    } else {
        FARDEL_TRY_ASSIGN(const PublicKeyFile key, read_public_key_file(signers));
        exception.signer = key.key;
    }
    return exception;
}

Json json_of(const PurePolicy& policy, const std::string& file) {
    Json bundles = Json::array();
    for (const PureBundle& bundle : policy.rules().bundles)
        bundles.push_back({{"bundle", bundle.bundle.hex()}, {"name", bundle.name}});
    return Json{{"file", file},
                {"policy", policy.digest().hex()},
                {"content", policy.content().digest().hex()},
                {"bundles", std::move(bundles)}};
}

Result<Exit> write_policy(const PolicyCommand& command, Console& console) {
    PureRules rules;
    FARDEL_TRY_ASSIGN(rules.variants, parse_axes(command.variants));
    for (const std::string& word : command.exceptions) {
        FARDEL_TRY_ASSIGN(PureException exception, parse_exception(word));
        rules.exceptions.push_back(std::move(exception));
    }
    for (const std::string& file : command.channels) {
        FARDEL_TRY_ASSIGN(const ChannelRoot root, read_root_file(file));
        rules.channels.push_back({.name = root.channel, .id = root.id});
    }
    rules.loose = command.loose;
    rules.unsigned_allowed = command.allow_unsigned;
    FARDEL_TRY_ASSIGN(const OpenBundles bundles, open_bundles(command.files));
    for (const auto& bundle : bundles) {
        FARDEL_TRY_ASSIGN(std::string name, name_of(*bundle));
        rules.bundles.push_back({.bundle = bundle->id(), .name = std::move(name)});
    }
    FARDEL_TRY_ASSIGN(const PurePolicy policy, PurePolicy::make(std::move(rules)));
    FARDEL_TRY(write_file(command.out, policy.format()));
    return print_result(
        console, command.json, [&] { return json_of(policy, command.out); },
        [&] {
            return fmt::format("wrote {}\npolicy  {}\ncontent {}\n", printable(command.out), policy.digest().hex(),
                               policy.content().digest().hex());
        });
}

}  // namespace

Result<Exit> run_pure_policy(Words words, Console& console) {
    CommandLine line("pure policy", "FILE... -o POLICY [options]",
                     "Writes a pure policy: clients may use these bundles, mounted in this order, "
                     "later ones winning, and nothing else.",
                     "  fardel pure policy base.fardel map.fardel -o server.pure\n"
                     "  fardel pure policy base.fardel -o server.pure "
                     "--except 'huds/*:hud.pub:gfx/hud/**' --loose 'screenshots/**'\n");
    PolicyCommand command;
    line.texts("FILE", "FILE", command.files, "The content set, in the order in which it is mounted").required();
    line.text("-o,--out", "POLICY", command.out, "The file to write").required();
    line.texts("--variant", "AXIS=TAG,TAG", command.variants,
               "The tags that clients may choose from on this axis; may be repeated");
    line.texts("--except", "BUNDLES:KEY.pub:PATHS", command.exceptions,
               "Also allow bundles of these names, signed by this key, for these paths; may be repeated. "
               "In place of KEY.pub, ROLE=N:KEY.pub,KEY.pub: signed by N of these keys as author, registry or release");
    line.texts("--loose", "PATHS", command.loose, "Tolerate loose files at these paths; may be repeated");
    line.texts("--channel", "ROOT", command.channels,
               "Clients that follow the channel of this root apply its recalls; may be repeated");
    line.flag("--allow-unsigned", command.allow_unsigned,
              "Accept a content set without a signature that the client trusts");
    line.json(command.json);
    return line.run(words, console, [&] { return write_policy(command, console); });
}

}  // namespace fardel
