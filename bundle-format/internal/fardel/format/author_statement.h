// What authors say in the trailer of a bundle file, and what one more of them is about to say.
//
// The signatures are verified; whether an author counts is decided by a TrustPolicy.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/statement.h>

#include <optional>
#include <vector>

namespace fardel {

class Bundle;

struct AuthorStatement {
    Envelope envelope;
    Statement statement;
};

// The statements in the trailer that are about this bundle and have a valid signature of their author.
std::vector<AuthorStatement> author_statements(const Bundle& bundle);
// The newest of one author, who renews a statement by signing again: as a trust policy ranks them. Nothing: there is
// none.
std::optional<AuthorStatement> newest_statement(const Bundle& bundle, const PublicKey& author);

// Returns a statement with the ids, sizes, name and version filled in. Reads the asset and block tables. Errors:
// unresolved (the bundle has no name), those of the bundle.
Result<Statement> statement_about(const Bundle& bundle);

// With one signature too many, no reader would open the bundle any more. Error: limit.
Status verify_signature_room(const Bundle& bundle);

// Signs `statement` with the signer's key as its author. Errors: conflict (a statement in the trailer differs in its
// date of creation alone), those of sign_statement.
Result<Envelope> sign_as_author(const Bundle& bundle, Statement statement, Signer& signer);

}  // namespace fardel
