// fardel id: identifies a bundle by its two heads, its metadata and its trailer.

#include "bundles/bundle_file.h"
#include "bundles/metadata_text.h"
#include "console/figures.h"
#include "console/json.h"
#include "verbs.h"

#include <fardel/format/envelope.h>
#include <fardel/format/name.h>
#include <fardel/format/requirement.h>

#include <fmt/format.h>

#include <optional>

namespace fardel {
namespace {

// ---- Signatures -----------------------------------------------------------------------------------------------------

// A signature in the trailer: signer, claims, and whether it is valid. Which signers to trust is decided by a trust
// policy, not here.
struct ListedSignature {
    SignerRole role = SignerRole::author;
    PublicKey key;
    bool good = false;  // valid, about this bundle, and in this role
    std::string name;   // as the author states it; empty for a countersignature
    std::string version;
    std::string channel;
    std::string comment;
    std::uint64_t epoch = 0;
    UnixTime created;
    std::optional<UnixTime> expires;
    std::optional<PublicKey> author;  // of the statement that is countersigned
};

// The claims of a statement or countersignature that both make.
template <class Claims>
void add_claims(const Claims& claims, ListedSignature& listed) {
    listed.comment = claims.comment;
    listed.epoch = claims.epoch;
    listed.created = claims.created;
    listed.expires = claims.expires;
}

ListedSignature listed_of(const Envelope& envelope, const EnvelopeSignature& entry, const BundleId& bundle) {
    ListedSignature listed{.role = entry.role, .key = entry.key, .good = false};
    bool fits = false;
    if (envelope.type == EnvelopeType::statement) {
        if (const auto statement = decode_statement(envelope.payload)) {
            add_claims(*statement, listed);
            listed.name = statement->name;
            listed.version = statement->version;
            listed.channel = statement->channel;
            fits = statement->bundle == bundle && entry.role == SignerRole::author;
        }
    } else if (envelope.type == EnvelopeType::countersignature) {
        if (const auto countersignature = decode_countersignature(envelope.payload)) {
            add_claims(*countersignature, listed);
            listed.author = countersignature->author;
            fits = countersignature->bundle == bundle && entry.role == countersignature->role &&
                   entry.key == countersignature->signer;
        }
    }
    listed.good = fits && verify_envelope_signature(envelope, entry);
    return listed;
}

std::vector<ListedSignature> list_signatures(const Bundle& bundle) {
    std::vector<ListedSignature> list;
    for (const Envelope& envelope : bundle.envelopes())
        for (const EnvelopeSignature& entry : envelope.signatures)
            list.push_back(listed_of(envelope, entry, bundle.id()));
    return list;
}

// One line without control characters.
std::string format_signature(const ListedSignature& signature) {
    std::string text =
        fmt::format("{} {} {}", role_name(signature.role), signature.key.hex(), signature.good ? "good" : "BAD");
    if (!signature.name.empty())
        text += fmt::format(", states \"{}\" {}", signature.name, signature.version);
    if (signature.author)
        text += fmt::format(", countersigns {}", short_id(*signature.author));
    text += fmt::format(", created {}", format_date(signature.created));
    if (signature.expires)
        text += fmt::format(", expires {}", format_date(*signature.expires));
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
        {"created", signature.created.seconds},
        {"expires", signature.expires ? signature.expires->seconds : 0},
        {"author", json_id(signature.author)},
    };
}

// ---- Bundles --------------------------------------------------------------------------------------------------------

struct BundleFacts {
    std::string name;
    std::string version;
    std::vector<Requirement> requirements;
    std::vector<StatedMetadata> metadata;
    std::vector<ListedSignature> signatures;
};

Result<BundleFacts> collect(const Bundle& bundle) {
    BundleFacts facts;
    FARDEL_TRY_ASSIGN(facts.name, bundle_text(bundle, "name"));
    FARDEL_TRY_ASSIGN(facts.version, bundle_text(bundle, "version"));
    FARDEL_TRY_ASSIGN(facts.requirements, requirements_of(bundle));
    FARDEL_TRY_ASSIGN(facts.metadata, own_metadata(bundle));
    facts.signatures = list_signatures(bundle);
    return facts;
}

// Name, version and requirements have lines of their own.
bool has_own_line(std::string_view key) {
    return key == "name" || key == "version" || key.starts_with(kRequirementKeyPrefix);
}

Result<std::string> format_text(const Bundle& bundle, const BundleFacts& facts) {
    std::string text = fmt::format("bundle     {}\nlayout     {}\n", bundle.id().hex(), bundle.layout_id().hex());
    text += fmt::format("name       {}\nversion    {}\n", printable(facts.name), printable(facts.version));
    text += fmt::format("contains   {}, {}\n", format_count(bundle.asset_count(), "asset", "assets"),
                        format_count(bundle.name_count(), "name", "names"));
    text += fmt::format("file       {}\n", format_size(bundle.source()->size_bytes()));
    for (const Requirement& requirement : facts.requirements)
        text += fmt::format("requires   {}\n", printable(requirement.text(), 2000));
    for (const StatedMetadata& one : facts.metadata) {
        if (has_own_line(one.key))
            continue;
        FARDEL_TRY_ASSIGN(const MetadataValue value, metadata_value(bundle, one.record));
        const std::string_view key = metadata_key(one.key);
        text += fmt::format("{:<10} {}\n", printable(key, 1000), format_metadata(key, value));
    }
    for (const ListedSignature& signature : facts.signatures)
        text += fmt::format("signature  {}\n", format_signature(signature));
    if (facts.signatures.empty())
        text += "unsigned\n";
    return text;
}

Result<Json> json_of(const Bundle& bundle, const BundleFacts& facts) {
    FARDEL_TRY_ASSIGN(Json metadata, metadata_json(bundle, facts.metadata));
    return Json{
        {"file", bundle.label()},
        {"bundle", bundle.id().hex()},
        {"layout", bundle.layout_id().hex()},
        {"name", facts.name},
        {"version", facts.version},
        {"assets", bundle.asset_count()},
        {"names", bundle.name_count()},
        {"file_bytes", bundle.source()->size_bytes()},
        {"requires", json_list(facts.requirements, [](const Requirement& one) { return Json(one.text()); })},
        {"metadata", std::move(metadata)},
        {"signatures", json_list(facts.signatures, [](const ListedSignature& one) { return json_of(one); })},
    };
}

}  // namespace

