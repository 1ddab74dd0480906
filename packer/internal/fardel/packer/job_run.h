// Runs one job in a separate folder, under a time limit, and captures its output.
//
// A program finds its declared inputs by name below its starting folder, and writes its outputs there. If the system
// supports it (Landlock on Linux), it can read nothing else of the project and write nowhere else; it has no network.
// Any thread; no files of a job are left behind, whatever happens.
#pragma once

#include <fardel/base/result.h>
#include <fardel/packer/processor.h>
#include <fardel/packer/readable_project.h>

#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>

namespace fardel {

struct JobEnvironment {
    std::string project_folder;  // found inputs and `code` are relative to it
    std::string scratch_folder;  // exists; each job creates a folder in it and removes it
    std::string image_program;   // fardel-image; empty: search beside the running program and where Fardel is installed
    JobSandbox sandbox = JobSandbox::where_possible;
    std::shared_ptr<ReadableProject> readable_project;  // of the project; nullptr: searched again for each job
    std::stop_token stop;
};

// Why the programs of jobs run unconfined; empty: they do not.
std::string unconfined_reason(JobSandbox sandbox);
// Error: unsupported (the sandbox is required, and this system has none).
Status verify_sandbox(JobSandbox sandbox);

// Returns a hash of the program (found in PATH or in the project) and of `code`; for the built-in "image", of the
// decoder's version, which `image_program` reports. Errors: missing (no such program), denied, io.
Result<Hash> code_digest(const Processor& processor, const std::string& project_folder,
                         const std::string& image_program = {});

// The outputs' blobs are in memory or are files in the scratch folder, which stay until the blobs are destroyed.
// Errors: unresolved (the program failed; the message has its exit status and output), cancelled, limit (time, too much
// output), missing (no such program, or it did not make an output), denied (it made a forbidden read or write that was
// noticed), malformed (an invalid depfile or answer, a name that breaks the rules, input that the built-in does not
// accept), conflict (an input was edited meanwhile), unsupported (also: a sandbox is required and the system has none),
// no_space, io.
Result<JobResult> run_job(const ProcessorJob& job, const JobEnvironment& environment);

struct JobReply {
    std::string answer;  // its standard output; hostile
    std::string log;     // see JobResult
};

// The same for a program that answers a question about its sources on its standard output and makes no files.
// `first_source_is_input`: the first source is its standard input, which is empty otherwise. Errors: those of run_job;
// also limit if the answer is larger than `answer_bytes_max`.
Result<JobReply> ask_job(const ProcessorJob& job, const JobEnvironment& environment, bool first_source_is_input,
                         std::size_t answer_bytes_max);

// Returns the current state of a found input for the second key. Errors: malformed (not a regular file), denied, io,
// missing (the project's folder).
Result<FoundInput> look_for_input(const std::string& path, const std::string& project_folder);

}  // namespace fardel
