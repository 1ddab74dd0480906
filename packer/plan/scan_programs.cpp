#include "scan_programs.h"

#include "jobs/job_variables.h"
#include "plan_asset.h"
#include "scan/pattern_scanner.h"
#include "text/record_fields.h"

#include <fardel/base/parallel.h>
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

// What all stages read.
struct ScanInput {
    const BundlePlan& plan;
    std::span<const AssetScan> assets;
    const PlanScanOptions& options;
    std::vector<std::string_view> names;  // per asset
};

struct PlannedRuns {
    std::vector<PlannedProgram> programs;
    std::vector<ScannerRun> runs;
    std::vector<ProgramFindings::Of> found;  // those of the runs are filled in when they run
};

std::string location_of(const ProjectScanner& scanner) { return scanner.at.text() + ": scanner"; }

std::string describe(const ScanInput& input, const PlannedRuns& planned, const ScannerRun& run) {
    const std::string more = run.found.size() > 1 ? " and " + std::to_string(run.found.size() - 1) + " more" : "";
    return location_of(*planned.programs[run.program].declared) + " of " +
           in_quotes(input.plan.assets[planned.found[run.found.front()].asset].key) + more;
}

Result<JobInput> input_of(const ScanInput& input, std::uint32_t asset) {
    const PlannedAsset& planned = input.plan.assets[asset];
    FARDEL_TRY_ASSIGN(AssetName name, AssetName::parse(planned.key));
    FARDEL_TRY_ASSIGN(const AssetId id, AssetReader(planned, input.assets[asset].size_bytes).id());
    return JobInput{
        .name = std::move(name), .asset = id, .size_bytes = input.assets[asset].size_bytes, .blob = planned.source};
}

// ---- Planning the runs ----------------------------------------------------------------------------------------------

std::vector<std::uint32_t> assets_of(const ScanInput& input, const ProjectScanner& scanner) {
    std::vector<std::uint32_t> assets;
    for (std::uint32_t asset = 0; asset < input.plan.assets.size(); ++asset)
        if (input.assets[asset].size_bytes <= kScannedBytesMax && !input.options.job_references.contains(asset) &&
            glob_matches(scanner.match, input.names[asset]))
            assets.push_back(asset);
    return assets;
}

Result<PlannedProgram> plan_program(const ScanInput& input, const ProjectScanner& scanner) {
    PlannedProgram program{.declared = &scanner};
    const auto& command = scanner.program.command;
    program.takes_paths =
        std::ranges::any_of(command, [](const std::string& argument) { return has_variable(argument, "in"); });
    for (std::uint32_t asset = 0; asset < input.plan.assets.size(); ++asset)
        if (std::ranges::any_of(scanner.program.inputs,
                                [&](const std::string& glob) { return glob_matches(glob, input.names[asset]); })) {
            FARDEL_TRY_ASSIGN(JobInput other, input_of(input, asset));
            program.others.push_back(std::move(other));
        }
    FARDEL_TRY_ASSIGN(const Hash code, code_digest(scanner.program, input.options.environment.project_folder));
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

// Adds the runs of one program for assets whose findings are not known. `several`: a run may take several assets.
void add_runs(const ScanInput& input, std::span<const std::pair<std::size_t, Hash>> unknown, bool several,
              PlannedRuns& planned) {
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < unknown.size(); ++i) {
        const std::uint64_t size = input.assets[planned.found[unknown[i].first].asset].size_bytes;
        // Several files per run, because starting a program costs more than scanning most files; not all in one, so
        // that cores share the work and one edit does not run everything again.
        const bool full = i == 0 || !several || planned.runs.back().found.size() == kScannerFilesMax ||
                          bytes + size > kScannerBytesMax;
        if (full) {
            planned.runs.push_back({.program = planned.programs.size()});
            bytes = 0;
        }
        bytes += size;
        planned.runs.back().found.push_back(unknown[i].first);
        planned.runs.back().keys.push_back(unknown[i].second);
    }
}

