// The file that has the assets of shared blocks one by one: its bytes, right and wrong ones, and fetches that use it.
#include "updated_store.h"

#include <fardel/delivery/asset_frames.h>
#include <fardel/delivery/tree_paths.h>

#include "publish/asset_frames_file.h"

#include "kit/blobs.h"
#include "kit/bundles.h"

#include <atomic>
#include <cstring>
#include <functional>

namespace fardel::tests::asset_frames_test {

using FramesFiles = std::map<std::string, std::string>;

FramesFiles scripts_version(int version, std::uint32_t scripts = 200, std::size_t large_bytes = 900'000) {
    FramesFiles files;
    for (std::uint32_t i = 0; i < scripts; ++i)
        files["scripts/" + std::to_string(1000 + i) + ".txt"] = prose(500 + i * 53 % 4000, i);
    files["maps/large.bsp"] = prose(large_bytes, 1000);
    if (version == 2)
        for (const char* name : {"scripts/1003.txt", "scripts/1100.txt", "scripts/1150.txt"})
            if (const auto file = files.find(name); file != files.end())
                file->second.insert(120, "one more line\n");
    return files;
}

Bytes scripts_bundle(const FramesFiles& files, int level = 3) {
    BundlePlan plan;
    for (const auto& [name, content] : files)
        add(plan, name, content);
    return written(plan, {.level = level, .jobs = 2});
}

std::string frames_text(const Bytes& bundle) {
    return text_of_source(value_of(make_asset_frames(*open_bundle(bundle), {})));
}

TEST_CASE("asset frames: a block is read once, however many assets are in it") {
    BundlePlan plan;
    for (std::uint32_t i = 0; i < 3000; ++i)
        add(plan, "many/" + std::to_string(i), random_text(i, 60));
    const Bytes bytes = written(plan);
    const auto source = std::make_shared<CountingSource>(bytes);
    const auto bundle = value_of(Bundle::open(source, {}));
    REQUIRE(value_of(framed_parts(*bundle)).size() == 3000);  // reads the tables
    const std::uint64_t before = source->bytes_read;
    REQUIRE(value_of(make_asset_frames(*bundle, {})));
    CHECK(source->bytes_read - before < 2 * bytes.size());
}

TEST_CASE("asset frames: each asset of a shared block comes out of its own frame") {
    const auto bundle = open_bundle(scripts_bundle(scripts_version(1)));
    const auto frames = value_of(make_asset_frames(*bundle, {}));
    REQUIRE(frames);
    const std::vector<BlockPart> parts = value_of(framed_parts(*bundle));
    CHECK(parts.size() == 200);  // the large one has blocks of its own
    Bytes index(static_cast<std::size_t>(frame_index_bytes(parts.size())));
    REQUIRE(frames->read_at(0, index));
    CHECK(text_of(index).starts_with(std::string("FARDELAF\x01\0\0\0\xc8\0\0\0", 16)));
    const auto offsets = value_of(decode_frame_index(index, bundle->layout_id(), parts));
    REQUIRE(offsets.size() == parts.size() + 1);
    CHECK(offsets.back() == frames->size_bytes());
    PrefixDecoder decoder;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        Bytes frame(static_cast<std::size_t>(offsets[i + 1] - offsets[i]));
        REQUIRE(frames->read_at(offsets[i], frame));
        Bytes content(parts[i].length_bytes);
        const AssetId id = value_of(bundle->asset(parts[i].asset)).id;
        CHECK(decode_asset_frame(decoder, frame, id, content));
        frame.back() ^= std::byte{1};
        CHECK_FALSE(decode_asset_frame(decoder, frame, id, content));
    }
}

TEST_CASE("asset frames: an index that does not fit the bundle is refused") {
    const auto bundle = open_bundle(scripts_bundle(scripts_version(1)));
    const std::vector<BlockPart> parts = value_of(framed_parts(*bundle));
    const auto frames = value_of(make_asset_frames(*bundle, {}));
    Bytes right(static_cast<std::size_t>(frame_index_bytes(parts.size())));
    REQUIRE(frames->read_at(0, right));
    const auto code_after = [&](const std::function<void(Bytes&)>& change) {
        Bytes bytes = right;
        change(bytes);
        return code_of(decode_frame_index(bytes, bundle->layout_id(), parts));
    };
    CHECK(code_after([](Bytes& bytes) { bytes[0] = std::byte{'f'}; }) == ErrorCode::malformed);
    CHECK(code_after([](Bytes& bytes) { bytes[8] = std::byte{2}; }) == ErrorCode::unsupported);
    CHECK(code_after([](Bytes& bytes) { bytes[12] = std::byte{1}; }) == ErrorCode::malformed);
    CHECK(code_after([](Bytes& bytes) { bytes[20] ^= std::byte{1}; }) == ErrorCode::conflict);
    CHECK(code_after([](Bytes& bytes) { std::memset(bytes.data() + 48, 0, 4); }) == ErrorCode::malformed);
    CHECK(code_after([](Bytes& bytes) { std::memset(bytes.data() + 48, 0xff, 4); }) == ErrorCode::malformed);
    CHECK(code_after([](Bytes& bytes) { bytes.pop_back(); }) == ErrorCode::malformed);
    CHECK(code_after([](Bytes& bytes) { bytes.push_back({}); }) == ErrorCode::malformed);
    CHECK(code_after([](Bytes& bytes) { bytes.clear(); }) == ErrorCode::malformed);
}

