// fardel_read_metadata, and what fardel_stat_path and fardel_open say about metadata.
#include <fardel/vfs/fardel.h>

#include "kit/bundles.h"

#include <string>

namespace fardel::tests::c_metadata_test {

class Mounted {
public:
    explicit Mounted(const Bytes& bundle) {
        REQUIRE(fardel_vfs_create(nullptr, &vfs_, nullptr) == FARDEL_OK);
        fardel_mount_options options = FARDEL_MOUNT_OPTIONS_INIT;
        options.flags = FARDEL_MOUNT_ALLOW_UNSIGNED;
        REQUIRE(fardel_mount_memory(vfs_, bundle.data(), bundle.size(), &options, nullptr, nullptr) == FARDEL_OK);
    }
    ~Mounted() { fardel_vfs_destroy(vfs_); }
    Mounted(const Mounted&) = delete;
    Mounted& operator=(const Mounted&) = delete;
    operator fardel_vfs*() const { return vfs_; }  // NOLINT: the C functions expect the raw pointer

private:
    fardel_vfs* vfs_ = nullptr;
};

Bytes make_bundle() {
    BundleMaker maker;
    maker.add("wall", "wall").add("old", "old");
    maker.plan().assets[0].metadata = {{.key = "licence", .value = std::string("MIT")},
                                       {.key = "metric.pixels", .value = 512.5},
                                       {.key = "expires", .value = std::int64_t{4'000'000'000}},
                                       {.key = "ours", .value = true}};
    maker.plan().assets[1].metadata = {{.key = "expires", .value = std::int64_t{1'000'000'000}}};
    maker.plan().metadata.push_back({.key = "origin", .value = std::string("here")});
    return maker.write();
}

void note(void* context, const fardel_metadata* one) {
    REQUIRE(one->struct_size == sizeof(fardel_metadata));
    std::string& text = *static_cast<std::string*>(context);
    text += std::string(text.empty() ? "" : "; ") + one->key + "=" + std::to_string(one->kind) + ":" +
            (one->text != nullptr ? one->text : "-") + ":" + std::to_string(one->number) + ":" +
            std::to_string(one->integer) + (one->of_bundle != 0 ? " of bundle" : "");
}

std::string read(const Mounted& vfs, const char* path, const char* key, fardel_code expected = FARDEL_OK) {
    std::string text;
    std::size_t count = 99;
    CHECK(fardel_read_metadata(vfs, path, key, note, &text, &count, nullptr) == expected);
    CHECK((count == 0) == text.empty());
    return text;
}

TEST_CASE("C metadata: all entries, or those of one key, and whose they are") {
    const Mounted vfs(make_bundle());
    CHECK(read(vfs, "wall", nullptr) ==
          "expires=3:-:4000000000.000000:4000000000; licence=1:MIT:0.000000:0; metric.pixels=2:-:512.500000:0; "
          "origin=1:here:0.000000:0 of bundle; ours=4:-:0.000000:1");
    CHECK(read(vfs, "/wall", "license") == "licence=1:MIT:0.000000:0");
    CHECK(read(vfs, "/wall", "licence") == "licence=1:MIT:0.000000:0");
    CHECK(read(vfs, "/wall", "origin") == "origin=1:here:0.000000:0 of bundle");
    CHECK(read(vfs, "/wall", "web-page").empty());
    CHECK(read(vfs, "/none", nullptr, FARDEL_ERROR_MISSING).empty());
    std::size_t count = 0;
    CHECK(fardel_read_metadata(vfs, "wall", nullptr, nullptr, nullptr, &count, nullptr) == FARDEL_OK);
    CHECK(count == 5);
    CHECK(fardel_read_metadata(vfs, nullptr, nullptr, nullptr, nullptr, &count, nullptr) == FARDEL_ERROR_ARGUMENT);
    CHECK(count == 0);
    CHECK(fardel_read_metadata(nullptr, "wall", nullptr, nullptr, nullptr, nullptr, nullptr) == FARDEL_ERROR_ARGUMENT);
}

TEST_CASE("C metadata: an asset that has expired cannot be opened, and its metadata can be read") {
    const Mounted vfs(make_bundle());
    fardel_stat stat = FARDEL_STAT_INIT;
    REQUIRE(fardel_stat_path(vfs, "/old", &stat, nullptr) == FARDEL_OK);
    CHECK(stat.has == (FARDEL_STAT_ASSET | FARDEL_STAT_BUNDLE | FARDEL_STAT_METADATA));
    fardel_file* file = nullptr;
    CHECK(fardel_open(vfs, "/old", &file, nullptr) == FARDEL_ERROR_EXPIRED);
    CHECK(file == nullptr);
    CHECK(read(vfs, "/old", "expires") == "expires=3:-:1000000000.000000:1000000000");
}

}  // namespace fardel::tests::c_metadata_test
