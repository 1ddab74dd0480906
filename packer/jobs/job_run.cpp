#include <fardel/packer/job_run.h>

#include "builtin.h"
#include "depfile.h"
#include "found_inputs.h"
#include "job_code.h"
#include "job_folder.h"
#include "job_protocol.h"
#include "job_variables.h"
#include "readable_files.h"

#include <fardel/base/confined_program.h>
#include <fardel/base/folder.h>
#include <fardel/base/own_program.h>
#include <fardel/base/sandbox.h>
#include <fardel/base/text_fields.h>
#include <fardel/format/printable.h>
#include <fardel/packer/project_path.h>

#include <algorithm>
#include <set>
#include <span>

namespace fardel {
namespace {

// For each process of a job. A runtime may reserve far more than it uses, so this is no measure of what a job needs.
constexpr std::uint64_t kJobPrivateBytesMax = own_program_memory(std::uint64_t{64} << 30);

constexpr std::size_t kShownLinesMax = 20;
constexpr std::size_t kShownBytesMax = 4000;

// Makes each line of a program's output safe to show; the output was cut at 64 KiB before.
std::string safe_log(std::string_view raw) {
    std::string log;
    while (!raw.empty() && log.size() < kLogBytesMax) {
        const std::size_t end = raw.find('\n');
        std::string_view line = raw.substr(0, end);
        if (line.ends_with('\r'))
            line.remove_suffix(1);
        for (std::size_t tab = line.find('\t'); tab != std::string_view::npos; tab = line.find('\t')) {
            log += printable(line.substr(0, tab), kLogBytesMax) + "\t";
            line.remove_prefix(tab + 1);
        }
        log += printable(line, kLogBytesMax);
        if (end == std::string_view::npos)
            break;
        log += '\n';
        raw.remove_prefix(end + 1);
    }
    if (log.size() <= kLogBytesMax)
        return log;
    std::size_t cut = kLogBytesMax - 3;
    // Not within a character of UTF-8.
    while (cut > 0 && (static_cast<unsigned char>(log[cut]) & 0xc0) == 0x80)
        --cut;
    return log.substr(0, cut) + "…";
}

// Returns "; it printed nothing", or the last lines of the output, each on its own line.
std::string last_lines(std::string_view log) {
    while (!log.empty() && (log.back() == '\n' || log.back() == ' '))
        log.remove_suffix(1);
    if (log.empty())
        return "; it printed nothing";
    std::size_t begin = log.size();
    for (std::size_t lines = 0;
         lines < kShownLinesMax && begin != std::string_view::npos && begin > 0 && log.size() - begin < kShownBytesMax;
         ++lines)
        begin = log.rfind('\n', begin - 1);
    if (begin == std::string_view::npos)
        begin = 0;
    std::string text = "; it printed:";
    for (std::string_view rest = log.substr(begin); !rest.empty();) {
        if (const std::string_view line = read_until(rest, '\n'); !line.empty())
            text += "\n  " + std::string(line.substr(0, kShownBytesMax));
    }
    return text;
}

// ---- Before the run -------------------------------------------------------------------------------------------------

Status verify_job(const ProcessorJob& job) {
    if (job.sources.empty())
        return Error(ErrorCode::malformed, "a job without a processor, or without a file to work on");
    std::set<std::string_view> outputs;
    for (const std::string& output : job.outputs) {
        if (Status good = verify_name(output); !good)
            return std::move(good).error().with_context("the output " + in_quotes(output));
        if (!outputs.insert(output).second)
            return Error(ErrorCode::conflict, "the output " + in_quotes(output) + " is there twice");
    }
    return ok();
}

// Adds all inputs; a file may be among the sources and among the other inputs.
Status add_inputs(const ProcessorJob& job, const JobFolder& folder, const std::stop_token& stop) {
    std::set<AssetName> added;
    for (const auto* const inputs : {&job.sources, &job.others})
        for (const JobInput& input : *inputs)
            if (added.insert(input.name).second)
                FARDEL_TRY(folder.add_input(input, stop));
    return ok();
}

// ---- A program ------------------------------------------------------------------------------------------------------

// What programs need of the system besides its folders. Of /proc, the rest tells about other processes.
SandboxRules system_rules() {
    return {.readable = {"/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/filesystems", "/proc/version",
                         "/proc/sys/vm/overcommit_memory", "/proc/sys/vm/mmap_min_addr", "/sys/devices/system/cpu",
                         "/dev/random", "/dev/urandom"},
            .read_write = {"/dev/null", "/dev/zero", "/dev/full"},
            .own_process = true};
}

void append(std::vector<std::string>& list, const std::vector<std::string>& more) {
    list.insert(list.end(), more.begin(), more.end());
}

// Of the project, only the program itself and the files of 'code' are readable, unless the processor has a depfile.
Result<SandboxRules> sandbox_rules(const ProcessorJob& job, const ProgramPlace& program,
                                   const std::string& project_folder, const JobFolder& folder,
                                   const JobEnvironment& environment) {
    for (const std::string& file : job.processor.code)
        // A file of 'code' is readable by name, so the rule that keeps keys from jobs is asked here as well.
        FARDEL_TRY(verify_no_secret_key(path_in_project(project_folder, file)));
    SandboxRules rules = system_rules();
    rules.read_write.push_back(folder.path());
    append(rules.readable, readable_files(job.processor, program, project_folder));
    if (!job.processor.depfile)
        return rules;
    ReadableProject of_this_job(project_folder, folder_of_path(folder.path()), {});
    ReadableProject& project = environment.readable_project ? *environment.readable_project : of_this_job;
    FARDEL_TRY_ASSIGN(const ReadableProject::Found* const found, project.find());
    append(rules.readable, found->readable);
    append(rules.listable, found->listable);
    return rules;
}

Result<Sandbox> make_sandbox(const ProcessorJob& job, const ProgramPlace& program, const std::string& project_folder,
                             const JobFolder& folder, const JobEnvironment& environment) {
    if (environment.sandbox == JobSandbox::off)
        return Sandbox();
    FARDEL_TRY(verify_sandbox(environment.sandbox));
    FARDEL_TRY_ASSIGN(const SandboxRules rules, sandbox_rules(job, program, project_folder, folder, environment));
    return Sandbox::make(rules);
}

Result<ConfinedCall> plan_call(const ProcessorJob& job, const ProgramPlace& program, const std::string& project_folder,
                               const JobFolder& folder, const JobEnvironment& environment) {
    FARDEL_TRY_ASSIGN(std::vector<std::string> arguments, expand_command(job, project_folder));
    arguments.insert(arguments.begin(), job.processor.command.front());
    const std::string temporary = folder.path_of("tmp");
    ConfinedCall call{.program = program.path,
                      .arguments = std::move(arguments),
                      .environment = {std::string("PATH=") + kJobPath, "HOME=" + temporary, "TMPDIR=" + temporary,
                                      "LC_ALL=C", "TZ=UTC0", "SOURCE_DATE_EPOCH=0"},
                      .folder = folder.path(),
                      .timeout = job.processor.timeout,
                      .private_bytes_max = environment.sandbox == JobSandbox::off ? 0 : kJobPrivateBytesMax,
                      .stop = environment.stop};
    if (job.processor.protocol) {
        const std::string request = format_job_request(job);
        FARDEL_TRY(folder.write_file("request", std::as_bytes(std::span(request))));
        call.input = folder.path_of("request");
        call.answer_bytes_max = kAnswerBytesMax;
    }
    return call;
}

Status verify_end(const ConfinedOutcome& end, const std::string& log, const ProcessorJob& job,
                  std::size_t answer_bytes_max) {
    const std::string program = in_quotes(job.processor.command.front());
    switch (end.reason) {
        case ConfinedOutcome::Reason::cancelled: return Error(ErrorCode::cancelled, "stopped");
        case ConfinedOutcome::Reason::timed_out:
            return Error(ErrorCode::limit,
                         program + " was not done after " + std::to_string(job.processor.timeout.count()) +
                             " s and was ended; give it more time with timeout = …" + last_lines(log));
        case ConfinedOutcome::Reason::answered_too_much:
            return Error(ErrorCode::limit, program + " answered with more than " + std::to_string(answer_bytes_max) +
                                               " bytes" + last_lines(log));
        case ConfinedOutcome::Reason::killed:
            return Error(ErrorCode::unresolved,
                         program + " was killed by signal " + std::to_string(end.code) + last_lines(log));
        case ConfinedOutcome::Reason::exited: break;
    }
    if (end.code == 0)
        return ok();
    // LC_ALL=C makes these messages of the system independent of the language.
    const bool refused = system_can_confine() && (log.find("Permission denied") != std::string::npos ||
                                                  log.find("Read-only file system") != std::string::npos ||
                                                  log.find("Operation not permitted") != std::string::npos);
    return Error(
        refused ? ErrorCode::denied : ErrorCode::unresolved,
        program + " ended with exit status " + std::to_string(end.code) +
            (refused ? "; a job may read its inputs alone and write below its own folder alone: see 'inputs' and 'code'"
                     : "") +
            last_lines(log));
}

// The program of a job and the files that it may access.
struct JobProgram {
    std::string project_folder;  // absolute
    ConfinedCall call;
    Sandbox sandbox;

