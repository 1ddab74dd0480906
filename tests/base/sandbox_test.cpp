// What a confined program may do, and what it may not. The programs in it are those of the system.
#include "kit/files.h"

#include "call_filter.h"

#include <fardel/base/confined_program.h>
#include <fardel/base/sandbox.h>

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <functional>
#include <sstream>

namespace fardel::tests::sandbox_test {

// A folder that a program may write to, and one outside of it.
class Bench {
public:
    Bench() {
        files.write("outside/file", "file");
        files.write("outside/program", "program");
        files.write("outside/readable", "readable");
        fs::create_directories(files.path("outside/folder"));
        fs::create_directories(files.path("own/tmp"));
        fs::copy_file(FARDEL_SANDBOX_ATTEMPTS, files.path("own/attempts"));
        REQUIRE(::chmod(files.root().c_str(), 0755) == 0);
    }

    void give_to(uid_t user) const {
        for (const auto& entry : fs::recursive_directory_iterator(files.root()))
            REQUIRE(::chown(entry.path().c_str(), user, user) == 0);
    }

    Sandbox sandbox(bool fixed_attributes = false) const {
        return value_of(Sandbox::make({.readable = {"/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc",
                                                    files.path("outside/readable"), "/proc/meminfo", "/dev/urandom"},
                                       .read_write = {"/dev/null", files.path("own")},
                                       .own_process = true,
                                       .fixed_attributes = fixed_attributes}));
    }

    Result<ConfinedOutcome> run(const std::vector<std::string>& arguments, const Sandbox& sandbox) const {
        const ConfinedCall call{.program = arguments.at(0),
                                .arguments = arguments,
                                .environment = {"PATH=/usr/bin:/bin", "HOME=" + files.path("own/tmp"),
                                                "TMPDIR=" + files.path("own/tmp"), "LC_ALL=C"},
                                .folder = files.path("own"),
                                .timeout = std::chrono::seconds(120)};
        return run_confined(call, sandbox);
    }

