// A filter of system calls (seccomp): what no rule about files covers. Part of the sandbox.
#pragma once

namespace fardel {

// Calls that change the mode, the owner, the times or the attributes of a file.
enum class AttributeCalls : unsigned char {
    allowed,
    by_keeper,      // another process makes them, attribute_requests.h
    by_descriptor,  // refused by path
    refused,
};

// Allows this process, and everything that it starts from now on, the calls of a list, and refuses all others: no
// sockets except connected pairs of streams, no key rings, no namespaces, nothing about other processes except signals,
// no set-user-ID or set-group-ID file. Needs PR_SET_NO_NEW_PRIVS. Returns false and sets errno if that fails; true
// without any effect if the system has no such filters. Neither allocates nor locks.
bool enter_call_filter(AttributeCalls attributes) noexcept;

// The same with `by_keeper`. Returns the descriptor of the requests, or -1 without any effect: the system does not let
// another process answer, or does so for the surrounding program already.
int enter_filter_by_keeper() noexcept;

}  // namespace fardel
