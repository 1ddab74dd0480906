// ScanMemory and its records: a lookup returns the stored record or nothing. Also how long the build database keeps
// them.
#include <fardel/packer/scan_memory.h>

#include "kit/files.h"
#include "kit/ids.h"
#include "stages/build_database.h"

namespace fardel::tests::scan_memory_test {

ScanRecord sample() {
    ScanRecord scanned;
    scanned.findings.defines = {"textures/wall", ""};
    scanned.findings.references = {{.spelling = "a.png",
                                    .use = ReferenceUse::texture,
                                    .form = ReferenceForm::relative,
                                    .optional = true,
                                    .line = 7,
                                    .defined_in = 1},
                                   {.spelling = "\xff hostile \n",
                                    .use = kReferenceUseLast,
                                    .form = ReferenceForm::relative_uri,
                                    .optional = false,
                                    .line = 0xffff'ffffu,
                                    .defined_in = kNoDefinition}};
    return scanned;
}

bool alike(const ScanRecord& a, const ScanRecord& b) {
    return a.broken == b.broken && a.findings.defines == b.findings.defines &&
           a.findings.references == b.findings.references;
}

TEST_CASE("scan record: decoding gives back what was encoded, also if it is empty or broken") {
    for (const ScanRecord& scanned : {sample(), ScanRecord(), ScanRecord{.broken = "malformed: line 3"}}) {
        const auto back = decode_scan_record(encode_scan_record(scanned));
        REQUIRE(back);
        CHECK(alike(*back, scanned));
    }
}

TEST_CASE("scan record: each proper prefix and one extra byte are refused") {
    const std::string record = encode_scan_record(sample());
    for (std::size_t length = 0; length < record.size(); ++length) {
        CAPTURE(length);
        CHECK_FALSE(decode_scan_record(record.substr(0, length)));
    }
    CHECK_FALSE(decode_scan_record(record + '\0'));
}

TEST_CASE("scan record: with any bit flipped it is refused, or contains what a scanner could have found") {
    const std::string record = encode_scan_record(sample());
    for (std::size_t at = 0; at < record.size(); ++at)
        for (int bit = 0; bit < 8; ++bit) {
            std::string bad = record;
            bad[at] = static_cast<char>(bad[at] ^ (1 << bit));
            const auto scanned = decode_scan_record(bad);
            if (!scanned)
                continue;
            CHECK(encode_scan_record(*scanned) == bad);
            for (const FoundReference& reference : scanned->findings.references) {
                CHECK_FALSE(reference.spelling.empty());
                CHECK(reference.use <= kReferenceUseLast);
                CHECK(reference.form <= ReferenceForm::relative_uri);
                CHECK(
                    (reference.defined_in == kNoDefinition || reference.defined_in < scanned->findings.defines.size()));
            }
        }
}

TEST_CASE("scan record: findings that no scanner can make are refused") {
    const auto refused = [](auto change) {
        ScanRecord scanned = sample();
        change(scanned);
        return !decode_scan_record(encode_scan_record(scanned));
    };
    CHECK(refused([](ScanRecord& scanned) { scanned.findings.references[0].spelling.clear(); }));
    CHECK(refused([](ScanRecord& scanned) { scanned.findings.references[0].spelling = std::string("a\0b", 3); }));
    CHECK(refused([](ScanRecord& scanned) { scanned.findings.references[0].spelling.assign(70'000, 'x'); }));
    CHECK(refused([](ScanRecord& scanned) { scanned.findings.references[0].defined_in = 2; }));
    CHECK(refused([](ScanRecord& scanned) { scanned.findings.references[0].use = static_cast<ReferenceUse>(99); }));
    CHECK(refused([](ScanRecord& scanned) { scanned.findings.references[0].form = static_cast<ReferenceForm>(9); }));
    CHECK(refused([](ScanRecord& scanned) { scanned.broken = "and findings"; }));
}

TEST_CASE("scan memory: lists the used keys and the new records; a bad record counts as absent") {
    ScanMemory memory({{tests::filled_id<Hash>(1), encode_scan_record(sample())},
                       {tests::filled_id<Hash>(2), "no record"},
                       {tests::filled_id<Hash>(3), encode_scan_record({})}});
    CHECK(memory.find(tests::filled_id<Hash>(1)));
    CHECK_FALSE(memory.find(tests::filled_id<Hash>(2)));
    CHECK_FALSE(memory.find(tests::filled_id<Hash>(9)));
    memory.add(tests::filled_id<Hash>(2), sample());
    CHECK(memory.used() == std::vector<Hash>{tests::filled_id<Hash>(1), tests::filled_id<Hash>(2)});
    const auto added = memory.take_added();
    REQUIRE(added.size() == 1);
    CHECK(added.at(tests::filled_id<Hash>(2)) == encode_scan_record(sample()));
}

TEST_CASE("build database: records that scans no longer need are deleted after a while") {
    const tests::ScratchFolder scratch;
    auto database = BuildDatabase::open(scratch.path("build.sqlite"));
    REQUIRE(database);
    REQUIRE(database->write_scans({{tests::filled_id<Hash>(1), "one"}, {tests::filled_id<Hash>(2), "two"}}));
    for (std::uint64_t scan = 0; scan < kScansIdleMax; ++scan)
        REQUIRE(database->forget_idle_scans({tests::filled_id<Hash>(1)}));
    CHECK(database->read_scans()->size() == 2);
    REQUIRE(database->forget_idle_scans({tests::filled_id<Hash>(1), tests::filled_id<Hash>(2)}));  // needed again
    for (std::uint64_t scan = 0; scan < kScansIdleMax; ++scan)
        REQUIRE(database->forget_idle_scans({tests::filled_id<Hash>(1)}));
    CHECK(database->read_scans()->size() == 2);
    REQUIRE(database->forget_idle_scans({tests::filled_id<Hash>(1)}));
    CHECK(*database->read_scans() == std::unordered_map<Hash, std::string>{{tests::filled_id<Hash>(1), "one"}});
}

TEST_CASE("build database: records that one of several targets needs outlive the builds of the others") {
    const tests::ScratchFolder scratch;
    auto database = BuildDatabase::open(scratch.path("build.sqlite"));
    REQUIRE(database);
    REQUIRE(database->write_scans({{tests::filled_id<Hash>(1), "one"}, {tests::filled_id<Hash>(2), "two"}}));
    for (std::uint64_t scan = 0; scan < 3 * kScansIdleMax; ++scan)
        REQUIRE(database->forget_idle_scans({tests::filled_id<Hash>(1)}, 3));
    CHECK(database->read_scans()->size() == 2);
    REQUIRE(database->forget_idle_scans({tests::filled_id<Hash>(1)}, 3));
    CHECK(database->read_scans()->size() == 1);
}

TEST_CASE("build database: the total size of idle scans is bounded, that of needed scans is not") {
    const tests::ScratchFolder scratch;
    auto database = BuildDatabase::open(scratch.path("build.sqlite"));
    REQUIRE(database);
    const std::string large(kIdleScanBytesMax / 3 + 1, 'x');
    REQUIRE(database->write_scans({{tests::filled_id<Hash>(1), large},
                                   {tests::filled_id<Hash>(2), large},
                                   {tests::filled_id<Hash>(3), large},
                                   {tests::filled_id<Hash>(4), large}}));
    REQUIRE(database->forget_idle_scans(
        {tests::filled_id<Hash>(1), tests::filled_id<Hash>(2), tests::filled_id<Hash>(3), tests::filled_id<Hash>(4)}));
    CHECK(database->read_scans()->size() == 4);
    REQUIRE(database->forget_idle_scans({tests::filled_id<Hash>(4)}));
    CHECK(database->read_scans()->size() == 3);
    CHECK(database->read_scans()->contains(tests::filled_id<Hash>(4)));
}

}  // namespace fardel::tests::scan_memory_test
