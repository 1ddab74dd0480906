// What the C APIs share: how a call ends, the structs of callers, codes and ids. The C headers are fardel_types.h and
// those that include it.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/fardel_types.h>
#include <fardel/format/ids.h>
#include <fardel/format/statement.h>
#include <fardel/format/trust_policy.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fardel::c {

inline constexpr std::size_t kStructBytesMax = 64 << 10;  // a larger struct_size was never set
inline constexpr std::size_t kErrorBytesLeast = offsetof(fardel_error, text) + 1;
inline constexpr std::size_t kReaderBytesLeast = offsetof(fardel_reader, release) + sizeof(void*);

fardel_code code_of(ErrorCode code) noexcept;
// Codes that no C++ function returns, and unknown ones, are io.
ErrorCode error_code_of(fardel_code code) noexcept;

// Copies into `room_bytes`, with NUL at the end; a text that is too long is cut between two characters.
void copy_text(std::string_view text, char* out, std::size_t room_bytes) noexcept;

// How a call ends: its code, and the error's text in the caller's struct.
class Report {
public:
    explicit Report(fardel_error* error) noexcept : error_(error) {}

    fardel_code fail(fardel_code code, std::string_view text) const noexcept;
    fardel_code fail(const Error& error) const noexcept { return fail(code_of(error.code()), error.message()); }
    fardel_code argument(std::string_view text) const noexcept { return fail(FARDEL_ERROR_ARGUMENT, text); }

    fardel_code end(const Status& status) const noexcept { return status ? FARDEL_OK : fail(status.error()); }
    // Passes the value to `use` if there is one.
    template <class T, class Use>
    fardel_code end(Result<T> result, Use use) const {
        if (!result)
            return fail(result.error());
        use(*std::move(result));
        return FARDEL_OK;
    }

private:
    fardel_error* error_;
};

inline bool is_size(std::size_t struct_size, std::size_t least) noexcept {
    return struct_size >= least && struct_size <= kStructBytesMax;
}

// Runs `work` for a function that can fail; no exception leaves it. `given`: no pointer that the function needs is
// null.
template <class Work>
fardel_code call(fardel_error* error, bool given, Work work) noexcept {
    if (error != nullptr && !is_size(error->struct_size, kErrorBytesLeast))
        return FARDEL_ERROR_ARGUMENT;  // the room for a text is unknown
    const Report report(error);
    try {
        return given ? work(report) : report.argument("a null pointer");
    } catch (const std::bad_alloc&) {
        return report.fail(FARDEL_ERROR_NO_MEMORY, "out of memory");
    } catch (const std::length_error&) {
        return report.fail(FARDEL_ERROR_LIMIT, "more bytes than memory can hold");
    } catch (...) {
        return report.fail(FARDEL_ERROR_IO, "the system refused something");
    }
}

// Opens something with `open`: `*handle` is null if that fails. `given`: no other pointer of the call is null.
template <class Handle, class Open>
fardel_code open_handle(Handle** handle, bool given, fardel_error* error, Open open) noexcept {
    if (handle != nullptr)
        *handle = nullptr;
    return call(error, handle != nullptr && given, [&](const Report& report) {
        return report.end(open(), [&](auto opened) { *handle = new Handle{std::move(opened)}; });
    });
}

// Copies the caller's options as this version defines them. Fields that an older caller does not have are zero; fields
// of a newer caller that this version does not know have to be zero.
template <class Options>
fardel_code read_options(const Options* given, std::size_t least, Options& out, const Report& report) {
    if (given == nullptr)
        return FARDEL_OK;
    if (!is_size(given->struct_size, least))
        return report.argument("the options' struct_size is not set");
    const auto* const bytes = reinterpret_cast<const unsigned char*>(given);
    const auto is_set = [](unsigned char byte) { return byte != 0; };
    if (given->struct_size > sizeof(Options) &&
        std::any_of(bytes + sizeof(Options), bytes + given->struct_size, is_set))
        return report.fail(FARDEL_ERROR_UNSUPPORTED, "an option that this version of the library does not know");
    std::memset(&out, 0, sizeof out);
    std::memcpy(&out, bytes, std::min(given->struct_size, sizeof out));
    return FARDEL_OK;
}

// Sets a struct of a caller to what its …_INIT macro says, for callers that have no macros. `size_bytes` is the size
// that the caller knows; members that this version does not have are zero.
template <class Struct>
void init(Struct value, Struct* out, std::size_t size_bytes) noexcept {
    if (out == nullptr || size_bytes < sizeof out->struct_size || size_bytes > kStructBytesMax)
        return;
    value.struct_size = size_bytes;
    std::memset(static_cast<void*>(out), 0, size_bytes);
    std::memcpy(static_cast<void*>(out), &value, std::min(size_bytes, sizeof value));
}

// Copies `count` texts. Returns false if a pointer is null.
bool read_texts(const char* const* texts, std::size_t count, std::vector<std::string>& out);

// Copies as much of `value` as the caller's struct has room for, and zeros behind it. struct_size stays the caller's.
template <class Struct>
void give(Struct value, Struct* out) noexcept {
    const std::size_t size_bytes = out->struct_size;
    value.struct_size = size_bytes;
    std::memset(static_cast<void*>(out), 0, size_bytes);
    std::memcpy(static_cast<void*>(out), &value, std::min(size_bytes, sizeof value));
}

template <class Id>
fardel_id plain_id(const Id& id) noexcept {
    fardel_id plain;
    std::memcpy(plain.bytes, id.bytes.data(), sizeof plain.bytes);
    return plain;
}
template <class Id>
Id id_of(const fardel_id& plain) noexcept {
    Id id;
    std::memcpy(id.bytes.data(), plain.bytes, sizeof plain.bytes);
    return id;
}

// The time of a call: 0 is the system's clock, in all C APIs.
inline TrustTime time_of(std::uint64_t now_s) noexcept {
    return now_s != 0 ? TrustTime::at({now_s}) : TrustTime::system();
}

// Each token's issuer has signed it; a null pointer counts as no bytes. Errors: those of parse_license_token.
Result<std::vector<Envelope>> read_licenses(const fardel_license_token* tokens, std::size_t count);

// At most one of the two is not null. Errors: those of read_trust_policy and TrustPolicy::parse.
Result<std::optional<TrustPolicy>> read_policy(const char* path, const char* text);

}  // namespace fardel::c
