// Confinement by Landlock's system calls, and by a mount namespace and a filter of system calls for what Landlock does
// not cover. Numbers and structures follow Linux' documentation (userspace-api/landlock) and are repeated here, since a
// system's headers are often older than its kernel.
#include <fardel/base/sandbox.h>

#include "attribute_requests.h"
#include "call_filter.h"
#include "read_only_mounts.h"

#include <fardel/base/system_error.h>

#include <cerrno>
#include <csignal>
#include <cstdint>

#include <fcntl.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fardel {
namespace {

// These numbers are the same on every architecture.
constexpr long kCreateRuleset = 444;
constexpr long kAddRule = 445;
constexpr long kRestrictSelf = 446;
constexpr long kCloseRange = 436;
constexpr unsigned kVersionFlag = 1;
constexpr unsigned kCloseOnExec = 4;
constexpr int kRuleBeneath = 1;

constexpr std::uint64_t kExecute = 1u << 0;
constexpr std::uint64_t kWriteFile = 1u << 1;
constexpr std::uint64_t kReadFile = 1u << 2;
constexpr std::uint64_t kReadFolder = 1u << 3;
constexpr std::uint64_t kAllOfFirst = (1u << 13) - 1;
constexpr std::uint64_t kRefer = 1u << 13;          // since ABI 2
constexpr std::uint64_t kTruncate = 1u << 14;       // 3
constexpr std::uint64_t kDeviceControl = 1u << 15;  // 5
constexpr std::uint64_t kBindAndConnect = 3;        // TCP; 4
constexpr std::uint64_t kSignalsAndSockets = 3;     // of processes outside; 6

struct Ruleset {
    std::uint64_t files;
    std::uint64_t network;
    std::uint64_t scopes;
};

struct [[gnu::packed]] Rule {
    std::uint64_t allowed;
    std::int32_t folder;
};

int abi_version() noexcept {
    return static_cast<int>(::syscall(kCreateRuleset, nullptr, std::size_t{0}, kVersionFlag));
}

Ruleset ruleset_of(int abi) {
    Ruleset rules{.files = kAllOfFirst, .network = 0, .scopes = 0};
    if (abi >= 2)
        rules.files |= kRefer;
    if (abi >= 3)
        rules.files |= kTruncate;
    if (abi >= 4)
        rules.network = kBindAndConnect;
    if (abi >= 5)
        rules.files |= kDeviceControl;
    if (abi >= 6)
        rules.scopes = kSignalsAndSockets;
    return rules;
}

// Allows this process to read its own folder of /proc. A rule is about the kernel's object of the folder, which exists
// as long as a descriptor of it is open; so the program inherits one, above the numbers that programs choose.
bool allow_own_process(int rules) noexcept {
    constexpr int kFirstNumber = 100;
    const int opened = ::open("/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (opened < 0)
        return true;  // there is no /proc
    const int own = ::fcntl(opened, F_DUPFD, kFirstNumber);
    ::close(opened);
    const Rule rule{.allowed = kReadFile | kReadFolder, .folder = own};
    return own < 0 || ::syscall(kAddRule, rules, kRuleBeneath, &rule, 0u) == 0;
}

// Of root's capabilities, those about files stay: a job may read and write what root may. Other users lose theirs, if
// they have any, by starting a program. With PR_SET_NO_NEW_PRIVS, starting one gives nothing back.
bool drop_capabilities() noexcept {
    constexpr std::uint32_t kKept =
        1u << CAP_CHOWN | 1u << CAP_DAC_OVERRIDE | 1u << CAP_DAC_READ_SEARCH | 1u << CAP_FOWNER;
    __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    __user_cap_data_struct sets[2]{};
    if (::syscall(SYS_capget, &header, sets) != 0)
        return false;
    for (__user_cap_data_struct& set : sets) {
        const std::uint32_t kept = &set == &sets[0] ? kKept : 0;
        set = {.effective = set.effective & kept, .permitted = set.permitted & kept, .inheritable = 0};
    }
    return ::syscall(SYS_capset, &header, sets) == 0;
}

// In a user namespace of its own, the sandbox is what the system counts since Linux 5.14; before that, and outside of
// one, the limit would count the user's other programs.
void limit_processes() noexcept {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NPROC, &limit) != 0 || limit.rlim_max < kSandboxProcessesMax)
        return;
    limit = {kSandboxProcessesMax, kSandboxProcessesMax};
    ::setrlimit(RLIMIT_NPROC, &limit);
}

// The last process of a mount namespace takes milliseconds to end on a busy machine, because the kernel waits for all
// processors. That is to be the keeper, for whose end nobody waits, and not the program.
void leave_mounts_to(int keeper) noexcept {
    if (const int mounts = ::open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC); mounts >= 0)
        (void)send_to_keeper(keeper, mounts, false);
}

// Returns whether a child was signalled; reads the kernel's list of this thread's children.
bool signal_children() noexcept {
    const int list = ::open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    if (list < 0)
        return false;
    bool any = false;
    char text[4096];
    long id = 0;
    for (;;) {
        const ssize_t count = ::read(list, text, sizeof text);
        if (count <= 0)
            break;
        for (ssize_t i = 0; i < count; ++i) {
            if (text[i] >= '0' && text[i] <= '9') {
                id = id * 10 + (text[i] - '0');
                continue;
            }
            // 0 is what remains between two separators, and 1 would be init.
            if (id > 1)
                any |= ::kill(static_cast<pid_t>(id), SIGKILL) == 0;
            id = 0;
        }
    }
    ::close(list);
    return any;
}

}  // namespace

