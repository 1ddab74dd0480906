// Reads the provenance of a build, which is untrusted. docs/provenance.md describes it.
#include <fardel/packer/provenance.h>

#include "provenance_form.h"
#include "text/bounded_json.h"

#include <fardel/format/base64.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/limits.h>
#include <fardel/format/printable.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

namespace fardel {
namespace {

using ClaimJson = nlohmann::json;

constexpr int kProvenanceDepthMax = 16;
// Of an envelope, besides the base64 of its payload.
constexpr std::size_t kEnvelopeBytesMax = std::size_t(1) << 20;

Error bad_provenance(const std::string& what) { return Error(ErrorCode::malformed, "not a provenance: " + what); }

Result<ClaimJson> parse_object(std::string_view text) {
    std::optional<ClaimJson> json = parse_unambiguous_json(text, kProvenanceDepthMax);
    if (!json)
        return bad_provenance("values in values, or a key twice in one object");
    if (!json->is_object())
        return bad_provenance("no JSON object");
    return *std::move(json);
}

// ---- Members, which may be absent or of another kind ----------------------------------------------------------------

const ClaimJson& member(const ClaimJson& object, const char* key) {
    static const ClaimJson kAbsent;
    const auto found = object.find(key);
    return found == object.end() ? kAbsent : *found;
}

const std::string& text_member(const ClaimJson& object, const char* key) {
    static const std::string kEmpty;
    const ClaimJson& value = member(object, key);
    return value.is_string() ? value.get_ref<const std::string&>() : kEmpty;
}

Result<const ClaimJson*> list_member(const ClaimJson& object, const char* key) {
    const ClaimJson& list = member(object, key);
    if (!list.is_array() || !std::ranges::all_of(list, &ClaimJson::is_object))
        return bad_provenance(std::string("'") + key + "' is not a list of objects");
    return &list;
}

// ---- The Statement --------------------------------------------------------------------------------------------------

Status verify_kind(const ClaimJson& statement, const ClaimJson& definition) {
    if (text_member(statement, "_type") != kStatementType)
        return bad_provenance("its '_type' is not " + std::string(kStatementType));
    if (text_member(statement, "predicateType") != kPredicateType ||
        text_member(definition, "buildType") != kProvenanceBuildType)
        return Error(ErrorCode::unsupported, "a statement of another program, of the type " +
                                                 in_quotes(text_member(statement, "predicateType")) +
                                                 ": only those of 'fardel build --provenance' can be read");
    return ok();
}

// The writer lists them in one order, and names each file in both lists.
Result<std::vector<ClaimedBundle>> parse_bundles(const ClaimJson& subjects, const ClaimJson& parameters) {
    if (subjects.size() != parameters.size())
        return bad_provenance("'subject' and 'bundles' differ in length");
    std::vector<ClaimedBundle> bundles;
    for (std::size_t i = 0; i < subjects.size(); ++i) {
        const ClaimJson& subject = subjects[i];
        const ClaimJson& parameter = parameters[i];
        const auto bundle = BundleId::parse(text_member(member(subject, "annotations"), "bundle"));
        ClaimedBundle claimed{.bundle = {},
                              .sha256 = text_member(member(subject, "digest"), "sha256"),
                              .file = text_member(subject, "name"),
                              .name = text_member(parameter, "name"),
                              .version = text_member(parameter, "version"),
                              .target = text_member(parameter, "target")};
        if (!bundle || claimed.sha256.empty() || claimed.file != text_member(parameter, "file"))
            return bad_provenance("subject " + std::to_string(i + 1) +
                                  " lacks a hash or a bundle id, or 'bundles' names another file");
        claimed.bundle = *bundle;
        bundles.push_back(std::move(claimed));
    }
    return bundles;
}

// `kind`: of all; nullptr: each states its own.
Result<std::vector<KeyPart>> parse_resources(const ClaimJson& list, const char* algorithm) {
    std::vector<KeyPart> parts;
    parts.reserve(list.size());
    for (const ClaimJson& item : list) {
        KeyPart part{.kind = text_member(member(item, "annotations"), "kind"),
                     .name = text_member(item, "name"),
                     .value = text_member(member(item, "digest"), algorithm)};
        if (part.kind.empty() || part.name.empty() || !Hash::parse(part.value))
            return bad_provenance("item " + std::to_string(parts.size() + 1) + " of a list lacks a name, a kind or a " +
                                  algorithm + " hash");
        parts.push_back(std::move(part));
    }
    return parts;
}

Status verify_length(std::string_view statement) {
    return statement.size() <= kProvenanceBytesMax
               ? ok()
               : Status(Error(ErrorCode::limit,
                              "a provenance of more than " + std::to_string(kProvenanceBytesMax) + " bytes"));
}

Result<ProvenanceClaim> claim_of(const ClaimJson& statement) {
    const ClaimJson& predicate = member(statement, "predicate");
    const ClaimJson& definition = member(predicate, "buildDefinition");
    const ClaimJson& parameters = member(definition, "externalParameters");
    FARDEL_TRY(verify_kind(statement, definition));
    FARDEL_TRY_ASSIGN(const ClaimJson* const subjects, list_member(statement, "subject"));
    FARDEL_TRY_ASSIGN(const ClaimJson* const bundles, list_member(parameters, "bundles"));
    FARDEL_TRY_ASSIGN(const ClaimJson* const read, list_member(definition, "resolvedDependencies"));
    FARDEL_TRY_ASSIGN(const ClaimJson* const jobs, list_member(member(predicate, "runDetails"), "byproducts"));
    ProvenanceClaim claim{.project = text_member(parameters, "project")};
    FARDEL_TRY_ASSIGN(claim.bundles, parse_bundles(*subjects, *bundles));
    FARDEL_TRY_ASSIGN(claim.read, parse_resources(*read, "blake3"));
    FARDEL_TRY_ASSIGN(claim.jobs, parse_resources(*jobs, "fardelBuildKey"));
    return claim;
}

// ---- The envelope ---------------------------------------------------------------------------------------------------

Result<std::vector<ProvenanceSignature>> parse_signatures(const ClaimJson& envelope) {
    FARDEL_TRY_ASSIGN(const ClaimJson* const list, list_member(envelope, "signatures"));
    if (list->size() > limits::kSignaturesMax)
        return Error(ErrorCode::limit, "a provenance with " + std::to_string(list->size()) + " signatures; at most " +
                                           std::to_string(limits::kSignaturesMax) + " are read");
    std::vector<ProvenanceSignature> signatures;
    for (const ClaimJson& item : *list) {
        ProvenanceSignature one{.key_id = text_member(item, "keyid"), .signature = {}};
        if (!decode_base64(text_member(item, "sig"), std::as_writable_bytes(std::span(one.signature.bytes))))
            return bad_provenance("signature " + std::to_string(signatures.size() + 1) +
                                  " is not the base64 of 64 bytes");
        signatures.push_back(std::move(one));
    }
    return signatures;
}

Result<std::string> decode_payload(const ClaimJson& envelope) {
    if (text_member(envelope, "payloadType") != kDssePayloadType)
        return Error(ErrorCode::unsupported, "an envelope with a payload of the type " +
                                                 in_quotes(text_member(envelope, "payloadType")) + ", and not " +
                                                 std::string(kDssePayloadType));
    const std::string& base64 = text_member(envelope, "payload");
    std::string payload(base64_bytes(base64), '\0');
    if (!decode_base64(base64, std::as_writable_bytes(std::span(payload))))
        return bad_provenance("its payload is not base64");
    return payload;
}

}  // namespace

std::string dsse_message(std::string_view statement) {
    std::string message = "DSSEv1";
    for (const std::string_view part : {kDssePayloadType, statement})
        message.append(" ").append(std::to_string(part.size())).append(" ").append(part);
    return message;
}

Result<ProvenanceFile> parse_provenance(std::string_view text) {
    FARDEL_TRY_ASSIGN(const ClaimJson json, parse_object(text));
    ProvenanceFile file;
    if (!json.contains("payloadType") && !json.contains("payload")) {
        FARDEL_TRY(verify_length(text));
        FARDEL_TRY_ASSIGN(file.claim, claim_of(json));
        return file;
    }
    FARDEL_TRY_ASSIGN(const std::string payload, decode_payload(json));
    FARDEL_TRY_ASSIGN(file.signatures, parse_signatures(json));
    FARDEL_TRY(verify_length(payload));
    FARDEL_TRY_ASSIGN(const ClaimJson statement, parse_object(payload));
    FARDEL_TRY_ASSIGN(file.claim, claim_of(statement));
    file.signed_text = dsse_message(payload);
    return file;
}

Result<ProvenanceFile> read_provenance(const std::string& path) {
    constexpr std::size_t kFileBytesMax = (kProvenanceBytesMax + 2) / 3 * 4 + kEnvelopeBytesMax;
    FARDEL_TRY_ASSIGN(const auto source, open_file_source(path));
    if (source->size_bytes() > kFileBytesMax)
        return Error(ErrorCode::limit, printable(path) + ": more than " + std::to_string(kFileBytesMax) + " bytes");
    std::string text(static_cast<std::size_t>(source->size_bytes()), '\0');
    FARDEL_TRY(source->read_at(0, std::as_writable_bytes(std::span(text))));
    auto file = parse_provenance(text);
    return file ? std::move(file) : Result<ProvenanceFile>(std::move(file).error().with_context(printable(path)));
}

}  // namespace fardel
