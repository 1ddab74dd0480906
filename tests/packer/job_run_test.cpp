// run_job: real programs, both well-behaved and faulty.
#include "job_bench.h"

#include <fardel/packer/project.h>
#include "jobs/output_names.h"

#include <atomic>
#include <cerrno>
#include <csignal>

#include <sys/stat.h>

namespace fardel::tests::job_run_test {

// A file whose bytes differ from its id, because it was edited after the scan.
class EditedBlob final : public BlobSource {
public:
    Result<std::unique_ptr<BlobStream>> open() const override {
        if (!blob_)
            blob_ = blob_of("edited");
        return blob_->open();
    }

private:
    mutable std::shared_ptr<const BlobSource> blob_;
};

std::string absolute_of(const JobBench& bench, std::string_view path) { return bench.files.path(path); }

TEST_CASE("job: a program of a project converts a file") {
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
    const JobResult result = bench.run_well({.processor = processor, .sources = {source}, .outputs = *names});
    REQUIRE(result.outputs.size() == 1);
    CHECK(result.outputs[0].name == "notes/hello.up");
    CHECK(text_of(result.outputs[0]) == "HELLO");
    CHECK(result.found.empty());
    CHECK(result.log.empty());
}

TEST_CASE("job: cp and gzip are processors") {
    const JobBench bench;
    Processor copy = shell("");
    copy.command = {"cp", "${in}", "${out}"};
    CHECK(text_of(bench.run_well(job_of(copy)).outputs.at(0)) == "hello");

    Processor gzip = shell("");
    gzip.command = {"sh", "-c", "gzip -n -9 <\"$1\" >\"$2\"", "sh", "${in}", "${out}"};
    const std::string packed = text_of(bench.run_well(job_of(gzip, {"a/b/made.gz"})).outputs.at(0));
    CHECK(packed.starts_with("\x1f\x8b"));

    Processor unpack = shell("");
    unpack.builtin = "unpack";
    unpack.command.clear();
    const JobResult unpacked = bench.run_well({.processor = unpack, .sources = {input_of("made.gz", packed)}});
    REQUIRE(unpacked.outputs.size() == 1);
    CHECK(unpacked.outputs[0].name == "made");
    CHECK(text_of(unpacked.outputs[0]) == "hello");
}

TEST_CASE("job: every variable of a command means what the manual says") {
    const JobBench bench;
    Processor processor = shell("");
    processor.code = {"tools/table"};
    bench.files.write("project/tools/table", "table");
    processor.parameters = {
        {"size", std::int64_t{3}}, {"scale", 0.5}, {"text", std::string("a b; $(id)")}, {"fast", true}};
    processor.tags = {{"quality", "hd"}, {"lang", "fr"}};
    processor.depfile = true;
    processor.command = {"sh",
                         "-c",
                         "printf '%s\\n' \"$@\" >out/made; : >depfile",
                         "sh",
                         "${in}",
                         "-i=${in:all}",
                         "${out}",
                         "${out:folder}",
                         "${depfile}",
                         "${variant}",
                         "${name}",
                         "${parameter:size}/${parameter:scale}/${parameter:text}/${parameter:fast}",
                         "$5",
                         "${project}",
                         "${code:tools/table}"};
    const ProcessorJob job{.processor = processor,
                           .sources = {input_of("a b.txt", "1"), input_of("f/c.txt", "2")},
                           .others = {input_of("-d", "3")},
                           .outputs = {"made"}};
    const std::string project = std::filesystem::canonical(absolute_of(bench, "project")).string();
    CHECK(
        text_of(bench.run_well(job).outputs.at(0)) ==
        "in/a b.txt\nin/f/c.txt\n-i=in/a b.txt\n-i=in/f/c.txt\n-i=in/-d\nout/made\nout\ndepfile\nlang=fr,quality=hd\na "
        "b.txt\n3/0.5/a b; $(id)/true\n$5\n" +
            project + "\n" + project + "/tools/table\n");
}

TEST_CASE("job: several outputs, large and small, come back in the order of their names") {
    const JobBench bench;
    const Processor processor =
        shell("mkdir -p out/z; head -c 300000 /dev/zero >out/z/large; echo small >out/a; : >out/empty");
    const JobResult result = bench.run_well(job_of(processor, {}));
    REQUIRE(result.outputs.size() == 3);
    CHECK(result.outputs[0].name == "a");
    CHECK(result.outputs[1].name == "empty");
    CHECK(result.outputs[2].name == "z/large");
    CHECK(text_of(result.outputs[0]) == "small\n");
    CHECK(text_of(result.outputs[1]).empty());
    CHECK(text_of(result.outputs[2]) == std::string(300000, '\0'));  // its file exists as long as the result
}

TEST_CASE("job: a program sees a clean environment, and nothing on its standard input") {
    const JobBench bench;
    ::setenv("FARDEL_TEST_SECRET", "secret", 1);
    const std::string seen = text_of(bench.run_well(job_of(shell("{ env | sort; cat; pwd; } >\"$2\""))).outputs.at(0));
    CHECK_FALSE(has(seen, "secret"));
    for (const std::string_view part : {"LC_ALL=C\n", "SOURCE_DATE_EPOCH=0\n", "TZ=UTC0\n",
                                        "PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/", "TMPDIR=/"})
        CHECK(has(seen, part));
    std::size_t variables = 0;
    for (std::size_t at = seen.find('='); at != std::string::npos; at = seen.find('=', at + 1))
        ++variables;
    CHECK(variables == 7);  // the documented ones and PWD, which the shell sets
}

TEST_CASE("job: a program that fails is unresolved, with its exit code and its last lines") {
    const JobBench bench;
    const Error error = bench.run_badly(job_of(shell(
        "i=0; while [ $i -lt 100 ]; do echo line $i; i=$((i+1)); done; printf 'bad \\033[31m thing\\n' >&2; exit 3")));
    CHECK(error.code() == ErrorCode::unresolved);
    CHECK(error.message().starts_with("shell: source.txt: 'sh' ended with exit status 3; it printed:\n"));
    CHECK(has(error.message(), "\n  line 99\n"));
    CHECK_FALSE(has(error.message(), "line 50"));
    CHECK(has(error.message(), "thing"));
    CHECK_FALSE(has(error.message(), "\033"));
    CHECK(has(bench.run_badly(job_of(shell("exit 1"))).message(), "; it printed nothing"));
}

TEST_CASE("job: a program that a signal kills is unresolved, and the signal is named") {
    const JobBench bench;
    const Error error = bench.run_badly(job_of(shell("echo on my way; kill -SEGV $$")));
    CHECK(error.code() == ErrorCode::unresolved);
    CHECK(has(error.message(), "was killed by signal 11; it printed:\n  on my way"));
}

TEST_CASE("job: a program that exceeds its time is ended, with all processes that it started") {
    const JobBench bench;
    Processor processor = shell("sleep 300 & sleep 301");
    processor.timeout = std::chrono::seconds(1);
    const auto begin = std::chrono::steady_clock::now();
    const Error error = bench.run_badly(job_of(processor));
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(20));
    CHECK(error.code() == ErrorCode::limit);
    CHECK(has(error.message(), "was not done after 1 s"));
}

