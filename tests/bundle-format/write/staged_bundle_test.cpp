#include <fardel/format/bundle_writer.h>

#include "bundle-format/plans.h"

#include <fardel/format/envelope.h>

namespace fardel::tests::staged_bundle_test {

Envelope envelope_of(std::size_t signatures, std::size_t payload_bytes = 100) {
    Envelope envelope;
    envelope.payload.resize(payload_bytes, std::byte{7});
    envelope.signatures.resize(signatures);
    for (std::size_t i = 0; i < signatures; ++i)
        envelope.signatures[i].key.bytes[0] = static_cast<std::uint8_t>(i + 1);
    return envelope;
}

StagedBundle staged(MemoryDisk& disk) {
    BundlePlan plan;
    add(plan, "a", "content");
    return write_bundle(plan, make_memory_file(disk), quick()).value();
}

std::vector<Envelope> trailer_of(const MemoryDisk& disk) {
    const AuditedBundle audit = tests::audit(disk.bytes);
    return decode_trailer(std::span<const std::byte>(disk.bytes).subspan(audit.layout.trailer_offset)).value();
}

TEST_CASE("staged bundle: envelopes follow each other and move nothing") {
    MemoryDisk disk;
    StagedBundle bundle = staged(disk);
    const auto before = disk.bytes;
    REQUIRE(bundle.append(envelope_of(1)));
    REQUIRE(bundle.append(envelope_of(2, 33)));
    REQUIRE(bundle.commit());
    CHECK(std::equal(before.begin(), before.end(), disk.bytes.begin()));
    CHECK(trailer_of(disk) == std::vector<Envelope>{envelope_of(1), envelope_of(2, 33)});
    CHECK(bundle.summary().file_bytes == disk.bytes.size());
}

TEST_CASE("staged bundle: a 17th signature or envelope is refused") {  // A56
    MemoryDisk disk;
    StagedBundle bundle = staged(disk);
    for (int i = 0; i < 8; ++i)
        REQUIRE(bundle.append(envelope_of(2)));
    CHECK(code_of(bundle.append(envelope_of(1))) == ErrorCode::limit);
    REQUIRE(bundle.commit());
    CHECK(trailer_of(disk).size() == 8);
    CHECK_FALSE(staged(disk).append(envelope_of(17)));
}

TEST_CASE("staged bundle: an envelope that cannot be written leaves the bundle as it was") {
    MemoryDisk disk;
    StagedBundle bundle = staged(disk);
    REQUIRE(bundle.append(envelope_of(1)));
    disk.fails_at = disk.operations + 1;
    CHECK(code_of(bundle.append(envelope_of(1, 200))) == ErrorCode::no_space);
    REQUIRE(bundle.append(envelope_of(1, 50)));
    REQUIRE(bundle.commit());
    CHECK(trailer_of(disk) == std::vector<Envelope>{envelope_of(1), envelope_of(1, 50)});
}

TEST_CASE("staged bundle: it is committed once, and cannot be changed afterwards") {
    MemoryDisk disk;
    StagedBundle bundle = staged(disk);
    REQUIRE(bundle.commit());
    CHECK_FALSE(bundle.commit());
    CHECK_FALSE(bundle.append(envelope_of(1)));
    CHECK(disk.committed);
}

TEST_CASE("staged bundle: it leaves no file if it is destroyed without a commit") {
    MemoryDisk disk;
    { const StagedBundle bundle = staged(disk); }
    CHECK(disk.removed);
    CHECK_FALSE(disk.committed);
}

}  // namespace fardel::tests::staged_bundle_test
