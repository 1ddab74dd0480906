// The filter is a program for the kernel's classic BPF: it searches the call's number among runs of numbers with the
// same verdict, and then looks at arguments where the verdict depends on them. Each job pays for its length. The kernel
// remembers which calls are allowed whatever their arguments are, so these cost no search.
#include "call_filter.h"

#if defined(__x86_64__) || defined(__aarch64__) || (defined(__riscv) && __riscv_xlen == 64)

#include "call_list_linux.h"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fardel {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_RISCV64;
#endif

constexpr std::uint32_t kAllow = SECCOMP_RET_ALLOW;
constexpr std::uint32_t refused(std::uint32_t number) { return SECCOMP_RET_ERRNO | number; }

constexpr std::uint32_t kSetIds = S_ISUID | S_ISGID;
// Of O_TMPFILE, the bit that is not O_DIRECTORY.
constexpr std::uint32_t kCreates = O_CREAT | 020000000;
// Character devices and block devices have it; files, FIFOs and sockets do not.
constexpr std::uint32_t kDeviceBit = S_IFCHR;
constexpr std::uint32_t kNamespaces =
    CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;

// Signals that a descriptor causes, to any process (F_SETOWN, F_SETOWN_EX); leases, which delay other programs; and
// notices about folders.
constexpr std::uint32_t kRefusedDescriptorCommands[] = {8, 15, 1024, 1026};

// isatty and the size of a terminal, flags of descriptors, bytes that wait, clones of files, flags and extents of a
// file to be read. Others change attributes through a descriptor for reading, or speak to devices.
constexpr std::uint32_t kDeviceCommands[] = {0x5401,     0x5413,     0x540f,     0x541b,     0x5421,
                                             0x5450,     0x5451,     0x5452,     0x802c542a, 0x40049409,
                                             0x4020940d, 0xc0189436, 0x80086601, 0xc020660b};

// Options of prctl that reach beyond the process: its image in memory, memory for writing back, and cores that it
// shares with another one. The others up to kLastOption are about the caller alone.
constexpr std::uint32_t kRefusedOptions[] = {35, 57, 62};
constexpr std::uint32_t kLastOption = 80;
constexpr std::uint32_t kNameMemory = 0x53564d41;  // PR_SET_VMA

constexpr std::uint32_t kUsualPolicies[] = {SCHED_OTHER, SCHED_BATCH, SCHED_IDLE};
constexpr std::uint32_t kDomains[] = {PER_LINUX, ADDR_NO_RANDOMIZE, 0xffffffff};  // the last one asks

struct Program {
    std::array<sock_filter, 512> code{};
    std::size_t size = 0;

    constexpr void add(unsigned operation, std::uint32_t value, std::size_t then = 0, std::size_t otherwise = 0) {
        code[size++] = {static_cast<std::uint16_t>(operation), static_cast<std::uint8_t>(then),
                        static_cast<std::uint8_t>(otherwise), value};
    }
    constexpr void load(std::size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)); }
    // The lower half of an argument; all these architectures are little endian.
    constexpr void load_argument(std::size_t index, bool upper = false) {
        load(offsetof(seccomp_data, args) + index * sizeof(std::uint64_t) + (upper ? sizeof(std::uint32_t) : 0));
    }
    constexpr void answer(std::uint32_t result) { add(BPF_RET | BPF_K, result); }
    // Answers where the test of the loaded value has this outcome, and goes on otherwise.
    constexpr void answer_where(unsigned test, bool outcome, std::uint32_t value, std::uint32_t result) {
        add(BPF_JMP | test | BPF_K, value, outcome ? 0 : 1, outcome ? 1 : 0);
        answer(result);
    }
    constexpr void answer_if_equal(std::uint32_t value, std::uint32_t result) {
        answer_where(BPF_JEQ, true, value, result);
    }
    constexpr void answer_unless_equal(std::uint32_t value, std::uint32_t result) {
        answer_where(BPF_JEQ, false, value, result);
    }
    constexpr void answer_if_any(std::uint32_t bits, std::uint32_t result) {
        answer_where(BPF_JSET, true, bits, result);
    }
    constexpr void answer_unless_any(std::uint32_t bits, std::uint32_t result) {
        answer_where(BPF_JSET, false, bits, result);
    }
    constexpr void answer_if_above(std::uint32_t value, std::uint32_t result) {
        answer_where(BPF_JGT, true, value, result);
    }
    template <std::size_t n>
    constexpr void answer_if_among(const std::uint32_t (&values)[n], std::uint32_t result) {
        for (std::size_t i = 0; i < n; ++i)
            add(BPF_JMP | BPF_JEQ | BPF_K, values[i], n - 1 - i, i + 1 == n ? 1 : 0);
        answer(result);
    }
};

