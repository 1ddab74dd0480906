// A bench for the jobs of a test case: a project, a scratch folder and text inputs.
#pragma once

#include "kit/blobs.h"
#include "kit/files.h"
#include "kit/ids.h"

#include <fardel/format/hash.h>
#include <fardel/packer/job_run.h>
#include <fardel/packer/processor.h>

namespace fardel::tests {

inline JobInput input_of(std::string_view name, std::string_view text) {
    return {.name = name_of(name), .asset = id_of(text), .size_bytes = text.size(), .blob = blob_of(text)};
}

inline std::string text_of(const JobOutput& output) {
    const std::string text = value_of(read_blob_text(*output.blob, 65536));
    CHECK(text.size() == output.size_bytes);
    CHECK(id_of(text) == output.asset);
    return text;
}

inline ProcessorJob job_of(const Processor& processor, std::vector<std::string> outputs = {"made"}) {
    return {.processor = processor, .sources = {input_of("source.txt", "hello")}, .outputs = std::move(outputs)};
}

class JobBench {
public:
    JobBench() {
        std::filesystem::create_directories(files.path("project"));
        std::filesystem::create_directories(files.path("scratch"));
    }
    // Checks that no job left a file.
    ~JobBench() { CHECK(std::filesystem::is_empty(files.path("scratch"))); }
    JobBench(const JobBench&) = delete;
    JobBench& operator=(const JobBench&) = delete;

    JobEnvironment environment() const {
        return {.project_folder = files.path("project"),
                .scratch_folder = files.path("scratch"),
                .image_program = FARDEL_IMAGE_PROGRAM,
                .stop = stop.get_token()};
    }
    Result<JobResult> run(const ProcessorJob& job) const { return run_job(job, environment()); }
    JobResult run_well(const ProcessorJob& job) const { return value_of(run(job)); }
    Error run_badly(const ProcessorJob& job) const {
        auto result = run(job);
        REQUIRE_FALSE(result);
        return std::move(result).error();
    }
    // Writes a program of the project.
    void write_program(std::string_view name, std::string_view text) const {
        files.write_program("project/" + std::string(name), text);
    }

    ScratchFolder files;
    std::stop_source stop;
};

// Returns a processor that runs shell commands: $1 is the source, $2 the output.
inline Processor shell(std::string_view commands) {
    return {.name = "shell", .command = {"sh", "-c", std::string(commands), "sh", "${in}", "${out}"}};
}

}  // namespace fardel::tests
