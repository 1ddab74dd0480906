// The functions of fardel_tools.h that verify bundles.

#include "written_bundle.h"

#include <fardel/format/byte_source.h>
#include <fardel/format/reader_source.h>
#include <fardel/verifier/verify_bundle.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace fardel::c {
namespace {

constexpr std::size_t kVerifyOptionsBytesLeast = offsetof(fardel_verify_options, flags) + sizeof(std::uint32_t);
constexpr std::size_t kVerifiedBytesLeast = offsetof(fardel_verified_bundle, signatures) + sizeof(std::uint64_t);

fardel_severity plain_severity(FindingSeverity severity) noexcept {
    switch (severity) {
        case FindingSeverity::error: return FARDEL_SEVERITY_ERROR;
        case FindingSeverity::warning: return FARDEL_SEVERITY_WARNING;
        case FindingSeverity::note: break;
    }
    return FARDEL_SEVERITY_NOTE;
}

void report_findings(const VerifyReport& report, fardel_found found, void* context) {
    if (found == nullptr)
        return;
    for (const VerifyFinding& finding : report.findings) {
        fardel_finding out{};
        out.struct_size = sizeof out;
        out.severity = plain_severity(finding.severity);
        out.code = code_of(finding.code);
        out.rule = finding.rule.c_str();
        out.where = finding.where.c_str();
        out.text = finding.text.c_str();
        found(context, &out);
    }
}

void give_verified(const VerifyReport& report, fardel_verified_bundle* verified) {
    if (verified == nullptr)
        return;
    fardel_verified_bundle out = FARDEL_VERIFIED_BUNDLE_INIT;
    out.errors = report.found.errors;
    out.warnings = report.found.warnings;
    out.notes = report.found.notes;
    if (report.bundle.id)
        out.bundle = plain_id(*report.bundle.id);
    if (report.bundle.layout)
        out.layout = plain_id(*report.bundle.layout);
    copy_text(report.bundle.name, out.name, sizeof out.name);
    copy_text(report.bundle.version, out.version, sizeof out.version);
    out.assets = report.counts.assets;
    out.names = report.counts.names;
    out.file_bytes = report.sizes.file_bytes;
    out.raw_bytes = report.sizes.raw_bytes;
    out.signatures = report.trailer.signatures;
    give(out, verified);
}

fardel_code verify(std::shared_ptr<const ByteSource> source, const fardel_verify_options* given,
                   fardel_verified_bundle* verified, const Report& report) {
    fardel_verify_options options = FARDEL_VERIFY_OPTIONS_INIT;
    if (const fardel_code bad = read_options(given, kVerifyOptionsBytesLeast, options, report); bad != FARDEL_OK)
        return bad;
    if (verified != nullptr && !is_size(verified->struct_size, kVerifiedBytesLeast))
        return report.argument("the verified bundle's struct_size is not set");
    constexpr std::uint32_t kKnown = FARDEL_VERIFY_IGNORE_DATES | FARDEL_VERIFY_LOCAL_LAYOUT;
    if ((options.flags & ~kKnown) != 0)
        return report.fail(FARDEL_ERROR_UNSUPPORTED, "a flag that this version of the library does not know");
    if (options.policy_path != nullptr && options.policy_text != nullptr)
        return report.argument("both policy_path and policy_text are given");
    const auto policy = read_policy(options.policy_path, options.policy_text);
    if (!policy)
        return report.fail(policy.error());
    if (options.license_count != 0 && (options.licenses == nullptr || !*policy))
        return report.argument("license tokens need a pointer, and a policy that judges them");
    const auto licenses = read_licenses(options.licenses, options.license_count);
    if (!licenses)
        return report.fail(licenses.error());
    VerifyOptions how;
    how.policy = *policy ? &**policy : nullptr;
    how.licenses = *policy ? &*licenses : nullptr;
    how.time = (options.flags & FARDEL_VERIFY_IGNORE_DATES) != 0 ? TrustTime::ignored() : time_of(options.now_s);
    how.local_layout_allowed = (options.flags & FARDEL_VERIFY_LOCAL_LAYOUT) != 0;
    how.jobs = options.jobs;
    if (options.findings_max != 0)
        how.findings_max = options.findings_max;
    ToolProgress progress(options.progress, options.context);
    how.progress = [&](const VerifyProgress& now) {
        progress.show("verifying", now.stored_bytes_done, now.stored_bytes_total);
    };
    how.stop = progress.token();
    return report.end(verify_bundle(std::move(source), how), [&](const VerifyReport& result) {
        report_findings(result, options.found, options.context);
        give_verified(result, verified);
    });
}

}  // namespace
}  // namespace fardel::c

using namespace fardel;
using namespace fardel::c;

void fardel_verified_bundle_init(fardel_verified_bundle* verified, size_t struct_size) {
    init(fardel_verified_bundle FARDEL_VERIFIED_BUNDLE_INIT, verified, struct_size);
}

void fardel_verify_options_init(fardel_verify_options* options, size_t struct_size) {
    init(fardel_verify_options FARDEL_VERIFY_OPTIONS_INIT, options, struct_size);
}

fardel_code fardel_verify_file(const char* path, const fardel_verify_options* options, fardel_verified_bundle* verified,
                               fardel_error* error) {
    return call(error, path != nullptr, [&](const Report& report) {
        auto source = open_file_source(path);
        return source ? verify(*std::move(source), options, verified, report) : report.fail(source.error());
    });
}

fardel_code fardel_verify_reader(const fardel_reader* reader, const fardel_verify_options* options,
                                 fardel_verified_bundle* verified, fardel_error* error) {
    return call(error, reader != nullptr, [&](const Report& report) {
        fardel_reader taken = FARDEL_READER_INIT;
        if (const fardel_code bad = copy_reader(*reader, taken, report); bad != FARDEL_OK)
            return bad;
        return verify(make_reader_source(taken), options, verified, report);
    });
}
