// The question which records and objects of a cache a server lacks, for many ids in one round trip, and the answer.
// docs/serving.md has the bytes. Both sides are hostile; the answer is only a hint.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/ids.h>

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace fardel {

inline constexpr std::string_view kCacheQuestionPath = "lacking";  // below the cache
inline constexpr std::size_t kCacheQuestionIdsMax = 65'536;        // records and objects together
inline constexpr std::size_t kCacheQuestionBytesMax = 20 + kCacheQuestionIdsMax * 32;
inline constexpr std::size_t kCacheAnswerBytesMax = 16 + kCacheQuestionIdsMax / 8;

// Both lists are ascending and without duplicates; at least one is not empty.
struct CacheQuestion {
    std::vector<BuildKey> records;
    std::vector<AssetId> objects;

    std::size_t size() const noexcept { return records.size() + objects.size(); }
};

std::vector<std::byte> encode_cache_question(const CacheQuestion& question);
// Errors: malformed (also if a list is not ascending), limit, unsupported (a later version).
Result<CacheQuestion> decode_cache_question(std::span<const std::byte> bytes);

// `lacking`: by id of the question, the records first.
std::vector<std::byte> encode_cache_answer(const std::vector<bool>& lacking);
// Errors: malformed (also if it has not `count` entries), unsupported (a later version).
Result<std::vector<bool>> decode_cache_answer(std::span<const std::byte> bytes, std::size_t count);

}  // namespace fardel
