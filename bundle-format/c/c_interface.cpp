#include <fardel/format/c_interface.h>

#include <fardel/format/limits.h>

#include <string>

namespace fardel::c {
namespace {

constexpr std::size_t kTextsMax = 1u << 16;  // of one list; more were never set

}  // namespace

fardel_code code_of(ErrorCode code) noexcept {
    switch (code) {
        case ErrorCode::missing: return FARDEL_ERROR_MISSING;
        case ErrorCode::corrupt: return FARDEL_ERROR_CORRUPT;
        case ErrorCode::malformed: return FARDEL_ERROR_MALFORMED;
        case ErrorCode::limit: return FARDEL_ERROR_LIMIT;
        case ErrorCode::untrusted: return FARDEL_ERROR_UNTRUSTED;
        case ErrorCode::revoked: return FARDEL_ERROR_REVOKED;
        case ErrorCode::expired: return FARDEL_ERROR_EXPIRED;
        case ErrorCode::rollback: return FARDEL_ERROR_ROLLBACK;
        case ErrorCode::unsupported: return FARDEL_ERROR_UNSUPPORTED;
        case ErrorCode::conflict: return FARDEL_ERROR_CONFLICT;
        case ErrorCode::unresolved: return FARDEL_ERROR_UNRESOLVED;
        case ErrorCode::denied: return FARDEL_ERROR_DENIED;
        case ErrorCode::busy: return FARDEL_ERROR_BUSY;
        case ErrorCode::unreachable: return FARDEL_ERROR_UNREACHABLE;
        case ErrorCode::no_space: return FARDEL_ERROR_NO_SPACE;
        case ErrorCode::io: return FARDEL_ERROR_IO;
        case ErrorCode::cancelled: return FARDEL_ERROR_CANCELLED;
    }
    return FARDEL_ERROR_IO;
}

void copy_text(std::string_view text, char* out, std::size_t room_bytes) noexcept {
    std::size_t length = std::min(text.size(), room_bytes - 1);
    if (length < text.size())
        while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80)
            --length;
    std::memcpy(out, text.data(), length);
    out[length] = '\0';
}

ErrorCode error_code_of(fardel_code code) noexcept {
    for (int i = 0; i <= static_cast<int>(ErrorCode::cancelled); ++i)
        if (code_of(static_cast<ErrorCode>(i)) == code)
            return static_cast<ErrorCode>(i);
    return ErrorCode::io;
}

fardel_code Report::fail(fardel_code code, std::string_view text) const noexcept {
    if (error_ != nullptr) {
        error_->code = code;
        copy_text(text, error_->text, error_->struct_size - offsetof(fardel_error, text));
    }
    return code;
}

bool read_texts(const char* const* texts, std::size_t count, std::vector<std::string>& out) {
    if (count > kTextsMax || (texts == nullptr && count != 0))
        return false;
    for (std::size_t i = 0; i < count; ++i) {
        if (texts[i] == nullptr)
            return false;
        out.emplace_back(texts[i]);
    }
    return true;
}

Result<std::vector<Envelope>> read_licenses(const fardel_license_token* tokens, std::size_t count) {
    if (count > limits::kLicenseTokensMax)
        return Error(ErrorCode::limit, std::to_string(count) + " license tokens, at most " +
                                           std::to_string(limits::kLicenseTokensMax) + " allowed");
    std::vector<Envelope> licenses;
    for (std::size_t i = 0; i < count; ++i) {
        const auto* const bytes = static_cast<const std::byte*>(tokens[i].bytes);
        auto token = parse_license_token({bytes, bytes != nullptr ? tokens[i].size_bytes : 0});
        if (!token)
            return std::move(token).error().with_context("license token " + std::to_string(i));
        licenses.push_back(*std::move(token));
    }
    return licenses;
}

Result<std::optional<TrustPolicy>> read_policy(const char* path, const char* text) {
    std::optional<TrustPolicy> policy;
    if (path != nullptr) {
        FARDEL_TRY_ASSIGN(policy, read_trust_policy(path));
    } else if (text != nullptr) {
        FARDEL_TRY_ASSIGN(policy, TrustPolicy::parse(text));
    }
    return policy;
}

}  // namespace fardel::c
