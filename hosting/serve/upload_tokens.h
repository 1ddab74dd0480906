// UploadTokens: who may upload. A file has one line per token: the BLAKE3-256 of the token in hexadecimal, a space, and
// a name for logs. So whoever reads the file, or a copy of it, cannot upload.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/ids.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

inline constexpr std::size_t kTokenBytesMin = 20;  // a shorter one could be guessed from its hash
inline constexpr std::size_t kTokenBytesMax = 512;

class UploadTokens {
public:
    // Empty lines, and lines that begin with '#', are left out. Error: malformed (names the line).
    static Result<UploadTokens> parse(std::string_view text);

    // `authorization`: the header of a request, "Bearer <token>". Returns the token's name, or nothing if there is no
    // such token. Takes as long for a wrong token as for any other.
    const std::string* find(std::string_view authorization) const;

private:
    struct Entry {
        Hash hash;
        std::string name;
    };
    std::vector<Entry> entries_;
};

}  // namespace fardel