constexpr void add_mode(Program& program, std::size_t index, std::uint32_t refused_bits) {
    program.load_argument(index);
    program.answer_if_any(refused_bits, refused(EPERM));
    program.answer(kAllow);
}

// Without a flag that creates a file, nobody has set the mode's argument.
constexpr void add_created_mode(Program& program, std::size_t flags_index) {
    program.load_argument(flags_index);
    program.answer_unless_any(kCreates, kAllow);
    add_mode(program, flags_index + 1, kSetIds);
}

constexpr void add_zero(Program& program, std::size_t index, std::initializer_list<bool> halves) {
    for (const bool upper : halves) {
        program.load_argument(index, upper);
        program.answer_unless_equal(0, refused(EPERM));
    }
}

constexpr void add_verdict(Program& program, Verdict verdict) {
    switch (verdict) {
        case Verdict::allow: return program.answer(kAllow);
        case Verdict::refuse: return program.answer(refused(EPERM));
        case Verdict::deny: return program.answer(refused(EACCES));
        case Verdict::unsupported: return program.answer(refused(EOPNOTSUPP));
        case Verdict::unknown: return program.answer(refused(ENOSYS));
        case Verdict::own_process: add_zero(program, 0, {false}); return program.answer(kAllow);
        case Verdict::own_priority:
            program.load_argument(0);
            program.answer_unless_equal(PRIO_PROCESS, refused(EPERM));
            add_zero(program, 1, {false});
            return program.answer(kAllow);
        case Verdict::own_io_priority:
            program.load_argument(0);
            program.answer_unless_equal(1, refused(EPERM));  // IOPRIO_WHO_PROCESS
            add_zero(program, 1, {false});
            return program.answer(kAllow);
        case Verdict::usual_scheduler:
            add_zero(program, 0, {false});
            program.load_argument(1);
            program.answer_if_among(kUsualPolicies, kAllow);
            return program.answer(refused(EPERM));
        case Verdict::plain_clone:
            program.load_argument(0);
            program.answer_if_any(kNamespaces, refused(EPERM));
            return program.answer(kAllow);
        case Verdict::some_processes:
            program.load_argument(0);
            program.answer_if_equal(~std::uint32_t{0}, refused(EPERM));
            return program.answer(kAllow);
        case Verdict::stream_pair:
            program.load_argument(0);
            program.answer_unless_equal(AF_UNIX, refused(EACCES));
            program.load_argument(1);
            program.add(BPF_ALU | BPF_AND | BPF_K, 0xf);
            // A pair of datagram sockets could be connected to another socket; streams stay what they are.
            program.answer_unless_equal(SOCK_STREAM, refused(EACCES));
            return program.answer(kAllow);
        case Verdict::process_option:
            program.load_argument(0);
            program.answer_if_among(kRefusedOptions, refused(EPERM));
            program.answer_if_equal(kNameMemory, kAllow);
            program.answer_if_above(kLastOption, refused(EINVAL));
            return program.answer(kAllow);
        case Verdict::execution_domain:
            program.load_argument(0);
            program.answer_if_among(kDomains, kAllow);
            return program.answer(refused(EPERM));
        case Verdict::descriptor_command:
            program.load_argument(1);
            program.answer_if_among(kRefusedDescriptorCommands, refused(EPERM));
            return program.answer(kAllow);
        case Verdict::device_command:
            program.load_argument(1);
            program.answer_if_among(kDeviceCommands, kAllow);
            return program.answer(refused(ENOTTY));
        case Verdict::created_mode_second: return add_created_mode(program, 1);
        case Verdict::created_mode_third: return add_created_mode(program, 2);
        case Verdict::plain_mode_second: return add_mode(program, 1, kSetIds);
        case Verdict::plain_mode_third: return add_mode(program, 2, kSetIds);
        case Verdict::plain_node_second: return add_mode(program, 1, kSetIds | kDeviceBit);
        case Verdict::plain_node_third: return add_mode(program, 2, kSetIds | kDeviceBit);
        case Verdict::no_path_second: add_zero(program, 1, {false, true}); return program.answer(kAllow);
        case Verdict::ask_keeper: return program.answer(SECCOMP_RET_USER_NOTIF);
    }
}

