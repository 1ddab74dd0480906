#include "author_statement.h"

#include "bundle_file.h"

#include <fardel/format/head.h>
#include <fardel/format/manifest.h>

#include <algorithm>
#include <utility>

namespace fardel {
namespace {

bool is_signed_by_author(const Envelope& envelope, const Statement& statement) {
    return std::ranges::any_of(envelope.signatures, [&](const EnvelopeSignature& entry) {
        return entry.role == SignerRole::author && entry.key == statement.author &&
               verify_envelope_signature(envelope, entry);
    });
}

}  // namespace

Result<Statement> measure_statement(const Bundle& bundle) {
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
    return statement;
}

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

Result<AuthorStatement> choose_statement(const Bundle& bundle, const std::optional<PublicKey>& author) {
    std::vector<AuthorStatement> found = author_statements(bundle);
    if (author)
        std::erase_if(found, [&](const AuthorStatement& one) { return one.statement.author != *author; });
    if (found.empty())
        return in_bundle(bundle, Error(ErrorCode::untrusted,
                                       "no author has signed it; the author has to sign first, with --role author"));
    if (std::ranges::any_of(
            found, [&](const AuthorStatement& one) { return one.statement.author != found.front().statement.author; }))
        return in_bundle(
            bundle, Error(ErrorCode::conflict, "several authors have signed it; choose one of them with --author"));
    return *std::ranges::max_element(
        found, {}, [](const AuthorStatement& one) { return std::pair(one.statement.epoch, one.statement.created_s); });
}

}  // namespace fardel