TEST_CASE("job: processes that a program leaves running are ended with it, in its group or not") {
    const JobBench bench;
    const JobResult result = bench.run_well(
        job_of(shell("sleep 300 & echo $! >>\"$2\"; setsid sleep 300 & echo $! >>\"$2\"; (setsid sh -c 'echo $$ "
                     ">>\"$0\"; sleep 300 & sleep 300' \"$2\" &); while [ $(wc -l <\"$2\") -lt 3 ]; do :; done")));
    std::string pids = text_of(result.outputs.at(0));
    std::size_t found = 0;
    for (std::size_t end = pids.find('\n'); end != std::string::npos; end = pids.find('\n')) {
        const int pid = std::stoi(pids.substr(0, end));
        pids.erase(0, end + 1);
        ++found;
        CHECK(::kill(pid, 0) == -1);
        CHECK(errno == ESRCH);
    }
    CHECK(found == 3);
}

TEST_CASE("job: a stop request ends the program, or prevents its start") {
    JobBench bench;
    std::jthread stopper([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        bench.stop.request_stop();
    });
    const auto begin = std::chrono::steady_clock::now();
    CHECK(bench.run_badly(job_of(shell("trap '' TERM INT; sleep 300; sleep 300"))).code() == ErrorCode::cancelled);
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(20));
    stopper.join();
    CHECK(bench.run_badly(job_of(shell("touch \"$2\""))).code() == ErrorCode::cancelled);
}

