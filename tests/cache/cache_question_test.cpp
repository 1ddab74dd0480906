// The bytes of questions which ids a cache lacks, and of their answers, right and wrong; and folders that answer them.
#include "cache_samples.h"

#include "kit/files.h"

#include <fardel/cache/cache_layers.h>
#include <fardel/cache/cache_question.h>
#include <fardel/cache/served_cache.h>

namespace fardel::tests::cache_question_test {

const CacheQuestion kSomeIds{.records = {filled_id<BuildKey>(1), filled_id<BuildKey>(2)},
                             .objects = {filled_id<AssetId>(1)}};

TEST_CASE("cache question: the bytes are those of the document, and come back as they were") {
    const auto bytes = encode_cache_question(kSomeIds);
    const std::string text = text_of(bytes);
    CHECK(text.substr(0, 20) == std::string("FARDELCQ\1\0\0\0\2\0\0\0\1\0\0\0", 20));
    CHECK(text.substr(20) == std::string(32, '\1') + std::string(32, '\2') + std::string(32, '\1'));
    const CacheQuestion again = value_of(decode_cache_question(bytes));
    CHECK(again.records == kSomeIds.records);
    CHECK(again.objects == kSomeIds.objects);
    const std::vector<bool> lacking{true, false, false, true, false, false, false, false, true};
    const auto answer = encode_cache_answer(lacking);
    CHECK(text_of(answer) == std::string("FARDELCA\1\0\0\0\x09\0\0\0\x09\1", 18));
    CHECK(value_of(decode_cache_answer(answer, 9)) == lacking);
}

TEST_CASE("cache question: what is cut, longer, unsorted, doubled, empty, too many or of later versions is refused") {
    const auto bytes = encode_cache_question(kSomeIds);
    const auto refused = [](Bytes wrong, ErrorCode code) { return code_of(decode_cache_question(wrong)) == code; };
    for (std::size_t size = 0; size < bytes.size(); ++size)
        CHECK_FALSE(decode_cache_question(std::span(bytes).first(size)));
    Bytes longer = bytes;
    longer.push_back(std::byte{0});
    CHECK(refused(longer, ErrorCode::malformed));
    CHECK(refused(with_bytes(bytes, 0, {'X'}), ErrorCode::malformed));
    CHECK(refused(with_bytes(bytes, 8, {2}), ErrorCode::unsupported));
    CHECK(refused(with_bytes(bytes, 14, {1}), ErrorCode::limit));  // 65,538 ids
    CHECK(refused(with_bytes(bytes, 12, {255, 255, 255, 255, 255, 255, 255, 255}), ErrorCode::limit));
    CHECK(refused(with_bytes(bytes, 20, {3}), ErrorCode::malformed));  // not ascending any more
    CHECK(refused(encode_cache_question({}), ErrorCode::malformed));
    CHECK(refused(encode_cache_question({.records = {filled_id<BuildKey>(1), filled_id<BuildKey>(1)}, .objects = {}}),
                  ErrorCode::malformed));
}

TEST_CASE("cache question: an answer of another length, count or version, or with bits behind its end, is refused") {
    const Bytes answer = encode_cache_answer({true, false, true});
    for (std::size_t size = 0; size < answer.size(); ++size)
        CHECK_FALSE(decode_cache_answer(std::span(answer).first(size), 3));
    Bytes longer = answer;
    longer.push_back(std::byte{0});
    CHECK_FALSE(decode_cache_answer(longer, 3));
    CHECK_FALSE(decode_cache_answer(answer, 4));
    CHECK_FALSE(decode_cache_answer(with_bytes(answer, 16, {0x0d}), 3));
    CHECK(code_of(decode_cache_answer(with_bytes(answer, 8, {2}), 3)) == ErrorCode::unsupported);
}

TEST_CASE("served cache: a folder says what it lacks, and takes only what has its id") {
    const ScratchFolder scratch;
    const auto layer = value_of(open_folder_layer(scratch.path("cache")));
    const auto served = value_of(ServedCache::open(scratch.path("cache")));
    const Sample sample = make_sample(1, {noise(1000, 1)});
    const auto record = value_of(encode_cache_record(sample.record));
    const AssetId object = sample.record.outputs.at(0).asset;
    CacheQuestion question{.records = {sample.record.key}, .objects = {object}};
    CHECK(served->find_lacking(question) == std::vector<bool>{true, true});
    const ServedCacheFile record_file{.is_record = true, .id = id_from<Hash>(sample.record.key)};
    const ServedCacheFile object_file{.is_record = false, .id = id_from<Hash>(object)};
    const auto upload = [&](const ServedCacheFile& file, const Bytes& bytes) {
        const auto one = served->begin_upload(file, bytes.size());
        Status appended = one->append(bytes);
        return appended ? one->finish() : appended;
    };
    CHECK(code_of(upload(object_file, noise(1000, 2))) == ErrorCode::corrupt);
    CHECK_FALSE(upload(record_file, noise(200, 2)));
    CHECK_FALSE(upload({.is_record = true, .id = id_from<Hash>(key_of(9))}, record));  // of another key
    CHECK(served->find_lacking(question) == std::vector<bool>{true, true});
    CHECK(upload(object_file, sample.outputs[0]));
    CHECK(upload(record_file, record));
    CHECK(upload(record_file, record));  // replaces it
    CHECK(served->find_lacking(question) == std::vector<bool>{false, false});
    CHECK(served->has_object(object_file));
    CHECK_FALSE(served->has_object(record_file));
    CHECK(value_of(layer->find_record(sample.record.key)) == record);
    CHECK(value_of(served->open_file(object_file))->size_bytes() == 1000);
    CHECK(code_of(served->open_file({.is_record = true, .id = id_from<Hash>(key_of(9))})) == ErrorCode::missing);
    CHECK_FALSE(ServedCache::open(scratch.path("none")));
}

}  // namespace fardel::tests::cache_question_test
