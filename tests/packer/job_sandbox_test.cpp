// A job may reach its inputs, the system and its own folder. It reports the inputs that it found while it ran.
#include "job_bench.h"

#include <fardel/base/sandbox.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <thread>

namespace fardel {
namespace {

using namespace tests;

Processor finder(std::string_view commands) {
    Processor processor = shell(commands);
    processor.command.push_back("${project}");  // $3
    processor.command.push_back("${depfile}");  // $4
    processor.depfile = true;
    return processor;
}

}  // namespace

// The kernels of our test systems have Landlock; on others these cases fail.
TEST_CASE("sandbox: this system can confine jobs") { CHECK(system_can_confine()); }

TEST_CASE("sandbox: an undeclared input is not readable, a declared one is") {  // A113
    const JobBench bench;
    bench.files.write("project/palette.txt", "red");
    const std::string path = bench.files.path("project/palette.txt");
    const Error error = bench.run_badly(job_of(shell("cat " + path + " >\"$2\"")));
    CHECK(error.code() == ErrorCode::denied);
    CHECK(has(error.message(), "Permission denied"));
    CHECK(has(error.message(), "a job may read its inputs alone"));
    const Processor processor = shell("cat in/palette.txt >\"$2\"");
    CHECK(bench.run_badly(job_of(processor)).code() == ErrorCode::unresolved);
    ProcessorJob job = job_of(processor);
    job.others = {input_of("palette.txt", "red")};
    CHECK(text_of(bench.run_well(job).outputs.at(0)) == "red");
}

TEST_CASE("sandbox: no indirect path leads to an undeclared input") {  // A113
    const JobBench bench;
    bench.files.write("project/secret.txt", "secret");
    const std::string path = bench.files.path("project/secret.txt");
    for (const std::string& way : std::initializer_list<std::string>{
             "ln -s " + path + " tmp/link && cat tmp/link >\"$2\"", "ln " + path + " \"$2\"",
             "cat /proc/$PPID/root" + path + " >\"$2\"", "cp " + path + " \"$2\"", "mv " + path + " \"$2\"",
             "cat ../../project/secret.txt >\"$2\"", "setsid -w cat " + path + " >\"$2\"",
             "ls " + bench.files.path("project") + " >\"$2\""}) {
        CAPTURE(way);
        const auto result = bench.run(job_of(shell(way)));
        CHECK_FALSE(result);
    }
    CHECK(read_file(path) == "secret");
}

TEST_CASE("sandbox: a job does not see another job's folder") {
    const JobBench bench;
    bench.files.write("scratch/job-other/in/file", "secret");
    CHECK(bench.run_badly(job_of(shell("cat ../job-other/in/file >\"$2\""))).code() == ErrorCode::denied);
    std::filesystem::remove_all(bench.files.path("scratch/job-other"));
}

TEST_CASE("sandbox: nothing outside of the job's folder can be written, removed or cut") {
    const JobBench bench;
    bench.files.write("project/file.txt", "kept");
    const std::string file = bench.files.path("project/file.txt");
    for (const std::string& way : std::initializer_list<std::string>{
             "echo changed >" + file, "echo more >>" + file, "rm " + file, "mv " + file + " " + file + "2",
             "truncate -s 0 " + file, "touch " + bench.files.path("new"), "mkdir " + bench.files.path("folder"),
             "touch ../new", "ln -s x " + bench.files.path("link"), "cp in/source.txt /tmp/fardel-test-escaped"}) {
        CAPTURE(way);
        CHECK(bench.run_badly(job_of(shell(way))).code() == ErrorCode::denied);
    }
    CHECK(read_file(file) == "kept");
    CHECK_FALSE(std::filesystem::exists(bench.files.path("new")));
    CHECK_FALSE(std::filesystem::exists("/tmp/fardel-test-escaped"));
}

TEST_CASE("sandbox: a job cannot signal its parent") {
    const JobBench bench;
    CHECK_FALSE(bench.run(job_of(shell("kill -9 $PPID && touch \"$2\" && sleep 5"))));
    CHECK(bench.run_well(job_of(shell("touch \"$2\""))).outputs.size() == 1);
}

TEST_CASE("sandbox: a program of the project reads itself and its code, and no more") {
    const JobBench bench;
    bench.files.write("project/table.txt", "table");
    bench.files.write("project/tools/other.txt", "other");
    bench.write_program("tools/convert", "#!/bin/sh\ncat \"$3\" >\"$2\"\n");
    Processor processor = shell("");
    processor.code = {"table.txt"};
    processor.command = {"tools/convert", "${in}", "${out}", "${code:table.txt}"};
    CHECK(text_of(bench.run_well(job_of(processor)).outputs.at(0)) == "table");
    processor.command[3] = bench.files.path("project/tools/other.txt");
    CHECK(bench.run_badly(job_of(processor)).code() == ErrorCode::denied);
}

// ---- Depfiles -------------------------------------------------------------------------------------------------------

TEST_CASE("found inputs: a depfile lists files that were read and files that were looked for") {
    const JobBench bench;
    bench.files.write("project/include/a.h", "A");
    const Processor processor = finder(
        "cat \"$1\" \"$3/include/a.h\" >\"$2\"; printf 'made: in/source.txt \\\\\\n %s/include/a.h %s/gone.h "
        "/bin/sh\\n' \"$3\" \"$3\" >\"$4\"");
    const JobResult result = bench.run_well(job_of(processor));
    CHECK(text_of(result.outputs.at(0)) == "helloA");
    REQUIRE(result.found.size() == 3);
    CHECK(result.found[0].path == "/bin/sh");
    CHECK(result.found[1] == FoundInput{.path = "gone.h", .asset = std::nullopt});
    CHECK(result.found[2] == FoundInput{.path = "include/a.h", .asset = id_of("A")});
    for (const FoundInput& input : result.found) {
        const auto now = look_for_input(input.path, bench.files.path("project"));
        REQUIRE(now);
        CHECK(*now == input);
    }
    bench.files.write("project/include/a.h", "B");
    bench.files.write("project/gone.h", "");
    CHECK(look_for_input("include/a.h", bench.files.path("project"))->asset == id_of("B"));
    CHECK(look_for_input("gone.h", bench.files.path("project"))->asset == id_of(""));
}

TEST_CASE("found inputs: the compiler's own depfile is read") {
    const JobBench bench;
    bench.files.write("project/include/a b.h", "#define ANSWER 42\n");
    Processor processor = shell("");
    processor.depfile = true;
    processor.command = {"cc", "-E",     "-P",   "-MD", "-MF", "${depfile}", "-I", "${project}/include",
                         "-o", "${out}", "${in}"};
    ProcessorJob job{.processor = processor,
                     .sources = {input_of("source.c", "#include \"a b.h\"\nANSWER\n")},
                     .outputs = {"made.i"}};
    const JobResult result = bench.run_well(job);
    CHECK(has(text_of(result.outputs.at(0)), "42"));
    bool found = false;
    for (const FoundInput& input : result.found)
        found |= input.path == "include/a b.h";
    CHECK(found);
}

TEST_CASE("found inputs: an edit while the job runs is a conflict, an edit just before is none") {  // A110
    const JobBench bench;
    bench.files.write("project/a.h", "A");
    const Processor reader = finder("cp \"$3/a.h\" \"$2\"; echo \"x: $3/a.h\" >\"$4\"");
    for (int i = 0; i < 5; ++i) {
        bench.files.write("project/a.h", std::to_string(i));
        CHECK(text_of(bench.run_well(job_of(reader)).outputs.at(0)) == std::to_string(i));
    }
    const Processor slow =
        finder("cp \"$3/a.h\" \"$2\"; echo \"x: $3/a.h\" >\"$4\"; while [ ! -e \"$3/go\" ]; do sleep 0.02; done");
    std::jthread editor([&] {
        const auto has_depfile = [&] {
            std::error_code error;
            for (std::filesystem::directory_iterator entry(bench.files.path("scratch"), error), end; entry != end;
                 entry.increment(error))
                if (std::filesystem::exists(entry->path() / "depfile", error))
                    return true;
            return false;
        };
        while (!has_depfile())
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        std::ofstream(bench.files.path("project/a.h"))
            << "4";  // the bytes are the same, but may have differed in between
        std::ofstream(bench.files.path("project/go")) << "";
    });
    const Error error = bench.run_badly(job_of(slow));
    CHECK(error.code() == ErrorCode::conflict);
    CHECK(has(error.message(), "'a.h' was edited while the job ran"));
}

TEST_CASE("found inputs: a depfile that is missing or invalid, or names a folder, is an error") {
    const JobBench bench;
    CHECK(bench.run_badly(job_of(finder("touch \"$2\""))).code() == ErrorCode::missing);
    CHECK(bench.run_badly(job_of(finder("touch \"$2\"; echo nonsense >\"$4\""))).code() == ErrorCode::malformed);
    CHECK(bench.run_badly(job_of(finder("touch \"$2\"; echo \"x: $3\" >\"$4\""))).code() == ErrorCode::malformed);
    CHECK(bench.run_badly(job_of(finder("touch \"$2\"; ln -s /etc/passwd \"$4\""))).code() == ErrorCode::malformed);
    CHECK(bench.run_badly(job_of(finder("touch \"$2\"; head -c 20000000 /dev/zero >\"$4\""))).code() ==
          ErrorCode::limit);
    CHECK(bench.run_well(job_of(finder("touch \"$2\"; : >\"$4\""))).found.empty());
}

}  // namespace fardel