    ScratchFolder files;
};

// Ended when it is destroyed.
class OtherProcess {
public:
    OtherProcess() : id_(::fork()) {
        while (id_ == 0)
            ::pause();
    }
    ~OtherProcess() {
        ::kill(id_, SIGKILL);
        ::waitpid(id_, nullptr, 0);
    }
    OtherProcess(const OtherProcess&) = delete;
    OtherProcess& operator=(const OtherProcess&) = delete;
    pid_t id() const { return id_; }

private:
    pid_t id_;
};

struct Attempted {
    std::string name;
    std::string outcome;
};

std::vector<Attempted> parse_attempts(const std::string& text) {
    std::vector<Attempted> attempts;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        if (const std::size_t tab = line.find('\t'); tab != std::string::npos)
            attempts.push_back({.name = line.substr(0, tab), .outcome = line.substr(tab + 1)});
    return attempts;
}

std::vector<Attempted> make_attempts(const Bench& bench, const Sandbox& sandbox, const std::string& which) {
    const OtherProcess other;
    const auto outcome = bench.run(
        {bench.files.path("own/attempts"), std::to_string(other.id()), bench.files.path("outside"), which}, sandbox);
    return outcome ? parse_attempts(outcome->log) : std::vector<Attempted>();
}

// By a rule, the list of calls, a read-only mount or another mount; an unknown command of a device.
bool is_refusal(const std::string& outcome) {
    for (const int number : {EPERM, EACCES, ENOSYS, EROFS, EXDEV, ENOTTY, EOPNOTSUPP})
        if (outcome == std::to_string(number))
            return true;
    return outcome == "signal " + std::to_string(SIGSYS);
}

// Runs `find_faults` in a child, as the user `nobody` if this one is root. Returns what it returned.
std::string as_other_process(const std::function<std::string()>& find_faults, const ScratchFolder& files) {
    const pid_t child = ::fork();
    if (child == 0) {
        const bool is_ordinary =
            ::geteuid() != 0 || (::setgroups(0, nullptr) == 0 && ::setresgid(65534, 65534, 65534) == 0 &&
                                 ::setresuid(65534, 65534, 65534) == 0);
        // A process that changed its user does not own its files in /proc, as that user's other programs do.
        ::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
        std::ofstream(files.path("own/faults")) << (is_ordinary ? find_faults() : "no other user");
        ::_exit(0);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    return status == 0 ? read_file(files.path("own/faults")) : "the child ended badly";
}

bool write_text(const char* path, std::string_view text) {
    std::ofstream file(path);
    file << text << std::flush;
    return file.good();
}

// Makes this process one that can create no namespace.
bool give_up_namespaces() {
    const std::string map = std::to_string(::getuid()) + " " + std::to_string(::getuid()) + " 1";
    if (::unshare(CLONE_NEWUSER) != 0 || !write_text("/proc/self/setgroups", "deny") ||
        !write_text("/proc/self/uid_map", map) || !write_text("/proc/self/gid_map", map) ||
        !write_text("/proc/sys/user/max_user_namespaces", "0"))
        return false;
    __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    const __user_cap_data_struct none[2]{};
    return ::syscall(SYS_capset, &header, none) == 0 && ::unshare(CLONE_NEWUSER) != 0 && ::unshare(CLONE_NEWNS) != 0;
}

// ---- Programs that have to work -------------------------------------------------------------------------------------

// Scripts of the shell, each in an empty folder.
const std::vector<std::string> kHonest = {
    // Files and their attributes.
    "echo a >a; chmod 640 a; touch -d @1000 a; cp -p a b; [ $(stat -c %a:%Y b) = 640:1000 ]",
    "mkdir -p d/e; echo a >d/e/f; chmod 750 d/e; touch -d @1000 d/e; cp -a d c; [ $(stat -c %a:%Y c/e) = 750:1000 ]",
    "echo 'echo run' >s; chmod +x s; chmod u-w s; [ \"$(sh s)\" = run ]; chown $(id -u):$(id -g) s",
    "mkdir -p d/e; echo a >d/f; chmod 700 d/e; touch -d @1000 d/f d; tar cf t d; mkdir x; tar xpf t -C x; "
    "[ $(stat -c %a x/d/e):$(stat -c %Y x/d) = 700:1000 ]",
    "echo a >a; install -m 755 a b; install -d -m 700 d; [ $(stat -c %a b):$(stat -c %a d) = 755:700 ]",
    "echo a >a; ln a b; ln -s a c; mv c d; cp d e; mv -f e b; mkfifo p; (cat <p >o) & echo through >p; wait; "
    "[ \"$(cat o)\" = through ]",
    "echo a >a; truncate -s 100 a; dd if=a of=b bs=10 count=2 status=none; fallocate -l 50 c; sync; rm a b; "
    "mktemp; mktemp -d",
    "mkdir -p d/e; echo a >d/f; ln -s ../d/f d/l; cd d/e; chmod 640 ../f; chmod 600 $PWD/../l; touch -h -d @5 ../l; "
    "chown -h $(id -u) ../l; touch ../f; [ $(stat -c %a ../f):$(stat -c %Y ../l) = 600:5 ]",
    "echo a >a; gzip -k a; gzip -t a.gz; touch -r a.gz a; rm -rf a a.gz",
    // Processes.
    "seq 1000 | sort -R | sort -n -S 1M | uniq | wc -l | grep -x 1000",
    "seq 8 | xargs -P 4 -n 1 sh -c 'echo $0' | sort | tail -n 1 | grep -x 8",
    "sleep 60 & kill $!; wait $! || [ $? = 143 ]; trap 'echo got >t' USR1; kill -USR1 $$; grep got t",
    "nice -n 5 true; ionice -c 3 true; chrt -b 0 true; taskset 1 true; ulimit -n 64; ulimit -v 8000000; setsid -w true",
    "timeout 60 true; (sleep 0.1; echo late) | grep late; setarch -R true; nproc >/dev/null; uname -a >/dev/null",
    "umask 077; id >/dev/null; date >/dev/null; df . >/dev/null; find / -maxdepth 0 >/dev/null; stat -f . >/dev/null",
    "echo null >/dev/null; [ -c /dev/null ]; read -r line || true; [ -z \"$line\" ]",
};

// Each needs a program that not every system has.
const std::vector<std::pair<std::string, std::string>> kHonestOfPrograms = {
    {"cc",
     "echo 'int one(void); int main(void) { return one() - 1; }' >m.c; echo 'int one(void) { return 1; }' >o.c; "
     "cc -O2 -g -MD -c m.c o.c; ar rcs libo.a o.o; ranlib libo.a; cc -pipe m.o -L. -lo -o m; ./m; "
     "cc -shared -fPIC o.c -o libp.so; strip m; ./m; objcopy -g m n; ./n"},
    {"clang", "echo 'int main(void) { return 0; }' >m.c; clang m.c -o m; ./m"},
    {"make",
     "printf 'all: a b\\na b:\\n\\techo $@ >$@; chmod 600 $@\\n' >Makefile; make -j4 >/dev/null; [ \"$(cat b)\" = b ]"},
    {"python3",
     "cat >p.py <<'end'\n"
     "import os, shutil, subprocess, tempfile, threading, time, asyncio, signal\n"
     "open('a', 'w').write('a'); os.chmod('a', 0o640); os.utime('a', (1000, 1000)); shutil.copy2('a', 'b')\n"
     "assert os.stat('b').st_mtime == 1000 and os.stat('b').st_mode & 0o777 == 0o640\n"
     "os.makedirs('d/e'); shutil.copytree('d', 'f'); shutil.copystat('a', 'f'); shutil.move('f', 'g'); "
     "shutil.rmtree('d')\n"
     "f = os.open('a', os.O_RDONLY); os.fchmod(f, 0o600); os.utime(f, ns=(5, 7)); os.fchown(f, os.getuid(), -1)\n"
     "d = os.open('.', os.O_RDONLY); os.chmod('a', 0o644, dir_fd=d); os.chown('a', -1, os.getgid(), dir_fd=d)\n"
     "assert os.stat('a').st_mtime_ns == 7 and os.stat('a').st_mode & 0o777 == 0o644; os.utime('a')\n"
     "os.replace('b', 'c'); os.truncate('c', 0); os.symlink('c', 'l')\n"
     "assert subprocess.run(['sh', '-c', 'cat'], input=b'x', capture_output=True).stdout == b'x'\n"
     "workers = [threading.Thread(target=time.sleep, args=(0.01,)) for i in range(8)]\n"
     "[w.start() for w in workers]; [w.join() for w in workers]\n"
     "with tempfile.TemporaryDirectory() as t: open(t + '/x', 'w').write('x')\n"
     "async def child():\n"
     "  p = await asyncio.create_subprocess_exec('true'); return await p.wait()\n"
     "assert asyncio.run(child()) == 0\n"
     "if os.fork() == 0: os._exit(3)\n"
     "assert os.waitstatus_to_exitcode(os.wait()[1]) == 3\n"
     "os.sched_getaffinity(0); os.nice(1); os.urandom(8)\n"
     "end\n"
     "python3 p.py"},
    {"perl",
     "perl -e 'open(F, \">a\"); close F; chmod 0600, \"a\"; utime 1000, 1000, \"a\"; "
     "exit((stat \"a\")[9] == 1000 ? 0 : 1)'"},
    {"git",
     "git init -q r; cd r; echo a >a; git add a; git -c user.name=a -c user.email=a@b commit -q -m a; git gc -q; "
     "git checkout -q -b b; git archive HEAD | tar t | grep -x a"},
    {"gm", "gm convert -size 16x16 gradient:red-blue a.png; gm convert a.png -resize 50% b.jpg; [ -s b.jpg ]"},
    {"zip", "echo a >a; zip -q z.zip a; unzip -q -o z.zip; rm a; unzip -q z.zip; [ -s a ]"},
    {"patch", "printf 'a\\n' >a; printf -- '--- a\\n+++ a\\n@@ -1 +1 @@\\n-a\\n+b\\n' | patch -s a; grep -x b a"},
};

std::string find_failing(const Bench& bench, const Sandbox& sandbox) {
    std::vector<std::string> scripts = kHonest;
    for (const auto& [program, script] : kHonestOfPrograms)
        scripts.push_back("command -v " + program + " >/dev/null || exit 0\n" + script);
    std::string faults;
    for (std::size_t i = 0; i < scripts.size(); ++i) {
        const std::string name = "honest" + std::to_string(i);
        const auto outcome =
            bench.run({"/bin/sh", "-c", "mkdir " + name + " && cd " + name + " && set -e\n" + scripts[i]}, sandbox);
        if (!outcome || outcome->reason != ConfinedOutcome::Reason::exited || outcome->code != 0)
            faults += scripts[i] + "\n" + (outcome ? outcome->log : outcome.error().text()) + "\n";
    }
    return faults;
}

// ---- What is refused ------------------------------------------------------------------------------------------------

std::string find_permitted(const Bench& bench, const Sandbox& sandbox) {
    const std::vector<Attempted> attempts = make_attempts(bench, sandbox, "all");
    std::string faults;
    for (const Attempted& attempt : attempts) {
        if (!is_refusal(attempt.outcome))
            faults += attempt.name + ": " + attempt.outcome + "\n";
    }
    return attempts.size() < 90 ? faults + "only " + std::to_string(attempts.size()) + " were made" : faults;
}

std::vector<std::string> states_of(const ScratchFolder& files) {
    std::vector<std::string> states;
    for (const char* const name : {"outside", "outside/file", "outside/folder", "outside/program"}) {
        struct stat entry {};
        REQUIRE(::stat(files.path(name).c_str(), &entry) == 0);
        states.push_back(std::string(name) + " " + std::to_string(entry.st_mode) + " " + std::to_string(entry.st_uid) +
                         " " + std::to_string(entry.st_ctim.tv_sec) + " " + std::to_string(entry.st_ctim.tv_nsec));
    }
    return states;
}

TEST_CASE("sandbox: what reaches beyond the own folder and the own process is refused") {  // A147
    const Bench bench;
    const auto before = states_of(bench.files);
    CHECK(find_permitted(bench, bench.sandbox()) == "");
    CHECK(states_of(bench.files) == before);
}

TEST_CASE("sandbox: what reaches beyond the own folder and the own process is refused to an ordinary user") {  // A147
    const Bench bench;
    if (::geteuid() == 0)
        bench.give_to(65534);
    const auto before = states_of(bench.files);
    CHECK(as_other_process([&] { return find_permitted(bench, bench.sandbox()); }, bench.files) == "");
    CHECK(states_of(bench.files) == before);
}

TEST_CASE(
    "sandbox: without namespaces, what reaches beyond the own folder is refused, too, and programs work") {  // A147
    const Bench bench;
    if (::geteuid() == 0)
        bench.give_to(65534);
    const auto before = states_of(bench.files);
    const auto find_faults = [&]() -> std::string {
        if (!give_up_namespaces())
            return "not tried";
        const Sandbox sandbox = bench.sandbox();
        return find_permitted(bench, sandbox) + find_failing(bench, sandbox);
    };
    const std::string faults = as_other_process(find_faults, bench.files);
    if (faults == "not tried")
        MESSAGE("this system has no namespaces for users: the other cases show it");
    else
        CHECK(faults == "");
    CHECK(states_of(bench.files) == before);
}

TEST_CASE("sandbox: what it refuses is possible without one, so the attempts are real") {
    const Bench bench;
    const std::vector<Attempted> attempts = make_attempts(bench, Sandbox(), "possible");
    CHECK(attempts.size() > 30);
    for (const Attempted& attempt : attempts) {
        CAPTURE(attempt.name);
        CHECK(attempt.outcome == "done");
    }
}

TEST_CASE(
    "sandbox: a program that makes no files of its own changes no mode, owner, time or attribute at all") {  // A147
    const Bench bench;
    for (const char* const line : {"chmod 600 attempts", "chown $(id -u) attempts", "touch -d @1 attempts"}) {
        CAPTURE(line);
        const ConfinedOutcome outcome = value_of(bench.run({"/bin/sh", "-c", line}, bench.sandbox(true)));
        CHECK(outcome.code != 0);
        CHECK(outcome.log.find("Operation not permitted") != std::string::npos);
    }
}

// Returns the number of the first line whose expectation is not met, or 0.
int find_wrong_answer(const std::string& path) {
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || !enter_call_filter(AttributeCalls::by_descriptor))
        return __LINE__;
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    const timespec times[2]{};
    if (::fchmod(file, 0600) != 0 || ::fchown(file, ::getuid(), ::getgid()) != 0 || ::futimens(file, times) != 0)
        return __LINE__;
    if (::fchmod(file, 04600) == 0 || errno != EPERM)
        return __LINE__;
    if (::chmod(path.c_str(), 0644) == 0 || errno != EPERM)
        return __LINE__;
    if (::chown(path.c_str(), ::getuid(), ::getgid()) == 0 || errno != EPERM)
        return __LINE__;
    if (::utimensat(AT_FDCWD, path.c_str(), times, 0) == 0 || errno != EPERM)
        return __LINE__;
    return 0;
}

TEST_CASE(
    "sandbox: without read-only mounts and a keeper, attributes of files change by descriptor, not by path") {  // A147
    const ScratchFolder files;
    const std::string path = files.write("file", "file");
    const pid_t child = ::fork();
    if (child == 0)
        ::_exit(find_wrong_answer(path) != 0 ? 1 : 0);
    int status = -1;
    ::waitpid(child, &status, 0);
    CHECK(status == 0);
}

TEST_CASE("sandbox: a daemon that leaves its session and its parent is ended with the program") {
    const Bench bench;
    const ConfinedOutcome outcome = value_of(bench.run(
        {"/bin/sh", "-c", "(setsid sh -c '(setsid sleep 300 & echo $! >id) &'); while [ ! -s id ]; do :; done"},
        bench.sandbox()));
    CHECK(outcome.code == 0);
    const int id = std::stoi(read_file(bench.files.path("own/id")));
    CHECK(::kill(id, 0) == -1);
    CHECK(errno == ESRCH);
}

TEST_CASE("sandbox: a program keeps capabilities about files alone, and only of root") {  // A147
    const Bench bench;
    const ConfinedOutcome outcome = value_of(
        bench.run({"/bin/sh", "-c", "exec grep -E 'CapInh|CapPrm|CapAmb' /proc/self/status"}, bench.sandbox()));
    for (const char* const none :
         {"CapInh:\t0000000000000000\n", "CapPrm:\t000000000000000", "CapAmb:\t0000000000000000\n"})
        CHECK(outcome.log.find(none) != std::string::npos);
}

TEST_CASE("sandbox: processes are limited where the system counts them for one sandbox") {  // A147
    const Bench bench;
    if (::geteuid() == 0)
        bench.give_to(65534);
    const auto find_faults = [&] {
        const auto outcome = bench.run(
            {"/bin/sh", "-c",
             "while read -r a b c d; do [ \"$a $b\" != 'Max processes' ] || echo $c; done </proc/self/limits; "
             "read -r x </proc/self/uid_map; echo $x"},
            bench.sandbox());
        return outcome ? outcome->log : outcome.error().text();
    };
    const std::string said = as_other_process(find_faults, bench.files);
    // The map of a namespace that has one user.
    if (said.ends_with(" 1\n"))
        CHECK(said.starts_with(std::to_string(kSandboxProcessesMax) + "\n"));
    else
        MESSAGE("this system has no namespaces for users");
}

// ---- What works -----------------------------------------------------------------------------------------------------

TEST_CASE("sandbox: programs that build, convert, copy and archive files work") {
    const Bench bench;
    CHECK(find_failing(bench, bench.sandbox()) == "");
}

TEST_CASE("sandbox: programs that build, convert, copy and archive files work for an ordinary user") {
    const Bench bench;
    if (::geteuid() == 0)
        bench.give_to(65534);
    CHECK(as_other_process([&] { return find_failing(bench, bench.sandbox()); }, bench.files) == "");
}

}  // namespace fardel::tests::sandbox_test
