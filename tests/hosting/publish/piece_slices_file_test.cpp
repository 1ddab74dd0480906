// The file that describes the slices of large assets, as it is published, and fetches that use it.
#include "updated_store.h"

#include <fardel/delivery/piece_slices.h>
#include <fardel/delivery/tree_paths.h>

#include "publish/piece_slices_file.h"

#include "kit/bundles.h"

#include <atomic>

namespace fardel::tests::piece_slices_file_test {

using SlicesFiles = std::map<std::string, std::string>;

constexpr std::size_t kMapBytes = 3'000'000;

std::string old_map() { return prose(kMapBytes, 5); }
std::string old_sound() { return noise_text(800'000, 6); }

// Two large assets, of which one compresses and one does not, and a small one that is the same in all versions.
Bytes game_with(const std::string& map, const std::string& sound) {
    BundlePlan plan;
    add(plan, "maps/large.bsp", map);
    add(plan, "sound/long.ogg", sound, "application/octet-stream");
    add(plan, "readme.txt", prose(30'000, 8));
    return written(plan, {.level = 3, .jobs = 2});
}

Bytes old_game() { return game_with(old_map(), old_sound()); }

// Bytes are inserted near the beginning of one, and replaced in the other.
Bytes edited_game() {
    std::string map = old_map();
    map.insert(100'001, "a few more bytes");
    std::string sound = old_sound();
    sound.replace(400'000, 1500, noise_text(1500, 7));
    return game_with(map, sound);
}

std::string slices_text(const Bytes& bundle) {
    return text_of_source(value_of(make_piece_slices(*open_bundle(bundle), {})));
}

TEST_CASE("piece slices: each stretch of each large asset has its hashes and sums in the file") {
    const Bytes bytes = edited_game();
    const auto bundle = open_bundle(bytes);
    const std::vector<SlicedAsset> assets = value_of(sliced_assets(*bundle));
    REQUIRE(assets.size() == 2);
    const std::uint64_t stretches = stretch_count(assets);
    const std::string file = slices_text(bytes);
    REQUIRE(file.size() == slices_file_bytes(stretches));
    CHECK(verify_slices_head(bytes_of(file.substr(0, kSlicesHeadBytes)), bundle->id(), stretches));
    for (const SlicedAsset& asset : assets) {
        const Bytes content = value_of(bundle->read_all(asset.asset));
        for (std::uint64_t i = 0; i < asset.stretch_count(); ++i) {
            const std::size_t at = static_cast<std::size_t>(i * kStretchBytes);
            const auto stretch =
                std::span(content).subspan(at, std::min<std::size_t>(content.size() - at, kStretchBytes));
            const std::uint64_t number = asset.first_stretch + i;
            CHECK(file.substr(static_cast<std::size_t>(hashes_offset(number)), kStretchHashesBytes) ==
                  text_of(encode_slice_hashes(stretch)));
            CHECK(file.substr(static_cast<std::size_t>(sums_offset(number, stretches)), kStretchSumsBytes) ==
                  text_of(encode_slice_sums(stretch)));
        }
    }
}

TEST_CASE("piece slices: a bundle without large assets has none, nor one that compresses to next to nothing") {
    BundlePlan small;
    add(small, "a.txt", prose(60'000, 1));
    CHECK(value_of(make_piece_slices(*open_bundle(written(small)), {})) == nullptr);
    BundlePlan zeros;
    add(zeros, "a.bin", std::string(5'000'000, '\0'));
    CHECK(value_of(make_piece_slices(*open_bundle(written(zeros)), {})) == nullptr);
    std::stop_source stopped;
    stopped.request_stop();
    CHECK(code_of(make_piece_slices(*open_bundle(old_game()), stopped.get_token())) == ErrorCode::cancelled);
}

TEST_CASE("fetch: of large assets with inserted and with replaced bytes, these are received, and the plan is exact") {
    const Bytes old = old_game();
    const Bytes target = edited_game();
    const std::string path = piece_slices_path_of(bundle_id_of(target));
    const FetchSummary without = fetch_update(old, target, {});
    const FetchSummary with = fetch_update(old, target, {{path, slices_text(target)}});
    CHECK(without.plan.fetch_bytes > 200'000);
    CHECK(with.plan.fetch_bytes <= 6 * kSliceBytes);
    // 47 stretches of the map moved or changed, and one or two of the sound.
    CHECK(with.received_bytes <
          without.received_bytes - without.plan.fetch_bytes + 6 * kSliceBytes + 60 * kStretchHashesBytes);
    const PlannedFetch& planned = with.plan.bundles.at(0);
    CHECK(planned.tables_bytes + planned.fetch_bytes == with.received_bytes);
}

TEST_CASE("fetch: of a large asset whose beginning was removed, nothing but hashes is received") {
    const Bytes target = game_with(old_map().substr(100), old_sound());
    const FetchSummary fetched =
        fetch_update(old_game(), target, {{piece_slices_path_of(bundle_id_of(target)), slices_text(target)}});
    CHECK(fetched.plan.fetch_bytes == 0);
    CHECK(fetched.plan.requests == 0);
}

TEST_CASE("fetch: an asset that is another one altogether costs the hashes of one stretch") {
    const Bytes target = game_with(prose(kMapBytes, 50), old_sound());
    const std::string path = piece_slices_path_of(bundle_id_of(target));
    const std::uint64_t without = fetch_update(old_game(), target, {}).received_bytes;
    CHECK(fetch_update(old_game(), target, {{path, slices_text(target)}}).received_bytes <=
          without + kSlicesHeadBytes + kStretchHashesBytes);
    // Nothing of that name is here: nothing is asked for.
    BundlePlan other;
    add(other, "maps/other.bsp", old_map());
    const Bytes unrelated = written(other, {.level = 3, .jobs = 2});
    std::atomic<int> asked = 0;
    fetch_update(unrelated, edited_game(), {},
                 [&](OddServer::Guest&, const RangeRequest& request, std::string_view, std::uint64_t) {
                     asked += request.path.ends_with(".slices") ? 1 : 0;
                     return false;
                 });
    CHECK(asked == 0);
}

TEST_CASE("piece slices: wrong ones cost a fetch their bytes and nothing else") {  // A162
    const Bytes old = old_game();
    const Bytes target = edited_game();
    const std::string path = piece_slices_path_of(bundle_id_of(target));
    const std::string right = slices_text(target);
    const std::uint64_t without = fetch_update(old, target, {}).received_bytes;
    const auto costs = [&](const std::string& slices) {
        CHECK(fetch_update(old, target, {{path, slices}}).received_bytes <= without + right.size());
    };
    for (const std::size_t at : {0, 8, 12, 16, 48, 400}) {
        std::string flipped = right;
        flipped[at] = static_cast<char>(flipped[at] ^ 1);
        costs(flipped);
    }
    const auto sums =
        static_cast<std::size_t>(sums_offset(0, stretch_count(value_of(sliced_assets(*open_bundle(target))))));
    std::string wrong_sums = right;
    for (std::size_t at = sums; at < right.size(); ++at)
        wrong_sums[at] = static_cast<char>(right[at] ^ 0x55);
    costs(wrong_sums);
    // Every slice has the hash of the first one of its asset's last version: all seem to be here.
    std::string all_equal = right;
    for (std::size_t at = kSlicesHeadBytes; at < sums; at += kSliceHashBytes)
        all_equal.replace(at, kSliceHashBytes, right, kSlicesHeadBytes, kSliceHashBytes);
    costs(all_equal);
    costs(right.substr(0, sums + 100));
    costs(right.substr(0, 300));
    costs(right.substr(0, 20));
    costs(right + "x");
    costs("");
    costs("<html>sign in to this network</html>");
    costs(noise_text(right.size(), 7));
    costs(slices_text(old));
}

TEST_CASE("fetch: piece slices that break off are replaced by ranges of the bundle") {
    const Bytes old = old_game();
    const Bytes target = edited_game();
    const std::string path = piece_slices_path_of(bundle_id_of(target));
    for (const int broken_from : {1, 2, 3, 4}) {
        std::atomic<int> asked = 0;
        fetch_update(old, target, {{path, slices_text(target)}},
                     [&](OddServer::Guest& guest, const RangeRequest& request, std::string_view bytes,
                         std::uint64_t file_bytes) {
                         if (!request.path.ends_with(".slices") || ++asked < broken_from)
                             return false;
                         const std::string answer = partial_answer(bytes, request.first, file_bytes);
                         guest.send(std::string_view(answer).substr(0, answer.size() - bytes.size() / 2));
                         return true;
                     });
        CHECK(asked >= broken_from);
    }
}

TEST_CASE("fetch: a server that sends the whole file for each range is asked once for piece slices") {
    const Bytes old = old_game();
    const Bytes target = edited_game();
    const std::string slices = slices_text(target);
    std::atomic<int> asked = 0;
    const FetchSummary fetched =
        fetch_update(old, target, {{piece_slices_path_of(bundle_id_of(target)), slices}},
                     [&](OddServer::Guest& guest, const RangeRequest& request, std::string_view, std::uint64_t) {
                         if (!request.path.ends_with(".slices"))
                             return false;
                         ++asked;
                         guest.send(http_answer("200 OK", slices));
                         return true;
                     });
    CHECK(asked == 1);
    CHECK(fetched.plan.fetch_bytes > 200'000);
}

}  // namespace fardel::tests::piece_slices_file_test
