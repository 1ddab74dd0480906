// Result<T> and Status: every Fardel function uses them to report a failure of the system or bad input.
//
// An Error is one code from a closed list and one sentence for a person. A code exists only because a caller branches
// on it. Success costs no allocation; an Error allocates once. Nothing here throws. Values may be moved between
// threads; one object must not be used from two threads at once.
#pragma once

#include <cassert>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace fardel {

enum class ErrorCode : unsigned char {
    missing,      // the requested thing does not exist
    corrupt,      // bytes do not match their hash or signature
    malformed,    // bytes or text do not have the form that the specification requires
    limit,        // a count or size is above a limit of limits.h or of the caller
    untrusted,    // there is no acceptable signature
    revoked,      // the key or bundle was valid once and has been withdrawn
    expired,      // a date has passed
    rollback,     // older than a version that was accepted before
    unsupported,  // a newer version, a required feature or a codec that this library does not know
    conflict,     // two things claim one name or position
    unresolved,   // a name or dependency that nothing provides
    denied,       // permission or policy forbids it
    busy,         // another program is using it; a later attempt may succeed
    unreachable,  // a server or share does not answer
    no_space,     // the disk or quota is full
    io,           // the operating system reported another failure
    cancelled,    // the caller asked to stop
};

// Returns the code's name as the documents and the CLI spell it, e.g. "no_space".
std::string_view error_code_name(ErrorCode code) noexcept;

class [[nodiscard]] Error {
public:
    // `system_number`: the errno that caused the error; 0 if no system call did.
    Error(ErrorCode code, std::string message, int system_number = 0);
    Error(Error&&) noexcept = default;
    Error& operator=(Error&&) noexcept = default;
    Error(const Error& other);
    Error& operator=(const Error& other);

    ErrorCode code() const noexcept { return body_->code; }
    const std::string& message() const noexcept { return body_->message; }
    int system_number() const noexcept { return body_->system_number; }

    // Returns the error with "context: " before its message. The layer that knows the name adds it, once.
    Error with_context(std::string_view context) &&;

    // Returns "corrupt: <message>".
    std::string text() const;

private:
    template <class T>
    friend class Result;
    Error() = default;  // for a Result that has a value

    struct Body {
        ErrorCode code;
        std::string message;
        int system_number;
    };
    std::unique_ptr<Body> body_;
};

template <class T>
class [[nodiscard]] Result {
public:
    Result(const T& value) : value_(value) {}          // NOLINT: implicit on purpose
    Result(T&& value) : value_(std::move(value)) {}    // NOLINT
    Result(Error error) : error_(std::move(error)) {}  // NOLINT

    explicit operator bool() const noexcept { return value_.has_value(); }
    bool has_value() const noexcept { return value_.has_value(); }

    T& value() & {
        assert(value_);
        return *value_;
    }
    const T& value() const& {
        assert(value_);
        return *value_;
    }
    T&& value() && {
        assert(value_);
        return std::move(*value_);
    }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T&& operator*() && { return std::move(*this).value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    const Error& error() const& {
        assert(!value_);
        return error_;
    }
    Error&& error() && {
        assert(!value_);
        return std::move(error_);
    }

private:
    std::optional<T> value_;
    Error error_;
};

class [[nodiscard]] Status {
public:
    Status() = default;
    Status(Error error) : error_(std::move(error)) {}  // NOLINT

    explicit operator bool() const noexcept { return !error_.has_value(); }
    const Error& error() const& {
        assert(error_);
        return *error_;
    }
    Error&& error() && {
        assert(error_);
        return std::move(*error_);
    }

private:
    std::optional<Error> error_;
};

inline Status ok() { return Status(); }

}  // namespace fardel

#define FARDEL_CONCAT_INNER(a, b) a##b
#define FARDEL_CONCAT(a, b) FARDEL_CONCAT_INNER(a, b)

// Each use has variables of its own, so that a lambda in one use may contain another.
#define FARDEL_UNIQUE(name) FARDEL_CONCAT(name, __COUNTER__)

// FARDEL_TRY(status_or_result): returns its error from the enclosing function.
#define FARDEL_TRY(expression) FARDEL_TRY_WITH(FARDEL_UNIQUE(fardel_status_), expression)
#define FARDEL_TRY_WITH(name, expression)   \
    do {                                    \
        auto name = (expression);           \
        if (!name)                          \
            return std::move(name).error(); \
    } while (false)

// FARDEL_TRY_ASSIGN(auto x, result): declares or assigns x from the value (`const T& x`: no copy) or returns the error.
#define FARDEL_TRY_ASSIGN(target, expression) FARDEL_TRY_ASSIGN_WITH(FARDEL_UNIQUE(fardel_result_), target, expression)
#define FARDEL_TRY_ASSIGN_WITH(name, target, expression) \
    auto name = (expression);                            \
    if (!name)                                           \
        return std::move(name).error();                  \
    target = std::move(name).value()