Result<Exit> run_id(Words words, Console& console) {
    CommandLine line("id", "FILE [--all] [--json]",
                     "Prints the id of a bundle: the BLAKE3 hash of its first 4096 bytes.",
                     "  fardel id mygame.fardel\n"
                     "  head -c 4096 mygame.fardel | b3sum     # the same\n"
                     "  fardel id --all mygame.fardel          # also name, version, licence, layout id, signatures\n");
    std::string file;
    bool all = false;
    bool json = false;
    line.text("FILE", "FILE", file, "The bundle").required();
    line.flag("-a,--all", all, "Also print layout id, name, version, counts, metadata and signatures");
    line.json(json, "Print all of it as JSON");
    if (const auto over = line.parse(words, console))
        return *over;

    FARDEL_TRY_ASSIGN(const auto bundle, open_bundle(file));
    if (!all && !json) {
        return console.print(bundle->id().hex() + "\n");
    }
    FARDEL_TRY_ASSIGN(const BundleFacts facts, collect(*bundle));
    if (json) {
        FARDEL_TRY_ASSIGN(const Json out, json_of(*bundle, facts));
        return console.print(format_json(out) + "\n");
    }
    FARDEL_TRY_ASSIGN(const std::string text, format_text(*bundle, facts));
    return console.print(text);
}

}  // namespace fardel
