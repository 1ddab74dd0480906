// PatternScanner: finds references by a pattern that the project states. Also parses the answers of scanner programs.
//
// docs/resolving.md documents the pattern language. Time: linear in the text, for a pattern of bounded length. Pure;
// the text is hostile.
#pragma once

#include <fardel/base/result.h>
#include <fardel/packer/asset_scan.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

inline constexpr std::size_t kPatternBytesMax = 255;

class PatternScanner {
public:
    // `pattern`: "image = \"{reference}\"". Error: malformed; the message says what to write instead.
    static Result<PatternScanner> parse(std::string_view pattern);

    // In the order of the text, each spelling once. Errors: malformed (a NUL byte), limit.
    Result<ScanFindings> scan(std::span<const std::byte> text, ReferenceUse use, ReferenceForm form, bool optional,
                              bool with_locations = false) const;

private:
    PatternScanner(std::string prefix, std::string suffix) : prefix_(std::move(prefix)), suffix_(std::move(suffix)) {}
    std::string prefix_;
    std::string suffix_;
};

// Parses lines of JSON objects: {"reference": "a.png", "use": "texture", "form": "relative", "optional": true,
// "line": 3}, or {"defines": "textures/wall"}, to which the references after it belong. In an answer about several
// files, {"file": "in/a.fx"} comes before the lines of that file. Empty lines are skipped.
//
// `files`: the files of the answer, as they were passed to the program; empty: one file, which the answer does not
// name. `defaults`: use, form and optional of a reference that does not state them. One result per file. Errors:
// malformed, limit.
Result<std::vector<ScanFindings>> parse_scanner_answers(std::string_view answer, std::span<const std::string> files,
                                                        const FoundReference& defaults);

}  // namespace fardel
