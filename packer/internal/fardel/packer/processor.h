// Processor: a program or a built-in, with parameters, that makes files from other files; and one job of it.
//
// Plain values; job_run.h runs them. docs/processors.md is the manual.
#pragma once

#include <fardel/format/bundle_plan.h>
#include <fardel/format/ids.h>
#include <fardel/format/name.h>
#include <fardel/format/tag.h>
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

// [processor.NAME] of a project.
struct Processor {
    std::string name;
    std::string builtin;               // "copy", "image", "rewrite", "unpack"; empty: `command`
    std::vector<std::string> command;  // with ${in} ${out} ${depfile} ${variant} ${parameter:KEY}
    std::string version;               // of what the program does, for people to raise
    std::vector<std::string> code;     // files whose bytes are part of the program: scripts, tables
    std::vector<std::pair<std::string, ParameterValue>> parameters;  // by key
    std::vector<std::string> outputs;  // names with {folder} {stem} {extension}; empty: what the job leaves
    std::vector<std::string> inputs;   // globs over names: what every job may read besides
    Tags tags;                         // of what it makes, as a rule's
    bool keep_source = false;          // the file that it was made from stays in the bundle, too
    bool depfile = false;              // ${depfile} lists what was read
    bool protocol = false;             // speaks JSON on its standard streams
    std::chrono::seconds timeout{60};
    std::uint32_t line = 0;  // in the project file
};

struct JobInput {
    AssetName name;
    AssetId asset;
    std::uint64_t size_bytes = 0;
    std::shared_ptr<const BlobSource> blob;
};

struct ProcessorJob {
    Processor processor;
    std::vector<JobInput> sources;     // ${in}: one, or those of a [[job]]
    std::vector<JobInput> others;      // declared besides
    std::vector<std::string> outputs;  // names; empty: what the job leaves
};

struct JobOutput {
    std::string name;  // hostile until AssetName::parse took it
    AssetId asset;
    std::uint64_t size_bytes = 0;
    std::shared_ptr<const BlobSource> blob;
};

// A file that the job looked for besides what was declared.
struct FoundInput {
    std::string path;              // relative to the project's folder, or absolute
    std::optional<AssetId> asset;  // nothing: it was not there

    friend bool operator==(const FoundInput&, const FoundInput&) = default;
};

struct JobResult {
    std::vector<JobOutput> outputs;                                  // by name
    std::vector<FoundInput> found;                                   // by path, each once
    std::vector<std::pair<std::string, FoundReference>> references;  // output's name, what it names: of the protocol
    std::string log;                                                 // what it printed, cut at 64 KiB, safe to show
    std::chrono::milliseconds took{0};
};

}  // namespace fardel
