// Publishing into a folder.
#include "delivery/served_bundle.h"

#include "kit/bundles.h"

#include <fardel/hosting/publish.h>

namespace fardel::tests::publish_test {

Result<Publication> publish(const ScratchFolder& scratch, const Bytes& bytes, const PublishWork& work = {}) {
    return publish_bundle(make_memory_source(bytes), scratch.path("tree"), work);
}

std::string text_of(const Bytes& bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

TEST_CASE("publish: the file stands below its bundle id, and publishing it again changes nothing") {
    const ScratchFolder scratch;
    const Bytes bytes = game_version("1");
    const Publication first = value_of(publish(scratch, bytes));
    CHECK(first.path == "bundles/" + bundle_id_of(bytes).hex() + ".fardel");
    CHECK_FALSE(first.was_there);
    CHECK(scratch.read("tree/" + first.path) == text_of(bytes));
    CHECK(value_of(publish(scratch, bytes)).was_there);
}

TEST_CASE("publish: another file with the same bundle id is a conflict, and the published one stays") {
    const ScratchFolder scratch;
    BundlePlan plan;
    add(plan, "a.txt", std::string(100'000, 'a') + random_text(1, 1000));
    const Bytes first = written(plan, {.level = 1, .jobs = 1});
    const Bytes second = written(plan, {.level = 19, .jobs = 1});
    REQUIRE(bundle_id_of(first) == bundle_id_of(second));
    const std::string path = value_of(publish(scratch, first)).path;
    CHECK(code_of(publish(scratch, second)) == ErrorCode::conflict);
    CHECK(scratch.read("tree/" + path) == text_of(first));
}

TEST_CASE("publish: stopping leaves no file") {
    const ScratchFolder scratch;
    std::stop_source stop;
    stop.request_stop();
    CHECK(code_of(publish(scratch, game_version("1"), {.stop = stop.get_token()})) == ErrorCode::cancelled);
    CHECK(std::filesystem::is_empty(scratch.path("tree/bundles")));
}

TEST_CASE("publish: what is no bundle is refused") {
    const ScratchFolder scratch;
    CHECK(code_of(publish(scratch, Bytes(10'000))) == ErrorCode::malformed);
    CHECK_FALSE(std::filesystem::exists(scratch.path("tree/bundles")));
}

}  // namespace fardel::tests::publish_test
