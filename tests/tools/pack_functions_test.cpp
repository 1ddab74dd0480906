// Folders and projects that are packed through fardel_tools.h.
#include <fardel/tools/fardel_tools.h>
#include <fardel/vfs/fardel.h>

#include "kit/files.h"

#include <fardel/format/signer.h>

#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

namespace fardel::tests::pack_functions_test {

struct Seen {
    std::vector<std::string> bundles;  // "game 2 names, signed"
    std::string messages;
    std::string stages;
};

fardel_pack_options options_for(Seen& seen) {
    fardel_pack_options options = FARDEL_PACK_OPTIONS_INIT;
    options.level = 1;
    options.context = &seen;
    options.written = [](void* context, const fardel_written_bundle* written) {
        static_cast<Seen*>(context)->bundles.push_back(std::string(written->name) + " " +
                                                       std::to_string(written->names) + " names" +
                                                       (written->is_signed != 0 ? ", signed" : ""));
    };
    options.message = [](void* context, fardel_severity, const char* text) {
        static_cast<Seen*>(context)->messages += std::string(text) + "\n";
    };
    options.progress = [](void* context, const char* stage, std::uint64_t, std::uint64_t) -> std::int32_t {
        static_cast<Seen*>(context)->stages += std::string(stage) + " ";
        return 0;
    };
    return options;
}

TEST_CASE("pack: a purpose that is not known is refused, and one that is keeps the bundle") {
    const ScratchFolder folder;
    fs::create_directories(folder.root() / "files");
    write_file(folder.root() / "files/a.txt", std::string(100'000, 'a'));
    const std::string source = (folder.root() / "files").string();
    const std::string output = (folder.root() / "made.fardel").string();
    const char* const sources[] = {source.c_str()};
    Seen seen;
    fardel_pack_options options = options_for(seen);
    options.output = output.c_str();
    options.name = "made";
    options.level = 0;
    for (const fardel_purpose purpose : {FARDEL_FOR_BALANCED, FARDEL_FOR_LOAD, FARDEL_FOR_SIZE}) {
        options.purpose = purpose;
        CHECK(fardel_pack_sources(sources, 1, &options, nullptr) == FARDEL_OK);
    }
    for (const fardel_purpose purpose : {-1, 3}) {
        options.purpose = purpose;
        CHECK(fardel_pack_sources(sources, 1, &options, nullptr) == FARDEL_ERROR_UNSUPPORTED);
    }
}

TEST_CASE("pack: folders are packed, what is left out is said, and strict refuses it") {
    const ScratchFolder folder;
    fs::create_directories(folder.root() / "files");
    write_file(folder.root() / "files/a.txt", "a");
    write_file(folder.root() / "files/b.txt", "b");
    write_file(folder.root() / "files/c.bak", "c");
    fs::create_symlink("/etc/passwd", folder.root() / "files/link");
    const std::string source = (folder.root() / "files").string();
    const std::string output = (folder.root() / "made.fardel").string();
    const char* const sources[] = {source.c_str()};
    const char* const excludes[] = {"*.bak"};
    Seen seen;
    fardel_pack_options options = options_for(seen);
    options.output = output.c_str();
    options.name = "game";
    options.version = "1.0";
    options.excludes = excludes;
    options.exclude_count = 1;
    options.flags = FARDEL_PACK_STRICT;
    fardel_error error = FARDEL_ERROR_INIT;
    CHECK(fardel_pack_sources(sources, 1, &options, &error) == FARDEL_ERROR_UNRESOLVED);
    CHECK_FALSE(fs::exists(output));
    options.flags = 0;
    seen = {};
    REQUIRE_MESSAGE(fardel_pack_sources(sources, 1, &options, &error) == FARDEL_OK, error.text);
    CHECK(seen.bundles == std::vector<std::string>{"game 2 names"});
    check_has(seen.messages, "link is not packed");
    check_has(seen.messages, "is excluded by *.bak");
    check_has(seen.stages, "packing");
    CHECK(fardel_pack_sources(sources, 1, nullptr, nullptr) == FARDEL_ERROR_ARGUMENT);
}

TEST_CASE("pack: a project is built, signed by a key that is elsewhere, and not written again") {
    const ScratchFolder folder;
    fs::create_directories(folder.root() / "assets");
    write_file(folder.root() / "assets/a.txt", "a");
    write_file(folder.root() / "fardel.toml", "name = \"game\"\nversion = \"1.0\"\nsources = [\"assets\"]\n");
    const std::string project = (folder.root() / "fardel.toml").string();
    SecretKey secret = SecretKey::generate();
    fardel_public_key key{};
    std::memcpy(key.bytes, secret.public_key().bytes.data(), sizeof key.bytes);
    fardel_signer* signer = nullptr;
    REQUIRE(fardel_signer_create(
                &key,
                [](void* context, const void* message, std::size_t size, std::uint8_t signature[64]) {
                    const Signature made =
                        static_cast<SecretKey*>(context)->sign({static_cast<const std::byte*>(message), size});
                    std::memcpy(signature, made.bytes.data(), made.bytes.size());
                    return fardel_code{FARDEL_OK};
                },
                &secret, &signer, nullptr) == FARDEL_OK);
    Seen seen;
    fardel_pack_options options = options_for(seen);
    options.signer = signer;
    fardel_error error = FARDEL_ERROR_INIT;
    REQUIRE_MESSAGE(fardel_pack_project(project.c_str(), &options, &error) == FARDEL_OK, error.text);
    CHECK(seen.bundles == std::vector<std::string>{"game 1 names, signed"});
    const auto written_at = fs::last_write_time(folder.root() / "game.fardel");
    REQUIRE(fardel_pack_project(project.c_str(), &options, &error) == FARDEL_OK);
    CHECK(fs::last_write_time(folder.root() / "game.fardel") == written_at);
    CHECK(fardel_pack_project((project + "x").c_str(), nullptr, nullptr) == FARDEL_ERROR_MISSING);
    options.flags = FARDEL_PACK_FROM_SCRATCH;
    options.progress = [](void*, const char*, std::uint64_t, std::uint64_t) -> std::int32_t { return 1; };
    CHECK(fardel_pack_project(project.c_str(), &options, nullptr) == FARDEL_ERROR_CANCELLED);
    fardel_signer_close(signer);
}

TEST_CASE("projects in C: a VFS mounts one as it would be built, and follows its edits") {
    const ScratchFolder folder;
    fs::create_directories(folder.root() / "src");
    folder.write("src/menu_fr.txt", "jouer");
    const std::string project =
        folder.write("fardel.toml",
                     "name = \"game\"\nsources = [\"src\"]\noutput = \"game.fardel\"\n"
                     "[[rule]]\nmatch = \"menu_fr.txt\"\nname = \"menu.txt\"\ntags = { lang = \"fr\" }\n");
    fardel_vfs* vfs = nullptr;
    fardel_error error = FARDEL_ERROR_INIT;
    REQUIRE(fardel_vfs_create(nullptr, &vfs, &error) == FARDEL_OK);
    fardel_mount_options options = FARDEL_MOUNT_OPTIONS_INIT;
    options.flags = FARDEL_MOUNT_ALLOW_UNSIGNED | FARDEL_MOUNT_WATCH;
    CHECK(fardel_mount_file(vfs, project.c_str(), &options, nullptr, &error) == FARDEL_ERROR_UNSUPPORTED);
    CHECK(fardel_enable_projects(nullptr, &error) == FARDEL_ERROR_ARGUMENT);
    REQUIRE(fardel_enable_projects(vfs, &error) == FARDEL_OK);
    REQUIRE_MESSAGE(fardel_mount_file(vfs, project.c_str(), &options, nullptr, &error) == FARDEL_OK, error.text);
    fardel_mount_kind kind = FARDEL_MOUNTED_BUNDLE;
    const auto keep_kind = [](void* context, const fardel_mount_description* mount) {
        *static_cast<fardel_mount_kind*>(context) = mount->kind;
    };
    REQUIRE(fardel_mounts(vfs, keep_kind, &kind, nullptr, &error) == FARDEL_OK);
    CHECK(kind == FARDEL_MOUNTED_PROJECT);
    fardel_stat stat = FARDEL_STAT_INIT;
    REQUIRE(fardel_stat_path(vfs, "menu.txt", &stat, &error) == FARDEL_OK);
    CHECK(stat.size_bytes == 5);

    folder.write("src/menu_fr.txt", "jouer encore");
    for (int tries = 0; tries < 200 && stat.size_bytes == 5; ++tries) {
        REQUIRE_MESSAGE(fardel_poll(vfs, nullptr, nullptr, &error) == FARDEL_OK, error.text);
        REQUIRE(fardel_stat_path(vfs, "menu.txt", &stat, &error) == FARDEL_OK);
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    CHECK(stat.size_bytes == 12);
    CHECK_FALSE(fs::exists(folder.root() / "game.fardel"));
    fardel_vfs_destroy(vfs);
}

TEST_CASE("projects in C: of one with several targets, the caller says which is built or mounted") {
    const ScratchFolder folder;
    fs::create_directories(folder.root() / "src");
    for (const std::string format : {"astc", "bc7"})
        folder.write("src/wall." + format, format);
    const std::string project = folder.write("fardel.toml", R"(name = "game"
version = "1.0"
sources = ["src"]
output = "{target}.fardel"
[target.phone]
texture = ["astc"]
[target.pc]
texture = ["bc7"]
[[rule]]
match = "*.astc"
strip = ".astc"
tags = { texture = "astc" }
[[rule]]
match = "*.bc7"
strip = ".bc7"
tags = { texture = "bc7" }
)");
    fardel_error error = FARDEL_ERROR_INIT;
    fardel_pack_options pack = FARDEL_PACK_OPTIONS_INIT;
    CHECK(fardel_pack_project(project.c_str(), &pack, &error) == FARDEL_ERROR_MALFORMED);
    CHECK(std::string(error.text).find("several targets") != std::string::npos);
    pack.target = "phone";
    REQUIRE_MESSAGE(fardel_pack_project(project.c_str(), &pack, &error) == FARDEL_OK, error.text);
    CHECK(fs::exists(folder.root() / "phone.fardel"));
    CHECK_FALSE(fs::exists(folder.root() / "pc.fardel"));

    fardel_vfs* vfs = nullptr;
    REQUIRE(fardel_vfs_create(nullptr, &vfs, &error) == FARDEL_OK);
    REQUIRE(fardel_enable_projects(vfs, &error) == FARDEL_OK);
    fardel_mount_options mount = FARDEL_MOUNT_OPTIONS_INIT;
    mount.flags = FARDEL_MOUNT_ALLOW_UNSIGNED;
    CHECK(fardel_mount_file(vfs, project.c_str(), &mount, nullptr, &error) == FARDEL_ERROR_MALFORMED);
    mount.project_target = "pc";
    REQUIRE_MESSAGE(fardel_mount_file(vfs, project.c_str(), &mount, nullptr, &error) == FARDEL_OK, error.text);
    fardel_stat stat = FARDEL_STAT_INIT;
    REQUIRE(fardel_stat_path(vfs, "wall", &stat, &error) == FARDEL_OK);
    CHECK(stat.size_bytes == 3);
    fardel_vfs_destroy(vfs);
}

}  // namespace fardel::tests::pack_functions_test
