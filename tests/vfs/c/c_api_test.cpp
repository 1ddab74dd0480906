// Every function of fardel.h: its results, its errors, and its behaviour with too little room or memory.
#include <fardel/vfs/fardel.h>

#include "kit/bundles.h"
#include "kit/files.h"
#include "kit/license_tokens.h"
#include "kit/portable.h"
#include "vfs/failing_memory.h"
#include "vfs/test_bundle.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <thread>

namespace fardel::tests::c_api_test {

class Handle {
public:
    Handle() { REQUIRE(fardel_vfs_create(nullptr, &vfs_, nullptr) == FARDEL_OK); }
    ~Handle() { fardel_vfs_destroy(vfs_); }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    operator fardel_vfs*() const { return vfs_; }  // NOLINT: the C functions expect the raw pointer

private:
    fardel_vfs* vfs_ = nullptr;
};

fardel_mount_options unsigned_options() {
    fardel_mount_options options = FARDEL_MOUNT_OPTIONS_INIT;
    options.flags = FARDEL_MOUNT_ALLOW_UNSIGNED;
    return options;
}

fardel_mount_id mount_bytes(fardel_vfs* vfs, const Bytes& bundle) {
    const fardel_mount_options options = unsigned_options();
    fardel_mount_id mount = 0;
    REQUIRE(fardel_mount_memory(vfs, bundle.data(), bundle.size(), &options, &mount, nullptr) == FARDEL_OK);
    return mount;
}

fardel_code mount_with(fardel_vfs* vfs, const Bytes& bundle, const fardel_mount_options* options,
                       fardel_error* error = nullptr) {
    return fardel_mount_memory(vfs, bundle.data(), bundle.size(), options, nullptr, error);
}

std::string read_whole(const fardel_file* file) {
    std::string text;
    std::array<char, 1000> chunk{};
    for (std::size_t count = 1; count > 0;) {
        REQUIRE(fardel_read_at(file, text.size(), chunk.data(), chunk.size(), &count, nullptr) == FARDEL_OK);
        text.append(chunk.data(), count);
    }
    return text;
}

std::string read_path(const fardel_vfs* vfs, const char* path) {
    fardel_file* file = nullptr;
    REQUIRE(fardel_open(vfs, path, &file, nullptr) == FARDEL_OK);
    std::string text = read_whole(file);
    fardel_close(file);
    return text;
}

std::string list(const fardel_vfs* vfs, const char* path) {
    fardel_listing* listing = nullptr;
    REQUIRE(fardel_listing_open(vfs, path, &listing, nullptr) == FARDEL_OK);
    std::string text;
    fardel_entry entry = FARDEL_ENTRY_INIT;
    for (;;) {
        REQUIRE(fardel_listing_next(listing, &entry, nullptr) == FARDEL_OK);
        if (entry.node == FARDEL_NODE_NONE)
            break;
        text += std::string(text.empty() ? "" : " ") + entry.name +
                (entry.node == FARDEL_NODE_FOLDER ? "/"
                 : entry.node == FARDEL_NODE_LINK ? "@"
                                                  : "");
    }
    CHECK(entry.name[0] == '\0');
    fardel_listing_close(listing);
    return text;
}

std::string hex(const fardel_id& id) {
    char text[65];
    fardel_id_text(&id, text);
    return text;
}

// A caller built against a later header, whose struct is longer.
template <class Struct>
struct Longer {
    Struct known;
    std::array<unsigned char, 40> added{};
};

TEST_CASE("C API: codes have the numbers of the first version, and the names of the errors") {
    const std::vector<std::pair<fardel_code, std::string>> codes = {
        {0, "ok"},        {1, "missing"},     {2, "corrupt"},    {3, "malformed"},  {4, "limit"},
        {5, "untrusted"}, {6, "revoked"},     {7, "expired"},    {8, "rollback"},   {9, "unsupported"},
        {10, "conflict"}, {11, "unresolved"}, {12, "denied"},    {13, "busy"},      {14, "unreachable"},
        {15, "no_space"}, {16, "io"},         {17, "cancelled"}, {100, "argument"}, {101, "no_memory"},
    };
    for (const auto& code : codes)
        CHECK(fardel_code_name(code.first) == code.second);
    for (const fardel_code code : {-1, 18, 99, 102, 1 << 30})
        CHECK(std::string(fardel_code_name(code)) == "unknown");
}

TEST_CASE("C API: structs have the layout of the first version") {
    if constexpr (sizeof(void*) == 8) {
        CHECK(sizeof(fardel_error) == 512);
        CHECK(offsetof(fardel_vfs_options, cache_bytes) == 8);
        CHECK(offsetof(fardel_vfs_options, dependency_missing) == 16);  // the end of the first version's
        CHECK(offsetof(fardel_vfs_options, flags) == 32);               // the end of the second version's
        CHECK(offsetof(fardel_vfs_options, digest_folder) == 40);       // the end of the third version's
        CHECK(offsetof(fardel_vfs_options, recalled) == 48);            // the end of the fourth version's
        CHECK(sizeof(fardel_vfs_options) == 104);
        CHECK(sizeof(fardel_mount_request) == 48);
        CHECK(sizeof(fardel_mount_change) == 64);
        CHECK(sizeof(fardel_read_request) == 64);
        CHECK(sizeof(fardel_allocator) == 32);
        CHECK(sizeof(fardel_missing_content) == 64);
        CHECK(sizeof(fardel_missing_dependency) == 56);
        CHECK(offsetof(fardel_mount_options, licenses) == 56);        // the end of the first version's
        CHECK(offsetof(fardel_mount_options, resolved) == 72);        // the end of the second version's
        CHECK(offsetof(fardel_mount_options, preference) == 88);      // the end of the third version's
        CHECK(offsetof(fardel_mount_options, project_target) == 96);  // the end of the fourth version's
        CHECK(sizeof(fardel_mount_options) == 104);
        CHECK(sizeof(fardel_reader) == 56);
        CHECK(sizeof(fardel_stat) == 216);
        CHECK(sizeof(fardel_entry) == 272);
        CHECK(offsetof(fardel_mount_options, now_s) == 40);
        CHECK(offsetof(fardel_stat, content_type) == 88);
    }
}

TEST_CASE("C API: the version is that of the library, as number and as text") {
    const std::uint32_t version = fardel_version();
    CHECK(std::to_string(version >> 16) + "." + std::to_string(version >> 8 & 255) + "." +
              std::to_string(version & 255) ==
          fardel_version_text());
    CHECK(version > 0);
}

TEST_CASE("C API: a bundle that a policy trusts is mounted from memory and from a file") {
    Author author;
    const Bytes bundle = author.sign(BundleMaker().add("maps/dm01.bsp", "the map").write());
    const std::string policy = author.policy().format();
    const ScratchFolder scratch;
    const std::string path = scratch.write("x.fardel", std::span(bundle));
    const std::string policy_path = scratch.write("x.policy", policy);

    Handle vfs;
    fardel_mount_options options = FARDEL_MOUNT_OPTIONS_INIT;
    options.policy_text = policy.c_str();
    fardel_mount_id mount = 0;
    fardel_error error = FARDEL_ERROR_INIT;
    REQUIRE(fardel_mount_memory(vfs, bundle.data(), bundle.size(), &options, &mount, &error) == FARDEL_OK);
    CHECK(mount != 0);
    CHECK(error.code == FARDEL_OK);
    CHECK(std::string(error.text) == "");
    CHECK(fardel_is_tainted(vfs) == 0);
    CHECK(read_path(vfs, "/maps/dm01.bsp") == "the map");

    options.policy_text = nullptr;
    options.policy_path = policy_path.c_str();
    options.place = "mods/x";
    REQUIRE(fardel_mount_file(vfs, path.c_str(), &options, &mount, &error) == FARDEL_OK);
    CHECK(read_path(vfs, "/mods/x/maps/dm01.bsp") == "the map");
    CHECK(list(vfs, "/") == "assets/ bundles/ maps/ mods/");
    CHECK(fardel_unmount(vfs, mount, &error) == FARDEL_OK);
    CHECK(list(vfs, "/") == "assets/ bundles/ maps/");
    CHECK(fardel_unmount(vfs, mount, &error) == FARDEL_ERROR_MISSING);
    CHECK(error.code == FARDEL_ERROR_MISSING);
    CHECK(std::string(error.text) != "");
}

// A reader of the test's own, which counts its calls.
struct CountingReader {
    Bytes bytes;
    fardel_code failure = FARDEL_OK;
    int reads = 0;
    int releases = 0;

