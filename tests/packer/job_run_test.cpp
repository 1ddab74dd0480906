// run_job: real programs, good ones and bad ones.
#include "job_bench.h"

#include <fardel/packer/output_names.h>
#include <fardel/packer/project.h>

namespace fardel {
namespace {

using namespace tests;

}  // namespace

TEST_CASE("job: a program that a project names converts a file") {
    const auto project = parse_project(R"(
name = "mygame"
sources = ["assets"]
[processor.upper]
command = ["sh", "-c", 'tr a-z A-Z <"$1" >"$2"', "sh", "${in}", "${out}"]
outputs = ["{folder}{stem}.up"]
[[rule]]
match = "**/*.txt"
process = "upper"
)",
                                       "fardel.toml");
    REQUIRE(project);
    REQUIRE(project->processors.size() == 1);
    const Processor& processor = project->processors[0];
    const JobBench bench;
    const JobInput source = input_of("notes/hello.txt", "hello");
    auto names = output_names(processor, source.name);
    REQUIRE(names);
    const JobResult result = bench.run_well({.processor = &processor, .sources = {source}, .others = {}, .outputs = *names});
    REQUIRE(result.outputs.size() == 1);
    CHECK(result.outputs[0].name == "notes/hello.up");
    CHECK(text_of(result.outputs[0]) == "HELLO");
    CHECK(result.found.empty());
    CHECK(result.log.empty());
}

}  // namespace fardel
