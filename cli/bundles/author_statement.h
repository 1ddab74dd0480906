// Author statements: measured for a new signature, or found in the trailer by those who countersign or cosign.
#pragma once

#include <fardel/format/bundle.h>
#include <fardel/format/envelope.h>
#include <fardel/format/statement.h>

#include <optional>
#include <vector>

namespace fardel {

// A statement with bundle id, layout id and sizes; the caller fills in the rest. Reads the asset and block tables.
Result<Statement> measure_statement(const Bundle& bundle);

struct AuthorStatement {
    Envelope envelope;
    Statement statement;
};

// The statements in the trailer that are about this bundle and have a valid signature of their author.
std::vector<AuthorStatement> author_statements(const Bundle& bundle);

// The statement of the only author, or of `author`; the newest if an author made several. Errors: untrusted (there is
// none), conflict (several authors have signed).
Result<AuthorStatement> choose_statement(const Bundle& bundle, const std::optional<PublicKey>& author);

}  // namespace fardel
