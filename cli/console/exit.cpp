#include "exit.h"

namespace fardel {

Exit exit_for(ErrorCode code) noexcept {
    switch (code) {
        case ErrorCode::missing:
        case ErrorCode::denied:
        case ErrorCode::busy:
        case ErrorCode::unreachable:
        case ErrorCode::no_space:
        case ErrorCode::io: return Exit::io;
        case ErrorCode::corrupt:
        case ErrorCode::malformed:
        case ErrorCode::limit:
        case ErrorCode::untrusted:
        case ErrorCode::revoked:
        case ErrorCode::expired:
        case ErrorCode::rollback:
        case ErrorCode::unsupported:
        case ErrorCode::conflict:
        case ErrorCode::unresolved:
        case ErrorCode::cancelled: return Exit::refusal;
    }
    return Exit::io;
}

std::string_view advice_for(ErrorCode code) noexcept {
    switch (code) {
        case ErrorCode::missing: return "check the spelling of the path";
        case ErrorCode::corrupt: return "get a good copy; 'fardel verify' lists what is damaged";
        case ErrorCode::malformed: return "check that this is the file you meant";
        case ErrorCode::limit: return "this is more than Fardel accepts";
        case ErrorCode::untrusted: return "check where it comes from, and the trust policy";
        case ErrorCode::revoked: return "do not use it; ask its publisher for a newer one";
        case ErrorCode::expired: return "get a newer one";
        case ErrorCode::rollback: return "get the newest one";
        case ErrorCode::unsupported: return "a newer fardel may know it";
        case ErrorCode::conflict: return "nothing was changed";
        case ErrorCode::unresolved: return "'fardel ls' lists what is there";
        case ErrorCode::denied: return "check the permissions";
        case ErrorCode::busy: return "try again in a moment";
        case ErrorCode::unreachable: return "check the connection and try again";
        case ErrorCode::no_space: return "make room on the disk and try again";
        case ErrorCode::io: return "check the disk and try again";
        case ErrorCode::cancelled: return "nothing was changed";
    }
    return "";
}

}  // namespace fardel
