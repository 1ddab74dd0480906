// An answer of a job is refused, or it obeys the rules in job_protocol.h, and what it says survives in a record of the
// cache. The same bytes as the answer of a scanner are refused, or are findings that can be remembered.
#include "jobs/job_protocol.h"
#include "jobs/job_record.h"
#include "require.h"

#include <fardel/format/limits.h>
#include <fardel/format/name.h>
#include <fardel/packer/scan_memory.h>
#include "scan/pattern_scanner.h"

#include <cstdint>

using namespace fardel;

namespace {

bool is_text(const std::string& text) { return !text.empty() && text.find('\0') == text.npos; }

void check_job(std::string_view text) {
    const auto answer = parse_job_answer(text);
    if (!answer) {
        require(printable(answer.error().message(), 100'000) == answer.error().message());
        return;
    }
    require(answer->lists_outputs || answer->outputs.empty());
    for (const JobAnswer::Output& output : answer->outputs)
        require(!output.name.empty() && is_text(output.path));
    for (const auto& reference : answer->references)
        require(!reference.first.empty() && is_text(reference.second.spelling));
    JobResult result;
    result.references = answer->references;
    const auto again = find_result(record_of({}, result), {});
    require(again && again->references == result.references);
}

void check_scanner(std::string_view text, std::span<const std::string> files) {
    const auto answers = parse_scanner_answers(text, files, {});
    if (!answers) {
        require(printable(answers.error().message(), 100'000) == answers.error().message());
        return;
    }
    require(answers->size() == std::max<std::size_t>(files.size(), 1));
    for (const ScanFindings& findings : *answers) {
        require(findings.references.size() <= limits::kReferencesPerAssetMax);
        for (const FoundReference& reference : findings.references)
            require(is_text(reference.spelling));
        const std::string record = encode_scan_record({.findings = findings, .broken = {}});
        const auto again = decode_scan_record(record);
        require(again && encode_scan_record(*again) == record);
    }
}

}  // namespace

int fuzz_job_answer(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const std::string files[] = {"in/a.fx", "in/b.fx"};
    check_job(text);
    check_scanner(text, {});
    check_scanner(text, files);
    return 0;
}
