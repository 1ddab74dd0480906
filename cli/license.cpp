// fardel license: issues licence tokens, keeps them in a store, and shows them. docs/signatures.md defines their bytes.

#include "bundles/bundle_word.h"
#include "bundles/license_file.h"
#include "bundles/store_option.h"
#include "console/clock.h"
#include "console/figures.h"
#include "console/json.h"
#include "console/signing_key.h"
#include "verbs.h"

#include <fardel/format/envelope.h>
#include <fardel/format/name.h>
#include <fardel/format/staged_file.h>
#include <fardel/format/trust_policy.h>

#include <fmt/format.h>

#include <utility>

namespace fardel {
namespace {

// ---- What a token says ----------------------------------------------------------------------------------------------

std::string subject_of(const LicenseToken& token) {
    return token.pattern.empty() ? "bundle " + token.bundle.hex() : "bundles named " + printable(token.pattern);
}

bool has_token_ended(const LicenseToken& token) { return token.expires <= system_now(); }

std::string format_token(const LicenseToken& token) {
    std::string text =
        fmt::format("{}\n  {:<7} {}\n  by      {}\n", subject_of(token), has_token_ended(token) ? "ended" : "until",
                    format_date(token.expires), token.issuer.hex());
    if (!token.comment.empty())
        text += fmt::format("  comment {}\n", printable(token.comment));
    return text;
}

Json json_of(const LicenseToken& token) {
    Json json{{"issuer", token.issuer.hex()},
              {"created", token.created.seconds},
              {"expires", token.expires.seconds},
              {"ended", has_token_ended(token)},
              {"comment", token.comment}};
    if (token.pattern.empty())
        json.set("bundle", token.bundle.hex());
    else
        json.set("name", token.pattern);
    return json;
}

Result<Exit> print_tokens(const std::vector<Envelope>& envelopes, bool json, Console& console) {
    std::vector<LicenseToken> tokens;
    for (const Envelope& envelope : envelopes) {
        FARDEL_TRY_ASSIGN(LicenseToken token, license_token_of(envelope));
        tokens.push_back(std::move(token));
    }
    return print_result(
        console, json,
        [&] {
            return Json{{"tokens", json_list(tokens, [](const LicenseToken& one) { return json_of(one); })}};
        },
        [&] { return tokens.empty() ? std::string("no tokens\n") : format_each(tokens, format_token); });
}

// ---- license issue --------------------------------------------------------------------------------------------------

struct IssueCommand {
    SigningKey key;
    std::string bundle;  // a file or an id
    std::string name;
    std::string until;
    std::string comment;
    std::string out;
    bool json = false;
};

Result<Exit> issue(const IssueCommand& command, Console& console) {
    LicenseToken token{.pattern = command.name, .comment = command.comment};
    FARDEL_TRY_ASSIGN(token.created, creation_time());
    FARDEL_TRY_ASSIGN(token.expires, parse_day(command.until));
    if (token.expires <= token.created)
        return Error(ErrorCode::expired, "--until: that day is in the past; choose a later one");
    if (!command.bundle.empty()) {
        FARDEL_TRY_ASSIGN(token.bundle, id_of_word(command.bundle));
    }
    FARDEL_TRY_ASSIGN(const auto signer, open_signer(command.key));
    FARDEL_TRY_ASSIGN(const Envelope envelope, sign_license_token(token, *signer));
    FARDEL_TRY_ASSIGN(const auto bytes, encode_envelope(envelope));
    FARDEL_TRY_ASSIGN(const auto file, stage_file(command.out));
    FARDEL_TRY(file->write_at(0, bytes));
    FARDEL_TRY(file->commit());
    return print_tokens({envelope}, command.json, console);
}

Result<Exit> run_license_issue(Words words, Console& console) {
    CommandLine line("license issue", "--key KEY (--bundle BUNDLE | --name PATTERN) --until DAY -o TOKEN [options]",
                     "Signs a token that permits the use of a bundle, "
                     "or of all bundles whose names match a pattern, before a day.",
                     "  fardel license issue --key shop.key --bundle dm.fardel --until 2027-12-31 -o ann.license\n"
                     "  fardel license issue --key shop.key --name 'packs/*' --until 2027-12-31 -o ann.license\n");
    IssueCommand command;
    add_signing_options(line, command.key).required();
    line.text("--bundle", "BUNDLE", command.bundle, "A bundle file, or the 64 digits of a bundle id");
    line.text("--name", "PATTERN", command.name, "A glob over names of bundles, such as packs/*");
    line.text("--until", "DAY", command.until, "The first day on which the token no longer counts, such as 2027-12-31")
        .required();
    line.text("--comment", "TEXT", command.comment, "A note for people, such as who bought it");
    line.text("-o,--output", "TOKEN", command.out, "The file to write; an existing one is replaced").required();
    line.json(command.json);
    if (const auto over = line.parse(words, console))
        return *over;
    if (command.bundle.empty() == command.name.empty())
        return line.mistake("a token is about either a --bundle or a --name", console);
    return issue(command, console);
}

// ---- license add, ls, show ------------------------------------------------------------------------------------------

struct TokensCommand {
    std::vector<std::string> files;
    std::string store;
    bool json = false;
};

Result<Exit> add_tokens(const TokensCommand& command, Console& console) {
    FARDEL_TRY_ASSIGN(const BundleStore store, open_store(command.store, true));
    FARDEL_TRY_ASSIGN(const auto tokens, read_license_tokens(command.files));
    for (const Envelope& token : tokens)
        FARDEL_TRY(store.add_license(token));
    return print_tokens(tokens, command.json, console);
}

Result<Exit> run_license_add(Words words, Console& console) {
    CommandLine line("license add", "TOKEN... [--store DIR] [--json]",
                     "Keeps tokens in a store: its bundles are mounted with them, and "
                     "'fardel store gc' removes a bundle when the last token for it has ended.",
                     "  fardel license add ann.license --store ~/.local/share/fardel\n");
    TokensCommand command;
    line.texts("TOKEN", "TOKEN", command.files, "The files of the tokens").required();
    add_store_option(line, command.store);
    line.json(command.json);
    return line.run(words, console, [&] { return add_tokens(command, console); });
}

Result<Exit> run_license_ls(Words words, Console& console) {
    CommandLine line("license ls", "[--store DIR] [--json]", "Lists the tokens that a store keeps.",
                     "  fardel license ls --store ~/.local/share/fardel\n");
    TokensCommand command;
    add_store_option(line, command.store);
    line.json(command.json);
    return line.run(words, console, [&]() -> Result<Exit> {
        FARDEL_TRY_ASSIGN(const BundleStore store, open_store(command.store, false));
        FARDEL_TRY_ASSIGN(const auto tokens, store.licenses());
        return print_tokens(tokens, command.json, console);
    });
}

Result<Exit> run_license_show(Words words, Console& console) {
    CommandLine line("license show", "TOKEN... [--json]",
                     "Verifies the signatures of tokens and shows what they permit. "
                     "Whether an issuer counts is decided by the trust policy with which a bundle is mounted.",
                     "  fardel license show ann.license\n");
    TokensCommand command;
    line.texts("TOKEN", "TOKEN", command.files, "The files of the tokens").required();
    line.json(command.json);
    return line.run(words, console, [&]() -> Result<Exit> {
        FARDEL_TRY_ASSIGN(const auto tokens, read_license_tokens(command.files));
        return print_tokens(tokens, command.json, console);
    });
}

constexpr std::string_view kLicenseHelp =
    "Usage: fardel license issue|add|ls|show ...\n"
    "\n"
    "Licence tokens permit the use of bundles that require one, until a day.\n"
    "\n"
    "  issue            sign a token\n"
    "  add TOKEN...     keep tokens in a store\n"
    "  ls               list the tokens of a store\n"
    "  show TOKEN...    verify tokens and show what they permit\n"
    "\n"
    "Examples:\n"
    "  fardel license add dm01.license --store ~/.local/share/fardel\n"
    "  fardel license show dm01.license\n\n"
    "'fardel license issue --help' explains one sub-verb. More: man fardel-license\n";

}  // namespace

Result<Exit> run_license(Words words, Console& console) {
    static constexpr SubVerb kVerbs[] = {
        {"issue", run_license_issue}, {"add", run_license_add}, {"ls", run_license_ls}, {"show", run_license_show}};
    return run_sub_verb("license", kVerbs, kLicenseHelp, words, console);
}

}  // namespace fardel
