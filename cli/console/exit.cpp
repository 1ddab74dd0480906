#include "exit.h"

namespace fardel {
namespace {

struct Ending {
    Exit exit;
    std::string_view advice;
};

Ending ending_for(ErrorCode code) noexcept {
    switch (code) {
        case ErrorCode::missing: return {Exit::io, "check the spelling"};
        case ErrorCode::corrupt: return {Exit::refusal, "get an intact copy; 'fardel verify' lists the damage"};
        case ErrorCode::malformed: return {Exit::refusal, "check the spelling, or that this is the right file"};
        case ErrorCode::limit: return {Exit::refusal, "Fardel does not accept that much"};
        case ErrorCode::untrusted: return {Exit::refusal, "check where the bundle comes from, and the trust policy"};
        case ErrorCode::revoked: return {Exit::refusal, "do not use it; ask its publisher for a newer version"};
        case ErrorCode::expired: return {Exit::refusal, "get a newer version"};
        case ErrorCode::rollback: return {Exit::refusal, "get the newest version"};
        case ErrorCode::unsupported: return {Exit::refusal, "a newer version of fardel may support it"};
        case ErrorCode::conflict: return {Exit::refusal, "nothing was changed"};
        case ErrorCode::unresolved: return {Exit::refusal, "'fardel ls' lists the names in a bundle"};
        case ErrorCode::denied: return {Exit::io, "check the permissions, and what a trust policy allows"};
        case ErrorCode::busy: return {Exit::io, "try again in a moment"};
        case ErrorCode::unreachable: return {Exit::io, "check the connection and try again"};
        case ErrorCode::no_space: return {Exit::io, "free some disk space and try again"};
        case ErrorCode::io: return {Exit::io, "check the disk and try again"};
        case ErrorCode::cancelled: return {Exit::refusal, "nothing was changed"};
    }
    return {Exit::io, ""};
}

}  // namespace

Exit exit_for(ErrorCode code) noexcept { return ending_for(code).exit; }

std::string_view advice_for(const Error& error) noexcept {
    const bool is_file = error.code() == ErrorCode::missing && error.system_number() != 0;
    return is_file ? "check the spelling of the path" : ending_for(error.code()).advice;
}

}  // namespace fardel
