// Fetching a large asset that was edited: its other pieces are taken from bundles that are here, although no stored
// block of these is the same, because they were packed at another level.
#include "delivery/served_bundle.h"

#include "kit/bundles.h"

#include <fardel/format/head.h>
#include <fardel/format/manifest.h>

namespace fardel::tests::fetch_pieces_test {

constexpr std::size_t kPiece = 65'536;
constexpr int kHeldLevel = 3;
constexpr int kTargetLevel = 9;

std::string large_map() { return prose(48 * kPiece + 1234, 77); }

Bytes bundle_with(const std::string& name, const std::string& content, int level,
                  BundlePurpose purpose = BundlePurpose::balanced) {
    BundlePlan plan;
    add(plan, name, content);
    add(plan, "readme.txt", "of " + name);
    return written(plan, {.purpose = purpose, .level = level, .jobs = 2});
}

// The large map, of which one piece was edited, under another name.
Bytes bundle_with_edited_map() {
    std::string map = large_map();
    map.replace(20 * kPiece + 300, 900, noise_text(900, 3));
    return bundle_with("maps/large.bsp", map, kTargetLevel);
}

Bytes held_bundle() { return bundle_with("old/first.bsp", large_map(), kHeldLevel); }

std::uint64_t largest_block(const Bytes& bytes) {
    const auto bundle = open_bundle(bytes);
    std::uint64_t largest = 0;
    for (std::uint32_t i = 0; i < bundle->table_count(TableKind::blocks); ++i)
        largest = std::max<std::uint64_t>(largest, value_of(bundle->block(i)).stored_bytes);
    return largest;
}

// A store that has `held` fetches the target, rightly and as planned. Returns the bytes of content.
std::uint64_t content_received(const BundleStore& store, const Bytes& target, const BundleLibrary* library = nullptr) {
    const TreeServer server({target});
    FetchOptions options = fetching_from({server.url()});
    if (library != nullptr)
        options.work.library = borrow(*library);
    const FetchSummary fetched = value_of(fetch_one(store, bundle_id_of(target), options));
    CHECK(stored_bytes(store, bundle_id_of(target)) == target);
    CHECK(value_of(store.check(true)).findings.empty());
    const PlannedFetch& planned = fetched.plan.bundles.at(0);
    CHECK(planned.tables_bytes + planned.fetch_bytes == fetched.received_bytes);
    return planned.fetch_bytes;
}

std::uint64_t received_beside(const Bytes& held, const Bytes& target) {
    const ScratchFolder scratch;
    const BundleStore store = make_store(scratch);
    value_of(store.add(make_memory_source(held)));
    return content_received(store, target);
}

TEST_CASE("fetch: of an edited asset whose old bundle has another level, only the edited piece is received") {
    const Bytes target = bundle_with_edited_map();
    // The edited piece, and the block of the other file.
    CHECK(received_beside(held_bundle(), target) <= largest_block(target) + 200);
}

TEST_CASE("fetch: of an edited asset, a library gives the pieces that did not change") {
    const ScratchFolder scratch;
    const Bytes target = bundle_with_edited_map();
    scratch.write("mods/held.fardel", held_bundle());
    const std::string folders[] = {scratch.path("mods")};
    const BundleLibrary library = value_of(BundleLibrary::open(folders));
    CHECK(content_received(make_store(scratch), target, &library) <= largest_block(target) + 200);
}

TEST_CASE("fetch: pieces are found at another offset, and each of many equal ones") {
    const std::string map = large_map();
    const std::string twice = prose(kPiece, 78);
    const std::string moved = map.substr(5 * kPiece, 7 * kPiece) + prose(kPiece, 79) + twice +
                              map.substr(0, 9 * kPiece) + twice + map.substr(48 * kPiece);
    const Bytes target = bundle_with("maps/moved.bsp", moved, kTargetLevel);
    const Bytes held = bundle_with("old/first.bsp", twice + map, kHeldLevel);
    CHECK(received_beside(held, target) <= largest_block(target) + 200);
}

TEST_CASE("fetch: a bundle of another level gives whole assets, too") {
    const Bytes target = bundle_with("maps/large.bsp", large_map(), kTargetLevel);
    CHECK(received_beside(held_bundle(), target) <= 200);
}

TEST_CASE("fetch: a bundle made for loading gives and takes the pieces of one that is balanced") {
    const Bytes target = bundle_with("maps/large.bsp", large_map(), kTargetLevel);
    const Bytes quick = bundle_with("maps/large.bsp", large_map(), kTargetLevel, BundlePurpose::load);
    CHECK(bundle_id_of(quick) == bundle_id_of(target));
    const Bytes quick_before = bundle_with("old/first.bsp", large_map(), kHeldLevel, BundlePurpose::load);
    CHECK(received_beside(quick_before, target) <= 200);
    CHECK(received_beside(held_bundle(), quick) <= 200);
    CHECK(received_beside(quick_before, quick) <= 200);
}

// Three of its blocks are damaged.
Bytes damaged_bundle() {
    Bytes held = held_bundle();
    const auto bundle = open_bundle(held);
    const std::uint64_t blocks = bundle->layout_head().blocks_offset;
    for (const std::uint32_t damaged : {3u, 4u, 30u})
        held.at(blocks + value_of(bundle->block(damaged)).stored_offset + 100) ^= std::byte{1};
    return held;
}

TEST_CASE("fetch: pieces that are damaged here are received") {
    const ScratchFolder scratch;
    const Bytes target = bundle_with_edited_map();
    scratch.write("mods/held.fardel", damaged_bundle());
    const std::string folders[] = {scratch.path("mods")};
    const BundleLibrary library = value_of(BundleLibrary::open(folders));
    const std::uint64_t received = content_received(make_store(scratch), target, &library);
    CHECK(received > 3 * largest_block(target));
    CHECK(received <= 4 * largest_block(target) + 200);
}

TEST_CASE("fetch: nothing is copied or encoded before consent, which is asked for again if blocks come out otherwise") {
    const ScratchFolder scratch;
    const Bytes target = bundle_with_edited_map();
    const TreeServer server({target});
    scratch.write("mods/held.fardel", damaged_bundle());
    const std::string folders[] = {scratch.path("mods")};
    const BundleLibrary library = value_of(BundleLibrary::open(folders));
    const BundleStore store = make_store(scratch);
    FetchOptions options = fetching_from({server.url()});
    options.work.library = borrow(library);
    std::vector<std::uint64_t> asked;
    bool is_accepted = false;
    options.consent = [&](const FetchPlan& plan) {
        asked.push_back(plan.fetch_bytes);
        return is_accepted ? ok() : Status(Error(ErrorCode::cancelled, "not now"));
    };
    CHECK(code_of(fetch_one(store, bundle_id_of(target), options)) == ErrorCode::cancelled);
    CHECK(bytes_below(scratch.path("store")) < target.size() / 4);
    is_accepted = true;
    const FetchSummary fetched = value_of(fetch_one(store, bundle_id_of(target), options));
    CHECK(stored_bytes(store, bundle_id_of(target)) == target);
    REQUIRE(asked.size() == 3);
    CHECK(asked[1] == asked[0]);
    CHECK(asked[2] >= asked[1] + 3 * largest_block(target) / 2);
    CHECK(fetched.plan.fetch_bytes == asked[2]);
}

}  // namespace fardel::tests::fetch_pieces_test
