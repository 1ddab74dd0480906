// Bundles that are recalled while they are mounted.
#include "kit/bundles.h"
#include "recalling_policy.h"
#include "test_bundle.h"

#include <fardel/vfs/fardel.h>

namespace fardel::tests::vfs_recalls_test {

TEST_CASE("recalls: a recalled bundle is not opened any more, and what is open stays readable") {  // A72
    std::vector<std::string> events;
    Vfs vfs({.on_recall = [&](const RecalledMount& one) { events.push_back(one.label + ": " + one.reason.text()); }});
    mount(vfs, BundleMaker().add("maps/dm01.bsp", "old map").title("base").write(), labelled("base"));
    const MountId newer =
        mount(vfs, BundleMaker().add("maps/dm01.bsp", "new map").title("maps").write(), labelled("maps"));
    const BundleId bundle = vfs.mounts().front().bundle;
    const auto file = vfs.open("/maps/dm01.bsp");
    REQUIRE(file);

    const auto recalled = vfs.judge_again(recalling({{bundle, "crashes"}}));
    REQUIRE(recalled);
    REQUIRE(recalled->size() == 1);
    CHECK(recalled->front().mount == newer);
    CHECK(recalled->front().bundle == bundle);
    REQUIRE(events.size() == 1);
    CHECK(events[0].find("maps: revoked: maps: ") == 0);
    CHECK(events[0].find("crashes") != std::string::npos);
    // No other mount's content takes its place.
    for (const std::string& path : {std::string("/maps/dm01.bsp"), "/bundles/" + bundle.hex() + "/maps/dm01.bsp",
                                    "/assets/" + id_of("new map").hex()})
        CHECK_MESSAGE(outcome_of(vfs.open(path)) == "revoked", path);
    CHECK(outcome_of(vfs.open({"maps/dm01.bsp", {}, &*file})) == "revoked");
    CHECK(content_at(vfs, "/assets/" + id_of("old map").hex()) == "old map");
    const auto bytes = file->read_all();
    REQUIRE(bytes);
    CHECK(std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size()) == "new map");
    CHECK(vfs.exists("/maps/dm01.bsp"));
    CHECK(vfs.mounts().front().recall);
    CHECK_FALSE(vfs.mounts().back().recall);
    const auto explained = vfs.explain("/maps/dm01.bsp");
    REQUIRE(explained);
    REQUIRE(explained->candidates.front().error);
    CHECK(explained->candidates.front().error->code() == ErrorCode::revoked);

    // The same recall once more is no news; a recall that is taken back opens the bundle again.
    REQUIRE(vfs.judge_again(recalling({{bundle, "crashes"}})));
    CHECK(events.size() == 1);
    REQUIRE(vfs.judge_again(recalling({})));
    CHECK(content_at(vfs, "/maps/dm01.bsp") == "new map");
}

TEST_CASE("recalls: a recalled key withdraws what it has signed, and other refusals mean nothing") {
    Author author;
    Author other;
    Vfs vfs;
    mount(vfs, author.sign(BundleMaker().add("a.txt", "a").title("a").write()), {.policy = &author.policy()});
    mount(vfs, other.sign(BundleMaker().add("b.txt", "b").title("b").write()), {.policy = &other.policy()});
    mount(vfs, BundleMaker().add("c.txt", "c").title("c").write());
    REQUIRE(vfs.judge_again(author.policy()));  // it knows neither the other author nor unsigned bundles
    CHECK(content_at(vfs, "/b.txt") == "b");
    CHECK(content_at(vfs, "/c.txt") == "c");
    const auto recalled = vfs.judge_again(recalling({}, {{author.key(), "stolen laptop"}}));
    REQUIRE(recalled);
    CHECK(recalled->size() == 1);
    CHECK(outcome_of(vfs.open("/a.txt")) == "revoked");
    CHECK(content_at(vfs, "/b.txt") == "b");
    // Other content in the mount has not been recalled.
    REQUIRE(vfs.replace(vfs.mounts().back().id, {.subject = std::string(), .options = {}}).has_value() == false);
    CHECK(outcome_of(vfs.open("/a.txt")) == "revoked");
}

void see_recall(void* context, const fardel_recalled_mount* recalled) {
    *static_cast<std::string*>(context) += std::string(recalled->label) + ": " + recalled->reason + "\n";
}

TEST_CASE("recalls: from C, a policy's text withdraws what is mounted") {
    const Bytes bundle = BundleMaker().add("a.txt", "a").write();
    fardel_vfs* vfs = nullptr;
    REQUIRE(fardel_vfs_create(nullptr, &vfs, nullptr) == FARDEL_OK);
    fardel_mount_options options = FARDEL_MOUNT_OPTIONS_INIT;
    options.flags = FARDEL_MOUNT_ALLOW_UNSIGNED;
    options.label = "mod";
    REQUIRE(fardel_mount_memory(vfs, bundle.data(), bundle.size(), &options, nullptr, nullptr) == FARDEL_OK);
    const std::string policy = recalling({{bundle_id_of(bundle), "crashes"}}).format();
    std::string seen;
    std::size_t count = 0;
    REQUIRE(fardel_judge_again(vfs, policy.c_str(), 0, see_recall, &seen, &count, nullptr) == FARDEL_OK);
    CHECK(count == 1);
    CHECK(seen.find("mod: ") == 0);
    CHECK(seen.find("crashes") != std::string::npos);
    fardel_file* file = nullptr;
    CHECK(fardel_open(vfs, "/a.txt", &file, nullptr) == FARDEL_ERROR_REVOKED);
    CHECK(fardel_judge_again(vfs, "no policy", 0, nullptr, nullptr, nullptr, nullptr) == FARDEL_ERROR_MALFORMED);
    CHECK(fardel_judge_again(vfs, nullptr, 0, nullptr, nullptr, nullptr, nullptr) == FARDEL_ERROR_ARGUMENT);
    const std::string none = recalling({}).format();
    REQUIRE(fardel_judge_again(vfs, none.c_str(), 0, nullptr, nullptr, &count, nullptr) == FARDEL_OK);
    CHECK(count == 0);
    REQUIRE(fardel_open(vfs, "/a.txt", &file, nullptr) == FARDEL_OK);
    fardel_close(file);
    fardel_vfs_destroy(vfs);
}

}  // namespace fardel::tests::vfs_recalls_test