    static Result<JobProgram> plan(const ProcessorJob& job, const JobEnvironment& environment,
                                   const JobFolder& folder) {
        FARDEL_TRY_ASSIGN(std::string project_folder, absolute_folder(environment.project_folder));
        FARDEL_TRY_ASSIGN(const ProgramPlace program, find_program(job.processor, project_folder));
        FARDEL_TRY_ASSIGN(ConfinedCall call, plan_call(job, program, project_folder, folder, environment));
        FARDEL_TRY_ASSIGN(Sandbox sandbox, make_sandbox(job, program, project_folder, folder, environment));
        return JobProgram{
            .project_folder = std::move(project_folder), .call = std::move(call), .sandbox = std::move(sandbox)};
    }

    Result<JobReply> run(const ProcessorJob& job) const {
        FARDEL_TRY_ASSIGN(ConfinedOutcome end, run_confined(call, sandbox));
        JobReply reply{.answer = std::move(end.answer), .log = safe_log(end.log)};
        FARDEL_TRY(verify_end(end, reply.log, job, call.answer_bytes_max));
        return reply;
    }
};

Status read_found(const ProcessorJob& job, const JobAnswer& answer, const JobFolder& folder, FileTime begin,
                  const std::string& project_folder, JobResult& result) {
    std::vector<std::string> read = answer.read;
    if (job.processor.depfile) {
        FARDEL_TRY_ASSIGN(const auto text, folder.find_text("depfile", kDepfileBytesMax));
        if (!text && !job.processor.protocol)
            return Error(ErrorCode::missing, "it made no ${depfile}");
        FARDEL_TRY_ASSIGN(const auto paths, parse_depfile(text.value_or("")));
        read.insert(read.end(), paths.begin(), paths.end());
    }
    FARDEL_TRY_ASSIGN(result.found, look_at_inputs(read, answer.missing, folder, begin, project_folder));
    return ok();
}

// Applies the answer's names to the outputs that exist.
Status rename_outputs(const JobAnswer& answer, std::vector<JobOutput>& outputs) {
    if (!answer.lists_outputs)
        return ok();
    std::vector<JobOutput> named;
    std::set<std::string_view> used;
    for (const JobAnswer::Output& said : answer.outputs) {
        const auto made = std::ranges::lower_bound(outputs, said.path, {}, &JobOutput::name);
        if (made == outputs.end() || made->name != said.path)
            return Error(ErrorCode::missing,
                         "it says that it made " + in_quotes(said.path) + ", which is no file below its folder 'out'");
        if (Status good = verify_name(said.name); !good)
            return std::move(good).error().with_context("the output " + in_quotes(said.name));
        used.insert(made->name);
        named.push_back({.name = said.name, .asset = made->asset, .size_bytes = made->size_bytes, .blob = made->blob});
    }
    // What a program leaves behind unsaid is most often a temporary file in the wrong folder.
    for (const JobOutput& output : outputs)
        if (!used.contains(output.name))
            return Error(ErrorCode::malformed,
                         "it left " + in_quotes(output.name) + " in its folder 'out' and did not say so");
    std::ranges::sort(named, {}, &JobOutput::name);
    for (std::size_t i = 1; i < named.size(); ++i)
        if (named[i].name == named[i - 1].name)
            return Error(ErrorCode::conflict, "it made " + in_quotes(named[i].name) + " twice");
    outputs = std::move(named);
    return ok();
}

Status run_command(const ProcessorJob& job, const JobEnvironment& environment, const JobFolder& folder,
                   JobResult& result, JobAnswer& answer) {
    for (const std::string& output : job.outputs)  // the folders of the outputs
        FARDEL_TRY(folder.new_output_path(output));
    FARDEL_TRY_ASSIGN(const JobProgram program, JobProgram::plan(job, environment, folder));
    const bool finds = job.processor.depfile || job.processor.protocol;
    FileTime begin;
    if (finds) {
        // Before the program starts: an edit that follows has a later time than this, in whichever tick it falls.
        FARDEL_TRY_ASSIGN(begin, next_file_time(folder));
    }
    FARDEL_TRY_ASSIGN(JobReply reply, program.run(job));
    result.log = std::move(reply.log);
    if (job.processor.protocol) {
        FARDEL_TRY_ASSIGN(answer, parse_job_answer(reply.answer));
    }
    for (const std::string& message : answer.messages)
        result.log =
            safe_log(result.log + (result.log.empty() || result.log.ends_with('\n') ? "" : "\n") + message + "\n");
    return finds ? read_found(job, answer, folder, begin, program.project_folder, result) : ok();
}

// ---- After the run --------------------------------------------------------------------------------------------------

// If a job's outputs are named, it must have made exactly those.
Status verify_outputs(const ProcessorJob& job, const std::vector<JobOutput>& outputs) {
    if (job.outputs.empty())
        return ok();
    for (const std::string& wanted : job.outputs)
        if (std::ranges::find(outputs, wanted, &JobOutput::name) == outputs.end())
            return Error(ErrorCode::missing, "it did not make " + in_quotes(wanted));
    for (const JobOutput& output : outputs)
        if (std::ranges::find(job.outputs, output.name) == job.outputs.end())
            return Error(ErrorCode::malformed,
                         "it made " + in_quotes(output.name) +
                             ", which 'outputs' does not name; name it there, or let it write such files to ${TMPDIR}");
    return ok();
}

Status verify_references(const JobAnswer& answer, const std::vector<JobOutput>& outputs) {
    for (const auto& reference : answer.references)
        if (std::ranges::find(outputs, reference.first, &JobOutput::name) == outputs.end())
            return Error(ErrorCode::malformed,
                         "it reports a reference of " + in_quotes(reference.first) + ", which it did not make");
    return ok();
}

Result<JobResult> run(const ProcessorJob& job, const JobEnvironment& environment) {
    const auto begin = std::chrono::steady_clock::now();
    FARDEL_TRY_ASSIGN(const std::shared_ptr<JobFolder> folder, JobFolder::make(environment.scratch_folder));
    FARDEL_TRY(add_inputs(job, *folder, environment.stop));
    JobResult result;
    JobAnswer answer;
    if (job.processor.builtin.empty()) {
        FARDEL_TRY(run_command(job, environment, *folder, result, answer));
    } else if (const Builtin* const builtin = find_builtin(job.processor.builtin)) {
        FARDEL_TRY(builtin->run(job, *folder, environment));
    } else {
        return Error(ErrorCode::unsupported, "there is no built-in " + in_quotes(job.processor.builtin));
    }
    // Outputs are read after the program and all its descendants have ended, so nothing changes them any more.
    FARDEL_TRY_ASSIGN(result.outputs, folder->collect_outputs(environment.stop));
    FARDEL_TRY(rename_outputs(answer, result.outputs));
    FARDEL_TRY(verify_outputs(job, result.outputs));
    FARDEL_TRY(verify_references(answer, result.outputs));
    result.references = std::move(answer.references);
    result.took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
    return result;
}

}  // namespace

std::string unconfined_reason(JobSandbox sandbox) {
    if (sandbox == JobSandbox::off)
        return "the project has sandbox = \"off\", so they can read and write all files of this user";
    if (system_can_confine())
        return {};
    return "this system has no Landlock, so they can read and write all files of this user; with sandbox = "
           "\"required\", the project is not built here";
}

Status verify_sandbox(JobSandbox sandbox) {
    if (sandbox != JobSandbox::required || system_can_confine())
        return ok();
    return Error(ErrorCode::unsupported,
                 "the project has sandbox = \"required\", and this system cannot confine programs; build it on Linux "
                 "with Landlock (5.13 or later), or write sandbox = \"auto\"");
}

Result<JobReply> ask_job(const ProcessorJob& job, const JobEnvironment& environment, bool first_source_is_input,
                         std::size_t answer_bytes_max) {
    FARDEL_TRY(verify_job(job));
    FARDEL_TRY_ASSIGN(const std::shared_ptr<JobFolder> folder, JobFolder::make(environment.scratch_folder));
    FARDEL_TRY(add_inputs(job, *folder, environment.stop));
    FARDEL_TRY_ASSIGN(JobProgram program, JobProgram::plan(job, environment, *folder));
    program.call.input = first_source_is_input ? folder->input_path(job.sources.front()) : std::string();
    program.call.answer_bytes_max = answer_bytes_max;
    return program.run(job);
}

Result<JobResult> run_job(const ProcessorJob& job, const JobEnvironment& environment) {
    FARDEL_TRY(verify_job(job));
    auto result = run(job, environment);
    if (!result)
        return std::move(result).error().with_context(printable(job.processor.name) + ": " +
                                                      printable(job.sources.front().name.view()));
    return result;
}

}  // namespace fardel