// Jumps of the search to what follows it: each verdict stands there once.
struct JumpsToVerdicts {
    struct Jump {
        std::size_t from = 0;
        bool then = false;
        Verdict verdict{};
    };
    std::array<Jump, kCallsMax> jumps{};
    std::size_t count = 0;
};

// Fails to compile if the jump is too long for the instruction.
constexpr void set_jump(Program& program, std::size_t from, bool then, std::size_t to) {
    const std::size_t skipped = to - from - 1;
    if (skipped > 255)
        throw "the filter is too long for jumps from its beginning to its end";
    (then ? program.code[from].jt : program.code[from].jf) = static_cast<std::uint8_t>(skipped);
}

// Returns the first call after `first` with another verdict than the one before it.
constexpr std::size_t next_run(const Verdicts& verdicts, std::size_t first) {
    std::size_t next = first + 1;
    while (next < kCallsMax && verdicts[next] == verdicts[next - 1])
        ++next;
    return next;
}

// The loaded number is at least `first` and below `end`, and there is more than one run. The runs are halved.
constexpr void add_search(Program& program, JumpsToVerdicts& pending, const Verdicts& verdicts, std::size_t first,
                          std::size_t end) {
    std::size_t runs = 0;
    for (std::size_t run = first; run < end; run = next_run(verdicts, run))
        ++runs;
    std::size_t middle = first;
    for (std::size_t i = 0; i < runs / 2; ++i)
        middle = next_run(verdicts, middle);
    const std::size_t jump = program.size;
    program.add(BPF_JMP | BPF_JGE | BPF_K, static_cast<std::uint32_t>(middle));
    for (const bool upper : {false, true}) {
        const std::size_t from = upper ? middle : first;
        const std::size_t to = upper ? end : middle;
        if (next_run(verdicts, from) >= to) {
            pending.jumps[pending.count++] = {.from = jump, .then = upper, .verdict = verdicts[from]};
            continue;
        }
        set_jump(program, jump, upper, program.size);
        add_search(program, pending, verdicts, from, to);
    }
}

constexpr void add_verdicts(Program& program, const JumpsToVerdicts& pending) {
    constexpr auto kLast = static_cast<unsigned>(Verdict::ask_keeper);
    for (unsigned verdict = 0; verdict <= kLast; ++verdict) {
        const std::size_t begin = program.size;
        bool is_used = false;
        for (std::size_t i = 0; i < pending.count; ++i) {
            const JumpsToVerdicts::Jump& jump = pending.jumps[i];
            if (jump.verdict != static_cast<Verdict>(verdict))
                continue;
            set_jump(program, jump.from, jump.then, begin);
            is_used = true;
        }
        if (is_used)
            add_verdict(program, static_cast<Verdict>(verdict));
    }
}

constexpr Program filter_of(AttributeCalls attributes) {
    Program program;
    program.load(offsetof(seccomp_data, arch));
    // Programs of the 32-bit sibling, which the same kernel runs, number their calls otherwise.
    program.answer_unless_equal(kArchitecture, SECCOMP_RET_KILL_PROCESS);
    program.load(offsetof(seccomp_data, nr));
    // Calls of later kernels, and those of x32.
    program.answer_if_above(kCallsMax - 1, refused(ENOSYS));
    JumpsToVerdicts pending;
    add_search(program, pending, call_verdicts(attributes), 0, kCallsMax);
    add_verdicts(program, pending);
    return program;
}

// In the order of AttributeCalls.
constexpr Program kFilters[] = {filter_of(AttributeCalls::allowed), filter_of(AttributeCalls::by_keeper),
                                filter_of(AttributeCalls::by_descriptor), filter_of(AttributeCalls::refused)};

sock_fprog program_of(AttributeCalls attributes) noexcept {
    const Program& filter = kFilters[static_cast<std::size_t>(attributes)];
    return {.len = static_cast<unsigned short>(filter.size), .filter = const_cast<sock_filter*>(filter.code.data())};
}

}  // namespace

bool enter_call_filter(AttributeCalls attributes) noexcept {
    const sock_fprog program = program_of(attributes);
    // EINVAL: a kernel without filters; then only Landlock confines.
    return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 || errno == EINVAL;
}

int enter_filter_by_keeper() noexcept {
    const sock_fprog program = program_of(AttributeCalls::by_keeper);
    return static_cast<int>(
        ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program));
}

}  // namespace fardel

#else

bool fardel::enter_call_filter(AttributeCalls) noexcept { return true; }
int fardel::enter_filter_by_keeper() noexcept { return -1; }

#endif
