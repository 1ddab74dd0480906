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
        case ErrorCode::corrupt: return "get an intact copy; 'fardel verify' lists the damage";
        case ErrorCode::malformed: return "check that this is the right file";
        case ErrorCode::limit: return "Fardel does not accept that much";
        case ErrorCode::untrusted: return "check where the bundle comes from, and the trust policy";
        case ErrorCode::revoked: return "do not use it; ask its publisher for a newer version";
        case ErrorCode::expired: return "get a newer version";
        case ErrorCode::rollback: return "get the newest version";
        case ErrorCode::unsupported: return "a newer version of fardel may support it";
        case ErrorCode::conflict: return "nothing was changed";
        case ErrorCode::unresolved: return "'fardel ls' lists the names in a bundle";
        case ErrorCode::denied: return "check the permissions";
        case ErrorCode::busy: return "try again in a moment";
        case ErrorCode::unreachable: return "check the connection and try again";
        case ErrorCode::no_space: return "free some disk space and try again";
        case ErrorCode::io: return "check the disk and try again";
        case ErrorCode::cancelled: return "nothing was changed";
    }
    return "";
}

}  // namespace fardel