TEST_CASE("job: 64 KiB of a program's output are kept, the beginning and the end") {
    const JobBench bench;
    const JobResult result = bench.run_well(
        job_of(shell("echo begin; head -c 3000000 /dev/zero | tr '\\0' x; echo; echo end >&2; touch \"$2\"")));
    CHECK(result.log.starts_with("begin\nxxx"));
    CHECK(result.log.ends_with("xxx\nend\n"));
    CHECK(has(result.log, "bytes left out"));
    CHECK(result.log.size() <= 65536);
    CHECK(result.log.size() > 60000);

    const JobResult unsafe = bench.run_well(job_of(shell("head -c 65000 /dev/zero; touch \"$2\"")));
    CHECK(unsafe.log.size() <= 65536);
    CHECK(unsafe.log.find('\0') == std::string::npos);
}

TEST_CASE("job: a program that prints endlessly is ended when its time is over") {
    const JobBench bench;
    Processor processor = shell("yes 'all work and no play'");
    processor.timeout = std::chrono::seconds(1);
    const Error error = bench.run_badly(job_of(processor));
    CHECK(error.code() == ErrorCode::limit);
    CHECK(error.message().size() < 10'000);
}

TEST_CASE("job: a program that does not exist is missing") {
    const JobBench bench;
    Processor processor = shell("");
    const auto failure_of = [&](const std::string& program) {
        processor.command = {program, "${in}", "${out}"};
        const auto digest = code_digest(processor, absolute_of(bench, "project"));
        REQUIRE_FALSE(digest);
        const Error error = bench.run_badly(job_of(processor));
        CHECK(digest.error().code() == error.code());
        return error;
    };
    CHECK(failure_of("no-such-program").code() == ErrorCode::missing);
    CHECK(failure_of("/nowhere/program").code() == ErrorCode::missing);
    CHECK(failure_of("tools/convert").code() == ErrorCode::missing);
    bench.files.write("project/tools/convert", "#!/bin/sh\n");
    CHECK(has(failure_of("tools/convert").message(), "chmod +x"));
    CHECK(failure_of("/tmp").code() == ErrorCode::malformed);
}

TEST_CASE("job: a program that the system cannot start says why") {
    const JobBench bench;
    bench.write_program("broken",
                        "\x7f"
                        "ELF and nothing behind it");
    Processor processor = shell("");
    processor.command = {"./broken", "${in}", "${out}"};
    const Error error = bench.run_badly(job_of(processor));
    CHECK(error.code() == ErrorCode::malformed);
    CHECK(has(error.message(), "cannot be started"));
}

TEST_CASE("job: an output that is not created is missing, and an undeclared one is reported") {
    const JobBench bench;
    const Error missing = bench.run_badly(job_of(shell("true")));
    CHECK(missing.code() == ErrorCode::missing);
    CHECK(has(missing.message(), "it did not make 'made'"));
    const Error extra = bench.run_badly(job_of(shell("touch \"$2\" out/more")));
    CHECK(extra.code() == ErrorCode::malformed);
    CHECK(has(extra.message(), "it made 'more', which 'outputs' does not name"));
    CHECK(bench.run_well(job_of(shell("touch \"$2\" more tmp/more \"$TMPDIR/again\""))).outputs.size() == 1);
}

TEST_CASE("job: links, pipes and bad names are no outputs") {
    const JobBench bench;
    bench.files.write("secret", "secret");
    const auto code = [&](const std::string& commands, std::vector<std::string> outputs) {
        return bench.run_badly(job_of(shell(commands), std::move(outputs))).code();
    };
    CHECK(code("ln -s /etc/passwd \"$2\"", {"made"}) == ErrorCode::denied);
    CHECK(code("ln -s ../in/source.txt \"$2\"", {"made"}) == ErrorCode::denied);
    CHECK(code("ln -s " + absolute_of(bench, "") + " out/folder", {}) == ErrorCode::denied);
    CHECK(code("rmdir out; ln -s /etc out", {}) == ErrorCode::denied);
    CHECK(code("mkfifo \"$2\"", {"made"}) == ErrorCode::malformed);
    CHECK(code("mkdir \"$2\"", {"made"}) == ErrorCode::missing);
    CHECK(code("touch 'out/a:b'", {}) == ErrorCode::malformed);
    CHECK(code("touch out/NUL", {}) == ErrorCode::malformed);
    CHECK(code("i=0; d=out; while [ $i -lt 70 ]; do d=$d/x; i=$((i+1)); done; mkdir -p $d; touch $d/x", {}) ==
          ErrorCode::limit);
    CHECK(code("true", {"../made"}) == ErrorCode::malformed);
    CHECK(code("true", {"made", "made"}) == ErrorCode::conflict);
}

TEST_CASE("job: folders without permissions are removed, too") {
    const JobBench bench;
    CHECK(bench.run_badly(job_of(shell("mkdir -p tmp/a/b; touch tmp/a/b/c; chmod 000 tmp/a/b tmp/a; exit 1"))).code() ==
          ErrorCode::unresolved);
    CHECK(text_of(bench.run_well(job_of(shell("echo x >\"$2\"; chmod 000 \"$2\""))).outputs.at(0)) == "x\n");
}

TEST_CASE("job: an input that was edited since it was scanned is a conflict") {  // A110
    const JobBench bench;
    const Processor processor = shell("cp \"$1\" \"$2\"");
    ProcessorJob job = job_of(processor);
    job.sources[0].blob = std::make_shared<EditedBlob>();
    const Error error = bench.run_badly(job);
    CHECK(error.code() == ErrorCode::conflict);
    CHECK(has(error.message(), "'source.txt' was edited"));
    job.sources[0] = input_of("source.txt", "hello");
    job.others = {input_of("other.txt", "x")};
    job.others[0].blob = std::make_shared<EditedBlob>();
    CHECK(bench.run_badly(job).code() == ErrorCode::conflict);
}

TEST_CASE("job: changes of its copies do not reach the inputs") {
    const JobBench bench;
    bench.files.write("project/source.txt", "hello");
    const Processor processor = shell("echo changed >\"$1\"; cp \"$1\" \"$2\"");
    ProcessorJob job = job_of(processor);
    job.sources[0].blob = make_file_blob(absolute_of(bench, "project/source.txt"));
    CHECK(text_of(bench.run_well(job).outputs.at(0)) == "changed\n");
    auto stream = job.sources[0].blob->open();
    REQUIRE(stream);
    std::array<std::byte, 16> bytes;
    const auto count = (*stream)->read(bytes);
    REQUIRE(count);
    CHECK(std::string(reinterpret_cast<const char*>(bytes.data()), *count) == "hello");
}

TEST_CASE("job: four threads run jobs at the same time") {
    const JobBench bench;
    std::atomic<int> good = 0;
    {
        std::vector<std::jthread> threads;
        for (int thread = 0; thread < 4; ++thread)
            threads.emplace_back([&, thread] {
                for (int i = 0; i < 8; ++i) {
                    const std::string text = std::to_string(thread) + "/" + std::to_string(i);
                    const Processor processor =
                        i % 4 == 3
                            ? shell("exit 1")
                            : shell("cat \"$1\" >tmp/copy; cmp \"$1\" tmp/copy && head -c 200000 /dev/zero >out/large");
                    const std::string_view bytes = text;
                    const auto span = std::as_bytes(std::span(bytes));
                    ProcessorJob job{.processor = processor};
                    auto name = AssetName::parse("s");
                    job.sources.push_back({.name = *std::move(name),
                                           .asset = id_of(text),
                                           .size_bytes = text.size(),
                                           .blob = make_memory_blob({span.begin(), span.end()})});
                    const auto result = run_job(job, bench.environment());
                    good += i % 4 == 3
                                ? !result && result.error().code() == ErrorCode::unresolved
                                : result && result->outputs.size() == 1 && result->outputs[0].size_bytes == 200'000;
                }
            });
    }
    CHECK(good == 32);
}

TEST_CASE("job run: a job ends although others that were started at the same moment go on") {
    JobBench bench;
    std::atomic<unsigned> ended = 0;
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < 12; ++i)
        threads.emplace_back([&, is_short = i % 2 == 0] {
            const auto result = run_job(job_of(shell(is_short ? "cp $1 $2" : "sleep 100")), bench.environment());
            ended += is_short && result;
        });
    CHECK(wait_until([&] { return ended == 6; }, std::chrono::seconds(30)));
    bench.stop.request_stop();
}

}  // namespace fardel::tests::job_run_test
