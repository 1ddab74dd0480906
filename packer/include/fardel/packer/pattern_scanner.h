// PatternScanner: references found by a pattern of the project's own, and the answers of scanners that are programs.
//
// docs/linking.md tells the pattern language. Time: linear in the text, for a pattern of bounded length. Pure; the text
// is hostile.
#pragma once

#include <fardel/format/result.h>
#include <fardel/packer/references.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

inline constexpr std::size_t kPatternBytesMax = 255;

class PatternScanner {
public:
    // `pattern`: "image = \"{reference}\"". Error: malformed, which says what to write.
    static Result<PatternScanner> parse(std::string_view pattern);

    // In the order of the text, each spelling once. Errors: malformed (a NUL byte), limit.
    Result<ScanFindings> scan(std::span<const std::byte> text, ReferenceUse use, ReferenceForm form, bool optional,
                              bool places = false) const;

private:
    PatternScanner(std::string prefix, std::string suffix) : prefix_(std::move(prefix)), suffix_(std::move(suffix)) {}
    std::string prefix_;
    std::string suffix_;
};

// Lines of JSON objects: {"reference": "a.png", "use": "texture", "form": "relative", "optional": true, "line": 3} or
// {"defines": "textures/wall"}, to which the references behind it belong. Where one answer is about several files,
// {"file": "in/a.fx"} begins what belongs to that one. Empty lines are nothing.
//
// `files`: what the answer is about, as the program was told; none: one file, which is not named. `unsaid`: use, form
// and optional of a reference that does not say. One result a file. Errors: malformed, limit.
Result<std::vector<ScanFindings>> parse_scanner_answers(std::string_view answer, std::span<const std::string> files,
                                                        const FoundReference& unsaid);

// "texture", "from_root".
std::optional<ReferenceUse> find_reference_use(std::string_view word);
std::optional<ReferenceForm> find_reference_form(std::string_view word);

}  // namespace fardel
