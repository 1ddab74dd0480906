#include "paused_child.h"

#if defined(FARDEL_CAN_FAIL_CALLS)

#include "test.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>

namespace fardel::tests {

struct CountedCalls {
    int left = 0;  // until the child pauses; 0: it does not
    pid_t thread = 0;
    unsigned long long call = 0;
    int error = 0;  // what the call fails with, unless 0
    bool is_shortened = false;
};

namespace {

constexpr int kNotFiltered = 254;  // what a child without a filter returns

// In the upper half of the sixth argument, which no call that is counted uses, it tells the filter that the handler
// makes the call.
constexpr std::uint32_t kByHandler = 0xFA2DE1C5;

CountedCalls* counted_calls = nullptr;  // in the child

// Returns the result, or minus the error.
long make_call(long number, long first = 0, long second = 0, long third = 0, long fourth = 0, long fifth = 0,
               long sixth = 0) {
    const int before = errno;
    const auto marked = (static_cast<std::uint64_t>(kByHandler) << 32) | static_cast<std::uint32_t>(sixth);
    const long result = ::syscall(number, first, second, third, fourth, fifth, marked);
    const long answer = result == -1 ? -errno : result;
    errno = before;
    return answer;
}

bool is_paused_at(long call) {
    CountedCalls& calls = *counted_calls;
    if (calls.left == 0 || make_call(SYS_gettid) != calls.thread || --calls.left > 0)
        return false;
    calls.call = static_cast<unsigned long long>(call);
    make_call(SYS_tgkill, calls.thread, calls.thread, SIGSTOP);  // until the parent lets it go on
    return true;
}

void make_counted_call(int, siginfo_t* info, void* context) {
    greg_t* const registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
    long third = registers[REG_RDX];
    if (is_paused_at(info->si_syscall)) {
        if (counted_calls->error != 0) {
            registers[REG_RAX] = -counted_calls->error;
            counted_calls->error = 0;
            return;
        }
        if (counted_calls->is_shortened)
            third = (third + 1) / 2;
        counted_calls->is_shortened = false;
    }
    registers[REG_RAX] = make_call(info->si_syscall, registers[REG_RDI], registers[REG_RSI], third, registers[REG_R10],
                                   registers[REG_R8], registers[REG_R9]);
}

// Calls that count raise SIGSYS, unless the handler makes them.
std::vector<sock_filter> raising_filter(const std::vector<unsigned>& counted) {
    constexpr std::uint32_t kMark = offsetof(seccomp_data, args) + 5 * sizeof(std::uint64_t) + sizeof(std::uint32_t);
    std::vector<sock_filter> filter{
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kMark),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kByHandler, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
    };
    for (std::size_t i = 0; i < counted.size(); ++i)
        filter.push_back(
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, counted[i], static_cast<unsigned char>(counted.size() - i), 0));
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP));
    return filter;
}

bool count_calls(std::vector<sock_filter>& filter) {
    struct sigaction action {};
    action.sa_sigaction = make_counted_call;
    action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART;
    const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
    return ::sigaction(SIGSYS, &action, nullptr) == 0 && ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

}  // namespace

void PausedChild::start(int number, const std::vector<unsigned>& counted, const std::function<int()>& work) {
    void* const memory =
        ::mmap(nullptr, sizeof(CountedCalls), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    REQUIRE(memory != MAP_FAILED);
    calls_ = ::new (memory) CountedCalls{.left = number};
    std::vector<sock_filter> filter = raising_filter(counted);
    id_ = ::fork();
    REQUIRE(id_ >= 0);
    if (id_ == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        counted_calls = calls_;
        calls_->thread = ::getpid();
        ::_exit(count_calls(filter) ? work() : kNotFiltered);
    }
    wait();
    REQUIRE_MESSAGE(exit_code_ != kNotFiltered, "the system calls of a child must be countable");
}

PausedChild::~PausedChild() {
    kill();
    ::munmap(calls_, sizeof(CountedCalls));
}

// Until it pauses or ends.
void PausedChild::wait() {
    int status = 0;
    REQUIRE(::waitpid(id_, &status, WUNTRACED) == id_);
    ended_ = !WIFSTOPPED(status);
    exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void PausedChild::go_on(int number) {
    calls_->left = number;
    ::kill(id_, SIGCONT);
    wait();
}

int PausedChild::finish() {
    if (!ended_)
        go_on(0);
    REQUIRE(ended_);
    return exit_code_;
}

void PausedChild::shorten_write() { calls_->is_shortened = true; }

unsigned long long PausedChild::fail_call(int error) {
    calls_->error = error;
    return calls_->call;
}

void PausedChild::kill() {
    if (ended_)
        return;
    ::kill(id_, SIGKILL);
    wait();
}

}  // namespace fardel::tests

#endif
