// Bundles that are written from memory through fardel_tools.h, verified, and read through fardel.h.
#include <fardel/tools/fardel_tools.h>
#include <fardel/vfs/fardel.h>

#include "kit/files.h"

#include <cstring>
#include <vector>

namespace fardel::tests::plan_functions_test {

struct Plan {
    Plan() { REQUIRE(fardel_plan_create(&plan, nullptr) == FARDEL_OK); }
    ~Plan() { fardel_plan_destroy(plan); }
    Plan(const Plan&) = delete;
    Plan& operator=(const Plan&) = delete;

    std::uint32_t add(std::string_view content, const char* content_type = "text/plain") {
        fardel_planned_asset asset = FARDEL_PLANNED_ASSET_INIT;
        asset.bytes = content.data();
        asset.size_bytes = content.size();
        asset.content_type = content_type;
        std::uint32_t number = 0;
        REQUIRE(fardel_plan_add_asset(plan, &asset, &number, nullptr) == FARDEL_OK);
        return number;
    }
    fardel_code name(const char* name, std::uint32_t asset, const char* tags = nullptr, std::uint32_t flags = 0) {
        return fardel_plan_add_name(plan, name, asset, tags, flags, nullptr);
    }

    fardel_plan* plan = nullptr;
};

std::string content_at(const fardel_vfs* vfs, const char* path) {
    fardel_file* file = nullptr;
    fardel_error error = FARDEL_ERROR_INIT;
    if (fardel_open(vfs, path, &file, &error) != FARDEL_OK)
        return fardel_code_name(error.code);
    std::string content(static_cast<std::size_t>(fardel_file_size(file)), '\0');
    CHECK(fardel_read_all(file, content.data(), content.size(), nullptr) == FARDEL_OK);
    fardel_close(file);
    return content;
}

void add_finding(void* rules, const fardel_finding* finding) {
    static_cast<std::vector<std::string>*>(rules)->push_back(finding->rule);
}

TEST_CASE("plan: what is written from memory is what a VFS reads, with variants, references and tombstones") {
    const ScratchFolder folder;
    const std::string path = (folder.root() / "made.fardel").string();
    write_file(folder.root() / "sound.txt", "from a file");
    Plan plan;
    const std::uint32_t english = plan.add("hello");
    const std::uint32_t french = plan.add("bonjour");
    const std::uint32_t map = plan.add("say greeting");
    fardel_planned_asset file = FARDEL_PLANNED_ASSET_INIT;
    const std::string sound_path = (folder.root() / "sound.txt").string();
    file.path = sound_path.c_str();
    std::uint32_t sound = 0;
    REQUIRE(fardel_plan_add_asset(plan.plan, &file, &sound, nullptr) == FARDEL_OK);
    CHECK(sound == 3);
    CHECK(plan.name("greeting", english, "lang=en") == FARDEL_OK);
    CHECK(plan.name("greeting", french, "lang=fr  quality=hd") == FARDEL_OK);
    CHECK(plan.name("maps/a", map) == FARDEL_OK);
    CHECK(plan.name("sounds/a", sound, nullptr, FARDEL_NAME_PRIVATE) == FARDEL_OK);
    CHECK(plan.name("gone", FARDEL_NO_ASSET) == FARDEL_OK);
    fardel_planned_reference reference = FARDEL_PLANNED_REFERENCE_INIT;
    reference.spelling = "snd";
    reference.asset = sound;
    CHECK(fardel_plan_add_reference(plan.plan, map, &reference, nullptr) == FARDEL_OK);
    CHECK(fardel_plan_set_text(plan.plan, FARDEL_NO_ASSET, "name", "studio/made", nullptr) == FARDEL_OK);
    CHECK(fardel_plan_set_text(plan.plan, FARDEL_NO_ASSET, "version", "1.0", nullptr) == FARDEL_OK);
    CHECK(fardel_plan_set_text(plan.plan, FARDEL_NO_ASSET, "version", "1.1", nullptr) == FARDEL_OK);  // replaces it
    CHECK(fardel_plan_set_number(plan.plan, map, "metric.triangles", 12, nullptr) == FARDEL_OK);

    fardel_write_options options = FARDEL_WRITE_OPTIONS_INIT;
    options.level = 1;
    fardel_id written{};
    options.context = &written;
    options.written = [](void* id, const fardel_written_bundle* bundle) {
        CHECK(bundle->assets == 4);
        CHECK(bundle->names == 4);
        CHECK(std::string(bundle->name) == "studio/made");
        CHECK(bundle->is_signed == 0);
        *static_cast<fardel_id*>(id) = bundle->bundle;
    };
    fardel_error error = FARDEL_ERROR_INIT;
    REQUIRE_MESSAGE(fardel_plan_write(plan.plan, path.c_str(), &options, &error) == FARDEL_OK, error.text);

    std::vector<std::string> rules;
    fardel_verify_options verify = FARDEL_VERIFY_OPTIONS_INIT;
    verify.found = add_finding;
    verify.context = &rules;
    fardel_verified_bundle verified = FARDEL_VERIFIED_BUNDLE_INIT;
    REQUIRE(fardel_verify_file(path.c_str(), &verify, &verified, nullptr) == FARDEL_OK);
    CHECK(verified.errors == 0);
    CHECK(verified.assets == 4);
    CHECK(std::string(verified.name) == "studio/made");
    CHECK(std::string(verified.version) == "1.1");
    CHECK(std::memcmp(verified.bundle.bytes, written.bytes, sizeof written.bytes) == 0);

    fardel_vfs* vfs = nullptr;
    REQUIRE(fardel_vfs_create(nullptr, &vfs, nullptr) == FARDEL_OK);
    fardel_mount_options mount = FARDEL_MOUNT_OPTIONS_INIT;
    mount.flags = FARDEL_MOUNT_ALLOW_UNSIGNED;
    REQUIRE(fardel_mount_file(vfs, path.c_str(), &mount, nullptr, nullptr) == FARDEL_OK);
    CHECK(content_at(vfs, "greeting") == "hello");
    REQUIRE(fardel_prefer(vfs, "lang=fr", nullptr) == FARDEL_OK);
    CHECK(content_at(vfs, "greeting") == "bonjour");
    CHECK(content_at(vfs, "sounds/a") == "missing");
    fardel_file* from = nullptr;
    fardel_file* to = nullptr;
    REQUIRE(fardel_open(vfs, "maps/a", &from, nullptr) == FARDEL_OK);
    REQUIRE(fardel_open_from(vfs, from, "snd", &to, nullptr) == FARDEL_OK);
    CHECK(fardel_file_size(to) == std::strlen("from a file"));
    fardel_close(to);
    fardel_close(from);
    fardel_vfs_destroy(vfs);

    flip_bit(path, fs::file_size(path) / 2);
    verified = FARDEL_VERIFIED_BUNDLE_INIT;
    REQUIRE(fardel_verify_file(path.c_str(), &verify, &verified, nullptr) == FARDEL_OK);
    CHECK(verified.errors > 0);
    CHECK(rules.size() >= verified.errors);
}

TEST_CASE("plan: what cannot be in a bundle is refused, and a failed write leaves nothing") {
    const ScratchFolder folder;
    const std::string path = (folder.root() / "made.fardel").string();
    Plan plan;
    const std::uint32_t asset = plan.add("x");
    CHECK(plan.name("../x", asset) == FARDEL_ERROR_MALFORMED);
    CHECK(plan.name("a", asset + 1) == FARDEL_ERROR_LIMIT);
    CHECK(plan.name("a", asset, "lang") == FARDEL_ERROR_MALFORMED);
    CHECK(plan.name("a", asset, nullptr, 64) == FARDEL_ERROR_UNSUPPORTED);
    CHECK(plan.name("a", asset) == FARDEL_OK);
    CHECK(plan.name("a", FARDEL_NO_ASSET) == FARDEL_ERROR_MALFORMED);  // a tombstone with a variant
    CHECK(plan.name("a", asset, "lang=fr", FARDEL_NAME_PRIVATE) == FARDEL_ERROR_MALFORMED);

    fardel_planned_reference reference = FARDEL_PLANNED_REFERENCE_INIT;
    reference.spelling = "x";
    CHECK(fardel_plan_add_reference(plan.plan, asset, &reference, nullptr) == FARDEL_ERROR_MALFORMED);  // no target
    const fardel_id bundle{{1}};
    reference.bundle = &bundle;
    CHECK(fardel_plan_add_reference(plan.plan, asset, &reference, nullptr) == FARDEL_ERROR_MISSING);
    reference.name = "y";
    CHECK(fardel_plan_add_reference(plan.plan, asset, &reference, nullptr) == FARDEL_ERROR_MALFORMED);  // two

    fardel_planned_asset file = FARDEL_PLANNED_ASSET_INIT;
    file.path = "/no/such/file";
    REQUIRE(fardel_plan_add_asset(plan.plan, &file, nullptr, nullptr) == FARDEL_OK);
    file.bytes = "x";
    file.size_bytes = 1;
    CHECK(fardel_plan_add_asset(plan.plan, &file, nullptr, nullptr) == FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_plan_write(plan.plan, path.c_str(), nullptr, nullptr) == FARDEL_ERROR_MISSING);

    Plan large;
    for (int i = 0; i < 100; ++i)
        large.add(std::to_string(i));
    fardel_write_options options = FARDEL_WRITE_OPTIONS_INIT;
    options.progress = [](void*, const char*, std::uint64_t, std::uint64_t) -> std::int32_t { return 1; };
    CHECK(fardel_plan_write(large.plan, path.c_str(), &options, nullptr) == FARDEL_ERROR_CANCELLED);
    CHECK(paths_below(folder.root()).empty());
}

TEST_CASE("plan: a reader's bundle is verified, and the reader is released") {
    const ScratchFolder folder;
    const std::string path = (folder.root() / "made.fardel").string();
    Plan plan;
    plan.name("a", plan.add("x"));
    REQUIRE(fardel_plan_write(plan.plan, path.c_str(), nullptr, nullptr) == FARDEL_OK);
    std::string bytes = read_file(path);
    struct State {
        std::string* bytes;
        int released;
    } state{&bytes, 0};
    fardel_reader reader = FARDEL_READER_INIT;
    reader.context = &state;
    reader.size_bytes = bytes.size();
    reader.read_at = [](void* context, std::uint64_t offset, void* buffer, std::size_t size, fardel_error*) {
        std::memcpy(buffer, static_cast<State*>(context)->bytes->data() + offset, size);
        return fardel_code{FARDEL_OK};
    };
    reader.release = [](void* context) { ++static_cast<State*>(context)->released; };
    fardel_verified_bundle verified = FARDEL_VERIFIED_BUNDLE_INIT;
    CHECK(fardel_verify_reader(&reader, nullptr, &verified, nullptr) == FARDEL_OK);
    CHECK(verified.errors == 0);
    CHECK(state.released == 1);
}

}  // namespace fardel::tests::plan_functions_test
