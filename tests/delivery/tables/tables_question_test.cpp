// The bytes of questions for tables and of their answers, right and wrong.
#include <fardel/delivery/tables_question.h>

#include "kit/bytes.h"
#include "kit/ids.h"
#include "kit/test.h"

namespace fardel::tests::tables_question_test {

std::vector<std::byte> with_byte(std::vector<std::byte> bytes, std::size_t at, unsigned value) {
    bytes.at(at) = static_cast<std::byte>(value);
    return bytes;
}

const TablesQuestion kQuestion{.wanted = {filled_id<BundleId>(1), filled_id<BundleId>(2)},
                               .held = {filled_id<BundleId>(3)}};

template <class Decode>
void check_refused(const std::vector<std::byte>& bytes, Decode decode, ErrorCode code) {
    const auto refused = decode(bytes);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code() == code);
}

TEST_CASE("tables question: the bytes are those of the document, and come back as they were") {
    const auto bytes = encode_question(kQuestion);
    REQUIRE(bytes.size() == 20 + 3 * 32);
    const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    CHECK(text.substr(0, 20) == std::string("FARDELTQ\2\0\0\0\2\0\0\0\1\0\0\0", 20));
    CHECK(text.substr(20) == std::string(32, '\1') + std::string(32, '\2') + std::string(32, '\3'));
    const TablesQuestion again = value_of(decode_question(bytes));
    CHECK(again.wanted == kQuestion.wanted);
    CHECK(again.held == kQuestion.held);
}

TEST_CASE("tables question: what is cut, longer, unsorted, doubled, empty, too many or of later versions is refused") {
    const auto bytes = encode_question(kQuestion);
    for (std::size_t size = 0; size < bytes.size(); ++size)
        CHECK_FALSE(decode_question(std::span(bytes).first(size)));
    auto longer = bytes;
    longer.push_back(std::byte{0});
    check_refused(longer, decode_question, ErrorCode::malformed);
    check_refused(with_byte(bytes, 0, 'X'), decode_question, ErrorCode::malformed);
    check_refused(with_byte(bytes, 8, 3), decode_question, ErrorCode::unsupported);
    check_refused(with_byte(bytes, 14, 1), decode_question, ErrorCode::limit);  // 65,538 ids
    check_refused(with_byte(bytes, 15, 255), decode_question, ErrorCode::limit);
    check_refused(with_byte(bytes, 19, 255), decode_question, ErrorCode::limit);
    const BundleId one = filled_id<BundleId>(1);
    const BundleId two = filled_id<BundleId>(2);
    check_refused(encode_question({.wanted = {two, one}, .held = {}}), decode_question, ErrorCode::malformed);
    check_refused(encode_question({.wanted = {one, one}, .held = {}}), decode_question, ErrorCode::malformed);
    check_refused(encode_question({.wanted = {one}, .held = {two, two}}), decode_question, ErrorCode::malformed);
    check_refused(encode_question({.wanted = {}, .held = {one}}), decode_question, ErrorCode::malformed);
}

TEST_CASE("tables answer: bundles come back as they were, and wrong bytes are refused") {
    const std::vector<std::byte> heads(8192, std::byte{7});
    const std::vector<std::byte> frame(100, std::byte{9});
    TablesAnswer answer;
    CHECK(answer.add({.bundle = filled_id<BundleId>(1), .file_bytes = 50'000, .heads = heads, .tables = frame}));
    CHECK(answer.add({.bundle = filled_id<BundleId>(2), .file_bytes = 60'000, .heads = heads, .tables = {}}));
    CHECK(answer.add({.bundle = filled_id<BundleId>(4), .file_bytes = 0, .heads = {}, .tables = {}, .front = frame}));
    const std::vector<std::byte> large(kTablesAnswerBytesMax, std::byte{1});
    CHECK_FALSE(answer.add({.bundle = filled_id<BundleId>(3), .file_bytes = 1, .heads = heads, .tables = large}));
    const auto bytes = answer.take();
    const auto all = value_of(decode_answer(bytes));
    REQUIRE(all.size() == 3);
    CHECK(all[2].bundle == filled_id<BundleId>(4));
    CHECK(all[2].heads.empty());
    CHECK(std::ranges::equal(all[2].front, frame));
    CHECK(all[0].front.empty());
    CHECK(all[0].bundle == filled_id<BundleId>(1));
    CHECK(all[0].file_bytes == 50'000);
    CHECK(all[0].tables.size() == 100);
    CHECK(all[1].tables.empty());
    for (const std::size_t size : {std::size_t{0}, std::size_t{7}, std::size_t{15}, std::size_t{16}, std::size_t{60},
                                   std::size_t{8300}, bytes.size() - 1})
        CHECK_FALSE(decode_answer(std::span(bytes).first(size)));
    check_refused(with_byte(bytes, 0, 'X'), decode_answer, ErrorCode::malformed);
    check_refused(with_byte(bytes, 8, 3), decode_answer, ErrorCode::unsupported);
    check_refused(with_byte(bytes, 16 + 32, 2), decode_answer, ErrorCode::malformed);  // an entry of no kind
    check_refused(with_byte(bytes, 15, 255), decode_answer, ErrorCode::malformed);     // more than the bytes can hold
    CHECK(value_of(decode_answer(TablesAnswer().take())).empty());
}

}  // namespace fardel::tests::tables_question_test
