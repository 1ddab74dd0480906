// fardel sign: verifies a bundle and appends one signature to its trailer. Nothing else in the file changes.

#include "bundles/bundle_file.h"
#include "bundles/whole_bundle.h"
#include "console/clock.h"
#include "console/figures.h"
#include "console/json.h"
#include "console/signing_key.h"
#include "verbs.h"

#include <fardel/base/interrupt.h>
#include <fardel/format/appended_record.h>
#include <fardel/format/author_statement.h>
#include <fardel/format/bundle_use.h>
#include <fardel/format/envelope.h>
#include <fardel/format/key_file.h>
#include <fardel/format/name.h>
#include <fardel/format/signing_rule.h>
#include <fardel/format/staged_file.h>
#include <fardel/format/statement.h>

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace fardel {
namespace {

// ---- Author statements ----------------------------------------------------------------------------------------------

// The statement of the only author, or of `author`; the newest if an author made several. Errors: untrusted (there is
// none), conflict (several authors have signed).
Result<AuthorStatement> choose_statement(const Bundle& bundle, const std::optional<PublicKey>& author) {
    std::vector<AuthorStatement> found = author_statements(bundle);
    if (author)
        std::erase_if(found, [&](const AuthorStatement& one) { return one.statement.author != *author; });
    if (found.empty())
        return in_bundle(bundle, Error(ErrorCode::untrusted,
                                       "no author has signed it; the author has to sign first, without --role"));
    if (std::ranges::any_of(
            found, [&](const AuthorStatement& one) { return one.statement.author != found.front().statement.author; }))
        return in_bundle(
            bundle, Error(ErrorCode::conflict, "several authors have signed it; choose one of them with --author"));
    return *newest_statement(bundle, found.front().statement.author);
}

// ---- Signing --------------------------------------------------------------------------------------------------------

struct SignOptions {
    std::string file;
    SigningKey key;
    SignerRole role = SignerRole::author;
    std::string channel;
    std::string comment;
    std::optional<UnixTime> expires;
    std::string author;
    std::uint64_t epoch = 0;
    std::string policy;
    bool cosign = false;
    bool json = false;
};

Error already_signed(const Bundle& bundle) {
    return in_bundle(bundle,
                     Error(ErrorCode::conflict, "this key has already signed exactly this; nothing was changed"));
}

Result<Envelope> author_envelope(const Bundle& bundle, const SignOptions& options, UnixTime created, Signer& signer) {
    FARDEL_TRY_ASSIGN(Statement statement, statement_about(bundle));
    statement.channel = options.channel;
    statement.epoch = options.epoch;
    statement.created = created;
    statement.expires = options.expires;
    statement.comment = options.comment;
    return sign_as_author(bundle, std::move(statement), signer);
}

// Whether the trailer has the same countersignature already, apart from its creation time.
bool has_countersignature(const Bundle& bundle, const Countersignature& made) {
    return std::ranges::any_of(bundle.envelopes(), [&](const Envelope& envelope) {
        auto before = decode_countersignature(envelope.payload);
        if (envelope.type != EnvelopeType::countersignature || !before)
            return false;
        before->created = made.created;
        return *before == made && verify_envelope_signature(envelope, envelope.signatures.front());
    });
}

Result<Envelope> countersign_envelope(const Bundle& bundle, const AuthorStatement& chosen, const SignOptions& options,
                                      UnixTime created, Signer& signer) {
    const CountersignRequest request{.role = options.role,
                                     .comment = options.comment,
                                     .epoch = options.epoch,
                                     .created = created,
                                     .expires = options.expires};
    FARDEL_TRY_ASSIGN(Envelope envelope, countersign(chosen.envelope, request, signer));
    FARDEL_TRY_ASSIGN(const Countersignature made, decode_countersignature(envelope.payload));
    if (has_countersignature(bundle, made))
        return already_signed(bundle);
    return envelope;
}

// The author's statement that a cosignature or countersignature is about; nothing for a statement of the signer's own.
Result<std::optional<AuthorStatement>> find_statement_to_sign(const Bundle& bundle, const SignOptions& options) {
    if (options.role == SignerRole::author && !options.cosign)
        return std::optional<AuthorStatement>();
    std::optional<PublicKey> author;
    if (!options.author.empty()) {
        FARDEL_TRY_ASSIGN(const PublicKeyFile file, read_public_key_file(options.author));
        author = file.key;
    }
    FARDEL_TRY_ASSIGN(AuthorStatement chosen, choose_statement(bundle, author));
    // Whoever signs it vouches for each layout that it lists, and only this one has been verified (tests/ATTACKS.md,
    // A122).
    for (const LayoutId& layout : chosen.statement.layouts)
        if (layout != bundle.layout_id())
            return in_bundle(bundle,
                             Error(ErrorCode::untrusted, "the author's statement lists layout " + layout.hex() +
                                                             ", and this file has another; sign the author's file"));
    return std::optional(std::move(chosen));
}

Result<Envelope> make_envelope(const Bundle& bundle, const std::optional<AuthorStatement>& chosen,
                               const SignOptions& options, UnixTime created, Signer& signer) {
    if (!chosen)
        return author_envelope(bundle, options, created, signer);
    if (options.cosign)
        return cosign_statement(chosen->envelope, signer);
    return countersign_envelope(bundle, *chosen, options, created, signer);
}

// A signature belongs to the end of a bundle, and behind an appended one there is the record of its size.
Status verify_is_bundle_file(const std::string& path) {
    FARDEL_TRY_ASSIGN(const auto file, open_file_source(path));
    FARDEL_TRY_ASSIGN(const auto appended, find_appended_record(*file));
    if (!appended)
        return ok();
    return Error(ErrorCode::unsupported,
                 printable(path, 1000) +
                     ": a program with a bundle behind it; sign the bundle's own file, and append it "
                     "to the program again");
}

// Reads every byte of the file: a signature vouches for all of it (tests/ATTACKS.md, A122).
Status verify_all(const Bundle& bundle, const SignOptions& options, Console& console) {
    const Interrupt interrupt;
    VerifyOptions verify;
    verify.stop = interrupt.token();
    // An author who signs a bundle that was stored again adds the layout that nobody has signed yet.
    verify.local_layout_allowed = options.role == SignerRole::author && !options.cosign;
    return verify_whole_bundle(bundle.source(), bundle.label(), "nothing was signed", std::move(verify), console);
}

// Verifies that a policy lets this key bring what is in the bundle (tests/ATTACKS.md, A137).
Status verify_signable(const Bundle& bundle, const SignOptions& options, const PublicKey& key, Console& console) {
    if (options.policy.empty())
        return ok();
    FARDEL_TRY_ASSIGN(const TrustPolicy policy, read_trust_policy(options.policy));
    FARDEL_TRY_ASSIGN(const std::string name, bundle_text(bundle, "name"));
    const auto rule = find_signing_rule(policy, name, key, options.role);
    if (!rule)
        return in_bundle(bundle, rule.error());
    Status allowed = verify_classes(bundle, rule->brings);
    if (!allowed)
        return Error(allowed.error().code(), allowed.error().message() + "; nothing was signed");
    FARDEL_TRY_ASSIGN(const HiddenNames hidden, find_hidden_names(bundle, *rule));
    if (hidden.count != 0)
        console.say("fardel: " + printable(bundle.label(), 1000) + ": " + hidden.describe());
    return ok();
}

// What was signed, for the report.
struct Done {
    std::string name;
    std::string version;
    PublicKey key;
};

std::string format_done(const Bundle& bundle, const SignOptions& options, const Done& done) {
    return fmt::format("signed {} as {}\n  name    {}\n  bundle  {}\n  key     {}\n", printable(bundle.label(), 1000),
                       role_name(options.role), printable(done.name + ' ' + done.version), bundle.id().hex(),
                       done.key.hex());
}

Json json_done(const Bundle& bundle, const SignOptions& options, const Done& done) {
    return Json{{"file", bundle.label()},
                {"name", done.name},
                {"version", done.version},
                {"bundle", bundle.id().hex()},
                {"layout", bundle.layout_id().hex()},
                {"role", role_name(options.role)},
                {"key", done.key.hex()}};
}

Result<Exit> sign(const SignOptions& options, Console& console) {
    FARDEL_TRY_ASSIGN(const UnixTime created, creation_time());
    if (has_passed(options.expires, created))
        return Error(ErrorCode::expired, "--expires: that day is in the past; choose a later one");
    FARDEL_TRY_ASSIGN(const auto bundle, open_bundle(options.file));
    FARDEL_TRY(verify_is_bundle_file(options.file));
    // Before all bytes are read, which takes minutes for a large bundle.
    FARDEL_TRY(verify_signature_room(*bundle));
    FARDEL_TRY(verify_all(*bundle, options, console));
    FARDEL_TRY_ASSIGN(const auto chosen, find_statement_to_sign(*bundle, options));
    // After everything that may fail without the key, since opening it may ask for a passphrase.
    FARDEL_TRY_ASSIGN(const auto signer, open_signer(options.key));
    FARDEL_TRY(verify_signable(*bundle, options, signer->public_key(), console));
    FARDEL_TRY_ASSIGN(const Envelope envelope, make_envelope(*bundle, chosen, options, created, *signer));
    FARDEL_TRY_ASSIGN(const auto bytes, encode_envelope(envelope));
    FARDEL_TRY(append_to_file(options.file, bundle->source()->size_bytes(), bytes));
    Done done{.name = {}, .version = {}, .key = signer->public_key()};
    FARDEL_TRY_ASSIGN(done.name, bundle_text(*bundle, "name"));
    FARDEL_TRY_ASSIGN(done.version, bundle_text(*bundle, "version"));
    return print_result(
        console, options.json, [&] { return json_done(*bundle, options, done); },
        [&] { return format_done(*bundle, options, done); });
}

// What is wrong with the combination of options; empty if nothing is.
std::string_view mistake_in(const SignOptions& options) {
    const bool states = !options.channel.empty();
    if (options.role != SignerRole::author && (states || options.cosign))
        return "--channel and --cosign are for authors, without --role; a countersignature repeats what the author "
               "states";
    if (options.cosign && (states || options.epoch != 0 || !options.comment.empty() || options.expires))
        return "--cosign signs the statement of another author unchanged; it goes with no option that states something";
    if (options.role == SignerRole::author && !options.cosign && !options.author.empty())
        return "--author needs --cosign or another role";
    return "";
}

}  // namespace

Result<Exit> run_sign(Words words, Console& console) {
    CommandLine line(
        "sign", "FILE --key KEY [--role ROLE] [options]",
        "Verifies a bundle and signs it as its author, or as a registry or release signer who vouches for the author.",
        "  fardel sign mygame.fardel --key author.key\n"
        "  fardel sign mygame.fardel --key hub.key --role registry --comment reviewed\n"
        "  fardel sign skins.fardel --key painter.key --trust policy.trust\n"
        "  fardel sign mygame.fardel --key token.pub --signer ./sign-with-token --role release\n");
    SignOptions options;
    std::string role(role_name(SignerRole::author));
    std::string expires;
    line.text("FILE", "FILE", options.file, "The bundle to which the signature is appended").required();
    add_signing_options(line, options.key).required();
    line.text("--role", "ROLE", role, "author, which is the default; registry or release");
    line.text("--channel", "CHANNEL", options.channel, "Author: the channel for which the bundle is meant");
    line.number("--epoch", options.epoch, 0, UINT64_MAX, "A number that grows from one release to the next");
    line.text("--expires", "DAY", expires,
              "The first day on which the signature is no longer valid, such as 2027-12-31");
    line.text("--comment", "TEXT", options.comment, "A note for people");
    line.text("--trust", "POLICY", options.policy, "Refuse to sign what this trust policy does not let the key bring");
    line.flag("--cosign", options.cosign, "Author: sign the statement of another author as well");
    line.text("--author", "KEY.pub", options.author,
              "Whose statement to cosign or countersign, if several have signed");
    line.json(options.json);
    if (const auto over = line.parse(words, console))
        return *over;

    const auto known_role = find_role(role);
    if (!known_role)
        return line.mistake(fmt::format("--role: '{}' is not author, registry or release", role), console);
    options.role = *known_role;
    if (!expires.empty()) {
        const auto day = parse_day(expires);
        if (!day)
            return line.mistake("--expires: " + day.error().message(), console);
        options.expires = *day;
    }
    if (const auto mistake = mistake_in(options); !mistake.empty())
        return line.mistake(mistake, console);
    return sign(options, console);
}

}  // namespace fardel
