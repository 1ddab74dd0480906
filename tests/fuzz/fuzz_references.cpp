// Input: one byte that chooses a scanner, then an asset. Whatever the bytes, the findings meet their limits,
// each is reported once per definition, every candidate is a well-formed name, and the findings can be remembered.
//
// The last choice is a menu and the headers that it includes, each after a byte 0x01: their macros become references.
#include "plan/included_macros.h"
#include "require.h"

#include <fardel/format/limits.h>
#include <fardel/format/name.h>
#include <fardel/packer/scan_memory.h>
#include "scan/reference_scanners.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <set>
#include <tuple>

using namespace fardel;

namespace {

struct Scanner {
    std::string_view type;
    std::string_view name = "asset";  // some scanners are chosen by the name of the asset
};

// The corpus depends on this order: a new scanner goes to the end.
constexpr Scanner kScanners[] = {
    {"text/x-quake-shader"}, {"text/x-quake-skin"}, {"text/x-quake-menu"}, {"text/x-quake-arena"},
    {"text/x-quake-map"},    {"model/x-md3"},       {"application/x-bsp"}, {"model/gltf+json"},
    {"model/gltf-binary"},   {"model/obj"},         {"model/mtl"},         {"", "scripts/bots.txt"},
    {"", "botfiles/bot.c"},  {"", "ui/menudef.h"},
};

void check(const ScanFindings& findings) {
    require(findings.references.size() <= limits::kReferencesPerAssetMax &&
            findings.defines.size() <= limits::kReferencesPerAssetMax);
    std::set<std::tuple<std::string, ReferenceUse, ReferenceForm, std::uint32_t, std::uint32_t, std::uint32_t>> seen;
    require(findings.mistakes.size() <= kMistakesPerAssetMax);
    require(findings.other_format.empty() || (findings.references.empty() && findings.mistakes.empty()));
    for (const FoundReference& reference : findings.references) {
        require(!reference.spelling.empty() && reference.spelling.find('\0') == std::string::npos);
        require(seen.emplace(reference.spelling, reference.use, reference.form, reference.defined_in,
                             reference.statement, reference.reading)
                    .second);
        for (const NameCandidate& candidate : candidate_names(reference, "models/folder/asset"))
            require(candidate.kind == CandidateKind::shader ? !candidate.name.empty()
                                                            : bool(verify_name(candidate.name)));
    }
    const std::string record = encode_scan_record({.findings = findings, .broken = {}});
    const auto again = decode_scan_record(record);
    require(again && encode_scan_record(*again) == record);
}

void check_scanner(const Scanner& scanner, std::span<const std::byte> bytes) {
    const auto findings = scan_references(scanner.name, scanner.type, bytes);
    const auto located = scan_references(scanner.name, scanner.type, bytes, true);  // the same, with locations
    require(bool(located) == bool(findings) && (!located || located->references == findings->references));
    if (located)
        for (const SpellingLocation& location : located->locations)
            require(location.reference < located->references.size() && location.length > 0 &&
                    location.offset <= bytes.size() && location.length <= bytes.size() - location.offset);
    if (findings)
        check(*findings);
    else
        require(printable(findings.error().message(), 2000) == findings.error().message());
}

// The files are ui/0.h, ui/1.h, …, all read as parts of menus.
void check_macros(std::string_view text) {
    constexpr std::size_t kFilesMax = 8;
    BundlePlan plan;
    std::vector<AssetScan> scans;
    while (!text.empty() && scans.size() < kFilesMax) {
        const std::string_view file = text.substr(0, text.find('\1'));
        text.remove_prefix(std::min(file.size() + 1, text.size()));
        const auto asset = static_cast<std::uint32_t>(scans.size());
        const std::string name = "ui/" + std::to_string(asset) + ".h";
        auto findings = scan_references(name, "", std::as_bytes(std::span(file)));
        scans.push_back({.findings = findings ? *std::move(findings) : ScanFindings()});
        plan.names.push_back({.name = *AssetName::parse(name), .variants = {{.asset = asset}}});
    }
    std::vector<AssetScan> again = scans;
    require(static_cast<bool>(add_references_by_macros(plan, scans)));
    for (const AssetScan& scan : scans) {
        require(scan.findings.by_macro.empty());
        check(scan.findings);
    }
    require(static_cast<bool>(add_references_by_macros(plan, again)));
    for (std::size_t i = 0; i < scans.size(); ++i)
        require(again[i].findings.references == scans[i].findings.references);
}

}  // namespace

int fuzz_references(const std::uint8_t* data, std::size_t size) {
    if (size == 0)
        return 0;
    // In the corpus this byte is a digit or a letter from 'a', so that the files are readable.
    const std::size_t choice = (data[0] >= 'a' ? data[0] - 'a' + 10u : data[0] - '0' + 0u) % (std::size(kScanners) + 1);
    const auto bytes = std::as_bytes(std::span(data + 1, size - 1));
    if (choice < std::size(kScanners))
        check_scanner(kScanners[choice], bytes);
    else
        check_macros({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    return 0;
}
