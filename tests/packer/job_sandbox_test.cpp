// A job may reach its inputs, the system and its own folder. It reports the inputs that it found while it ran.
#include "job_bench.h"

#include <fardel/base/confined_program.h>
#include <fardel/base/own_program.h>
#include <fardel/base/sandbox.h>
#include <fardel/packer/readable_project.h>

#include <sys/syscall.h>
#include <unistd.h>

#include <sys/stat.h>

#include <iterator>

namespace fardel::tests::job_sandbox_test {

Processor finder(std::string_view commands) {
    Processor processor = shell(commands);
    processor.command.push_back("${project}");  // $3
    processor.command.push_back("${depfile}");  // $4
    processor.depfile = true;
    return processor;
}

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

TEST_CASE("sandbox: of a program that lies above the project, only its own file is readable") {
    const JobBench bench;
    bench.files.write("project/secret.txt", "secret");
    bench.files.write_program("tool", "#!/bin/sh\ncat \"$3\" >\"$2\"\n");
    Processor processor = shell("");
    processor.command = {bench.files.path("tool"), "${in}", "${out}", "in/source.txt"};
    CHECK(text_of(bench.run_well(job_of(processor)).outputs.at(0)) == "hello");
    processor.command[3] = bench.files.path("project/secret.txt");
    CHECK(bench.run_badly(job_of(processor)).code() == ErrorCode::denied);
}

// ---- Processes, network, keys ---------------------------------------------------------------------------------------

TEST_CASE(
    "sandbox: of /proc, a job reads what concerns the machine or itself, and nothing of another process") {  // A134
    const JobBench bench;
    CHECK(bench.run_well(job_of(shell("read -r line </proc/self/stat && echo \"$line\" >\"$2\""))).outputs.size() == 1);
    CHECK(bench.run_well(job_of(shell("exec cp /proc/self/maps \"$2\""))).outputs.size() == 1);
    CHECK(bench.run_well(job_of(shell("cat /proc/cpuinfo /proc/meminfo >\"$2\""))).outputs.size() == 1);
    const std::string parent = "/proc/" + std::to_string(::getpid());
    for (const std::string& path : std::initializer_list<std::string>{
             "/proc/$PPID/cmdline", "/proc/$PPID/stat", parent + "/cmdline", parent + "/environ", parent + "/maps",
             parent + "/mountinfo", "/proc/self/../1/cmdline", "/proc/1/comm", "/proc/uptime"}) {
        CAPTURE(path);
        CHECK(bench.run_badly(job_of(shell("exec cat " + path + " >\"$2\""))).code() == ErrorCode::denied);
    }
    CHECK(bench.run_badly(job_of(shell("ls /proc >\"$2\""))).code() == ErrorCode::denied);
}

TEST_CASE("sandbox: a job has no network, no local daemons and no key rings; pairs of streams work") {  // A134
    const JobBench bench;
    const auto python = [](const std::string& lines) {
        Processor processor = shell("");
        processor.command = {"python3", "-c",
                             "import socket, ctypes, errno, sys\nlibc = ctypes.CDLL(None, use_errno=True)\n"
                             "def call(*words):\n  libc.syscall(*words)\n  return ctypes.get_errno()\n" +
                                 lines + "\nopen(sys.argv[1], 'w').write('done')\n",
                             "${out}"};
        return job_of(processor);
    };
    for (const char* const creates :
         {"socket.socket(socket.AF_INET)", "socket.socket(socket.AF_INET6)",
          "socket.socket(socket.AF_INET, socket.SOCK_DGRAM)", "socket.socket(socket.AF_UNIX)",
          "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)", "socket.create_connection(('127.0.0.1', 9))",
          "socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)"}) {
        CAPTURE(creates);
        CHECK(bench.run_badly(python(creates)).code() == ErrorCode::denied);
    }
    CHECK(text_of(bench.run_well(python("a, b = socket.socketpair(); a.send(b'x'); assert b.recv(1) == b'x'"))
                      .outputs.at(0)) == "done");
    // io_uring creates sockets without the call that is denied.
    CHECK(bench.run(python("assert call(425, 1, ctypes.create_string_buffer(120)) == errno.ENOSYS")));
    CHECK(bench.run(python("assert call(" + std::to_string(SYS_keyctl) + ", 0, -3, 0) == errno.EACCES")));
}

TEST_CASE(
    "sandbox: Fardel's own programs have no network and read nothing of /proc that tells about processes") {  // A134
    const std::string program = "/usr/bin/python3";
    for (const auto& line : std::initializer_list<std::pair<const char*, int>>{
             {"import socket; socket.socket()", 1}, {"open('/proc/self/stat')", 1}, {"open('/proc/meminfo')", 0}}) {
        const char* const code = line.first;
        CAPTURE(code);
        const ConfinedCall call{.program = program,
                                .arguments = {"python3", "-c", code},
                                .folder = "/",
                                .timeout = std::chrono::seconds(60)};
        const ConfinedOutcome outcome =
            value_of(run_confined(call, value_of(Sandbox::make(own_program_rules(program, "")))));
        CHECK(outcome.code == line.second);
        CHECK(has(outcome.log, "Permission denied") == (line.second != 0));
    }
}

TEST_CASE("sandbox: a job that may read the project reads no secret key in it") {  // A134
    const JobBench bench;
    const std::string minisign(212, 'A');
    bench.files.write("project/include/a.h", "A");
    bench.files.write("project/author.key", "fardel-secret-key 1\nrest");
    bench.files.write("project/author.pub", "fardel-public-key 1\nrest");
    bench.files.write("project/keys/minisign.key", "untrusted comment: a key\n" + minisign + "\n");
    bench.files.write("project/keys/minisign.pub", "untrusted comment: a key\n" + minisign.substr(0, 56) + "\n");
    bench.files.write("project/keys/readme.txt", "readme");
    bench.files.write("project/deep/er/tls.pem", "some text\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\n");
    bench.files.write("project/deep/er/table.txt", "table");
    bench.files.write("project/passphrase.txt", "correct horse");
    std::filesystem::create_hard_link(bench.files.path("project/passphrase.txt"),
                                      bench.files.path("project/notes.txt"));
    std::filesystem::create_symlink("author.key", bench.files.path("project/link.txt"));

    JobEnvironment environment = bench.environment();
    environment.readable_project =
        std::make_shared<ReadableProject>(bench.files.path("project"), bench.files.path("scratch"),
                                          std::vector<std::string>{bench.files.path("project/passphrase.txt")});
    const auto read = [&](const std::string& name) {
        return run_job(job_of(finder("cat \"$3/" + name + "\" >\"$2\"; status=$?; : >\"$4\"; exit $status")),
                       environment);
    };
    for (const char* const name :
         {"include/a.h", "author.pub", "keys/minisign.pub", "keys/readme.txt", "deep/er/table.txt"}) {
        CAPTURE(name);
        CHECK(read(name));
    }
    for (const char* const name :
         {"author.key", "keys/minisign.key", "deep/er/tls.pem", "passphrase.txt", "notes.txt", "link.txt"}) {
        CAPTURE(name);
        CHECK(code_of(read(name)) == ErrorCode::denied);
    }
    CHECK(run_job(job_of(finder("ls \"$3/keys\" >\"$2\"; : >\"$4\"")), environment));  // names are no secret

    Processor with_key = shell("cat \"$3\" >\"$2\"");
    with_key.code = {"author.key"};
    with_key.command.push_back("${code:author.key}");
    const Error error = bench.run_badly(job_of(with_key));
    CHECK(error.code() == ErrorCode::denied);
    CHECK(has(error.message(), "is a secret key; no job may read it"));
}

TEST_CASE("sandbox: a job that may read the project does not see another job's folder in it") {
    const JobBench bench;
    bench.files.write("project/.fardel/jobs/job-other/in/file", "secret");
    bench.files.write("project/.fardel/cache/result", "secret");
    bench.files.write("project/a.h", "A");
    JobEnvironment environment = bench.environment();
    environment.scratch_folder = bench.files.path("project/.fardel/jobs");
    for (const char* const name : {".fardel/jobs/job-other/in/file", ".fardel/cache/result"}) {
        CHECK(code_of(run_job(job_of(finder("cat \"$3/" + std::string(name) + "\" >\"$2\"")), environment)) ==
              ErrorCode::denied);
    }
    CHECK(run_job(job_of(finder("cat \"$3/a.h\" >\"$2\"; : >\"$4\"")), environment));
}

TEST_CASE("sandbox: a job gets no variable of the packer's environment") {  // A134
    const JobBench bench;
    ::setenv("FARDEL_PASSPHRASE_FILE", "/home/author/passphrase", 1);
    const std::string seen = text_of(bench.run_well(job_of(shell("env >\"$2\""))).outputs.at(0));
    ::unsetenv("FARDEL_PASSPHRASE_FILE");
    CHECK_FALSE(has(seen, "FARDEL"));
    CHECK_FALSE(has(seen, "/home/author"));
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

TEST_CASE(
    "found inputs: a FIFO, a device and a file of the kernel are malformed, and nothing waits for them") {  // A129
    const JobBench bench;
    REQUIRE(::mkfifo(bench.files.path("project/fifo").c_str(), 0600) == 0);
    for (const std::string path :
         {"/proc/self/pagemap", "/proc/version", "/dev/zero", "/sys/kernel/notes", "$3/fifo"}) {
        CAPTURE(path);
        if (path.starts_with("/sys") && !std::filesystem::exists(path)) {
            MESSAGE("this system has no /sys");  // in a container
            continue;
        }
        const Processor processor = finder("cat \"$1\" >\"$2\"; echo \"made: " + path + "\" >\"$4\"");
        const Error error = bench.run_badly(job_of(processor));
        CHECK(error.code() == ErrorCode::malformed);
    }
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
        wait_until(has_depfile);
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

}  // namespace fardel::tests::job_sandbox_test
