// Processor: a program or a built-in, with parameters, that makes files from other files; also one job of it.
//
// Plain values; job_run.h runs them. docs/processors.md is the manual.
#pragma once

#include <fardel/format/bundle_plan.h>
#include <fardel/format/ids.h>
#include <fardel/format/name.h>
#include <fardel/format/tag.h>
#include <fardel/packer/project_position.h>
#include <fardel/packer/references.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace fardel {

using ParameterValue = std::variant<std::string, std::int64_t, double, bool>;

// Whether the programs of a project are confined.
enum class JobSandbox : unsigned char {
    where_possible,  // they run unconfined where the system cannot confine them, and the build says so
    required,        // there, they do not run
    off,             // they run unconfined, and the build says so
};

// [processor.NAME] of a project.
struct Processor {
    std::string name;
    std::string builtin;               // "copy", "image", "rewrite", "unpack"; empty: `command` is used
    std::vector<std::string> command;  // with ${in} ${out} ${depfile} ${variant} ${parameter:KEY}
    std::string version;               // of the program; people raise it when the program's results change
    std::vector<std::string> code;     // files whose bytes are part of the program: scripts, tables
    std::vector<std::pair<std::string, ParameterValue>> parameters;  // by key
    std::vector<std::string> outputs;  // names with {folder} {stem} {extension}; empty: all files that the job makes
    std::vector<std::string> inputs;   // globs over names: other files that every job may read
    bool follow_references = false;    // a job may read the sources that its own sources reach by references, too
    Tags tags;                         // of its outputs, like those of a rule
    bool keep_source = false;          // the source stays in the bundle, too
    bool depfile = false;              // the program lists the files that it read in ${depfile}
    bool protocol = false;             // the program speaks JSON on its standard streams
    std::chrono::seconds timeout{60};
    std::uint32_t at_once = 0;         // how many of its jobs run at a time at most; 0: any number
    std::uint64_t memory_bytes = 0;    // what one of its jobs needs; 0: little
    std::vector<std::string> targets;  // that have it; empty: all
    ProjectPosition at;
};

struct JobInput {
    AssetName name;
    AssetId asset;
    std::uint64_t size_bytes = 0;
    std::shared_ptr<const BlobSource> blob;
};

struct ProcessorJob {
    Processor processor;
    std::vector<JobInput> sources;     // ${in}: one file, or those of a [[job]]
    std::vector<JobInput> others;      // other declared inputs
    std::vector<std::string> outputs;  // names; empty: all files that the job makes
};

struct JobOutput {
    std::string name;  // hostile until AssetName::parse accepts it
    AssetId asset;
    std::uint64_t size_bytes = 0;
    std::shared_ptr<const BlobSource> blob;
};

// A file that the job looked for besides its declared inputs.
struct FoundInput {
    std::string path;              // relative to the project's folder, or absolute
    std::optional<AssetId> asset;  // nothing: it was absent

    friend bool operator==(const FoundInput&, const FoundInput&) = default;
};

struct JobResult {
    std::vector<JobOutput> outputs;  // by name
    std::vector<FoundInput> found;   // by path, each once
    std::vector<std::pair<std::string, FoundReference>>
        references;   // output's name and a reference in it, from the protocol
    std::string log;  // its output, cut at 64 KiB, safe to show
    std::chrono::milliseconds took{0};
};

}  // namespace fardel
