#include "scan_programs.h"

#include "jobs/job_variables.h"
#include "plan_asset.h"
#include "scan/pattern_scanner.h"
#include "text/record_fields.h"

#include <fardel/format/printable.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace fardel {
namespace {

// Raised when the contents of a key change, or the interpretation of an answer.
constexpr std::string_view kProgramSchema = "fardel scanner program 1";

struct PlannedProgram {
    const ProjectScanner* declared = nullptr;
    bool takes_paths = false;  // otherwise it reads one asset per run from its standard input
    Hash configuration;
    std::vector<JobInput> others;
};

// One run of one program.
struct ScannerRun {
    std::size_t program = 0;
    std::vector<std::size_t> found;  // indices into ProgramFindings::found
    std::vector<Hash> keys;
    std::string log;
};

class ProgramScan {
public:
    ProgramScan(const BundlePlan& plan, std::span<const AssetScan> assets, const PlanScanOptions& options)
        : plan_(plan), assets_(assets), options_(options), names_(first_names_of(plan)) {}

    Result<ProgramFindings> run() && {
        for (const ProjectScanner& scanner : options_.scanners)
            if (scanner.pattern.empty())
                if (Status planned = plan_runs(scanner); !planned)
                    return std::move(planned).error().with_context(location_of(scanner));
        FARDEL_TRY(scan_each(runs_.size(), options_.jobs, [this](std::size_t run) { return start(runs_[run]); }));
        for (const ScannerRun& run : runs_)
            if (!run.log.empty())
                out_.logs.push_back(describe(run) + ":\n" + run.log);
        return std::move(out_);
    }

private:
    std::string location_of(const ProjectScanner& scanner) const {
        return printable(options_.project_file) + ":" + std::to_string(scanner.line) + ": scanner";
    }

    std::string describe(const ScannerRun& run) const {
        const std::string more = run.found.size() > 1 ? " and " + std::to_string(run.found.size() - 1) + " more" : "";
        return location_of(*programs_[run.program].declared) + " of " +
               in_quotes(plan_.assets[out_.found[run.found.front()].asset].key) + more;
    }

    Result<JobInput> input_of(std::uint32_t asset) const {
        const PlannedAsset& planned = plan_.assets[asset];
        FARDEL_TRY_ASSIGN(AssetName name, AssetName::parse(planned.key));
        FARDEL_TRY_ASSIGN(const AssetId id, AssetReader(planned, assets_[asset].size_bytes).id());
        return JobInput{
            .name = std::move(name), .asset = id, .size_bytes = assets_[asset].size_bytes, .blob = planned.source};
    }

    // ---- Planning the runs ----

    std::vector<std::uint32_t> assets_of(const ProjectScanner& scanner) const {
        std::vector<std::uint32_t> assets;
        for (std::uint32_t asset = 0; asset < plan_.assets.size(); ++asset)
            if (assets_[asset].size_bytes <= kScannedBytesMax && !options_.job_references.contains(asset) &&
                glob_matches(scanner.match, names_[asset]))
                assets.push_back(asset);
        return assets;
    }

    Result<PlannedProgram> plan_program(const ProjectScanner& scanner) const {
        PlannedProgram program{.declared = &scanner};
        const auto& command = scanner.program.command;
        program.takes_paths =
            std::ranges::any_of(command, [](const std::string& argument) { return has_variable(argument, "in"); });
        for (std::uint32_t asset = 0; asset < plan_.assets.size(); ++asset)
            if (std::ranges::any_of(scanner.program.inputs,
                                    [&](const std::string& glob) { return glob_matches(glob, names_[asset]); })) {
                FARDEL_TRY_ASSIGN(JobInput input, input_of(asset));
                program.others.push_back(std::move(input));
            }
        FARDEL_TRY_ASSIGN(const Hash code, code_digest(scanner.program, options_.environment.project_folder));
        RecordWriter writer;
        writer.text(kProgramSchema);
        writer.texts(command);
        writer.text(scanner.program.version);
        writer.id(code);
        writer.number(scanner.use);
        writer.number(scanner.form);
        writer.number(scanner.optional);
        writer.list(program.others, [&](const JobInput& other) {
            writer.text(other.name.view());
            writer.id(other.asset);
        });
        program.configuration = writer.digest();
        return program;
    }