TEST_CASE("asset frames: a bundle without shared blocks has none") {
    CHECK(value_of(make_asset_frames(*open_bundle(scripts_bundle({{"a.bin", noise_text(300'000, 1)}})), {})) ==
          nullptr);
}

TEST_CASE("fetch: of a block that is mostly here, only the assets that are not are fetched, and the plan is exact") {
    const Bytes old = scripts_bundle(scripts_version(1));
    const Bytes target = scripts_bundle(scripts_version(2));
    const std::string path = asset_frames_path_of(bundle_id_of(target));
    const std::string frames = frames_text(target);
    const FetchSummary without = fetch_update(old, target, {});
    const FetchSummary with = fetch_update(old, target, {{path, frames}});
    CHECK(with.plan.fetch_bytes < 8'000);
    CHECK(with.plan.fetch_bytes * 5 < without.plan.fetch_bytes);
    const PlannedFetch& planned = with.plan.bundles.at(0);
    CHECK(planned.tables_bytes + planned.fetch_bytes == with.received_bytes);
    // Nothing of the old one is here: there is nothing to encode with.
    CHECK(fetch_update(scripts_bundle({{"other.txt", "other"}}), target, {{path, frames}}).received_bytes > 200'000);
    // The level of the old one does not matter.
    CHECK(fetch_update(scripts_bundle(scripts_version(1), 12), target, {{path, frames}}).plan.fetch_bytes <=
          with.plan.fetch_bytes);
}

TEST_CASE("fetch: asset frames that are wrong cost their bytes and nothing else") {  // A49
    constexpr std::uint32_t kScripts = 60;                                           // in more than one block
    const Bytes old = scripts_bundle(scripts_version(1, kScripts, 100'000));
    const Bytes target = scripts_bundle(scripts_version(2, kScripts, 100'000));
    const std::string path = asset_frames_path_of(bundle_id_of(target));
    const std::string right = frames_text(target);
    const std::uint64_t without = fetch_update(old, target, {}).received_bytes;
    const auto costs = [&](const std::string& frames) {
        const FetchSummary fetched = fetch_update(old, target, {{path, frames}});
        CHECK(fetched.received_bytes <= without + right.size());
    };
    for (const std::size_t at : {0, 8, 12, 16, 40, 48, 100, 400}) {
        std::string flipped = right;
        flipped[at] = static_cast<char>(flipped[at] ^ 1);
        costs(flipped);
    }
    std::string wrong = right;  // every frame
    for (std::size_t at = static_cast<std::size_t>(frame_index_bytes(kScripts)); at < wrong.size(); ++at)
        wrong[at] = static_cast<char>(wrong[at] ^ 0x55);
    costs(wrong);
    costs(right.substr(0, right.size() / 2));
    costs(right.substr(0, 20));
    costs(right + "x");
    costs("");
    costs("<html>sign in to this network</html>");
    costs(noise_text(right.size(), 7));
    costs(frames_text(old));
}

TEST_CASE("fetch: asset frames that break off are replaced by ranges of the bundle") {
    const Bytes old = scripts_bundle(scripts_version(1, 60, 100'000));
    const Bytes target = scripts_bundle(scripts_version(2, 60, 100'000));
    const std::string path = asset_frames_path_of(bundle_id_of(target));
    std::atomic<int> asked = 0;
    fetch_update(
        old, target, {{path, frames_text(target)}},
        [&](OddServer::Guest& guest, const RangeRequest& request, std::string_view bytes, std::uint64_t file_bytes) {
            if (!request.path.ends_with(".frames") || ++asked < 2)
                return false;
            const std::string answer = partial_answer(bytes, request.first, file_bytes);
            guest.send(std::string_view(answer).substr(0, answer.size() - bytes.size() / 2));
            return true;
        });
    CHECK(asked >= 2);
}

}  // namespace fardel::tests::asset_frames_test
