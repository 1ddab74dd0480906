// Deltas made from bundles of the real writer, and applied.
#include <fardel/delivery/delta_record.h>
#include <fardel/hosting/make_delta.h>

#include "kit/blobs.h"
#include "kit/bundles.h"
#include "kit/bytes.h"

#include <fardel/delivery/delta.h>
#include <fardel/format/envelope.h>
#include <fardel/format/head.h>
#include <fardel/format/manifest.h>
#include <fardel/format/prefix_codec.h>
#include <fardel/format/signer.h>
#include <fardel/format/statement.h>

#include <functional>
#include <map>

namespace fardel::tests::delta_test {

using Files = std::map<std::string, std::string>;

Files first_version() {
    Files files;
    for (std::uint32_t i = 0; i < 120; ++i)
        files["scripts/" + std::to_string(i) + ".txt"] = prose(200 + i * 37 % 3000, i);
    for (std::uint32_t i = 0; i < 6; ++i)
        files["sound/" + std::to_string(i) + ".ogg"] = noise_text(90'000 + i, i);
    files["maps/large.bsp"] = prose(1'500'000, 1000) + noise_text(700'000, 99);
    return files;
}

// Edited, renamed, renamed and edited, added, removed.
Files second_version() {
    Files files = first_version();
    files["scripts/3.txt"].insert(100, "one more line\n");
    files["scripts/moved.txt"] = files["scripts/4.txt"];
    files.erase("scripts/4.txt");
    files["sound/other.ogg"] = files["sound/2.ogg"] + "tail";
    files.erase("sound/2.ogg");
    files["sound/3.ogg"].replace(40'000, 50, noise_text(60, 7));
    files["maps/large.bsp"].insert(400'000, noise_text(3000, 5));
    files["scripts/new.txt"] = noise_text(500, 8);
    files.erase("scripts/9.txt");
    return files;
}

Bytes bundle_of(const Files& files, int level = 3, BundlePurpose purpose = BundlePurpose::balanced) {
    BundlePlan plan;
    for (const auto& [name, content] : files)
        add(plan, name, content, name.ends_with("ogg") ? "audio/ogg" : "text/plain", name.ends_with("ogg"));
    return written(plan, {.purpose = purpose, .level = level, .jobs = 2});
}

struct Made {
    Bytes bytes;
    DeltaSummary summary;
};

Made delta_between(const Bytes& old, const Bytes& target, int effort = 9) {
    MemoryDisk disk;
    const auto file = make_memory_file(disk);
    DeltaSummary summary = value_of(make_delta(open_bundle(old), *open_bundle(target), *file, {.effort = effort}));
    CHECK(summary.delta_bytes == disk.bytes.size());
    return {std::move(disk.bytes), std::move(summary)};
}

DeltaHead head_of(const Bytes& delta) { return value_of(decode_delta_head(std::span(delta).first(kDeltaHeadBytes))); }

DeltaDirectory directory_of(const Bytes& delta) {
    const DeltaHead head = head_of(delta);
    return value_of(decode_delta_directory(
        head, std::span(delta).subspan(kDeltaHeadBytes, static_cast<std::size_t>(head.directory_bytes))));
}

Result<Bytes> applied(const Bytes& old, const Bytes& delta) {
    MemoryDisk disk;
    const auto file = make_memory_file(disk);
    FARDEL_TRY_ASSIGN(const DeltaSummary summary, apply_delta(open_bundle(old), *make_memory_source(delta), *file));
    CHECK(summary.delta_bytes == delta.size());
    return std::move(disk.bytes);
}

TEST_CASE("delta: turns one bundle into the other, byte for byte, and is small") {
    const Bytes old = bundle_of(first_version());
    const Bytes target = bundle_of(second_version());
    const Made delta = delta_between(old, target);
    CHECK(delta.bytes.size() < 20'000);
    CHECK(delta.summary.level == 3);
    CHECK(delta.summary.stored_blocks == 0);
    CHECK(delta.summary.blocks > 10);
    CHECK(value_of(applied(old, delta.bytes)) == target);
    const Made back = delta_between(target, old);
    CHECK(value_of(applied(target, back.bytes)) == old);
    CHECK(delta_between(old, target).bytes == delta.bytes);
}

TEST_CASE("delta: bundles made for loading are as near to each other") {
    const Bytes old = bundle_of(first_version(), 3, BundlePurpose::load);
    const Bytes target = bundle_of(second_version(), 3, BundlePurpose::load);
    const Made delta = delta_between(old, target);
    CHECK(delta.bytes.size() < 20'000);
    CHECK(delta.summary.stored_blocks == 0);
    CHECK(value_of(applied(old, delta.bytes)) == target);
    const Bytes balanced = bundle_of(first_version());
    CHECK(value_of(applied(balanced, delta_between(balanced, target).bytes)) == target);
}

TEST_CASE("delta: between equal bundles, between layouts of one bundle, from and to an empty one") {  // A50
    const Bytes empty = bundle_of({});
    const Bytes game = bundle_of(first_version());
    const Bytes other_level = bundle_of(first_version(), 15);
    for (const auto& [old, target] : {std::pair(&game, &game), std::pair(&game, &other_level), std::pair(&empty, &game),
                                      std::pair(&game, &empty), std::pair(&empty, &empty)}) {
        const Made delta = delta_between(*old, *target);
        CHECK(value_of(applied(*old, delta.bytes)) == *target);
    }
    CHECK(delta_between(game, game).bytes.size() < 1000);
}

TEST_CASE("delta: small files that one more file has moved into other blocks are found") {
    Files files;
    for (std::uint32_t i = 0; i < 600; ++i)
        files["scripts/" + std::to_string(1000 + i) + ".txt"] = noise_text(300, i) + prose(300, i);
    const Bytes old = bundle_of(files);
    files["scripts/0999.txt"] = prose(500, 1);
    const Bytes target = bundle_of(files);
    const auto block_frames = [&](int effort) {
        const Made delta = delta_between(old, target, effort);
        CHECK(value_of(applied(old, delta.bytes)) == target);
        const DeltaHead head = head_of(delta.bytes);
        return Bytes(delta.bytes.begin() + static_cast<std::ptrdiff_t>(head.front_bytes()), delta.bytes.end());
    };
    const Bytes frames = block_frames(22);
    CHECK(frames.size() < 5000);
    CHECK(frames != block_frames(1));
}

TEST_CASE("delta: segments are applied side by side, and of several wrong ones the first is reported") {
    std::string large;
    for (const std::string piece = prose(1'900'000, 5); large.size() < 18'000'000; large += piece)
        large += noise_text(1000, large.size());
    const Bytes old = bundle_of({});
    const Bytes target = bundle_of({{"large.bsp", large}}, 1);
    const Bytes delta = delta_between(old, target, 1).bytes;
    const DeltaHead head = head_of(delta);
    REQUIRE(head.block_segments >= 3);
    const auto thread = std::this_thread::get_id();
    std::uint64_t last = 0;
    MemoryDisk disk;
    const auto file = make_memory_file(disk);
    const DeltaSummary summary = value_of(apply_delta(open_bundle(old), *make_memory_source(delta), *file,
                                                      {.progress = [&](std::uint64_t done, std::uint64_t total) {
                                                          CHECK(std::this_thread::get_id() == thread);
                                                          CHECK(done >= last);
                                                          CHECK(done <= total);
                                                          last = done;
                                                      }}));
    CHECK(disk.bytes == target);
    CHECK(last == open_bundle(target)->layout_head().blocks_bytes);
    CHECK(summary.blocks == open_bundle(target)->table_count(TableKind::blocks));
    // The frames of the second and the last segment are no frames any more: the second one counts.
    Bytes wrong = delta;
    const DeltaDirectory directory = directory_of(delta);
    const std::size_t second = static_cast<std::size_t>(head.front_bytes()) + directory.blocks[0].frame_bytes;
    wrong[second] ^= std::byte{0xff};
    const auto expected = applied(old, wrong);
    REQUIRE_FALSE(expected);
    wrong[wrong.size() - directory.blocks.back().frame_bytes] ^= std::byte{0xff};
    for (int i = 0; i < 3; ++i)
        CHECK(applied(old, wrong).error().message() == expected.error().message());
    // A stop ends it before the first segment.
    std::stop_source stop;
    stop.request_stop();
    CHECK(code_of(apply_delta(open_bundle(old), *make_memory_source(delta), *file, {.stop = stop.get_token()})) ==
          ErrorCode::cancelled);
}

TEST_CASE("delta: a client that encodes blocks otherwise is told so, and gets no file") {
    const Bytes old = bundle_of({});
    const Bytes target = bundle_of({{"a.txt", prose(50'000, 1)}});
    Made delta = delta_between(old, target);
    CHECK(delta.summary.stored_blocks == 0);
    // A client whose libzstd encodes otherwise finds no level that fits.
    delta.bytes[12] = std::byte{17};
    const auto refused = applied(old, delta.bytes);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code() == ErrorCode::corrupt);
    CHECK(refused.error().message().find("libzstd") != std::string::npos);
}

TEST_CASE("delta: for another bundle or another layout, it is refused before anything is written") {  // A47
    const Bytes old = bundle_of(first_version());
    const Bytes target = bundle_of(second_version());
    const Made delta = delta_between(old, target);
    for (const Bytes& wrong : {target, bundle_of({}), bundle_of(first_version(), 15)}) {
        MemoryDisk disk;
        const auto file = make_memory_file(disk);
        const auto refused = apply_delta(open_bundle(wrong), *make_memory_source(delta.bytes), *file);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code() == ErrorCode::conflict);
        CHECK(disk.operations == 0);
    }
}

TEST_CASE("delta: cut short, longer, or with any byte damaged, it gives the new bundle or an error") {  // A48, A49
    const Bytes old = bundle_of({{"a.txt", prose(9000, 1)}, {"b.txt", prose(3000, 2)}});
    const Bytes target = bundle_of({{"a.txt", prose(9100, 1)}, {"c.txt", prose(2000, 3)}});
    const Made delta = delta_between(old, target);
    std::size_t harmless = 0;
    for (std::size_t at = 0; at < delta.bytes.size(); ++at) {
        CAPTURE(at);
        Bytes damaged = delta.bytes;
        damaged[at] ^= std::byte{0x41};
        const auto result = applied(old, damaged);
        harmless += result ? 1 : 0;
        if (result)
            CHECK(*result == target);
    }
    CHECK(harmless < 40);
    for (std::size_t size = 0; size < delta.bytes.size(); size += 7)
        CHECK_FALSE(applied(old, {delta.bytes.begin(), delta.bytes.begin() + static_cast<std::ptrdiff_t>(size)}));
    Bytes longer = delta.bytes;
    longer.push_back(std::byte{0});
    CHECK_FALSE(applied(old, longer));
}

// Takes a delta apart, lets `change` alter its directory, and puts it together.
Bytes changed(const Bytes& delta, const std::function<void(DeltaHead&, DeltaDirectory&)>& change) {
    DeltaHead head = head_of(delta);
    const auto directory_bytes = static_cast<std::size_t>(head.directory_bytes);
    DeltaDirectory directory = directory_of(delta);
    change(head, directory);
    const Bytes encoded = encode_delta_directory(directory);
    const auto frames = delta.begin() + static_cast<std::ptrdiff_t>(kDeltaHeadBytes + directory_bytes);
    head.directory_bytes = encoded.size();
    Bytes bytes = encode_delta_head(head);
    bytes.insert(bytes.end(), encoded.begin(), encoded.end());
    bytes.insert(bytes.end(), frames, delta.end());
    return bytes;
}

TEST_CASE("delta: ranges beyond the bundles and more than the limits are refused") {  // A49
    const Bytes old = bundle_of(first_version());
    const Bytes target = bundle_of(second_version());
    const Made delta = delta_between(old, target);
    const auto refused_after = [&](const std::function<void(DeltaHead&, DeltaDirectory&)>& change) {
        const auto result = applied(old, changed(delta.bytes, change));
        REQUIRE_FALSE(result);
        return result.error().code();
    };
    CHECK(refused_after([](auto&, auto& directory) {
              directory.blocks[0].prefix = {{1'000'000, 1}};
          }) == ErrorCode::malformed);
    CHECK(refused_after([](auto&, auto& directory) {
              directory.blocks[0].prefix = {{0, 0xffff'fff0}};
          }) == ErrorCode::malformed);
    CHECK(refused_after([](auto&, auto& directory) {
              directory.blocks[0].blocks = {{1'000'000, 1}};
          }) == ErrorCode::malformed);
    CHECK(refused_after([](auto&, auto& directory) {
              directory.blocks[0].blocks = {{0, 1}};
          }) == ErrorCode::limit);  // so few may refer to less
    CHECK(refused_after([](auto&, auto& directory) { directory.tables[0].prefix_offset = 1u << 29; }) ==
          ErrorCode::malformed);
    CHECK(refused_after([](auto&, auto& directory) { directory.tables[0].raw_bytes += 1; }) == ErrorCode::malformed);
    CHECK(refused_after([](auto& head, auto&) { head.file_bytes += 1; }) == ErrorCode::malformed);
    CHECK(refused_after([](auto& head, auto&) { head.file_bytes += 1u << 20; }) == ErrorCode::malformed);
    CHECK(refused_after([](auto& head, auto&) { head.new_bundle.bytes[0] ^= 1; }) == ErrorCode::corrupt);
    CHECK(refused_after([](auto& head, auto&) { head.new_layout.bytes[0] ^= 1; }) == ErrorCode::corrupt);
}

TEST_CASE("delta: one small block may refer only to a small part of the old bundle") {  // A49
    const Bytes old = bundle_of({{"a.ogg", noise_text(4'000'000, 1)}});
    const Bytes target = bundle_of({{"b.ogg", noise_text(2000, 2)}});
    const Made delta = delta_between(old, target);
    const auto refused = applied(old, changed(delta.bytes, [](auto&, DeltaDirectory& directory) {
                                     directory.blocks[0].prefix = {{0, 10}};
                                 }));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code() == ErrorCode::limit);
}

TEST_CASE("delta: an old bundle that was damaged is found when it is read") {  // A51
    const Bytes old = bundle_of(first_version());
    const Made delta = delta_between(old, bundle_of(second_version()));
    const auto bundle = open_bundle(old);
    const BlockRecord block = value_of(bundle->block(0));
    Bytes damaged = old;
    damaged[static_cast<std::size_t>(bundle->layout_head().blocks_offset + block.stored_offset + 10)] ^= std::byte{1};
    const auto refused = applied(damaged, delta.bytes);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code() == ErrorCode::corrupt);
}

// The bundle with an author's signature.
Bytes signed_bundle(Bytes bundle) {
    const std::unique_ptr<Signer> author = make_key_signer(SecretKey::generate());
    const auto opened = open_bundle(bundle);
    const Statement statement{.bundle = opened->id(), .layouts = {opened->layout_id()}, .name = "game"};
    const auto envelope = value_of(encode_envelope(value_of(sign_statement(statement, *author))));
    bundle.insert(bundle.end(), envelope.begin(), envelope.end());
    return bundle;
}

// Nothing but its signatures says whether the trailer that a delta gives is right.
TEST_CASE("delta: one that gives a wrong signature is corrupt, and nothing is written") {  // A150
    const Bytes old = bundle_of({{"a.txt", prose(9000, 1)}});
    const Bytes target = signed_bundle(bundle_of({{"a.txt", prose(9100, 1)}}));
    CHECK(applied(old, delta_between(old, target).bytes).value() == target);
    Bytes wrong = target;
    wrong.back() ^= std::byte{1};
    const auto refused = applied(old, delta_between(old, wrong).bytes);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code() == ErrorCode::corrupt);
}

TEST_CASE("delta: a disk that fails at any step leaves nothing") {
    const Bytes old = bundle_of({{"a.txt", prose(9000, 1)}});
    const Bytes target = bundle_of({{"a.txt", prose(9100, 1)}});
    const Made delta = delta_between(old, target);
    for (int fails_at = 1;; ++fails_at) {
        MemoryDisk made;
        made.fails_at = fails_at;
        MemoryDisk turned;
        turned.fails_at = fails_at;
        bool failed = false;
        {
            const auto file = make_memory_file(made);
            const auto result = make_delta(open_bundle(old), *open_bundle(target), *file);
            failed = !result;
            CHECK((result || result.error().code() == ErrorCode::no_space));
            const auto other = make_memory_file(turned);
            const auto again = apply_delta(open_bundle(old), *make_memory_source(delta.bytes), *other);
            failed = failed || !again;
            CHECK((again || again.error().code() == ErrorCode::no_space));
        }
        CHECK((made.removed && turned.removed));
        if (!failed)
            break;
    }
}

}  // namespace fardel::tests::delta_test
