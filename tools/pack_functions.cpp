// The functions of fardel_tools.h that pack folders, archives and projects.

#include "signers.h"
#include "written_bundle.h"

#include <fardel/base/clock.h>
#include <fardel/packer/build.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fardel::c {
namespace {

constexpr std::size_t kPackOptionsBytesLeast = offsetof(fardel_pack_options, flags) + sizeof(std::uint32_t);

// Passes sentences to the caller's function.
class Messages {
public:
    explicit Messages(const fardel_pack_options& options) : say_(options.message), context_(options.context) {}

    void say(fardel_severity severity, const std::string& text) const {
        if (say_ != nullptr)
            say_(context_, severity, text.c_str());
    }
    void warn(const std::string& text) const { say(FARDEL_SEVERITY_WARNING, text); }
    void note(const std::string& text) const { say(FARDEL_SEVERITY_NOTE, text); }

private:
    fardel_pack_message say_;
    void* context_;
};

void report_scan(const ScanReport& scan, const Messages& messages) {
    for (const RefusedName& refused : scan.refused)
        messages.warn(refused.origin + " is not packed: " + printable(refused.reason.message(), 2000));
    for (const OverriddenName& hidden : scan.overridden)
        messages.say(hidden.same_source ? FARDEL_SEVERITY_WARNING : FARDEL_SEVERITY_NOTE,
                     hidden.origin + " is not packed: " + hidden.by_origin + " hides it");
    for (const ExcludedName& excluded : scan.excluded)
        messages.note(excluded.origin + " is excluded by " + printable(excluded.pattern));
    for (const RenamedFile& renamed : scan.renamed)
        messages.note(renamed.origin + " is packed as " + renamed.name.text());
    for (const std::string& remark : scan.remarks)
        messages.warn(remark);
}

void report_references(const ReferenceSummary& references, const Messages& messages) {
    for (const MissingReference& missing : references.missing)
        messages.say(FARDEL_SEVERITY_ERROR, describe(missing) + " is missing: " + describe_tried(missing));
    for (const MissingReference& missing : references.soft)
        messages.note(describe(missing) + " is missing, " + missing.why_soft);
    for (const BrokenAsset& broken : references.broken)
        messages.warn(printable(broken.name) + " could not be scanned: " + printable(broken.reason, 2000));
    for (const RespelledReference& respelled : references.respelled)
        messages.note(describe(respelled));
    for (const std::string& pattern : references.idle_patterns)
        messages.warn("a pattern of [link] matches nothing: " + printable(pattern));
}

void report_summary(const BuildSummary& summary, const fardel_pack_options& options) {
    const Messages messages(options);
    for (const std::string& rule : summary.idle_rules)
        messages.warn("a rule matches nothing: " + printable(rule));
    if (summary.references)
        report_references(*summary.references, messages);
    for (const BuiltBundle& built : summary.bundles)
        report_written(built.written, built.path, built.signed_by.has_value(), options.written, options.context);
}

Result<std::unique_ptr<Signer>> open_plain_key(const std::string& path) {
    const auto encrypted = [&]() -> Result<std::string> {
        return Error(ErrorCode::denied, path + ": the key is encrypted; open it with fardel_signer_open");
    };
    FARDEL_TRY_ASSIGN(SecretKey key, read_key_file(path, encrypted));
    return make_key_signer(std::move(key));
}

std::string text_of(const char* text) { return text != nullptr ? text : ""; }

// Translates the options and calls `build` with them, which returns a code.
template <class Build>
fardel_code with_request(const fardel_pack_options* given, const Report& report, Build build) {
    fardel_pack_options options = FARDEL_PACK_OPTIONS_INIT;
    if (const fardel_code bad = read_options(given, kPackOptionsBytesLeast, options, report); bad != FARDEL_OK)
        return bad;
    constexpr std::uint32_t kKnown = FARDEL_PACK_STRICT | FARDEL_PACK_FROM_SCRATCH;
    if ((options.flags & ~kKnown) != 0)
        return report.fail(FARDEL_ERROR_UNSUPPORTED, "a flag that this version of the library does not know");
    BuildRequest request;
    if (!read_texts(options.excludes, options.exclude_count, request.excludes) ||
        !read_texts(options.requirements, options.requirement_count, request.requirements))
        return report.argument("a null pointer in a list");
    request.output = text_of(options.output);
    request.name = text_of(options.name);
    request.version = text_of(options.version);
    request.target = text_of(options.target);
    request.strict = (options.flags & FARDEL_PACK_STRICT) != 0;
    request.from_scratch = (options.flags & FARDEL_PACK_FROM_SCRATCH) != 0;
    if (!find_purpose(options.purpose, options.level, request.purpose))
        return report.fail(FARDEL_ERROR_UNSUPPORTED, kUnknownPurpose);
    request.level = options.level != 0 ? options.level : kLevelDefault;
    request.jobs = options.jobs;
    request.signing.created = options.created_s != 0 ? UnixTime{options.created_s} : system_now();
    request.signing.open = open_plain_key;
    if (options.signer != nullptr) {
        request.signing.key_path = options.signer->key_path;  // no job of the project may read it
        if (request.signing.key_path.empty())
            request.signing.program = options.signer->signer->public_key().hex();
        request.signing.open = [signer = options.signer](const std::string&) -> Result<std::unique_ptr<Signer>> {
            return borrow_signer(*signer);
        };
    }
    ToolProgress progress(options.progress, options.context);
    request.progress = [&](const BuildProgress& now) { progress.show(std::string(now.stage), now.done, now.total); };
    request.scanned = [&](const ScanReport& scan) { report_scan(scan, Messages(options)); };
    request.stop = progress.token();
    return build(request, options);
}

}  // namespace
}  // namespace fardel::c

using namespace fardel;
using namespace fardel::c;

void fardel_pack_options_init(fardel_pack_options* options, size_t struct_size) {
    init(fardel_pack_options FARDEL_PACK_OPTIONS_INIT, options, struct_size);
}

fardel_code fardel_pack_sources(const char* const* sources, size_t source_count, const fardel_pack_options* options,
                                fardel_error* error) {
    return call(error, sources != nullptr && source_count > 0 && options != nullptr, [&](const Report& report) {
        std::vector<std::string> paths;
        if (!read_texts(sources, source_count, paths))
            return report.argument("a null pointer among the sources");
        return with_request(options, report, [&](const BuildRequest& request, const fardel_pack_options& how) {
            if (request.output.empty())
                return report.argument("no output is given");
            return report.end(build_sources(paths, request),
                              [&](const BuildSummary& summary) { report_summary(summary, how); });
        });
    });
}

fardel_code fardel_pack_project(const char* project_file, const fardel_pack_options* options, fardel_error* error) {
    return call(error, project_file != nullptr, [&](const Report& report) {
        return with_request(options, report, [&](BuildRequest& request, const fardel_pack_options& how) {
            request.project_file = project_file;
            return report.end(build_project(request), [&](const BuildOutcome& outcome) {
                const Messages messages(how);
                if (!outcome.unconfined.empty())
                    messages.warn("programs of the project ran unconfined: " + outcome.unconfined);
                for (const std::string& log : outcome.logs)
                    messages.note(log);
                for (const std::string& warning : outcome.warnings)
                    messages.warn(warning);
                for (const std::string& job : outcome.different)
                    messages.warn(job + " gave other bytes than before with the same inputs");
                report_summary(outcome.summary, how);
            });
        });
    });
}
