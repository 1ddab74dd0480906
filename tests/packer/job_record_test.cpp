// Job records: results as the cache stores them, and hostile records.
#include "jobs/job_record.h"

#include "kit/ids.h"
#include "kit/test.h"

namespace fardel::tests::job_record_test {

JobResult result() {
    JobResult result;
    result.outputs = {{.name = "a.ktx", .size_bytes = 7, .blob = nullptr},
                      {.name = "b/c.txt", .size_bytes = 0, .blob = nullptr}};
    result.outputs[0].asset.bytes.fill(1);
    result.references = {{"a.ktx",
                          {.spelling = "x/y.png",
                           .use = kReferenceUseLast,
                           .form = ReferenceForm::relative_uri,
                           .optional = true,
                           .line = 9}},
                         {"b/c.txt", {.spelling = "z", .line = 0}}};
    result.log = "warning: grey\n";
    result.took = std::chrono::milliseconds(1234);
    return result;
}

const std::vector<std::string> kOutputs{"b/c.txt", "a.ktx"};  // in any order

FoundInput found(const std::string& path, unsigned char content) {
    return {.path = path, .asset = tests::filled_id<AssetId>(content)};
}

FoundStates states() {
    FoundStates states;
    states.add({found("a.h", 1)});
    states.add({found("/usr/include/b.h", 2), {.path = "a.h", .asset = std::nullopt}});
    states.add({});
    return states;
}

TEST_CASE("job record: decoding gives the encoded result") {
    const CacheRecord record = record_of(tests::filled_id<BuildKey>(5), result());
    CHECK(record.key == tests::filled_id<BuildKey>(5));
    const auto again = find_result(record, kOutputs);
    REQUIRE(again);
    REQUIRE(again->outputs.size() == 2);
    CHECK(again->outputs[0].name == "a.ktx");
    CHECK(again->outputs[0].asset == result().outputs[0].asset);
    CHECK(again->outputs[0].size_bytes == 7);
    CHECK(again->outputs[1].name == "b/c.txt");
    CHECK(again->took == result().took);
    REQUIRE(again->references.size() == 2);
    CHECK(again->references[0].first == "a.ktx");
    CHECK(again->references[0].second.spelling == "x/y.png");
    CHECK(again->references[0].second.use == kReferenceUseLast);
    CHECK(again->references[0].second.form == ReferenceForm::relative_uri);
    CHECK(again->references[0].second.optional);
    CHECK(again->references[0].second.line == 9);
    CHECK(again->log.find("warning: grey") == 0);
    CHECK(find_result(record, {}));  // a job that discovers its outputs accepts any outputs
    CHECK(record_of(tests::filled_id<BuildKey>(5), *again).notes.size() >= 8);
}

TEST_CASE("job record: references of every use and form are decoded") {
    JobResult every;
    for (int use = 0; use <= static_cast<int>(kReferenceUseLast); ++use)
        for (int form = 0; form <= static_cast<int>(kReferenceFormLast); ++form)
            every.references.push_back(
                {"a.ktx",
                 {.spelling = "x", .use = static_cast<ReferenceUse>(use), .form = static_cast<ReferenceForm>(form)}});
    const auto again = find_result(record_of(tests::filled_id<BuildKey>(5), every), {});
    REQUIRE(again);
    CHECK(again->references == every.references);
}

TEST_CASE("job record: each proper prefix and one extra byte are refused") {  // A20 A109
    CacheRecord record = record_of(tests::filled_id<BuildKey>(5), result());
    const std::string whole = record.notes;
    for (std::size_t size = 0; size < whole.size(); ++size) {
        record.notes = whole.substr(0, size);
        CHECK_FALSE(find_result(record, kOutputs));
    }
    record.notes = whole + '\0';
    CHECK_FALSE(find_result(record, kOutputs));
}

TEST_CASE("job record: with any bit flipped it is refused, or is a result of the same outputs") {  // A21 A22 A109
    CacheRecord record = record_of(tests::filled_id<BuildKey>(5), result());
    std::size_t refused = 0;
    for (std::size_t bit = 0; bit < record.notes.size() * 8; ++bit) {
        record.notes[bit / 8] = static_cast<char>(record.notes[bit / 8] ^ (1 << (bit % 8)));
        const auto again = find_result(record, kOutputs);
        refused += !again;
        if (again) {
            REQUIRE(again->outputs.size() == 2);
            CHECK(again->outputs[0].asset == result().outputs[0].asset);
            CHECK(again->references.size() == 2);
            CHECK(again->log.find('\x1b') == std::string::npos);  // safe to print
        }
        record.notes[bit / 8] = static_cast<char>(record.notes[bit / 8] ^ (1 << (bit % 8)));
    }
    CHECK(refused > 100);
    CHECK(find_result(record, kOutputs));
}

TEST_CASE("job record: outputs of another job, bad names and repeated names are refused") {  // A109
    const CacheRecord good = record_of(tests::filled_id<BuildKey>(5), result());
    CHECK_FALSE(find_result(good, {"a.ktx"}));
    CHECK_FALSE(find_result(good, {"a.ktx", "b/c.txt", "d"}));
    CHECK_FALSE(find_result(good, {"a.ktx", "B/c.txt"}));
    for (const char* bad : {"../x", "/etc/passwd", "a\\b", "", "con"}) {
        CacheRecord record = good;
        record.outputs[1].name = bad;
        CHECK_FALSE(find_result(record, {}));
    }
    CacheRecord twice = good;
    twice.outputs[1].name = "a.ktx";
    CHECK_FALSE(find_result(twice, {}));
    CacheRecord none = good;
    none.outputs.clear();
    CHECK_FALSE(find_result(none, kOutputs));
    CHECK_FALSE(find_result(
        {.key = tests::filled_id<BuildKey>(5), .outputs = good.outputs, .notes = encode_found_states(states())}, {}));
}

TEST_CASE("found states: decoding gives the encoded states, newest first, without repeats, up to a limit") {
    const auto again = find_found_states(encode_found_states(states()));
    REQUIRE(again);
    CHECK(again->states == states().states);
    REQUIRE(again->states.size() == 3);
    CHECK(again->states[0].empty());
    CHECK(again->states[2] == std::vector{found("a.h", 1)});

    FoundStates many = states();
    many.add({found("a.h", 1)});
    REQUIRE(many.states.size() == 3);
    CHECK(many.states[0] == std::vector{found("a.h", 1)});
    many.add({found("a.h", 2)});  // other bytes: another state
    CHECK(many.states.size() == 4);
    for (int i = 0; i < 100; ++i)
        many.add({found(std::to_string(i), 1)});
    CHECK(many.states.size() == 16);
    CHECK(many.states[0] == std::vector{found("99", 1)});

    FoundStates large;
    for (int i = 0; i < 16; ++i)
        large.add({found(std::string(200'000, static_cast<char>('a' + i)), 1)});
    CHECK(encode_found_states(large).size() < 1u << 20);
    CHECK(large.states.size() == 5);
    large.add({found(std::string(2'000'000, 'z'), 1)});
    CHECK(large.states.size() == 1);
}

TEST_CASE("found states: each proper prefix is refused, each flipped bit is harmless") {  // A20 A21 A22
    std::string bytes = encode_found_states(states());
    for (std::size_t size = 0; size < bytes.size(); ++size)
        CHECK_FALSE(find_found_states(std::string_view(bytes).substr(0, size)));
    CHECK_FALSE(find_found_states(bytes + '\0'));
    for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
        bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
        if (const auto again = find_found_states(bytes)) {
            CHECK(again->states.size() == 3);
            CHECK(encode_found_states(*again) == bytes);
        }
        bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
    }
}

TEST_CASE("found states: paths out of order or twice, and more states than the limit, are refused") {  // A22
    CHECK_FALSE(find_found_states(encode_found_states({.states = {{found("b", 1), found("a", 1)}}})));
    CHECK_FALSE(find_found_states(encode_found_states({.states = {{found("a", 1), found("a", 2)}}})));
    FoundStates many;
    for (int i = 0; i < 17; ++i)
        many.states.push_back({found(std::to_string(i), 1)});
    CHECK_FALSE(find_found_states(encode_found_states(many)));
    many.states.pop_back();
    CHECK(find_found_states(encode_found_states(many)));
}

}  // namespace fardel::tests::job_record_test