    fardel_reader reader() {
        fardel_reader reader = FARDEL_READER_INIT;
        reader.context = this;
        reader.size_bytes = bytes.size();
        reader.read_at = [](void* self, uint64_t offset, void* buffer, size_t size, fardel_error* error) {
            auto& own = *static_cast<CountingReader*>(self);
            ++own.reads;
            if (own.failure != FARDEL_OK) {
                std::snprintf(error->text, sizeof error->text, "the cable was pulled");
                return own.failure;
            }
            std::memcpy(buffer, own.bytes.data() + offset, size);
            return fardel_code{FARDEL_OK};
        };
        reader.release = [](void* self) { ++static_cast<CountingReader*>(self)->releases; };
        return reader;
    }
};

TEST_CASE("C API: a bundle is mounted through a reader, which is released once when nothing needs it") {
    CountingReader own{.bytes = BundleMaker().add("a", "content").write()};
    const fardel_mount_options options = unsigned_options();
    fardel_file* file = nullptr;
    {
        Handle vfs;
        fardel_reader reader = own.reader();
        fardel_mount_id mount = 0;
        REQUIRE(fardel_mount_reader(vfs, &reader, &options, &mount, nullptr) == FARDEL_OK);
        reader = FARDEL_READER_INIT;  // the struct was copied
        CHECK(read_path(vfs, "/a") == "content");
        CHECK(own.reads > 0);
        REQUIRE(fardel_open(vfs, "/a", &file, nullptr) == FARDEL_OK);
        REQUIRE(fardel_unmount(vfs, mount, nullptr) == FARDEL_OK);
    }
    CHECK(own.releases == 0);
    CHECK(read_whole(file) == "content");
    fardel_close(file);
    CHECK(own.releases == 1);
}

TEST_CASE("C API: a reader's failures reach whoever reads, and one that cannot be mounted is released") {
    Handle vfs;
    CountingReader own{.bytes = BundleMaker().add("a", "content").write()};
    const fardel_mount_options options = unsigned_options();
    fardel_error error = FARDEL_ERROR_INIT;
    for (const fardel_code failure : {FARDEL_ERROR_UNREACHABLE, FARDEL_ERROR_CANCELLED, FARDEL_ERROR_DENIED}) {
        own.failure = failure;
        const fardel_reader reader = own.reader();
        CHECK(fardel_mount_reader(vfs, &reader, &options, nullptr, &error) == failure);
        CHECK(std::string(error.text).find("the cable was pulled") != std::string::npos);
    }
    own.failure = 12345;
    const fardel_reader odd = own.reader();
    CHECK(fardel_mount_reader(vfs, &odd, &options, nullptr, &error) == FARDEL_ERROR_IO);
    CHECK(own.releases == 4);
    CHECK(fardel_mount_reader(vfs, &odd, nullptr, nullptr, &error) != FARDEL_OK);
    CHECK(fardel_mount_reader(nullptr, &odd, &options, nullptr, &error) == FARDEL_ERROR_ARGUMENT);
    CHECK(own.releases == 6);
    // Not taken over.
    fardel_reader wrong = own.reader();
    wrong.read_at = nullptr;
    CHECK(fardel_mount_reader(vfs, &wrong, &options, nullptr, &error) == FARDEL_ERROR_ARGUMENT);
    wrong = own.reader();
    wrong.struct_size = 8;
    CHECK(fardel_mount_reader(vfs, &wrong, &options, nullptr, &error) == FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_mount_reader(vfs, nullptr, &options, nullptr, &error) == FARDEL_ERROR_ARGUMENT);
    CHECK(own.releases == 6);
    CHECK(list(vfs, "/") == "assets/ bundles/");
}

TEST_CASE("C API: an id is read from 64 lower-case digits and from nothing else") {
    const std::string digits = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
    fardel_id id{};
    CHECK(fardel_id_parse(digits.c_str(), &id, nullptr) == FARDEL_OK);
    CHECK(hex(id) == digits);
    for (const std::string& wrong : {std::string(), digits.substr(1), digits + "0", "G" + digits.substr(1)})
        CHECK(fardel_id_parse(wrong.c_str(), &id, nullptr) == FARDEL_ERROR_MALFORMED);
    CHECK(hex(id) == digits);
    CHECK(fardel_id_parse(nullptr, &id, nullptr) == FARDEL_ERROR_ARGUMENT);
}

TEST_CASE("C API: the bytes of a bundle in memory are copied") {
    Bytes bundle = BundleMaker().add("a", "content").write();
    Handle vfs;
    mount_bytes(vfs, bundle);
    std::ranges::fill(bundle, std::byte{0});
    CHECK(read_path(vfs, "/a") == "content");
}

// A135
TEST_CASE("C API: a time of zero means the system's clock; ignoring dates has its own flag") {
    Author author;
    const Bytes old = author.sign(BundleMaker().add("a", "x").write(), {}, UnixTime{1'577'836'800});  // until 2020
    const std::string policy = author.policy().format();
    Handle vfs;
    fardel_mount_options options = FARDEL_MOUNT_OPTIONS_INIT;
    options.policy_text = policy.c_str();
    CHECK(options.now_s == 0);
    CHECK(mount_with(vfs, old, &options) == FARDEL_ERROR_EXPIRED);
    options.now_s = 1'577'836'800;
    CHECK(mount_with(vfs, old, &options) == FARDEL_ERROR_EXPIRED);
    options.flags = FARDEL_MOUNT_IGNORE_DATES;
    CHECK(mount_with(vfs, old, &options) == FARDEL_OK);
    Handle other;
    options.flags = 0;
    options.now_s = 1'577'836'799;
    CHECK(mount_with(other, old, &options) == FARDEL_OK);
}

TEST_CASE("C API: each failure of a mount has its code, and changes nothing") {
    Author author;
    Author stranger;
    const Bytes bundle = author.sign(BundleMaker().add("a", "x").write());
    const std::string policy = stranger.policy().format();
    Handle vfs;
    fardel_error error = FARDEL_ERROR_INIT;
    fardel_mount_options options = FARDEL_MOUNT_OPTIONS_INIT;

    CHECK(mount_with(vfs, bundle, nullptr) == FARDEL_ERROR_UNTRUSTED);  // A54
    CHECK(mount_with(vfs, bundle, &options) == FARDEL_ERROR_UNTRUSTED);
    options.policy_text = policy.c_str();
    CHECK(mount_with(vfs, bundle, &options, &error) == FARDEL_ERROR_UNTRUSTED);
    CHECK(error.code == FARDEL_ERROR_UNTRUSTED);
    CHECK(std::string(error.text).find("memory") == 0);  // the label
    options.label = "mod x";
    CHECK(mount_with(vfs, bundle, &options, &error) == FARDEL_ERROR_UNTRUSTED);
    CHECK(std::string(error.text).find("mod x") == 0);
    options.policy_text = "no policy\n";
    CHECK(mount_with(vfs, bundle, &options) == FARDEL_ERROR_MALFORMED);
    options.policy_path = "x";
    CHECK(mount_with(vfs, bundle, &options) == FARDEL_ERROR_ARGUMENT);
    options.policy_text = nullptr;
    options.policy_path = "/nonexistent/policy";
    CHECK(mount_with(vfs, bundle, &options) == FARDEL_ERROR_MISSING);

    options = unsigned_options();
    CHECK(fardel_mount_memory(vfs, nullptr, 0, &options, nullptr, nullptr) == FARDEL_ERROR_MALFORMED);
    CHECK(fardel_mount_memory(vfs, bundle.data(), bundle.size() - 1, &options, nullptr, nullptr) != FARDEL_OK);  // A20
    CHECK(fardel_mount_file(vfs, "/nonexistent/x.fardel", &options, nullptr, nullptr) == FARDEL_ERROR_MISSING);
    options.place = "../x";
    CHECK(mount_with(vfs, bundle, &options) == FARDEL_ERROR_MALFORMED);  // A01
    options.place = "assets";
    CHECK(mount_with(vfs, bundle, &options) == FARDEL_ERROR_DENIED);  // A15
    CHECK(list(vfs, "/") == "assets/ bundles/");

    options.place = nullptr;
    CHECK(mount_with(vfs, bundle, &options) == FARDEL_OK);
    CHECK(fardel_is_tainted(vfs) == 1);
    CHECK(mount_with(vfs, bundle, &options) == FARDEL_ERROR_CONFLICT);
}

TEST_CASE("C API: priority and case rule are those of the options") {
    Handle vfs;
    fardel_mount_options options = unsigned_options();
    options.priority = 5;
    options.flags |= FARDEL_MOUNT_FOLD_CASE;
    REQUIRE(mount_with(vfs, BundleMaker().add("Default.cfg", "high").write(), &options) == FARDEL_OK);
    options.priority = -5;
    options.flags = FARDEL_MOUNT_ALLOW_UNSIGNED;
    REQUIRE(mount_with(vfs, BundleMaker().add("Default.cfg", "low").add("Low.cfg", "low").write(), &options) ==
            FARDEL_OK);
    CHECK(read_path(vfs, "/Default.cfg") == "high");
    CHECK(read_path(vfs, "/DEFAULT.CFG") == "high");
    fardel_file* file = nullptr;
    CHECK(fardel_open(vfs, "/LOW.CFG", &file, nullptr) == FARDEL_ERROR_MISSING);
}

TEST_CASE("C API: stat, links and listings report the node at a path") {
    const std::string content = "the map";
    Handle vfs;
    mount_bytes(vfs, BundleMaker().add("maps/dm01.bsp", content).add("default.cfg", "x").write());
    const std::string asset = "/assets/" + id_of(content).hex();

    fardel_stat stat = FARDEL_STAT_INIT;
    REQUIRE(fardel_stat_path(vfs, "/maps/dm01.bsp", &stat, nullptr) == FARDEL_OK);
    CHECK(stat.struct_size == sizeof stat);
    CHECK(stat.node == FARDEL_NODE_LINK);
    CHECK(stat.size_bytes == content.size());
    CHECK(stat.has == (FARDEL_STAT_ASSET | FARDEL_STAT_BUNDLE));
    CHECK(hex(stat.asset) == id_of(content).hex());
    CHECK(std::string(stat.content_type) == "text/plain");
    const std::string bundle = "/bundles/" + hex(stat.bundle);
    REQUIRE(fardel_stat_path(vfs, asset.c_str(), &stat, nullptr) == FARDEL_OK);
    CHECK(stat.node == FARDEL_NODE_FILE);
    REQUIRE(fardel_stat_path(vfs, "/maps", &stat, nullptr) == FARDEL_OK);
    CHECK(stat.node == FARDEL_NODE_FOLDER);
    CHECK(stat.has == 0);
    CHECK(fardel_stat_path(vfs, "/nothing", &stat, nullptr) == FARDEL_ERROR_MISSING);
    CHECK(fardel_stat_path(vfs, "no/path/", &stat, nullptr) == FARDEL_ERROR_MALFORMED);
    CHECK(fardel_stat_path(vfs, ("/" + std::string(2000, 'x')).c_str(), &stat, nullptr) == FARDEL_ERROR_LIMIT);
    CHECK(stat.node == FARDEL_NODE_FOLDER);  // unchanged

    CHECK(list(vfs, "/") == "assets/ bundles/ default.cfg@ maps/");
    CHECK(list(vfs, "/maps") == "dm01.bsp@");
    CHECK(fardel_stat_path(vfs, "assets/x", &stat, nullptr) == FARDEL_ERROR_MISSING);
    mount_bytes(vfs, BundleMaker().add("assets/ui/a.png", "A").write());
    CHECK(list(vfs, "/assets/ui") == "a.png@");
    REQUIRE(fardel_stat_path(vfs, "assets/ui/a.png", &stat, nullptr) == FARDEL_OK);
    CHECK(stat.node == FARDEL_NODE_LINK);
    CHECK(list(vfs, bundle.c_str()) == "default.cfg maps/");
    fardel_listing* listing = nullptr;
    CHECK(fardel_listing_open(vfs, "/default.cfg", &listing, nullptr) == FARDEL_ERROR_MISSING);
    CHECK(listing == nullptr);

    std::array<char, 100> target{};
    std::size_t needed = 0;
    CHECK(fardel_read_link(vfs, "/maps/dm01.bsp", target.data(), target.size(), &needed, nullptr) == FARDEL_OK);
    CHECK(target.data() == asset);
    CHECK(needed == asset.size() + 1);
    CHECK(fardel_read_link(vfs, "/maps", target.data(), target.size(), nullptr, nullptr) == FARDEL_ERROR_MISSING);
}

TEST_CASE("C API: a link's target goes into a buffer of exactly its size, and nothing into a smaller one") {
    Handle vfs;
    mount_bytes(vfs, BundleMaker().add("a", "x").write());
    std::size_t needed = 0;
    CHECK(fardel_read_link(vfs, "/a", nullptr, 0, &needed, nullptr) == FARDEL_ERROR_LIMIT);
    CHECK(needed == 8 + 64 + 1);
    for (std::size_t size = 0; size <= needed; ++size) {
        std::vector<char> buffer(size, '?');  // sanitizers detect writes past its end
        const fardel_code code = fardel_read_link(vfs, "/a", buffer.data(), size, nullptr, nullptr);
        CHECK(code == (size < needed ? FARDEL_ERROR_LIMIT : FARDEL_OK));
        if (code != FARDEL_OK)
            CHECK(std::ranges::count(buffer, '?') == static_cast<std::ptrdiff_t>(size));
    }
}

TEST_CASE("C API: files are read at any offset, and stay valid after their mount and VFS") {
    const std::string content = noise_text(300'000, 7);
    fardel_vfs* vfs = nullptr;
    REQUIRE(fardel_vfs_create(nullptr, &vfs, nullptr) == FARDEL_OK);
    const fardel_mount_id mount = mount_bytes(vfs, BundleMaker().add("a", content).write());
    fardel_file* file = nullptr;
    fardel_listing* listing = nullptr;
    REQUIRE(fardel_open(vfs, "/a", &file, nullptr) == FARDEL_OK);
    REQUIRE(fardel_listing_open(vfs, "/", &listing, nullptr) == FARDEL_OK);
    REQUIRE(fardel_unmount(vfs, mount, nullptr) == FARDEL_OK);
    fardel_vfs_destroy(vfs);

    CHECK(fardel_file_size(file) == content.size());
    CHECK(hex(fardel_file_asset(file)) == id_of(content).hex());
    CHECK(hex(fardel_file_bundle(file)) != std::string(64, '0'));
    CHECK(read_whole(file) == content);
    std::array<char, 10> buffer{};
    std::size_t count = 99;
    CHECK(fardel_read_at(file, content.size() - 4, buffer.data(), buffer.size(), &count, nullptr) == FARDEL_OK);
    CHECK(count == 4);
    CHECK(std::string(buffer.data(), 4) == content.substr(content.size() - 4));
    CHECK(fardel_read_at(file, UINT64_MAX, buffer.data(), buffer.size(), &count, nullptr) == FARDEL_OK);
    CHECK(count == 0);
    CHECK(fardel_read_at(file, 0, nullptr, 0, &count, nullptr) == FARDEL_OK);
    CHECK(count == 0);
    std::string whole(content.size() + 1, '?');
    CHECK(fardel_read_all(file, whole.data(), content.size() - 1, nullptr) == FARDEL_ERROR_LIMIT);
    CHECK(fardel_read_all(file, whole.data(), content.size() + 1, nullptr) == FARDEL_ERROR_LIMIT);
    CHECK(whole == std::string(content.size() + 1, '?'));
    CHECK(fardel_read_all(file, whole.data(), content.size(), nullptr) == FARDEL_OK);
    CHECK(whole == content + '?');
    {
        std::vector<std::jthread> readers;
        for (int i = 0; i < 4; ++i)
            readers.emplace_back([&] { CHECK(read_whole(file) == content); });
    }
    fardel_entry entry = FARDEL_ENTRY_INIT;
    CHECK(fardel_listing_next(listing, &entry, nullptr) == FARDEL_OK);
    CHECK(std::string(entry.name) == "a");
    fardel_listing_close(listing);
    fardel_close(file);
}

TEST_CASE("C API: a path exists as a file, link or folder, and means the same without its leading '/'") {
    Handle vfs;
    mount_bytes(vfs, BundleMaker().add("maps/a", "x").write());
    for (const std::string& path :
         {std::string("maps"), std::string("maps/a"), std::string("assets"), "assets/" + id_of("x").hex()}) {
        CAPTURE(path);
        CHECK(fardel_exists(vfs, path.c_str()) == 1);
        CHECK(fardel_exists(vfs, ("/" + path).c_str()) == 1);
        fardel_stat stat = FARDEL_STAT_INIT;
        CHECK(fardel_stat_path(vfs, path.c_str(), &stat, nullptr) == FARDEL_OK);
    }
    for (const char* path : {"", "/map", "maps/", "maps//a", "../maps", "/maps/a/x"})
        CHECK_MESSAGE(fardel_exists(vfs, path) == 0, path);
    fardel_file* file = nullptr;
    REQUIRE(fardel_open(vfs, "maps/a", &file, nullptr) == FARDEL_OK);
    CHECK(read_whole(file) == "x");
    fardel_close(file);
}

TEST_CASE("C API: damage is corrupt, with no byte read and a readable message") {  // A21
    const std::string content = noise_text(200'000, 8);
    Bytes bundle = BundleMaker().add("a", content).write();
    const auto wanted = std::as_bytes(std::span(content)).subspan(100'000, 64);
    const auto stored =
        std::search(bundle.begin(), bundle.end(), wanted.begin(), wanted.end());  // noise is stored uncompressed
    REQUIRE(stored != bundle.end());
    *stored ^= std::byte{1};
    Handle vfs;
    mount_bytes(vfs, bundle);
    fardel_file* file = nullptr;
    fardel_error error = FARDEL_ERROR_INIT;
    REQUIRE(fardel_open(vfs, "/a", &file, &error) == FARDEL_OK);
    std::vector<char> buffer(content.size());
    std::size_t count = 99;
    CHECK(fardel_read_at(file, 0, buffer.data(), buffer.size(), &count, &error) == FARDEL_ERROR_CORRUPT);
    CHECK(count == 0);
    CHECK(error.code == FARDEL_ERROR_CORRUPT);
    CHECK(std::string(error.text).find("memory") != std::string::npos);
    CHECK(fardel_read_at(file, 0, buffer.data(), 10, &count, nullptr) == FARDEL_OK);
    fardel_close(file);
    CHECK(fardel_open(vfs, ("/assets/" + id_of(content).hex()).c_str(), &file, nullptr) == FARDEL_ERROR_CORRUPT);
    CHECK(file == nullptr);
}

TEST_CASE("C API: null is refused for required arguments and accepted for optional ones") {
    Handle vfs;
    const fardel_vfs* const none = nullptr;
    fardel_error error = FARDEL_ERROR_INIT;
    fardel_file* file = nullptr;
    fardel_listing* listing = nullptr;
    fardel_stat stat = FARDEL_STAT_INIT;
    fardel_entry entry = FARDEL_ENTRY_INIT;
    char byte = 0;
    std::size_t count = 0;
    CHECK(fardel_vfs_create(nullptr, nullptr, &error) == FARDEL_ERROR_ARGUMENT);
    CHECK(error.code == FARDEL_ERROR_ARGUMENT);
    CHECK(std::string(error.text) == "a null pointer");
    CHECK(fardel_mount_file(nullptr, "x", nullptr, nullptr, nullptr) == FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_mount_file(vfs, nullptr, nullptr, nullptr, nullptr) == FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_mount_memory(nullptr, "x", 1, nullptr, nullptr, nullptr) == FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_mount_memory(vfs, nullptr, 1, nullptr, nullptr, nullptr) == FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_unmount(nullptr, 1, nullptr) == FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_stat_path(none, "/", &stat, nullptr) == FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_stat_path(vfs, nullptr, &stat, nullptr) == FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_stat_path(vfs, "/", nullptr, nullptr) == FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_read_link(none, "/a", &byte, 1, nullptr, nullptr) == FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_read_link(vfs, nullptr, &byte, 1, nullptr, nullptr) == FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_read_link(vfs, "/a", nullptr, 1, nullptr, nullptr) == FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_open(none, "/a", &file, nullptr) == FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_open(vfs, nullptr, &file, nullptr) == FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_open(vfs, "/a", nullptr, nullptr) == FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_read_at(nullptr, 0, &byte, 1, &count, nullptr) == FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_read_all(nullptr, &byte, 1, nullptr) == FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_exists(none, "/") == 0);
    CHECK(fardel_exists(vfs, nullptr) == 0);
    CHECK(fardel_listing_open(none, "/", &listing, nullptr) == FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_listing_open(vfs, nullptr, &listing, nullptr) == FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_listing_open(vfs, "/", nullptr, nullptr) == FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_listing_next(nullptr, &entry, nullptr) == FARDEL_ERROR_ARGUMENT);

    mount_bytes(vfs, BundleMaker().add("a", "x").write());
    REQUIRE(fardel_open(vfs, "/a", &file, nullptr) == FARDEL_OK);
    CHECK(fardel_read_at(file, 0, nullptr, 1, &count, nullptr) == FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_read_at(file, 0, &byte, 1, nullptr, nullptr) == FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_read_all(file, nullptr, 1, nullptr) == FARDEL_ERROR_ARGUMENT);
    REQUIRE(fardel_listing_open(vfs, "/", &listing, nullptr) == FARDEL_OK);
    CHECK(fardel_listing_next(listing, nullptr, nullptr) == FARDEL_ERROR_ARGUMENT);
    fardel_listing_close(listing);
    fardel_close(file);

    fardel_vfs_destroy(nullptr);
    fardel_close(nullptr);
    fardel_listing_close(nullptr);
    fardel_id_text(nullptr, nullptr);
    CHECK(fardel_file_size(nullptr) == 0);
    CHECK(hex(fardel_file_asset(nullptr)) == std::string(64, '0'));
    CHECK(hex(fardel_file_bundle(nullptr)) == std::string(64, '0'));
    CHECK(fardel_is_tainted(nullptr) == 0);
}

TEST_CASE("C API: a struct_size that no version had is refused") {
    Handle vfs;
    const Bytes bundle = BundleMaker().add("a", "x").write();
    fardel_listing* listing = nullptr;
    REQUIRE(fardel_listing_open(vfs, "/", &listing, nullptr) == FARDEL_OK);
    for (const std::size_t wrong :
         {std::size_t{0}, std::size_t{1}, offsetof(fardel_error, text), std::size_t{1} << 20, ~std::size_t{0}}) {
        CAPTURE(wrong);
        fardel_vfs_options vfs_options = FARDEL_VFS_OPTIONS_INIT;
        vfs_options.struct_size = wrong;
        fardel_vfs* other = nullptr;
        CHECK(fardel_vfs_create(&vfs_options, &other, nullptr) == FARDEL_ERROR_ARGUMENT);
        CHECK(other == nullptr);
        fardel_mount_options options = unsigned_options();
        options.struct_size = wrong;
        CHECK(mount_with(vfs, bundle, &options) == FARDEL_ERROR_ARGUMENT);
        fardel_stat stat = FARDEL_STAT_INIT;
        stat.struct_size = wrong;
        CHECK(fardel_stat_path(vfs, "/", &stat, nullptr) == FARDEL_ERROR_ARGUMENT);
        fardel_entry entry = FARDEL_ENTRY_INIT;
        entry.struct_size = wrong;
        CHECK(fardel_listing_next(listing, &entry, nullptr) == FARDEL_ERROR_ARGUMENT);
        fardel_error error = FARDEL_ERROR_INIT;
        error.struct_size = wrong;
        fardel_file* file = nullptr;
        CHECK(fardel_open(vfs, "/", &file, &error) == FARDEL_ERROR_ARGUMENT);
        CHECK(error.code == FARDEL_OK);  // unchanged
    }
    fardel_listing_close(listing);
}

TEST_CASE("C API: a caller with later structs gets zeros in new fields, and unknown options are refused") {
    Handle vfs;
    const Bytes bundle = BundleMaker().add("a", "x").write();
    Longer<fardel_mount_options> options{unsigned_options()};
    options.known.struct_size = sizeof options;
    options.added[7] = 1;
    CHECK(mount_with(vfs, bundle, &options.known) == FARDEL_ERROR_UNSUPPORTED);
    options.added[7] = 0;
    options.known.flags |= 1u << 31;
    CHECK(mount_with(vfs, bundle, &options.known) == FARDEL_ERROR_UNSUPPORTED);
    options.known.flags = FARDEL_MOUNT_ALLOW_UNSIGNED;
    CHECK(mount_with(vfs, bundle, &options.known) == FARDEL_OK);

    Longer<fardel_stat> stat{FARDEL_STAT_INIT};
    stat.known.struct_size = sizeof stat;
    stat.added.fill(9);
    CHECK(fardel_stat_path(vfs, "/a", &stat.known, nullptr) == FARDEL_OK);
    CHECK(stat.known.size_bytes == 1);
    CHECK(stat.known.struct_size == sizeof stat);
    CHECK(std::ranges::count(stat.added, 0) == 40);
}

TEST_CASE("C API: an error's message is truncated to its buffer, at a character boundary") {
    Handle vfs;
    fardel_file* file = nullptr;
    fardel_error whole = FARDEL_ERROR_INIT;
    CHECK(fardel_open(vfs, "/grün/übel", &file, &whole) == FARDEL_ERROR_MISSING);
    const std::string sentence = whole.text;
    REQUIRE(sentence.find("ü") != std::string::npos);
    for (std::size_t room = 1; room <= sentence.size() + 1; ++room) {
        std::vector<std::size_t> memory((offsetof(fardel_error, text) + room) / sizeof(std::size_t) + 1);
        auto* const error = reinterpret_cast<fardel_error*>(memory.data());
        error->struct_size = offsetof(fardel_error, text) + room;
        CHECK(fardel_open(vfs, "/grün/übel", &file, error) == FARDEL_ERROR_MISSING);
        const std::string text = reinterpret_cast<const char*>(memory.data()) + offsetof(fardel_error, text);
        CHECK(text.size() < room);
        CHECK(text.size() + 2 >= room);
        CHECK(sentence.starts_with(text));
        CHECK((static_cast<unsigned char>(sentence[text.size()]) & 0xC0) != 0x80);
    }
    CHECK(fardel_open(vfs, ("/" + std::string(1000, 'x')).c_str(), &file, &whole) != FARDEL_OK);
    CHECK(std::strlen(whole.text) < sizeof whole.text);
}

TEST_CASE("C API: without memory, calls fail and nothing else happens") {
    if (!kMemoryCanFail) {
        MESSAGE("not run: ThreadSanitizer has operators new of its own; all other builds run this");
        return;
    }
    Author author;
    const Bytes bundle = author.sign(BundleMaker().add("maps/a", noise_text(100'000, 3)).add("b", "small").write());
    const std::string policy = author.policy().format();
    fardel_mount_options options = FARDEL_MOUNT_OPTIONS_INIT;
    options.policy_text = policy.c_str();
    fardel_error error = FARDEL_ERROR_INIT;
    std::vector<char> buffer(100'000);
    std::array<char, 100> target{};

    // Makes every call that a game makes. Returns false if a call failed, which is allowed only if memory ran out.
    const auto play = [&] {
        fardel_vfs* vfs = nullptr;
        fardel_file* file = nullptr;
        fardel_listing* listing = nullptr;
        fardel_stat stat = FARDEL_STAT_INIT;
        fardel_entry entry = FARDEL_ENTRY_INIT;
        fardel_mount_id mount = 0;
        std::size_t count = 0;
        fardel_code code = fardel_vfs_create(nullptr, &vfs, &error);
        if (code == FARDEL_OK)
            code = fardel_mount_memory(vfs, bundle.data(), bundle.size(), &options, &mount, &error);
        if (code == FARDEL_OK)
            code = fardel_stat_path(vfs, "/b", &stat, &error);
        if (code == FARDEL_OK)
            code = fardel_read_link(vfs, "/b", target.data(), target.size(), nullptr, &error);
        if (code == FARDEL_OK)
            code = fardel_open(vfs, target.data(), &file, &error);
        if (code == FARDEL_OK)
            code = fardel_read_at(file, 0, buffer.data(), buffer.size(), &count, &error);
        if (code == FARDEL_OK)
            code = fardel_listing_open(vfs, "/maps", &listing, &error);
        if (code == FARDEL_OK)
            code = fardel_listing_next(listing, &entry, &error);
        if (code == FARDEL_OK)
            code = fardel_unmount(vfs, mount, &error);
        fardel_listing_close(listing);
        fardel_close(file);
        fardel_vfs_destroy(vfs);
        return code;
    };

    std::size_t allocations = 0;
    fardel_code code = FARDEL_ERROR_NO_MEMORY;
    for (; code != FARDEL_OK && allocations < 5000; ++allocations) {
        const FailingMemory memory(allocations);
        code = play();
        if (code != FARDEL_OK && code != FARDEL_ERROR_NO_MEMORY)
            break;
    }
    CAPTURE(allocations);
    CAPTURE(error.text);
    CHECK(code == FARDEL_OK);
    CHECK(allocations > 20);
}

struct ReadFiles {
    std::vector<std::string> texts;  // "INDEX:CONTENT" or "INDEX!CODE", as they came
    std::size_t stop_after = SIZE_MAX;
};

int32_t receive_file(void* context, size_t index, const void* bytes, size_t size_bytes, fardel_code code,
                     const char* text) {
    auto& files = *static_cast<ReadFiles*>(context);
    if (code == FARDEL_OK)
        files.texts.push_back(std::to_string(index) + ":" + std::string(static_cast<const char*>(bytes), size_bytes));
    else
        files.texts.push_back(std::to_string(index) + "!" + std::to_string(code) + (*text != '\0' ? "" : " no text"));
    return files.texts.size() == files.stop_after ? 1 : 0;
}

// Threads of a game: each task has its own, or runs where it is given.
struct GameThreads {
    std::vector<std::jthread> threads;
    std::mutex mutex;
    int tasks = 0;
    bool at_once = false;

    static void run(void* context, void (*task)(void*), void* argument) {
        auto& game = *static_cast<GameThreads*>(context);
        {
            const std::scoped_lock lock(game.mutex);
            ++game.tasks;
            if (!game.at_once) {
                game.threads.emplace_back(task, argument);
                return;
            }
        }
        task(argument);
    }
};

TEST_CASE("C API: many files in one call, on the VFS's threads, the game's, or none") {
    const Bytes bundle =
        BundleMaker().add("a.txt", "first").add("b.txt", std::string(400'000, 'b')).add("c", "").write();
    const std::array<const char*, 5> paths{"/a", "b.txt", "/none", "/c", "/a.txt"};
    const std::string missing = std::to_string(FARDEL_ERROR_MISSING);
    const std::vector<std::string> expected{"0:first", "1:" + std::string(400'000, 'b'), "2!" + missing,
                                            "3:", "4:first"};
    GameThreads game;
    GameThreads at_once;
    at_once.at_once = true;
    fardel_executor executor = FARDEL_EXECUTOR_INIT;
    executor.run = GameThreads::run;
    executor.thread_count = 2;
    for (GameThreads* const threads : {static_cast<GameThreads*>(nullptr), &game, &at_once}) {
        fardel_vfs_options options = FARDEL_VFS_OPTIONS_INIT;
        executor.context = threads;
        options.executor = threads != nullptr ? &executor : nullptr;
        options.read_threads = 3;
        fardel_vfs* vfs = nullptr;
        REQUIRE(fardel_vfs_create(&options, &vfs, nullptr) == FARDEL_OK);
        mount_bytes(vfs, bundle);
        fardel_batch_options batch = FARDEL_BATCH_OPTIONS_INIT;
        batch.extensions = "txt";
        ReadFiles any;
        CHECK(fardel_read_files(vfs, paths.data(), paths.size(), &batch, receive_file, &any, nullptr) == FARDEL_OK);
        std::ranges::sort(any.texts);
        CHECK(any.texts == expected);
        batch.flags = FARDEL_BATCH_IN_ORDER;
        ReadFiles ordered;
        CHECK(fardel_read_files(vfs, paths.data(), paths.size(), &batch, receive_file, &ordered, nullptr) == FARDEL_OK);
        CHECK(ordered.texts == expected);
        ReadFiles stopped;
        stopped.stop_after = 2;
        CHECK(fardel_read_files(vfs, paths.data(), paths.size(), &batch, receive_file, &stopped, nullptr) ==
              FARDEL_ERROR_CANCELLED);
        CHECK(stopped.texts.size() == 2);
        // Without extensions, "/a" is no name.
        ReadFiles plain;
        CHECK(fardel_read_files(vfs, paths.data(), 1, nullptr, receive_file, &plain, nullptr) == FARDEL_OK);
        CHECK(plain.texts == std::vector<std::string>{"0!" + missing});
        CHECK(fardel_read_files(vfs, nullptr, 0, nullptr, receive_file, &plain, nullptr) == FARDEL_OK);
        fardel_vfs_destroy(vfs);
        if (threads != nullptr)
            CHECK(threads->tasks > 0);
    }
    game.threads.clear();

    const Handle vfs;
    ReadFiles none;
    const auto read = [&](const fardel_vfs* of, const char* const* given, const fardel_batch_options* options,
                          fardel_file_read receive) {
        return fardel_read_files(of, given, 1, options, receive, &none, nullptr);
    };
    const char* const null_path = nullptr;
    CHECK(read(nullptr, paths.data(), nullptr, receive_file) == FARDEL_ERROR_ARGUMENT);
    CHECK(read(vfs, nullptr, nullptr, receive_file) == FARDEL_ERROR_ARGUMENT);
    CHECK(read(vfs, &null_path, nullptr, receive_file) == FARDEL_ERROR_ARGUMENT);
    CHECK(read(vfs, paths.data(), nullptr, nullptr) == FARDEL_ERROR_ARGUMENT);
    fardel_batch_options batch = FARDEL_BATCH_OPTIONS_INIT;
    batch.flags = 2;
    CHECK(read(vfs, paths.data(), &batch, receive_file) == FARDEL_ERROR_UNSUPPORTED);
    batch = FARDEL_BATCH_OPTIONS_INIT;
    batch.extensions = "a/b";
    CHECK(read(vfs, paths.data(), &batch, receive_file) == FARDEL_ERROR_MALFORMED);
    CHECK(none.texts.empty());

    fardel_vfs* bad = nullptr;
    fardel_vfs_options options = FARDEL_VFS_OPTIONS_INIT;
    options.executor = &executor;
    executor.thread_count = 0;
    CHECK(fardel_vfs_create(&options, &bad, nullptr) == FARDEL_ERROR_ARGUMENT);
    executor.thread_count = 1;
    executor.run = nullptr;
    CHECK(fardel_vfs_create(&options, &bad, nullptr) == FARDEL_ERROR_ARGUMENT);
    CHECK(bad == nullptr);
}

TEST_CASE("C API: a folder is mounted, and its changes are reported") {
    if (!can_watch_folders())
        return;
    const ScratchFolder scratch;
    scratch.write("game/a", "before");
    const Handle vfs;
    fardel_mount_options options = unsigned_options();
    options.flags |= FARDEL_MOUNT_WATCH;
    fardel_mount_id mount = 0;
    REQUIRE(fardel_mount_file(vfs, scratch.path("game").c_str(), &options, &mount, nullptr) == FARDEL_OK);
    std::string reported;
    const fardel_changed changed = [](void* context, const fardel_change* change) {
        auto& text = *static_cast<std::string*>(context);
        text += std::string(change->path) + (change->has_before ? (change->has_after ? "~" : "-") : "+");
        if (change->has_after) {
            char id[65];
            fardel_id_text(&change->after, id);
            text += std::string(id).substr(0, 8);
        }
    };
    REQUIRE(fardel_poll(vfs, changed, &reported, nullptr) == FARDEL_OK);
    CHECK(reported.empty());
    scratch.write("game/a", "after!");
    REQUIRE(fardel_refresh(vfs, mount, changed, &reported, nullptr) == FARDEL_OK);
    CHECK(reported == "/a~" + id_of("after!").hex().substr(0, 8));
    scratch.write("game/b", "new");
    reported.clear();
    wait_until([&] {
        REQUIRE(fardel_poll(vfs, changed, &reported, nullptr) == FARDEL_OK);
        return !reported.empty();
    });
    CHECK(reported == "/b+" + id_of("new").hex().substr(0, 8));
    CHECK(fardel_refresh(vfs, mount, nullptr, nullptr, nullptr) == FARDEL_OK);
    CHECK(fardel_refresh(vfs, 77, changed, &reported, nullptr) == FARDEL_ERROR_MISSING);
    CHECK(fardel_refresh(vfs, mount_bytes(vfs, BundleMaker().add("x", "x").write()), changed, &reported, nullptr) ==
          FARDEL_ERROR_UNSUPPORTED);
    CHECK(fardel_refresh(nullptr, mount, changed, &reported, nullptr) == FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_poll(nullptr, changed, &reported, nullptr) == FARDEL_ERROR_ARGUMENT);
}

TEST_CASE("C API: variants, scopes and pure mode") {
    const Handle vfs;
    BundleMaker maker;
    maker.add("map", "map").add_unpublished("own", "own").add_variants("wall", {"sd", "hd"});
    maker.plan().names[2].variants[1].tags = {{"quality", "hd"}};
    const Bytes bundle = maker.write();
    mount_bytes(vfs, bundle);
    mount_bytes(vfs, BundleMaker().add("cheat", "cheat").write());
    const auto content = [&](const char* path) {
        fardel_file* file = nullptr;
        if (fardel_open(vfs, path, &file, nullptr) != FARDEL_OK)
            return std::string("none");
        const std::string text = read_whole(file);
        fardel_close(file);
        return text;
    };
    CHECK(content("/wall") == "sd");
    CHECK(fardel_prefer(vfs, "quality=hd", nullptr) == FARDEL_OK);
    CHECK(content("/wall") == "hd");
    CHECK(fardel_prefer(vfs, "quality", nullptr) == FARDEL_ERROR_MALFORMED);
    CHECK(fardel_prefer(vfs, nullptr, nullptr) == FARDEL_OK);
    CHECK(content("/wall") == "sd");
    CHECK(fardel_prefer(nullptr, "", nullptr) == FARDEL_ERROR_ARGUMENT);

    std::string axes(100, '\0');
    std::size_t needed = 0;
    CHECK(fardel_variant_axes(vfs, axes.data(), axes.size(), &needed, nullptr) == FARDEL_OK);
    CHECK(axes.substr(0, needed - 1).find("quality=") != std::string::npos);
    CHECK(fardel_variant_axes(vfs, nullptr, 0, &needed, nullptr) == FARDEL_ERROR_LIMIT);
    CHECK(fardel_variant_axes(nullptr, nullptr, 0, &needed, nullptr) == FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_prefer_in_mount(vfs, 1'000'000, "quality=hd", nullptr) == FARDEL_ERROR_MISSING);
    CHECK(fardel_prefer_in_mount(vfs, 1, "quality", nullptr) == FARDEL_ERROR_MALFORMED);
    CHECK(fardel_prefer_in_mount(nullptr, 1, "", nullptr) == FARDEL_ERROR_ARGUMENT);
    const Handle other;
    fardel_mount_options options = FARDEL_MOUNT_OPTIONS_INIT;
    options.flags = FARDEL_MOUNT_ALLOW_UNSIGNED;
    options.preference = "quality";
    fardel_mount_id id = 0;
    CHECK(fardel_mount_memory(other, bundle.data(), bundle.size(), &options, &id, nullptr) == FARDEL_ERROR_MALFORMED);
    options.preference = "quality=hd";
    REQUIRE(fardel_mount_memory(other, bundle.data(), bundle.size(), &options, &id, nullptr) == FARDEL_OK);
    const auto wall_of_other = [&] {
        fardel_stat stat = FARDEL_STAT_INIT;
        REQUIRE(fardel_stat_path(other, "/wall", &stat, nullptr) == FARDEL_OK);
        return std::memcmp(&stat.asset, id_of("hd").bytes.data(), sizeof stat.asset) == 0 ? "hd" : "sd";
    };
    CHECK(wall_of_other() == std::string("hd"));
    CHECK(fardel_prefer_in_mount(other, id, nullptr, nullptr) == FARDEL_OK);
    CHECK(wall_of_other() == std::string("sd"));

    fardel_file* map = nullptr;
    fardel_file* own = nullptr;
    REQUIRE(fardel_open(vfs, "/map", &map, nullptr) == FARDEL_OK);
    REQUIRE(fardel_open_from(vfs, map, "own", &own, nullptr) == FARDEL_OK);
    CHECK(read_whole(own) == "own");
    fardel_close(own);
    CHECK(fardel_open_from(vfs, map, "nobody", &own, nullptr) == FARDEL_ERROR_MISSING);
    CHECK(own == nullptr);
    CHECK(fardel_open_from(vfs, map, nullptr, &own, nullptr) == FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_open_from(vfs, nullptr, "own", &own, nullptr) == FARDEL_ERROR_ARGUMENT);
    fardel_close(map);

    PureRules rules;
    rules.unsigned_allowed = true;
    rules.bundles = {{.bundle = bundle_id_of(bundle), .mount_point = "", .name = ""}};
    const std::string policy = PurePolicy::make(rules).value().format();
    std::size_t problems = 99;
    CHECK(content("/cheat") == "cheat");
    REQUIRE(fardel_enter_pure(vfs, policy.c_str(), &problems, nullptr) == FARDEL_OK);
    CHECK(problems == 1);
    CHECK(content("/cheat") == "none");
    CHECK(content("/map") == "map");
    fardel_leave_pure(vfs);
    CHECK(content("/cheat") == "cheat");
    CHECK(fardel_enter_pure(vfs, "no policy", &problems, nullptr) == FARDEL_ERROR_MALFORMED);
    CHECK(problems == 0);
    CHECK(fardel_enter_pure(vfs, nullptr, nullptr, nullptr) == FARDEL_ERROR_ARGUMENT);
    fardel_leave_pure(nullptr);
}

TEST_CASE("C API: of two versions, each refers to its own variants, beside a pack, below a mod, and in pure mode") {
    const auto game_of = [](const std::string& version) {
        BundleMaker maker;
        maker.add("model", "model " + version).add_variants("skin", {"plain " + version, "fine " + version});
        maker.plan().names[1].variants[1].tags = {{"quality", "1"}};
        maker.plan().assets[0].references = {
            {.spelling = "the skin", .target = PlannedReference::Internal{1}, .name = "skin"}};
        return maker.version(version).write();
    };
    const std::array games = {game_of("1"), game_of("2")};
    std::array<BundleId, 2> ids;
    const Handle vfs;
    for (std::size_t i = 0; i < games.size(); ++i) {
        ids[i] = bundle_id_of(games[i]);
        mount_bytes(vfs, games[i]);
    }
    BundleMaker pack;
    pack.add_variants("skin", {"finer 1"}, true);
    pack.plan().names.back().variants.front().tags = {{"quality", "1"}};
    pack.plan().dependencies = {{.bundle = ids[0]}};
    mount_bytes(vfs, pack.write());
    mount_bytes(vfs, BundleMaker().add("skin", "of the mod").write());
    const auto skin_of = [&](std::size_t version) {
        fardel_file* model = nullptr;
        fardel_file* skin = nullptr;
        REQUIRE(fardel_open(vfs, ("/bundles/" + ids[version].hex() + "/model").c_str(), &model, nullptr) == FARDEL_OK);
        REQUIRE(fardel_open_from(vfs, model, "the skin", &skin, nullptr) == FARDEL_OK);
        const std::string text = read_whole(skin);
        fardel_close(skin);
        fardel_close(model);
        return text;
    };
    CHECK(skin_of(0) == "plain 1");
    CHECK(skin_of(1) == "plain 2");
    CHECK(fardel_prefer(vfs, "quality=1", nullptr) == FARDEL_OK);
    CHECK(skin_of(0) == "finer 1");
    CHECK(skin_of(1) == "fine 2");

    PureRules rules;
    rules.unsigned_allowed = true;
    for (const BundleId& id : ids)
        rules.bundles.push_back({.bundle = id, .mount_point = "", .name = ""});
    REQUIRE(fardel_enter_pure(vfs, PurePolicy::make(rules).value().format().c_str(), nullptr, nullptr) == FARDEL_OK);
    CHECK(skin_of(0) == "fine 1");
    CHECK(skin_of(1) == "fine 2");
    fardel_leave_pure(vfs);
    CHECK(skin_of(0) == "finer 1");
}

// What the callbacks of one VFS received.
struct Received {
    std::vector<std::string> bundles;
    std::vector<fardel_mount_id> mounts;
    std::vector<std::string> requirements;
};

void receive_missing(void* context, const fardel_missing_dependency* missing) {
    auto& received = *static_cast<Received*>(context);
    CHECK(missing->struct_size == sizeof *missing);
    received.bundles.push_back(hex(missing->bundle));
    received.mounts.push_back(missing->mount);
    received.requirements.emplace_back(missing->requirement != nullptr ? missing->requirement : "");
}

TEST_CASE("C API: a missing static dependency is an event, is listed, and is refused on request") {
    const Bytes base = BundleMaker().add("base", "1").write();
    BundleMaker maker;
    maker.add("map", "map");
    maker.plan().dependencies = {{.bundle = bundle_id_of(base)}};
    const Bytes map = maker.write();
    Received events;
    fardel_vfs_options how = FARDEL_VFS_OPTIONS_INIT;
    how.dependency_missing = receive_missing;
    how.dependency_context = &events;
    fardel_vfs* vfs = nullptr;
    REQUIRE(fardel_vfs_create(&how, &vfs, nullptr) == FARDEL_OK);

    fardel_mount_options strict = unsigned_options();
    strict.flags |= FARDEL_MOUNT_REQUIRE_DEPENDENCIES;
    fardel_error error = FARDEL_ERROR_INIT;
    CHECK(mount_with(vfs, map, &strict, &error) == FARDEL_ERROR_UNRESOLVED);
    CHECK(std::string(error.text).find(bundle_id_of(base).hex()) != std::string::npos);
    CHECK(events.bundles.empty());

    const fardel_mount_id mounted = mount_bytes(vfs, map);
    CHECK(events.bundles == std::vector{bundle_id_of(base).hex()});
    CHECK(events.mounts == std::vector{mounted});
    Received listed;
    std::size_t count = 99;
    CHECK(fardel_missing_dependencies(vfs, receive_missing, &listed, &count, nullptr) == FARDEL_OK);
    CHECK(count == 1);
    CHECK(listed.bundles == events.bundles);
    CHECK(listed.mounts == events.mounts);
    CHECK(fardel_missing_dependencies(vfs, nullptr, nullptr, nullptr, nullptr) == FARDEL_OK);
    CHECK(fardel_missing_dependencies(nullptr, nullptr, nullptr, &count, nullptr) == FARDEL_ERROR_ARGUMENT);
    CHECK(count == 0);

    const fardel_mount_id needed = mount_bytes(vfs, base);
    CHECK(fardel_missing_dependencies(vfs, receive_missing, &listed, &count, nullptr) == FARDEL_OK);
    CHECK(count == 0);
    REQUIRE(fardel_unmount(vfs, needed, nullptr) == FARDEL_OK);
    CHECK(events.bundles.size() == 2);
    fardel_vfs_destroy(vfs);

    // A caller of the first version, whose options end before the event.
    how.struct_size = offsetof(fardel_vfs_options, dependency_missing);
    REQUIRE(fardel_vfs_create(&how, &vfs, nullptr) == FARDEL_OK);
    mount_bytes(vfs, map);
    CHECK(events.bundles.size() == 2);
    fardel_vfs_destroy(vfs);

    // A requirement by name is one, too.
    how.struct_size = sizeof how;
    REQUIRE(fardel_vfs_create(&how, &vfs, nullptr) == FARDEL_OK);
    BundleMaker named;
    named.add("mod", "mod");
    named.plan().metadata = {{"name", "mod"}, {"requires.studio/base", ">= 2"}, {"version", "1"}};
    mount_bytes(vfs, named.write());
    CHECK(events.requirements.back() == "studio/base >= 2");
    CHECK(events.bundles.back() == std::string(64, '0'));
    fardel_vfs_destroy(vfs);
}

TEST_CASE("C API: a name without extension is opened by an ordered list of extensions") {
    BundleMaker maker;
    maker.add("map", "map").add("t/wall.png", "png").add("t/wall.jpg", "jpg").add_unpublished("own.jpg", "own");
    Handle vfs;
    mount_bytes(vfs, maker.write());
    const auto content = [&](const char* path, const char* extensions) {
        fardel_file* file = nullptr;
        const fardel_code code = fardel_open_any(vfs, path, extensions, &file, nullptr);
        const std::string text = code == FARDEL_OK ? read_whole(file) : fardel_code_name(code);
        fardel_close(file);
        return text;
    };
    CHECK(content("t/wall", "tga,png,jpg") == "png");
    CHECK(content("t/wall.tga", "tga,jpg,png") == "jpg");
    CHECK(content("map", "tga") == "map");
    CHECK(content("t/wall", "tga") == "missing");
    CHECK(content("t/wall", "") == "malformed");
    CHECK(content("t/wall", ".png") == "malformed");
    CHECK(content("t/wall", nullptr) == "argument");
    CHECK(content(nullptr, "png") == "argument");

    fardel_file* map = nullptr;
    fardel_file* own = nullptr;
    REQUIRE(fardel_open(vfs, "/map", &map, nullptr) == FARDEL_OK);
    REQUIRE(fardel_open_any_from(vfs, map, "own", "png,jpg", &own, nullptr) == FARDEL_OK);
    CHECK(read_whole(own) == "own");
    fardel_close(own);
    CHECK(fardel_open_any_from(vfs, map, "own", "png", &own, nullptr) == FARDEL_ERROR_MISSING);
    CHECK(fardel_open_any_from(vfs, nullptr, "own", "png", &own, nullptr) == FARDEL_ERROR_ARGUMENT);
    CHECK(own == nullptr);
    fardel_close(map);
}

TEST_CASE("C API: a bundle that requires a licence token is mounted only with one that the policy accepts") {  // A76
    constexpr std::uint64_t kEnd = 1'900'000'000;
    Author author;
    BundleMaker maker;
    maker.add("a", "paid for");
    maker.plan().metadata.push_back({.key = "license-token", .value = "ask shop.example"});
    const Bytes bundle = author.sign(maker.write());
    const Shop shop;
    const Bytes good = shop.token(bundle_id_of(bundle), {kEnd});
    const Bytes by_name = shop.token("**", {kEnd + 1});
    const Bytes other = shop.token(BundleId{{{1, 2, 3}}}, {kEnd});
    const Bytes forged = Shop().token("**", {kEnd});
    const std::string policy = shop.policy(author.policy());
    Handle vfs;
    fardel_error error = FARDEL_ERROR_INIT;
    fardel_mount_options options = FARDEL_MOUNT_OPTIONS_INIT;
    options.policy_text = policy.c_str();
    options.now_s = kEnd - 1;
    const auto code_with = [&](const std::vector<Bytes>& tokens) {
        std::vector<fardel_license_token> given;
        for (const Bytes& token : tokens)
            given.push_back({.bytes = token.data(), .size_bytes = token.size()});
        options.licenses = given.data();
        options.license_count = given.size();
        fardel_mount_id mount = 0;
        const fardel_code code = fardel_mount_memory(vfs, bundle.data(), bundle.size(), &options, &mount, &error);
        if (code == FARDEL_OK) {
            CHECK(read_path(vfs, "/a") == "paid for");
            REQUIRE(fardel_unmount(vfs, mount, nullptr) == FARDEL_OK);
        }
        return code;
    };
    CHECK(code_with({good}) == FARDEL_OK);
    CHECK(code_with({forged, other, by_name}) == FARDEL_OK);
    CHECK(code_with({}) == FARDEL_ERROR_MISSING);
    CHECK(std::string(error.text).find("ask shop.example") != std::string::npos);
    CHECK(code_with({other}) == FARDEL_ERROR_MISSING);
    CHECK(code_with({forged}) == FARDEL_ERROR_UNTRUSTED);
    options.now_s = kEnd;
    CHECK(code_with({good}) == FARDEL_ERROR_EXPIRED);
    CHECK(code_with({good, by_name}) == FARDEL_OK);

    // What is no token is an error, whatever else is given.
    CHECK(code_with({by_name, Bytes()}) == FARDEL_ERROR_MALFORMED);
    CHECK(code_with({by_name, Bytes(by_name.begin(), by_name.end() - 1)}) == FARDEL_ERROR_MALFORMED);
    Bytes changed = by_name;
    changed[changed.size() - 20] ^= std::byte{1};  // in the signature
    CHECK(code_with({by_name, changed}) == FARDEL_ERROR_UNTRUSTED);
    options.licenses = nullptr;
    options.license_count = 1;
    CHECK(mount_with(vfs, bundle, &options, &error) == FARDEL_ERROR_ARGUMENT);
    const fardel_license_token none{.bytes = nullptr, .size_bytes = 100};
    options.licenses = &none;
    CHECK(mount_with(vfs, bundle, &options, &error) == FARDEL_ERROR_MALFORMED);
    options.license_count = SIZE_MAX;
    CHECK(mount_with(vfs, bundle, &options, &error) == FARDEL_ERROR_LIMIT);
    // A caller of the first version has no tokens.
    options.struct_size = offsetof(fardel_mount_options, licenses);
    CHECK(mount_with(vfs, bundle, &options, &error) == FARDEL_ERROR_MISSING);
}

TEST_CASE("C API: a reference is looked up in what the bundle's requirements mean") {
    const Bytes old_base = BundleMaker().add("wall", "stone 1").version("1").write();
    const Bytes new_base = BundleMaker().add("wall", "stone 2").version("2").write();
    const Bytes mod = BundleMaker().add("map", "map").title("mod").write();
    Handle vfs;
    fardel_error error = FARDEL_ERROR_INIT;
    fardel_mount_options options = FARDEL_MOUNT_OPTIONS_INIT;
    options.flags = FARDEL_MOUNT_ALLOW_UNSIGNED;
    for (const Bytes* base : {&old_base, &new_base})
        REQUIRE(mount_with(vfs, *base, &options, &error) == FARDEL_OK);
    fardel_id resolved{};
    std::ranges::copy(Bundle::open(make_memory_source(old_base), {}).value()->id().bytes, resolved.bytes);
    options.resolved = &resolved;
    options.resolved_count = 257;
    CHECK(mount_with(vfs, mod, &options, &error) == FARDEL_ERROR_LIMIT);
    options.resolved_count = 1;
    REQUIRE(mount_with(vfs, mod, &options, &error) == FARDEL_OK);
    options.resolved = nullptr;
    CHECK(mount_with(vfs, mod, &options, &error) == FARDEL_ERROR_ARGUMENT);
    fardel_file* map = nullptr;
    fardel_file* wall = nullptr;
    REQUIRE(fardel_open(vfs, "/map", &map, nullptr) == FARDEL_OK);
    REQUIRE(fardel_open_from(vfs, map, "wall", &wall, nullptr) == FARDEL_OK);
    CHECK(read_whole(wall) == "stone 1");
    CHECK(read_path(vfs, "/wall") == "stone 2");
    fardel_close(wall);
    fardel_close(map);
}

}  // namespace fardel::tests::c_api_test
