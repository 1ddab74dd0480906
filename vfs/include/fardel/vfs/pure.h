// Pure mode of a Vfs: the policy that Vfs::enter_pure() takes, the report that it returns, and the offer and reply of
// Vfs::answer_pure(). docs/pure-mode.md.
//
// A server, or a client that does not use a Vfs, finds its half of the handshake in pure_check.h.
#pragma once

#include <fardel/vfs/pure_messages.h>
#include <fardel/vfs/pure_policy.h>
#include <fardel/vfs/pure_report.h>

namespace fardel {

// A client's answer to a server's offer.
struct PureReply {
    PureAnswer answer;
    PureReport report;  // goes to the server beside the answer; empty if nothing is wrong
};

}  // namespace fardel
