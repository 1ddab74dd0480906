// A filter of system calls (seccomp): what no rule about files covers. Part of the sandbox.
#pragma once

namespace fardel {

// Shuts network, local daemons and the kernel's key rings for this process and everything that it starts from now on:
// sockets cannot be created, except connected pairs of streams. Needs PR_SET_NO_NEW_PRIVS. Returns false and sets errno
// if that fails; true without any effect if the system has no such filters. Neither allocates nor locks.
bool enter_call_filter() noexcept;

}  // namespace fardel
