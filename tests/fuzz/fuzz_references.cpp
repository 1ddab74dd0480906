// Input: one byte that chooses a scanner, then an asset. Whatever the bytes, the findings meet their limits,
// each is reported once per definition, and every candidate is a well-formed name.
#include "require.h"

#include <fardel/format/limits.h>
#include <fardel/format/name.h>
#include <fardel/packer/reference_scanners.h>

#include <cstdint>
#include <iterator>
#include <set>
#include <tuple>

using namespace fardel;

namespace {

// The corpus depends on this order: a new type goes to the end.
constexpr std::string_view kTypes[] = {
    "text/x-quake-shader", "text/x-quake-skin", "text/x-quake-menu", "text/x-quake-arena",
    "text/x-quake-map",    "model/x-md3",       "application/x-bsp", "model/gltf+json",
    "model/gltf-binary",   "model/obj",         "model/mtl",
};

void check(const ScanFindings& findings) {
    require(findings.references.size() <= limits::kReferencesPerAssetMax &&
            findings.defines.size() <= limits::kReferencesPerAssetMax);
    std::set<std::tuple<std::string, ReferenceUse, ReferenceForm, decltype(FoundReference::defined_in)>> seen;
    for (const FoundReference& reference : findings.references) {
        require(!reference.spelling.empty() && reference.spelling.find('\0') == std::string::npos);
        require(seen.emplace(reference.spelling, reference.use, reference.form, reference.defined_in).second);
        for (const NameCandidate& candidate : candidate_names(reference, "models/folder/asset"))
            require(candidate.kind == CandidateKind::shader ? !candidate.name.empty()
                                                            : bool(verify_name(candidate.name)));
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0)
        return 0;
    // In the corpus this byte is a digit or a letter from 'a', so that the files are readable.
    const std::string_view type =
        kTypes[(data[0] >= 'a' ? data[0] - 'a' + 10u : data[0] - '0' + 0u) % std::size(kTypes)];
    const auto bytes = std::as_bytes(std::span(data + 1, size - 1));
    const auto findings = scan_references("asset", type, bytes);
    const auto located = scan_references("asset", type, bytes, true);  // gives the same, with locations inside the text
    require(bool(located) == bool(findings) && (!located || located->references == findings->references));
    if (located)
        for (const SpellingLocation& location : located->locations)
            require(location.reference < located->references.size() && location.length > 0 &&
                    location.offset <= bytes.size() && location.length <= bytes.size() - location.offset);
    if (findings)
        check(*findings);
    else
        require(printable(findings.error().message(), 2000) == findings.error().message());
    return 0;
}
