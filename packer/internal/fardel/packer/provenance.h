// The provenance of a build: which bundles it wrote, from which sources and programs. docs/provenance.md describes the
// file, a Statement of in-toto with a predicate of SLSA, and if it is signed, in an envelope of DSSE. A file that is
// read is untrusted, until its signatures were verified under keys that somebody trusts.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/ids.h>
#include <fardel/format/signer.h>
#include <fardel/packer/build_log.h>
#include <fardel/packer/key_parts.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

struct ProvenanceBundle {
    std::string path;    // of the file, which is read
    std::string target;  // of the project; empty: it has none
    std::string name;
    std::string version;
    BundleId bundle;
};

struct ProvenanceSource {
    std::string name;
    AssetId asset;
    auto operator<=>(const ProvenanceSource&) const = default;
};

struct Provenance {
    std::vector<ProvenanceBundle> bundles;
    std::vector<ProvenanceSource> sources;  // in any order
    BuildLog log;
};

inline constexpr std::size_t kProvenanceBytesMax = std::size_t(64) << 20;  // of the Statement

// The JSON text, the same for the same bundles and jobs. Errors: missing, denied, io (of a bundle); limit.
Result<std::string> format_provenance(const Provenance& provenance);

// Returns the envelope of DSSE with the Statement and one signature, whose key id is the public key. Errors: those of
// the signer.
Result<std::string> sign_provenance(std::string_view statement, Signer& signer);

// The SHA-256 of a file in hexadecimal digits. Errors: missing, denied, io.
Result<std::string> sha256_of_file(const std::string& path);

// ---- Reading --------------------------------------------------------------------------------------------------------

struct ClaimedBundle {
    BundleId bundle;
    std::string sha256;  // of the file
    std::string file, name, version, target;
};

// What a Statement says. Untrusted, also its texts; no parameter of it was compared with anything.
struct ProvenanceClaim {
    std::string project;
    std::vector<ClaimedBundle> bundles;
    std::vector<KeyPart> read;  // kind "source", "found", "code" or "program"; the value is the hash
    std::vector<KeyPart> jobs;  // kind "job"; the value is the key
};

struct ProvenanceSignature {
    std::string key_id;  // untrusted, and only a hint
    Signature signature;
};

struct ProvenanceFile {
    ProvenanceClaim claim;
    std::vector<ProvenanceSignature> signatures;  // empty: unsigned
    std::string signed_text;                      // what they sign
};

// Takes a Statement alone or in an envelope of DSSE. Errors: malformed (also JSON with a key twice), unsupported (the
// statement of another program), limit.
Result<ProvenanceFile> parse_provenance(std::string_view text);
// Errors: missing, denied, io; those of parse_provenance; the message has the path.
Result<ProvenanceFile> read_provenance(const std::string& path);

}  // namespace fardel
