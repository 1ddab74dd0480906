// Bundles that are read from servers while other bundles are here that have the same content.
#include "delivery/served_bundle.h"

#include "kit/bundles.h"

#include <fardel/delivery/remote_bundle.h>
#include <fardel/vfs/vfs.h>

#include <map>

namespace fardel::tests::remote_sharing_test {

using Texts = std::map<std::string, std::string>;

Bytes bundle_of_texts(const Texts& texts, int level = 3) {
    BundlePlan plan;
    for (const auto& [name, text] : texts)
        add(plan, name, text);
    return written(plan, {.level = level, .jobs = 2});
}

Texts many_texts() {
    Texts texts;
    for (std::uint32_t i = 0; i < 300; ++i)
        texts["scripts/" + std::to_string(1000 + i) + ".txt"] = prose(500 + i * 53 % 4000, i);
    return texts;
}

// Reads all texts from a mount by URL, compares them, and returns the bytes that the server has sent.
std::uint64_t read_by_url(const BundleStore& store, const Bytes& bundle, const Texts& texts,
                          const std::shared_ptr<const BundleLibrary>& library = nullptr) {
    const TreeServer server({bundle});
    const RemoteServers servers = connect_to({server.url()});
    const auto mounts =
        value_of(open_remote_bundles(store, servers, bundle_id_of(bundle), nullptr, TrustTime::ignored(), library));
    REQUIRE(mounts.size() == 1);
    REQUIRE(mounts[0].remote);
    Vfs vfs;
    value_of(vfs.mount(mounts[0].source, {.allow_unsigned = true}));
    for (const auto& [name, text] : texts) {
        const auto file = value_of(vfs.open(name));
        std::string read(file.size_bytes(), '\0');
        CHECK(value_of(file.read_at(0, std::as_writable_bytes(std::span(read)))) == text.size());
        CHECK(read == text);
    }
    CHECK_FALSE(mounts[0].remote->why_not_kept());
    return server.sent_bytes();
}

const Texts kLargeFiles = {
    {"a.bin", random_text(1, 300'000)}, {"b.bin", random_text(2, 300'000)}, {"version.txt", "2"}};

TEST_CASE("remote sharing: blocks that another bundle in the store has are not requested") {
    const ScratchFolder scratch;
    const BundleStore store = make_store(scratch);
    value_of(store.add(make_memory_source(game_version("1"))));
    CHECK(read_by_url(store, game_version("2"), kLargeFiles) < 30'000);
}

TEST_CASE("remote sharing: blocks that a bundle in a library has are not requested") {
    const ScratchFolder scratch;
    scratch.write("library/game.fardel", text_of(game_version("1")));
    const std::vector<std::string> folders{scratch.path("library")};
    const auto library = std::make_shared<const BundleLibrary>(value_of(BundleLibrary::open(folders)));
    const BundleStore store = make_store(scratch);
    CHECK(read_by_url(store, game_version("2"), kLargeFiles, library) < 30'000);
}

TEST_CASE("remote sharing: what other bundles have needs no server") {
    const ScratchFolder scratch;
    const BundleStore store = make_store(scratch);
    const Bytes bytes = game_version("2");
    CHECK(read_by_url(store, bytes, {{"version.txt", "2"}}) > 0);
    value_of(store.add(make_memory_source(game_version("1"))));
    const TreeServer empty({});
    const RemoteServers servers = connect_to({empty.url()});
    const auto bundle = value_of(RemoteBundle::open(store, servers, bundle_id_of(bytes)));
    Vfs vfs;
    value_of(vfs.mount(bundle->source(), {.allow_unsigned = true}));
    const AssetId a = asset_id_of(bytes_of(kLargeFiles.at("a.bin")));
    CHECK_FALSE(value_of(bundle->is_here(a)));
    CHECK(bundle->want({&a, 1}, 1));
    CHECK(value_of(bundle->is_here(a)));
    CHECK(empty.requests().empty());
}

// A store that has the first version receives less than half of the second.
void check_first_version_helps(const Bytes& first, const Bytes& second, const Texts& texts) {
    const ScratchFolder scratch;
    const BundleStore without = make_store(scratch, "without");
    const BundleStore with = make_store(scratch, "with");
    value_of(with.add(make_memory_source(first)));
    const std::uint64_t alone = read_by_url(without, second, texts);
    const std::uint64_t beside = read_by_url(with, second, texts);
    MESSAGE(alone, " bytes received with an empty store, ", beside, " beside the first version");
    CHECK(beside < alone / 2);
}

TEST_CASE("remote sharing: assets that moved to other blocks are encoded again") {
    Texts texts = many_texts();
    const Bytes first = bundle_of_texts(texts);
    texts["scripts/0999.txt"] = prose(700, 5000);  // all that follow lie in other blocks now
    const Bytes second = bundle_of_texts(texts);
    check_first_version_helps(first, second, texts);
}

TEST_CASE("remote sharing: of an edited asset, other bundles give the pieces that did not change, at any level") {
    constexpr std::size_t kPiece = 65'536;
    Texts texts{{"maps/large.bsp", prose(48 * kPiece, 77)}};
    const Bytes first = bundle_of_texts(texts);
    texts["maps/large.bsp"].replace(40 * kPiece + 300, 900, noise_text(900, 3));
    const Bytes second = bundle_of_texts(texts, 9);
    check_first_version_helps(first, second, texts);
}

}  // namespace fardel::tests::remote_sharing_test
