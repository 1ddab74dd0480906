#include "fuse_mount.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <thread>

namespace fardel::bench {
namespace {

using std::chrono::steady_clock;

constexpr auto kPatience = std::chrono::seconds(10);
constexpr auto kStep = std::chrono::microseconds(100);

// The mounts that std::exit must end, because it does not run destructors of locals.
std::set<FuseMount*>& living() {
    static auto* mounts = new std::set<FuseMount*>;
    return *mounts;
}

dev_t device_of(const std::string& folder) {
    struct stat status {};
    return ::stat(folder.c_str(), &status) == 0 ? status.st_dev : 0;
}

bool is_mounted(const std::string& folder) { return device_of(folder) != device_of(folder + "/.."); }

[[noreturn]] void become(const std::vector<std::string>& words, pid_t benchmark) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != benchmark)
        ::_exit(1);                        // the benchmark ended before the line above
    ::dup2(STDERR_FILENO, STDOUT_FILENO);  // the output must not be mixed into the table
    std::vector<char*> arguments;
    for (const std::string& word : words)
        arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    ::execvp(arguments[0], arguments.data());
    ::_exit(127);
}

}  // namespace

bool is_installed(const std::string& program) {
    const char* path = std::getenv("PATH");
    std::string folders = path ? path : "";
    for (std::size_t from = 0; from <= folders.size();) {
        const std::size_t to = std::min(folders.find(':', from), folders.size());
        if (::access((folders.substr(from, to - from) + "/" + program).c_str(), X_OK) == 0)
            return true;
        from = to + 1;
    }
    return false;
}

Result<std::shared_ptr<FuseMount>> FuseMount::mount(std::vector<std::string> words, const std::string& scratch) {
    std::shared_ptr<FuseMount> mount(new FuseMount);
    mount->folder_ = scratch + "/mounted-XXXXXX";
    if (!::mkdtemp(mount->folder_.data())) {
        mount->folder_.clear();
        return Error(ErrorCode::io, scratch + ": no folder can be made there");
    }
    if (static const int registered = std::atexit([] {
            while (!living().empty())
                (*living().begin())->end();
        });
        registered != 0)
        return Error(ErrorCode::io, "atexit: no room");
    living().insert(mount.get());
    words.push_back(mount->folder_);
    const pid_t self = ::getpid();
    mount->server_ = ::fork();
    if (mount->server_ == 0)
        become(words, self);
    if (mount->server_ < 0)
        return Error(ErrorCode::io, words[0] + ": no process to be had");
    FARDEL_TRY(mount->await());
    return mount;
}

FuseMount::~FuseMount() { end(); }

Status FuseMount::await() const {
    const auto deadline = steady_clock::now() + kPatience;
    while (!is_mounted(folder_)) {
        siginfo_t ended{};
        if (::waitid(P_PID, static_cast<id_t>(server_), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
            ended.si_pid == server_)
            return Error(ErrorCode::io, "did not mount");
        if (steady_clock::now() > deadline)
            return Error(ErrorCode::io, "did not mount in time");
        std::this_thread::sleep_for(kStep);
    }
    return {};
}

void FuseMount::end() {
    living().erase(this);
    if (server_ > 0) {
        ::kill(server_, SIGTERM);  // it unmounts, then ends
        const auto deadline = steady_clock::now() + kPatience;
        while (::waitpid(server_, nullptr, WNOHANG) == 0) {
            if (steady_clock::now() > deadline)
                ::kill(server_, SIGKILL);
            std::this_thread::sleep_for(kStep);
        }
        server_ = -1;
    }
    if (folder_.empty())
        return;
    // rmdir returns EBUSY while something is mounted there: a server that was killed leaves its mount behind.
    if (::rmdir(folder_.c_str()) != 0 && errno == EBUSY &&
        std::system(("fusermount3 -u -z '" + folder_ + "'").c_str()) == 0)
        ::rmdir(folder_.c_str());
    folder_.clear();
}

}  // namespace fardel::bench
