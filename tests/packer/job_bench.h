// A bench for the jobs of a test case: a project, a scratch folder and text inputs.
#pragma once

#include "scratch.h"

#include <fardel/format/hash.h>
#include <fardel/packer/job_run.h>
#include <fardel/packer/processor.h>

#include <doctest/doctest.h>

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fardel::tests {

inline AssetId asset_of(std::string_view text) { return id_from<AssetId>(blake3(std::as_bytes(std::span(text)))); }

inline AssetName name_of(std::string_view text) {
    auto name = AssetName::parse(text);
    REQUIRE(name);
    return *std::move(name);
}

inline JobInput input_of(std::string_view name, std::string_view text) {
    const auto bytes = std::as_bytes(std::span(text));
    return {.name = name_of(name),
            .asset = asset_of(text),
            .size_bytes = text.size(),
            .blob = make_memory_blob({bytes.begin(), bytes.end()})};
}

inline std::string text_of(const JobOutput& output) {
    auto stream = output.blob->open();
    REQUIRE(stream);
    std::string text;
    std::vector<std::byte> piece(65536);
    for (;;) {
        const auto count = (*stream)->read(piece);
        REQUIRE(count);
        if (*count == 0)
            break;
        text.append(reinterpret_cast<const char*>(piece.data()), *count);
    }
    CHECK(text.size() == output.size_bytes);
    CHECK(asset_of(text) == output.asset);
    return text;
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
    JobResult run_well(const ProcessorJob& job) const {
        auto result = run(job);
        const std::string message = result ? "" : result.error().text();
        REQUIRE_MESSAGE(result, message);
        return *std::move(result);
    }
    Error run_badly(const ProcessorJob& job) const {
        auto result = run(job);
        REQUIRE_FALSE(result);
        return std::move(result).error();
    }
    // Writes a program of the project.
    void write_program(std::string_view name, std::string_view text) const {
        const std::string path = files.write("project/" + std::string(name), text);
        std::filesystem::permissions(path, std::filesystem::perms::owner_exec, std::filesystem::perm_options::add);
    }

    ScratchFolder files;
    std::stop_source stop;
};

// Returns a processor that runs shell commands: $1 is the source, $2 the output.
inline Processor shell(std::string_view commands) {
    return {.name = "shell", .command = {"sh", "-c", std::string(commands), "sh", "${in}", "${out}"}};
}

inline bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

}  // namespace fardel::tests
