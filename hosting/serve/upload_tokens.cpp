#include "serve/upload_tokens.h"

#include <fardel/base/text_fields.h>
#include <fardel/format/hash.h>

#include <algorithm>
#include <span>

namespace fardel {
namespace {

constexpr std::size_t kTokensMax = 1000;
constexpr std::size_t kNameBytesMax = 100;
constexpr std::size_t kHashDigits = 64;

bool are_equal_in_constant_time(const Hash& a, const Hash& b) noexcept {
    unsigned difference = 0;
    for (std::size_t i = 0; i < a.bytes.size(); ++i)
        difference |= static_cast<unsigned>(a.bytes[i] ^ b.bytes[i]);
    return difference == 0;
}

}  // namespace

Result<UploadTokens> UploadTokens::parse(std::string_view text) {
    UploadTokens tokens;
    std::size_t number = 0;
    while (!text.empty()) {
        ++number;
        const std::string_view line = read_line(text);
        if (line.empty() || line.starts_with('#'))
            continue;
        const auto refused = [&](const std::string& why) {
            return Error(ErrorCode::malformed, "line " + std::to_string(number) + " of the tokens: " + why);
        };
        auto hash = Hash::parse(line.substr(0, kHashDigits));
        if (!hash || line.size() < kHashDigits + 2 || line[kHashDigits] != ' ')
            return refused("not the BLAKE3-256 of a token, a space and a name");
        const std::string_view name = line.substr(kHashDigits + 1);
        if (name.size() > kNameBytesMax || name.find_first_not_of(" ") == std::string_view::npos)
            return refused("the name is empty or too long");
        if (tokens.entries_.size() == kTokensMax)
            return refused("more than " + std::to_string(kTokensMax) + " tokens");
        tokens.entries_.push_back({*hash, std::string(name)});
    }
    return tokens;
}

const std::string* UploadTokens::find(std::string_view authorization) const {
    constexpr std::string_view kScheme = "Bearer ";
    if (!authorization.starts_with(kScheme))
        return nullptr;
    const std::string_view token = authorization.substr(kScheme.size());
    if (token.size() < kTokenBytesMin || token.size() > kTokenBytesMax)
        return nullptr;
    const Hash hash = blake3(std::as_bytes(std::span(token)));
    const std::string* found = nullptr;
    for (const Entry& entry : entries_)
        if (are_equal_in_constant_time(entry.hash, hash))
            found = &entry.name;
    return found;
}

}  // namespace fardel