    Status plan_runs(const ProjectScanner& scanner) {
        const auto assets = assets_of(scanner);
        if (assets.empty())
            return ok();
        if (options_.environment.scratch_folder.empty())
            return Error(ErrorCode::unsupported, "only a build runs programs; write a 'pattern' instead of 'command'");
        FARDEL_TRY_ASSIGN(PlannedProgram program, plan_program(scanner));
        std::vector<std::pair<std::size_t, Hash>> unknown;
        for (const std::uint32_t asset : assets) {
            FARDEL_TRY_ASSIGN(const AssetId id, AssetReader(plan_.assets[asset], assets_[asset].size_bytes).id());
            RecordWriter writer;
            writer.id(program.configuration);
            writer.id(id);
            writer.text(plan_.assets[asset].key);  // the program sees it
            const Hash key = writer.digest();
            auto known = options_.memory ? options_.memory->find(key) : std::nullopt;
            if (!known)
                unknown.emplace_back(out_.found.size(), key);
            out_.found.push_back({.asset = asset,
                                  .id = id,
                                  .findings = known ? std::move(known->findings) : ScanFindings(),
                                  .was_run = !known});
        }
        add_runs(unknown, program.takes_paths);
        programs_.push_back(std::move(program));
        return ok();
    }

    void add_runs(std::span<const std::pair<std::size_t, Hash>> unknown, bool several) {
        std::uint64_t bytes = 0;
        for (std::size_t i = 0; i < unknown.size(); ++i) {
            const std::uint64_t size = assets_[out_.found[unknown[i].first].asset].size_bytes;
            const bool full =
                // Several files per run, because starting a program costs more than scanning most files; not all in
                // one, so that cores share the work and one edit does not run everything again.
                i == 0 || !several || runs_.back().found.size() == kScannerFilesMax || bytes + size > kScannerBytesMax;
            if (full) {
                runs_.push_back({.program = programs_.size()});
                bytes = 0;
            }
            bytes += size;
            runs_.back().found.push_back(unknown[i].first);
            runs_.back().keys.push_back(unknown[i].second);
        }
    }

    // ---- Running ----

    Status start(ScannerRun& run) {
        Status done = run_one(run);
        return done ? ok() : Status(std::move(done).error().with_context(describe(run)));
    }
    Status run_one(ScannerRun& run) {
        if (options_.stop.stop_requested())
            return Error(ErrorCode::cancelled, "asked to stop");
        const PlannedProgram& program = programs_[run.program];
        ProcessorJob job{.processor = program.declared->program, .others = program.others};
        std::vector<std::string> files;
        for (const std::size_t found : run.found) {
            FARDEL_TRY_ASSIGN(JobInput input, input_of(out_.found[found].asset));
            if (program.takes_paths)
                files.push_back("in/" + input.name.text());
            job.sources.push_back(std::move(input));
        }
        FARDEL_TRY_ASSIGN(JobReply reply,
                          ask_job(job, options_.environment, !program.takes_paths, kScannerAnswerBytesMax));
        const FoundReference defaults{
            .use = program.declared->use, .form = program.declared->form, .optional = program.declared->optional};
        FARDEL_TRY_ASSIGN(std::vector<ScanFindings> findings, parse_scanner_answers(reply.answer, files, defaults));
        for (std::size_t i = 0; i < run.found.size(); ++i) {
            ProgramFindings::Of& one = out_.found[run.found[i]];
            one.findings = std::move(findings[i]);
            if (options_.memory)
                options_.memory->add(run.keys[i], {.findings = one.findings});
        }
        run.log = std::move(reply.log);
        return ok();
    }

    const BundlePlan& plan_;
    std::span<const AssetScan> assets_;
    const PlanScanOptions& options_;
    std::vector<std::string_view> names_;
    std::vector<PlannedProgram> programs_;
    std::vector<ScannerRun> runs_;
    ProgramFindings out_;
};

}  // namespace

Result<ProgramFindings> scan_with_programs(const BundlePlan& plan, std::span<const AssetScan> assets,
                                           const PlanScanOptions& options) {
    return ProgramScan(plan, assets, options).run();
}

}  // namespace fardel
