// Runs one job, in a folder of its own, under a time limit, with its output captured.
//
// A program sees its declared inputs by name below the folder it starts in, and writes what it makes; where the system
// can (Landlock on Linux) it may read nothing else of the project and write nowhere else. From any thread; nothing of a
// job is left behind, whatever happens.
#pragma once

#include <fardel/format/result.h>
#include <fardel/packer/processor.h>

#include <cstddef>
#include <functional>
#include <stop_token>
#include <string>

namespace fardel {

struct JobEnvironment {
    std::string project_folder;  // that found inputs and `code` are relative to
    std::string scratch_folder;  // exists; each job makes a folder in it and removes it
    std::string image_program;   // fardel-image; empty: beside the running program, or where Fardel is installed
    std::stop_token stop;
};

// Hash of the program (as PATH finds it, or in the project) and of `code`; of the built-in "image", of the decoder's
// version, which `image_program` reports. Errors: missing (no such program), denied, io.
Result<Hash> code_digest(const Processor& processor, const std::string& project_folder,
                         const std::string& image_program = {});

// The outputs' blobs are files in the scratch folder's keeping or memory; they live until the result's blobs are gone.
// Errors: unresolved (the program failed: its exit, and what it printed), cancelled, limit (time, too much output),
// missing (an output that it did not make, no such program), denied (it read or wrote what it may not, where that
// shows), malformed (a depfile or an answer that cannot be read, a name that breaks the rules, input that the built-in
// does not take), conflict (an input was edited meanwhile), unsupported, no_space, io.
Result<JobResult> run_job(const ProcessorJob& job, const JobEnvironment& environment);

struct JobReply {
    std::string answer;  // its standard output; hostile
    std::string log;     // as JobResult has it
};

// The same for a program that answers a question about its sources on its standard output and makes no files.
// `first_source_is_input`: its standard input is the first source; else it is empty. Errors: as run_job; limit also
// when the answer is larger than `answer_bytes_max`.
Result<JobReply> ask_job(const ProcessorJob& job, const JobEnvironment& environment, bool first_source_is_input,
                         std::size_t answer_bytes_max);

// Whether programs are held to what the manual says they may reach; false: they are asked to.
bool can_confine_jobs();

// What a found input of that path is now, for the second key. Errors: malformed (no regular file), denied, io, missing
// (the project's folder).
Result<FoundInput> look_for_input(const std::string& path, const std::string& project_folder);

}  // namespace fardel
