// Input: a byte that chooses, and then what a client sends to `fardel serve`, or a server answers to a question about
// its cache. A range that is accepted lies in its file, a target that names a file is the only one that does, and a
// question or answer that is accepted has the same bytes when it is encoded again.
#include "require.h"
#include "serve/requested_range.h"
#include "serve/served_files.h"
#include "serve/upload_tokens.h"

#include <fardel/cache/cache_question.h>
#include <fardel/cache/served_cache.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

using namespace fardel;

namespace {

void check_range(std::string_view text) {
    constexpr std::uint64_t kFileBytes = 1000;
    const auto slash = std::min(text.find('\n'), text.size());
    const RequestedRange range = find_requested_range(
        {.range = text.substr(0, slash), .if_none_match = text.substr(std::min(slash + 1, text.size()))}, kFileBytes,
        "\"tag\"");
    require(range.offset <= kFileBytes && range.length_bytes <= kFileBytes - range.offset);
    require((range.answer == RangeAnswer::whole || range.answer == RangeAnswer::part) == (range.length_bytes != 0));
}

void check_target(std::string_view text) {
    const auto file = find_requested_file(text);
    if (file)
        require(text == "/" + path_of(*file));
}

void check_cache_question(std::span<const std::byte> bytes) {
    const auto question = decode_cache_question(bytes);
    if (!question)
        return;
    require(std::ranges::equal(encode_cache_question(*question), bytes));
    require(question->size() <= kCacheQuestionIdsMax);
}

void check_cache_answer(std::span<const std::byte> bytes) {
    constexpr std::size_t kIds = 11;
    if (const auto lacking = decode_cache_answer(bytes, kIds))
        require(std::ranges::equal(encode_cache_answer(*lacking), bytes));
}

void check_cache_target(std::string_view text) {
    if (const auto file = ServedCache::find_file(text))
        require(text ==
                (file->is_record ? "records/" : "objects/") + file->id.hex().substr(0, 2) + "/" + file->id.hex());
}

}  // namespace

int fuzz_http_request(const std::uint8_t* data, std::size_t size) {
    if (size == 0)
        return 0;
    const auto bytes = std::as_bytes(std::span(data + 1, size - 1));
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    switch (data[0]) {
        case 'r': check_range(text); break;
        case 't': check_target(text); break;
        case 'u':
            if (const auto tokens = UploadTokens::parse(text))
                require(tokens->find("Bearer no such token is known") == nullptr);
            break;
        case 'k': check_cache_question(bytes); break;
        case 'l': check_cache_answer(bytes); break;
        case 'm': check_cache_target(text); break;
        default: break;
    }
    return 0;
}
