// AssetScan: one asset of a plan as the packer knows it: its size, its id and what scanners found in it. Plain values.
#pragma once

#include <fardel/format/ids.h>
#include <fardel/packer/references.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fardel {

// The bytes of a text that a new spelling would replace.
struct SpellingLocation {
    std::uint32_t reference = 0;  // index into ScanFindings::references
    std::uint64_t offset = 0;     // in the asset
    std::uint64_t length = 0;
};

// A word that a text defines to stand for another one: #define BACK "ui/assets/back".
struct MacroDefinition {
    std::string name;
    std::string value;
    bool quoted = false;  // otherwise the value may be the name of another macro
    friend bool operator==(const MacroDefinition&, const MacroDefinition&) = default;
};

struct ScanFindings {
    // In the order of the asset. Two references differ in more than line and optional.
    std::vector<FoundReference> references;
    std::vector<std::string> defines;         // names that a shader file defines, in its order; hostile bytes
    std::vector<MacroDefinition> macros;      // each name once; hostile bytes
    std::vector<FoundReference> by_macro;     // spellings are macros that the text does not define: included_macros.h
    std::vector<SpellingLocation> locations;  // only on request; of all spellings that occur literally in the text
    std::vector<std::string> mistakes;        // per part that was not read why: "line 3: } without {"; at most 20
    std::string other_format;                 // what the bytes are not: then nothing was found
};
inline constexpr std::size_t kMistakesPerAssetMax = 20;

inline bool is_empty(const ScanFindings& findings) {
    return findings.references.empty() && findings.defines.empty() && findings.macros.empty() &&
           findings.by_macro.empty() && findings.mistakes.empty() && findings.other_format.empty();
}

// What one scanner found in given bytes. ScanMemory keeps it.
struct ScanRecord {
    ScanFindings findings;
    std::string broken;  // why the bytes could not be scanned; empty if they could
};

// What a scan of the sources says of a file.
struct AssetFile {
    std::uint64_t size_bytes = 0;  // of the raw bytes
    // Greater: a game that searches the last source first lists the file later. Equal: the names decide.
    std::uint64_t listed = 0;
};

struct AssetScan {
    std::uint64_t size_bytes = 0;  // of the raw bytes
    std::optional<AssetId> id;     // known if the asset has a scanner, or if a job made it
    ScanFindings findings;         // of all scanners of the asset
    std::string broken;            // the message of the first scanner that refused the asset; then `findings` is empty
    std::uint64_t listed = 0;      // as in AssetFile
    bool has_scanner = false;
    bool was_read = false;  // by at least one scanner; otherwise every finding was remembered
};

}  // namespace fardel
