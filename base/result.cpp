#include <fardel/base/result.h>

namespace fardel {

std::string_view error_code_name(ErrorCode code) noexcept {
    switch (code) {
        case ErrorCode::missing: return "missing";
        case ErrorCode::corrupt: return "corrupt";
        case ErrorCode::malformed: return "malformed";
        case ErrorCode::limit: return "limit";
        case ErrorCode::untrusted: return "untrusted";
        case ErrorCode::revoked: return "revoked";
        case ErrorCode::expired: return "expired";
        case ErrorCode::rollback: return "rollback";
        case ErrorCode::unsupported: return "unsupported";
        case ErrorCode::conflict: return "conflict";
        case ErrorCode::unresolved: return "unresolved";
        case ErrorCode::denied: return "denied";
        case ErrorCode::busy: return "busy";
        case ErrorCode::unreachable: return "unreachable";
        case ErrorCode::no_space: return "no_space";
        case ErrorCode::io: return "io";
        case ErrorCode::cancelled: return "cancelled";
    }
    assert(false);  // any other value needs a cast
    return "unknown";
}

// new, not make_unique: clang 14 cannot initialise an aggregate through it.
Error::Error(ErrorCode code, std::string message, int system_number)
    : body_(new Body{code, std::move(message), system_number}) {}

Error::Error(const Error& other) : body_(other.body_ ? new Body(*other.body_) : nullptr) {}

Error& Error::operator=(const Error& other) {
    if (this != &other)
        *this = Error(other);
    return *this;
}

Error Error::with_context(std::string_view context) && {
    std::string message;
    message.reserve(context.size() + 2 + body_->message.size());
    message.append(context).append(": ").append(body_->message);
    body_->message = std::move(message);
    return std::move(*this);
}

std::string Error::text() const {
    std::string text(error_code_name(code()));
    text.append(": ").append(message());
    return text;
}

}  // namespace fardel
