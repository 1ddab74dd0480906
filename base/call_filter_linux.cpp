// The filter is a program for the kernel's classic BPF. Numbers of calls are those of the architecture that Fardel is
// built for, and of its 32-bit sibling, whose programs the same kernel runs.
#include "call_filter.h"

#include <cerrno>
#include <cstddef>
#include <cstdint>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace fardel {

#if defined(__x86_64__) || defined(__aarch64__) || (defined(__riscv) && __riscv_xlen == 64)

namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
constexpr std::uint32_t kSibling = AUDIT_ARCH_I386;
constexpr std::uint32_t kSiblingSocket = 359;
constexpr std::uint32_t kSiblingPair = 360;
constexpr std::uint32_t kSiblingAnySocket = 102;         // socketcall
constexpr std::uint32_t kSiblingFirstKey = 286;          // add_key, request_key, keyctl
constexpr std::uint32_t kFirstOtherNumber = 0x40000000;  // of x32, which numbers calls differently
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
constexpr std::uint32_t kSibling = AUDIT_ARCH_ARM;
constexpr std::uint32_t kSiblingSocket = 281;
constexpr std::uint32_t kSiblingPair = 288;
constexpr std::uint32_t kSiblingAnySocket = 281;
constexpr std::uint32_t kSiblingFirstKey = 309;
constexpr std::uint32_t kFirstOtherNumber = 0x40000000;
#else
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_RISCV64;
constexpr std::uint32_t kSibling = AUDIT_ARCH_RISCV32;
constexpr std::uint32_t kSiblingSocket = 198;
constexpr std::uint32_t kSiblingPair = 199;
constexpr std::uint32_t kSiblingAnySocket = 198;
constexpr std::uint32_t kSiblingFirstKey = 217;
constexpr std::uint32_t kFirstOtherNumber = 0x40000000;
#endif

// These numbers are the same on every architecture.
constexpr std::uint32_t kRingSetup = 425;  // io_uring creates sockets without any further call

constexpr std::uint32_t kAllow = SECCOMP_RET_ALLOW;
constexpr std::uint32_t kDenied = SECCOMP_RET_ERRNO | EACCES;
constexpr std::uint32_t kUnknown = SECCOMP_RET_ERRNO | ENOSYS;

constexpr sock_filter load(std::size_t offset) {
    return {BPF_LD | BPF_W | BPF_ABS, 0, 0, static_cast<std::uint32_t>(offset)};
}
// The lower half of an argument; all these architectures are little endian.
constexpr sock_filter load_argument(std::size_t index) {
    return load(offsetof(seccomp_data, args) + index * sizeof(std::uint64_t));
}
constexpr sock_filter answer(std::uint32_t result) { return {BPF_RET | BPF_K, 0, 0, result}; }
// Skips the next instruction unless the loaded value is `value`.
constexpr sock_filter unless_equal_skip(std::uint32_t value, std::uint8_t skipped = 1) {
    return {BPF_JMP | BPF_JEQ | BPF_K, 0, skipped, value};
}
constexpr sock_filter unless_at_least_skip(std::uint32_t value) { return {BPF_JMP | BPF_JGE | BPF_K, 0, 1, value}; }
constexpr sock_filter keep_bits(std::uint32_t bits) { return {BPF_ALU | BPF_AND | BPF_K, 0, 0, bits}; }

// Jobs have no sockets: Landlock blocks TCP since Linux 6.7 only, and neither UDP nor the sockets of local daemons,
// which could do for a job what it may not do itself. Network namespaces need user namespaces, which many systems
// disable. A system call that creates sockets and is added to Linux later has to be added here, too.
constexpr sock_filter kProgram[] = {
    load(offsetof(seccomp_data, arch)),
    unless_equal_skip(kSibling, 14),
    // A program of the 32-bit sibling.
    load(offsetof(seccomp_data, nr)),
    unless_equal_skip(kSiblingSocket),
    answer(kDenied),
    unless_equal_skip(kSiblingAnySocket),
    answer(kDenied),
    unless_equal_skip(kSiblingPair),
    answer(kDenied),
    unless_at_least_skip(kSiblingFirstKey + 3),
    {BPF_JMP | BPF_JA, 0, 0, 2},
    unless_at_least_skip(kSiblingFirstKey),
    answer(kDenied),
    unless_equal_skip(kRingSetup),
    answer(kUnknown),
    answer(kAllow),
    // Another program. Of no other architecture any call is known.
    unless_equal_skip(kArchitecture, 1),
    {BPF_JMP | BPF_JA, 0, 0, 1},
    answer(kUnknown),
    load(offsetof(seccomp_data, nr)),
    unless_at_least_skip(kFirstOtherNumber),
    answer(kUnknown),
    unless_equal_skip(kRingSetup),
    answer(kUnknown),
    unless_equal_skip(SYS_socket),
    answer(kDenied),
    unless_equal_skip(SYS_add_key),
    answer(kDenied),
    unless_equal_skip(SYS_request_key),
    answer(kDenied),
    unless_equal_skip(SYS_keyctl),
    answer(kDenied),
    unless_equal_skip(SYS_socketpair, 7),
    // A pair of datagram sockets could be connected to another socket; streams stay what they are.
    load_argument(0),
    unless_equal_skip(AF_UNIX, 4),
    load_argument(1),
    keep_bits(0xf),
    unless_equal_skip(SOCK_STREAM),
    answer(kAllow),
    answer(kDenied),
    answer(kAllow),
};

}  // namespace

bool enter_call_filter() noexcept {
    const sock_fprog program{.len = sizeof kProgram / sizeof kProgram[0], .filter = const_cast<sock_filter*>(kProgram)};
    // EINVAL: a kernel without filters; then only Landlock confines.
    return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 || errno == EINVAL;
}

#else

bool enter_call_filter() noexcept { return true; }

#endif

}  // namespace fardel
