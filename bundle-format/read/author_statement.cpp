#include <fardel/format/author_statement.h>

#include <fardel/format/bundle.h>
#include <fardel/format/envelope.h>
#include <fardel/format/head.h>
#include <fardel/format/limits.h>
#include <fardel/format/manifest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

namespace fardel {
namespace {

bool is_signed_by_author(const Envelope& envelope, const Statement& statement) {
    return std::ranges::any_of(envelope.signatures, [&](const EnvelopeSignature& entry) {
        return entry.role == SignerRole::author && entry.key == statement.author &&
               verify_envelope_signature(envelope, entry);
    });
}

Result<std::string> text_of(const Bundle& bundle, std::string_view key) {
    FARDEL_TRY_ASSIGN(const auto text, bundle.find_bundle_text(key));
    return std::string(text.value_or(""));
}

Error in_file(const Bundle& bundle, ErrorCode code, std::string text) {
    return Error(code, std::move(text)).with_context(bundle.label());
}

}  // namespace

std::vector<AuthorStatement> author_statements(const Bundle& bundle) {
    std::vector<AuthorStatement> found;
    for (const Envelope& envelope : bundle.envelopes()) {
        if (envelope.type != EnvelopeType::statement)
            continue;
        const auto statement = decode_statement(envelope.payload);
        if (statement && statement->bundle == bundle.id() && is_signed_by_author(envelope, *statement))
            found.push_back({envelope, *statement});
    }
    return found;
}

std::optional<AuthorStatement> newest_statement(const Bundle& bundle, const PublicKey& author) {
    std::optional<AuthorStatement> newest;
    const auto rank = [&](const Statement& of) {
        return std::tuple(of.epoch, of.created, of.lists(bundle.layout_id()));
    };
    for (AuthorStatement& next : author_statements(bundle))
        if (next.statement.author == author && (!newest || rank(newest->statement) <= rank(next.statement)))
            newest = std::move(next);
    return newest;
}

Result<Statement> statement_about(const Bundle& bundle) {
    Statement statement;
    statement.bundle = bundle.id();
    statement.layouts = {bundle.layout_id()};
    statement.manifest_bytes = bundle.head().manifest_bytes;
    for (std::uint32_t i = 0; i < bundle.asset_count(); ++i) {
        FARDEL_TRY_ASSIGN(const AssetRecord asset, bundle.asset(AssetIndex{i}));
        statement.raw_bytes += asset.raw_bytes;
    }
    const auto blocks = static_cast<std::uint32_t>(bundle.table_count(TableKind::blocks));
    for (std::uint32_t i = 0; i < blocks; ++i) {
        FARDEL_TRY_ASSIGN(const BlockRecord block, bundle.block(i));
        statement.stored_bytes += block.stored_bytes;
    }
    FARDEL_TRY_ASSIGN(statement.name, text_of(bundle, "name"));
    FARDEL_TRY_ASSIGN(statement.version, text_of(bundle, "version"));
    if (statement.name.empty())
        return in_file(bundle, ErrorCode::unresolved, "the bundle has no name to sign; pack it again with --name");
    return statement;
}

Status verify_signature_room(const Bundle& bundle) {
    std::size_t signatures = 0;
    for (const Envelope& envelope : bundle.envelopes())
        signatures += envelope.signatures.size();
    if (bundle.envelopes().size() >= limits::kEnvelopesMax || signatures >= limits::kSignaturesMax)
        return in_file(
            bundle, ErrorCode::limit,
            "it has " + std::to_string(signatures) + " signatures, and no bundle may have more; nothing was changed");
    return ok();
}

Result<Envelope> sign_as_author(const Bundle& bundle, Statement statement, Signer& signer) {
    statement.author = signer.public_key();
    for (AuthorStatement& before : author_statements(bundle)) {
        // A statement that differs in its time alone says nothing new, and signatures in a trailer are few.
        before.statement.created = statement.created;
        if (before.statement == statement)
            return in_file(bundle, ErrorCode::conflict,
                           "this key has already signed exactly this; nothing was changed");
    }
    return sign_statement(statement, signer);
}

}  // namespace fardel
