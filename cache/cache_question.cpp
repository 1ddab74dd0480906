#include <fardel/cache/cache_question.h>

#include <fardel/base/byte_reader.h>
#include <fardel/base/byte_writer.h>

#include <string>

namespace fardel {
namespace {

constexpr std::string_view kCacheQuestionMagic = "FARDELCQ";
constexpr std::string_view kCacheAnswerMagic = "FARDELCA";
constexpr std::uint32_t kCacheMessageVersion = 1;
constexpr std::size_t kCacheIdBytes = 32;

void read_message_start(ByteReader& reader, std::string_view magic) {
    if (reader.text(magic.size()) != magic)
        reader.fail(ErrorCode::malformed, "another magic");
    if (const auto version = reader.u32(); version != kCacheMessageVersion)
        reader.fail(ErrorCode::unsupported, "version " + std::to_string(version));
}

template <class Id>
std::vector<Id> read_ascending(ByteReader& reader, std::uint32_t count) {
    std::vector<Id> ids;
    if (reader.failed())
        return ids;
    if (reader.rest_bytes() / kCacheIdBytes < count) {
        reader.fail(ErrorCode::malformed, "cut off");
        return ids;
    }
    ids.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        ids.push_back(reader.fixed<Id>());
        if (i > 0 && ids[i] <= ids[i - 1])
            reader.fail(ErrorCode::malformed, "the ids are not ascending");
    }
    return ids;
}

}  // namespace

std::vector<std::byte> encode_cache_question(const CacheQuestion& question) {
    ByteWriter writer;
    writer.text(kCacheQuestionMagic);
    writer.u32(kCacheMessageVersion);
    writer.u32(static_cast<std::uint32_t>(question.records.size()));
    writer.u32(static_cast<std::uint32_t>(question.objects.size()));
    for (const BuildKey& key : question.records)
        writer.fixed(key);
    for (const AssetId& asset : question.objects)
        writer.fixed(asset);
    return writer.take();
}

Result<CacheQuestion> decode_cache_question(std::span<const std::byte> bytes) {
    ByteReader reader(bytes, "question");
    read_message_start(reader, kCacheQuestionMagic);
    const std::uint32_t records = reader.u32();
    const std::uint32_t objects = reader.u32();
    if (records > kCacheQuestionIdsMax || objects > kCacheQuestionIdsMax - records)
        reader.fail(ErrorCode::limit, "more than " + std::to_string(kCacheQuestionIdsMax) + " ids");
    else if (records == 0 && objects == 0)
        reader.fail(ErrorCode::malformed, "it asks for nothing");
    CacheQuestion question;
    question.records = read_ascending<BuildKey>(reader, records);
    question.objects = read_ascending<AssetId>(reader, objects);
    FARDEL_TRY(reader.finish());
    return question;
}

std::vector<std::byte> encode_cache_answer(const std::vector<bool>& lacking) {
    ByteWriter writer;
    writer.text(kCacheAnswerMagic);
    writer.u32(kCacheMessageVersion);
    writer.u32(static_cast<std::uint32_t>(lacking.size()));
    for (std::size_t first = 0; first < lacking.size(); first += 8) {
        unsigned bits = 0;
        for (std::size_t i = first; i < lacking.size() && i < first + 8; ++i)
            bits |= (lacking[i] ? 1u : 0u) << (i - first);
        writer.u8(static_cast<std::uint8_t>(bits));
    }
    return writer.take();
}

Result<std::vector<bool>> decode_cache_answer(std::span<const std::byte> bytes, std::size_t count) {
    ByteReader reader(bytes, "answer");
    read_message_start(reader, kCacheAnswerMagic);
    if (reader.u32() != count)
        reader.fail(ErrorCode::malformed, "another number of ids than in the question");
    if (!reader.failed() && reader.rest_bytes() != (count + 7) / 8)
        reader.fail(ErrorCode::malformed, "another length than its ids need");
    std::vector<bool> lacking;
    for (std::size_t first = 0; first < count && !reader.failed(); first += 8) {
        const unsigned bits = reader.u8();
        for (std::size_t i = first; i < first + 8; ++i) {
            const bool bit = (bits >> (i - first) & 1u) != 0;
            if (i < count)
                lacking.push_back(bit);
            else if (bit)
                reader.fail(ErrorCode::malformed, "a bit behind the last id is set");
        }
    }
    FARDEL_TRY(reader.finish());
    return lacking;
}

}  // namespace fardel
