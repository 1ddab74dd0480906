// What an author's signature says: made for a new one, found for those that countersign or cosign it.
#pragma once

#include <fardel/format/bundle.h>
#include <fardel/format/envelope.h>
#include <fardel/format/statement.h>

#include <optional>
#include <vector>

namespace fardel {

// Bundle id, this layout and all sizes; the rest is the caller's. Reads the tables of assets and blocks.
Result<Statement> measure_statement(const Bundle& bundle);

struct AuthorStatement {
    Envelope envelope;
    Statement statement;
};

// Those in the trailer that are about this bundle and whose author's signature is good.
std::vector<AuthorStatement> author_statements(const Bundle& bundle);

// The only author's, or that of `author`; of several of one author the newest. Errors: untrusted (there is none),
// conflict (several authors have signed).
Result<AuthorStatement> choose_statement(const Bundle& bundle, const std::optional<PublicKey>& author);

}  // namespace fardel
