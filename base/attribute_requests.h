// Changes of modes, owners and times that a confined program asks for where the system gives it no mount namespace: the
// kernel holds each such call until the program's keeper has answered. Part of the sandbox.
//
// The keeper makes the change itself, for files of the own folders alone. It asks the kernel to resolve names below
// these folders, so it does not matter what the program does to names meanwhile. Nothing here allocates or locks.
#pragma once

#include <csignal>
#include <span>
#include <string>

namespace fardel {

// Sends an open descriptor through a socket, and closes it: of requests, or one that the keeper is to hold until it
// ends. Returns false and sets errno if that fails.
bool send_to_keeper(int socket, int descriptor, bool is_requests) noexcept;
// Returns the descriptor of requests, or -1 if the other side sends another one or has closed the socket.
int receive_in_keeper(int socket) noexcept;

// Answers requests until a signal of `awaited` arrives, all of which are blocked, and returns that signal.
int answer_until_signal(const sigset_t& awaited, int requests, std::span<const std::string> own) noexcept;

}  // namespace fardel
