#include "license_file.h"

#include <fardel/format/byte_source.h>
#include <fardel/format/printable.h>

#include <cstddef>
#include <utility>

namespace fardel {
namespace {

constexpr std::uint64_t kTokenFileBytesMax = 16u << 10;

}  // namespace

Result<Envelope> read_license_token(const std::string& path) {
    FARDEL_TRY_ASSIGN(const auto source, open_file_source(path));
    if (source->size_bytes() > kTokenFileBytesMax)
        return Error(ErrorCode::limit, printable(path) + ": larger than any license token; is it the right file?");
    std::vector<std::byte> bytes(static_cast<std::size_t>(source->size_bytes()));
    FARDEL_TRY(source->read_at(0, bytes));
    auto token = parse_license_token(bytes);
    return token ? std::move(token) : std::move(token).error().with_context(printable(path));
}

Result<std::vector<Envelope>> read_license_tokens(std::span<const std::string> paths) {
    std::vector<Envelope> tokens;
    for (const std::string& path : paths) {
        FARDEL_TRY_ASSIGN(Envelope token, read_license_token(path));
        tokens.push_back(std::move(token));
    }
    return tokens;
}

}  // namespace fardel
