#include "exit.h"

#include <cerrno>
#include <string>
#include <utility>

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

bool is_missing_file(const Error& error, std::string_view path) noexcept {
    const std::string_view text = error.message();
    // "fardel.toml:3:12: common.toml" is about another file.
    return error.code() == ErrorCode::missing && error.system_number() == ENOENT && text.starts_with(path) &&
           text.substr(path.size()).starts_with(": ");
}

Error with_advice(Error error, std::string_view advice) {
    return Error(error.code(), error.message() + "; " + std::string(advice), error.system_number());
}

}  // namespace fardel