Result<Sandbox> Sandbox::make(const SandboxRules& rules) {
    Sandbox sandbox;
    sandbox.limits_ = true;
    sandbox.own_process_ = rules.own_process;
    sandbox.fixed_attributes_ = rules.fixed_attributes;
    const int abi = abi_version();
    if (abi < 1)
        return sandbox;
    const Ruleset handled = ruleset_of(abi);
    // An older kernel refuses a structure that is larger than the one it knows.
    const std::size_t known_bytes = abi >= 6   ? sizeof handled
                                    : abi >= 4 ? 2 * sizeof(std::uint64_t)
                                               : sizeof(std::uint64_t);
    sandbox.rules_ = Descriptor(static_cast<int>(::syscall(kCreateRuleset, &handled, known_bytes, 0u)));
    if (!sandbox.rules_)
        return system_error(errno, "the sandbox");
    for (const std::string& path : rules.readable)
        FARDEL_TRY(sandbox.allow(path, kExecute | kReadFile | kReadFolder));
    for (const std::string& path : rules.unstartable)
        FARDEL_TRY(sandbox.allow(path, kReadFile | kReadFolder));
    for (const std::string& path : rules.listable)
        FARDEL_TRY(sandbox.allow(path, kReadFolder));
    for (const std::string& path : rules.read_write)
        FARDEL_TRY(sandbox.allow(path, handled.files, true));
    sandbox.has_mounts_ = can_enter_read_only_mounts();
    return sandbox;
}

Status Sandbox::allow(const std::string& path, std::uint64_t rights, bool writable) {
    const Descriptor place(::open(path.c_str(), O_PATH | O_CLOEXEC));
    // What this user cannot reach needs no rule: not every system has each of the listed folders.
    if (!place && (errno == ENOENT || errno == ENOTDIR || errno == EACCES))
        return ok();
    struct stat entry {};
    if (!place || ::fstat(place.number(), &entry) != 0)
        return system_error(errno, path);
    // The kernel refuses a rule with rights of folders about a file.
    if (!S_ISDIR(entry.st_mode))
        rights &= kExecute | kWriteFile | kReadFile | kTruncate | kDeviceControl;
    const Rule rule{.allowed = rights, .folder = place.number()};
    if (::syscall(kAddRule, rules_.number(), kRuleBeneath, &rule, 0u) != 0)
        return system_error(errno, "the sandbox's rule for " + path);
    // A device can be written to on a read-only mount, while its mode and owner stay.
    if (writable && (S_ISDIR(entry.st_mode) || S_ISREG(entry.st_mode)))
        writable_.push_back(path);
    return ok();
}

bool Sandbox::enter(int keeper) const noexcept {
    if (!limits_)
        return true;
    // Without it, neither Landlock nor a filter is available to an ordinary user, and set-uid programs would leave
    // both.
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return false;
    bool has_mounts = false;
    if (rules_ && !enter_rules(has_mounts))
        return false;
    if (has_mounts && keeper >= 0)
        leave_mounts_to(keeper);
    // The filter comes last: it refuses calls that the steps before need.
    if (fixed_attributes_)
        return enter_call_filter(AttributeCalls::refused);
    // Without Landlock, files can be changed anyway.
    if (has_mounts || !rules_)
        return enter_call_filter(AttributeCalls::allowed);
    // Neither Landlock nor a filter sees which file a path or a descriptor leads to, but the keeper can.
    if (const int requests = keeper < 0 ? -1 : enter_filter_by_keeper(); requests >= 0)
        return send_to_keeper(keeper, requests, true);
    // A descriptor was at least opened under the rules.
    return enter_call_filter(AttributeCalls::by_descriptor);
}

bool Sandbox::may_need_keeper() const noexcept { return bool(rules_); }

int Sandbox::receive_requests(int program) noexcept { return receive_in_keeper(program); }

int Sandbox::wait_for_signal(const sigset_t& awaited, int requests) const noexcept {
    return answer_until_signal(awaited, requests, writable_);
}

bool Sandbox::enter_rules(bool& has_mounts) const noexcept {
    // Landlock denies changes of mounts.
    const ReadOnlyMounts mounts = has_mounts_ ? enter_read_only_mounts(writable_) : ReadOnlyMounts::unavailable;
    if (mounts == ReadOnlyMounts::failed)
        return false;
    has_mounts = mounts != ReadOnlyMounts::unavailable;
    constexpr int kAbiOfLinux5_19 = 2;
    if (mounts == ReadOnlyMounts::entered_with_user_namespace && abi_version() >= kAbiOfLinux5_19)
        limit_processes();
    if (!drop_capabilities())
        return false;
    // After the mounts: through a descriptor of the former ones, files could be changed.
    if (own_process_ && !allow_own_process(rules_.number()))
        return false;
    return ::syscall(kRestrictSelf, rules_.number(), 0u) == 0;
}

bool system_can_confine() noexcept { return abi_version() >= 1; }

void adopt_orphans(int parent) noexcept {
    // Orphans of the program become our children, so that kill_children finds those that left its session.
    ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
    if (::getppid() != parent)  // the parent ended before the request
        ::kill(::getpid(), SIGTERM);
}

void kill_children() noexcept {
    do {
        while (::waitpid(-1, nullptr, WNOHANG) > 0) {
        }
        // A killed child leaves its own children to us, so the list is read until it is empty.
    } while (signal_children() && ::waitpid(-1, nullptr, 0) > 0);
}

void close_rest_on_exec() noexcept { ::syscall(kCloseRange, 3u, ~0u, kCloseOnExec); }

}  // namespace fardel
