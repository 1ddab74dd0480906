// The provenance of a build: which bundles it wrote, from which sources and programs. docs/provenance.md describes the
// file, a Statement of in-toto with a predicate of SLSA.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/ids.h>
#include <fardel/packer/build_log.h>

#include <string>
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

// The JSON text, the same for the same bundles and jobs. Errors: missing, denied, io (of a bundle).
Result<std::string> format_provenance(const Provenance& provenance);

}  // namespace fardel
