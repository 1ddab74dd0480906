#include <fardel/packer/provenance.h>

#include "provenance_form.h"
#include "text/bounded_json.h"

#include <fardel/base/path_text.h>
#include <fardel/format/base64.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/sha256.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <tuple>
#include <utility>

namespace fardel {
namespace {

using ProvenanceJson = nlohmann::ordered_json;

// Who built; a name, which leads nowhere.
constexpr const char* kProvenanceBuilder = "urn:fardel:builder";

std::string format_document(const ProvenanceJson& json) {
    return json.dump(2, ' ', false, ProvenanceJson::error_handler_t::replace) + "\n";
}

ProvenanceJson resource(std::string_view name, const char* algorithm, std::string_view digest, std::string_view kind) {
    return {{"name", name}, {"digest", {{algorithm, digest}}}, {"annotations", {{"kind", kind}}}};
}

// What jobs read besides the sources of the project, once each: files that they found, and their code and programs.
std::set<std::tuple<std::string, std::string, std::string>> read_by_jobs(const BuildLog& log) {
    std::set<std::tuple<std::string, std::string, std::string>> read;
    for (const LoggedJob& job : log.jobs)
        for (const KeyPart& part : job.parts)
            if ((part.kind == "found" || part.kind == "code" || part.kind == "program") && AssetId::parse(part.value))
                read.emplace(part.kind, part.name, part.value);
    return read;
}

ProvenanceJson dependencies_of(const Provenance& provenance) {
    ProvenanceJson list = ProvenanceJson::array();
    const std::set<ProvenanceSource> sources(provenance.sources.begin(), provenance.sources.end());
    for (const ProvenanceSource& source : sources)
        list.push_back(resource(source.name, "blake3", source.asset.hex(), "source"));
    for (const auto& [kind, name, hash] : read_by_jobs(provenance.log))
        list.push_back(resource(name, "blake3", hash, kind));
    return list;
}

// Programs that have versions and no hash are parts of Fardel.
ProvenanceJson versions_of(const BuildLog& log) {
    std::set<std::pair<std::string, std::string>> programs;
    for (const LoggedJob& job : log.jobs)
        for (const KeyPart& part : job.parts)
            if (part.kind == "program" && !AssetId::parse(part.value))
                programs.emplace(part.name, part.value);
    ProvenanceJson versions{{"fardel", FARDEL_VERSION}};
    for (const auto& [name, version] : programs)
        versions[name] = version;
    return versions;
}

ProvenanceJson byproducts_of(const BuildLog& log) {
    ProvenanceJson list = ProvenanceJson::array();
    for (const LoggedJob& job : log.jobs)
        list.push_back(resource(job.job, "fardelBuildKey", job.key.hex(), "job"));
    return list;
}

}  // namespace

Result<std::string> sha256_of_file(const std::string& path) {
    FARDEL_TRY_ASSIGN(const auto source, open_file_source(path));
    const std::uint64_t size_bytes = source->size_bytes();
    std::vector<std::byte> buffer(std::size_t{1} << 20);
    Sha256Hasher hasher;
    for (std::uint64_t at = 0; at < size_bytes; at += buffer.size()) {
        buffer.resize(static_cast<std::size_t>(std::min<std::uint64_t>(size_bytes - at, buffer.size())));
        FARDEL_TRY(source->read_at(at, buffer));
        hasher.update(buffer);
    }
    return hasher.finish_hex();
}

Result<std::string> format_provenance(const Provenance& provenance) {
    ProvenanceJson subjects = ProvenanceJson::array();
    ProvenanceJson bundles = ProvenanceJson::array();
    for (const ProvenanceBundle& one : provenance.bundles) {
        FARDEL_TRY_ASSIGN(const std::string sha256, sha256_of_file(one.path));
        const std::string file(file_name_of_path(one.path));
        subjects.push_back(
            {{"name", file}, {"digest", {{"sha256", sha256}}}, {"annotations", {{"bundle", one.bundle.hex()}}}});
        bundles.push_back({{"file", file}, {"name", one.name}, {"version", one.version}, {"target", one.target}});
    }
    const ProvenanceJson statement{
        {"_type", kStatementType},
        {"subject", std::move(subjects)},
        {"predicateType", kPredicateType},
        {"predicate",
         {{"buildDefinition",
           {{"buildType", kProvenanceBuildType},
            {"externalParameters", {{"project", provenance.log.project}, {"bundles", std::move(bundles)}}},
            {"resolvedDependencies", dependencies_of(provenance)}}},
          {"runDetails",
           {{"builder", {{"id", kProvenanceBuilder}, {"version", versions_of(provenance.log)}}},
            {"byproducts", byproducts_of(provenance.log)}}}}}};
    std::string text = format_document(statement);
    if (text.size() > kProvenanceBytesMax)
        return Error(ErrorCode::limit, "the provenance has more than " + std::to_string(kProvenanceBytesMax) +
                                           " bytes: build fewer targets at a time");
    return text;
}

Result<std::string> sign_provenance(std::string_view statement, Signer& signer) {
    const std::string message = dsse_message(statement);
    FARDEL_TRY_ASSIGN(const Signature signature, signer.sign(std::as_bytes(std::span(message))));
    return format_document({{"payload", encode_base64(std::as_bytes(std::span(statement)))},
                            {"payloadType", kDssePayloadType},
                            {"signatures",
                             {{{"keyid", signer.public_key().hex()},
                               {"sig", encode_base64(std::as_bytes(std::span(signature.bytes)))}}}}});
}

}  // namespace fardel
