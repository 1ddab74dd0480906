#include "signature_list.h"

#include "console/figures.h"

#include <fardel/format/name.h>

#include <fmt/format.h>

namespace fardel {
namespace {

void add_claims(const Statement& statement, ListedSignature& listed) {
    listed.name = statement.name;
    listed.version = statement.version;
    listed.channel = statement.channel;
    listed.comment = statement.comment;
    listed.epoch = statement.epoch;
    listed.created_s = statement.created_s;
    listed.expires_s = statement.expires_s;
}

void add_claims(const Countersignature& countersignature, ListedSignature& listed) {
    listed.comment = countersignature.comment;
    listed.epoch = countersignature.epoch;
    listed.created_s = countersignature.created_s;
    listed.expires_s = countersignature.expires_s;
    listed.author = countersignature.author;
}

ListedSignature listed_of(const Envelope& envelope, const EnvelopeSignature& entry, const BundleId& bundle) {
    ListedSignature listed{.role = entry.role, .key = entry.key, .good = false};
    bool fits = false;
    if (envelope.type == EnvelopeType::statement) {
        if (const auto statement = decode_statement(envelope.payload)) {
            add_claims(*statement, listed);
            fits = statement->bundle == bundle && entry.role == SignerRole::author;
        }
    } else if (envelope.type == EnvelopeType::countersignature) {
        if (const auto countersignature = decode_countersignature(envelope.payload)) {
            add_claims(*countersignature, listed);
            fits = countersignature->bundle == bundle && entry.role == countersignature->role &&
                   entry.key == countersignature->signer;
        }
    }
    listed.good = fits && verify_envelope_signature(envelope, entry);
    return listed;
}

}  // namespace

std::vector<ListedSignature> list_signatures(const Bundle& bundle) {
    std::vector<ListedSignature> list;
    for (const Envelope& envelope : bundle.envelopes())
        for (const EnvelopeSignature& entry : envelope.signatures)
            list.push_back(listed_of(envelope, entry, bundle.id()));
    return list;
}

std::string format_signature(const ListedSignature& signature) {
    std::string text =
        fmt::format("{} {} {}", role_name(signature.role), signature.key.hex(), signature.good ? "good" : "BAD");
    if (!signature.name.empty())
        text += fmt::format(", states \"{}\" {}", signature.name, signature.version);
    if (signature.author)
        text += fmt::format(", countersigns {}", short_id(*signature.author));
    text += fmt::format(", created {}", format_date(signature.created_s));
    if (signature.expires_s != 0)
        text += fmt::format(", expires {}", format_date(signature.expires_s));
    if (!signature.comment.empty())
        text += fmt::format(", \"{}\"", signature.comment);
    return printable(text, 2000);
}

Json json_of(const ListedSignature& signature) {
    return Json{
        {"role", role_name(signature.role)},
        {"key", signature.key.hex()},
        {"good", signature.good},
        {"name", signature.name},
        {"version", signature.version},
        {"channel", signature.channel},
        {"comment", signature.comment},
        {"epoch", signature.epoch},
        {"created", signature.created_s},
        {"expires", signature.expires_s},
        {"author", signature.author ? Json(signature.author->hex()) : Json()},
    };
}

}  // namespace fardel