Status plan_runs(const ScanInput& input, const ProjectScanner& scanner, PlannedRuns& planned) {
    const auto assets = assets_of(input, scanner);
    if (assets.empty())
        return ok();
    if (input.options.environment.scratch_folder.empty())
        return Error(ErrorCode::unsupported, "only a build runs programs; write a 'pattern' instead of 'command'");
    FARDEL_TRY_ASSIGN(PlannedProgram program, plan_program(input, scanner));
    std::vector<std::pair<std::size_t, Hash>> unknown;
    for (const std::uint32_t asset : assets) {
        FARDEL_TRY_ASSIGN(const AssetId id, AssetReader(input.plan.assets[asset], input.assets[asset].size_bytes).id());
        RecordWriter writer;
        writer.id(program.configuration);
        writer.id(id);
        writer.text(input.plan.assets[asset].key);  // the program sees it
        const Hash key = writer.digest();
        auto known = input.options.memory ? input.options.memory->find(key) : std::nullopt;
        if (!known)
            unknown.emplace_back(planned.found.size(), key);
        planned.found.push_back({.asset = asset,
                                 .id = id,
                                 .findings = known ? std::move(known->findings) : ScanFindings(),
                                 .was_run = !known});
    }
    add_runs(input, unknown, program.takes_paths, planned);
    planned.programs.push_back(std::move(program));
    return ok();
}

// ---- Running --------------------------------------------------------------------------------------------------------

// Runs one program. The assets of no two runs are the same, so any number of threads may do so.
Status run_one(const ScanInput& input, ScannerRun& run, PlannedRuns& planned) {
    if (input.options.stop.stop_requested())
        return Error(ErrorCode::cancelled, "asked to stop");
    const PlannedProgram& program = planned.programs[run.program];
    ProcessorJob job{.processor = program.declared->program, .others = program.others};
    std::vector<std::string> files;
    for (const std::size_t found : run.found) {
        FARDEL_TRY_ASSIGN(JobInput source, input_of(input, planned.found[found].asset));
        if (program.takes_paths)
            files.push_back("in/" + source.name.text());
        job.sources.push_back(std::move(source));
    }
    FARDEL_TRY_ASSIGN(JobReply reply,
                      ask_job(job, input.options.environment, !program.takes_paths, kScannerAnswerBytesMax));
    const FoundReference defaults{
        .use = program.declared->use, .form = program.declared->form, .optional = program.declared->optional};
    FARDEL_TRY_ASSIGN(std::vector<ScanFindings> findings, parse_scanner_answers(reply.answer, files, defaults));
    for (std::size_t i = 0; i < run.found.size(); ++i) {
        ProgramFindings::Of& one = planned.found[run.found[i]];
        one.findings = std::move(findings[i]);
        if (input.options.memory)
            input.options.memory->add(run.keys[i], {.findings = one.findings});
    }
    run.log = std::move(reply.log);
    return ok();
}

}  // namespace

Result<ProgramFindings> scan_with_programs(const BundlePlan& plan, std::span<const AssetScan> assets,
                                           const PlanScanOptions& options) {
    const ScanInput input{plan, assets, options, first_names_of(plan)};
    PlannedRuns planned;
    for (const ProjectScanner& scanner : options.scanners)
        if (scanner.pattern.empty())
            if (Status done = plan_runs(input, scanner, planned); !done)
                return std::move(done).error().with_context(location_of(scanner));
    FARDEL_TRY(try_parallel_for(planned.runs.size(), worker_count(options.jobs, kScanWorkersMax), [&](std::size_t i) {
        Status done = run_one(input, planned.runs[i], planned);
        return done ? ok() : Status(std::move(done).error().with_context(describe(input, planned, planned.runs[i])));
    }));
    ProgramFindings out;
    for (const ScannerRun& run : planned.runs)
        if (!run.log.empty())
            out.logs.push_back(describe(input, planned, run) + ":\n" + run.log);
    out.found = std::move(planned.found);
    return out;
}

}  // namespace fardel
