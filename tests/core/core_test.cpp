// What a library of -DFARDEL_PARTS=core does, and what it says of what it lacks. In other builds the same bundles are
// read in the same way.
#include "kit/bundles.h"
#include "vfs/test_bundle.h"

#include <fardel/vfs/fardel.h>

#include <cstring>

namespace fardel::tests::core_test {

// What an engine or a console has instead of files.
struct OwnFile {
    Bytes bytes;
    int reads = 0;
    int releases = 0;

    fardel_reader reader() {
        fardel_reader reader = FARDEL_READER_INIT;
        reader.context = this;
        reader.size_bytes = bytes.size();
        reader.read_at = [](void* self, uint64_t offset, void* buffer, size_t size, fardel_error*) {
            auto& own = *static_cast<OwnFile*>(self);
            ++own.reads;
            std::memcpy(buffer, own.bytes.data() + offset, size);
            return fardel_code{FARDEL_OK};
        };
        reader.release = [](void* self) { ++static_cast<OwnFile*>(self)->releases; };
        return reader;
    }
};

std::string read_path(fardel_vfs* vfs, const char* path) {
    fardel_file* file = nullptr;
    fardel_error error = FARDEL_ERROR_INIT;
    if (fardel_open(vfs, path, &file, &error) != FARDEL_OK)
        return fardel_code_name(error.code);
    char text[4096];
    std::size_t count = 0;
    const fardel_code code = fardel_read_at(file, 0, text, sizeof text, &count, &error);
    fardel_close(file);
    return code == FARDEL_OK ? std::string(text, count) : fardel_code_name(code);
}

TEST_CASE("core: a signed bundle is mounted through functions of the game's own, with the options of any mount") {
    Author author;
    OwnFile own{.bytes = author.sign(
                    BundleMaker().add("a.txt", "low").add_variants("b.txt", {"first", "second"}).title("own").write())};
    OwnFile other{.bytes = author.sign(BundleMaker().add("a.txt", "high").title("other").write())};
    const std::string policy = author.policy().format();
    fardel_vfs* vfs = nullptr;
    REQUIRE(fardel_vfs_create(nullptr, &vfs, nullptr) == FARDEL_OK);
    fardel_error error = FARDEL_ERROR_INIT;

    fardel_mount_options options = FARDEL_MOUNT_OPTIONS_INIT;
    const fardel_reader reader = own.reader();
    CHECK(fardel_mount_reader(vfs, &reader, &options, nullptr, &error) == FARDEL_ERROR_UNTRUSTED);
    CHECK(own.releases == 1);
    options.policy_text = policy.c_str();
    options.label = "the console's package";
    options.place = "game";
    options.priority = -1;
    options.preference = "quality=1";
    const fardel_reader again = own.reader();
    REQUIRE(fardel_mount_reader(vfs, &again, &options, nullptr, &error) == FARDEL_OK);
    options.priority = 0;
    options.preference = nullptr;
    const fardel_reader higher = other.reader();
    REQUIRE(fardel_mount_reader(vfs, &higher, &options, nullptr, &error) == FARDEL_OK);
    CHECK(own.reads > 0);
    CHECK(fardel_is_tainted(vfs) == 0);
    CHECK(read_path(vfs, "/game/a.txt") == "high");
    CHECK(read_path(vfs, "/game/b.txt") == "second");
    CHECK(read_path(vfs, "/a.txt") == "missing");
    fardel_vfs_destroy(vfs);
    CHECK(own.releases == 2);
    CHECK(other.releases == 1);
}

TEST_CASE("core: one changed byte is refused") {
    const Bytes bundle = BundleMaker().add("a.txt", prose(5000, 1)).write();
    Vfs damaged;
    mount(damaged, damage_content(bundle, id_of(prose(5000, 1))));
    CHECK(outcome_of(damaged.open("/a.txt")) == "ok");
    CHECK(content_at(damaged, "/a.txt").find("corrupt") != std::string::npos);
}

TEST_CASE("core: assets in memory are mounted as a plan") {
    BundlePlan plan;
    add(plan, "maps/dm01.bsp", "the map");
    plan.metadata.push_back({.key = "name", .value = std::string("plan")});
    Vfs vfs;
    REQUIRE(vfs.mount(plan, unsigned_at()));
    CHECK(content_at(vfs, "/maps/dm01.bsp") == "the map");
}

#ifdef FARDEL_WITHOUT_THREADS

TEST_CASE("core: a path is unsupported, and the sentence says what to do") {
    Vfs vfs;
    for (const std::string& path : {std::string("game.fardel"), std::string("/usr"), std::string("x/fardel.toml")}) {
        CAPTURE(path);
        const auto mounted = vfs.mount(path, unsigned_at());
        REQUIRE_FALSE(mounted);
        CHECK(mounted.error().code() == ErrorCode::unsupported);
        CHECK(mounted.error().text().find("from memory and through readers") != std::string::npos);
    }
    CHECK(code_of(open_appended_file("game")) == ErrorCode::unsupported);
    CHECK(code_of(open_appended_file()) == ErrorCode::unsupported);
    fardel_vfs* c_vfs = nullptr;
    REQUIRE(fardel_vfs_create(nullptr, &c_vfs, nullptr) == FARDEL_OK);
    CHECK(fardel_mount_file(c_vfs, "game.fardel", nullptr, nullptr, nullptr) == FARDEL_ERROR_UNSUPPORTED);
    fardel_vfs_destroy(c_vfs);
}

#endif

}  // namespace fardel::tests::core_test
