// BundleLibrary: real folders with bundle files, and files that only look like them.
#include "kit/bundles.h"
#include "kit/files.h"

#include <fardel/store/bundle_store.h>

#include <sys/stat.h>

namespace fardel::tests::bundle_library_test {

Bytes library_bundle(std::string_view text, const std::vector<BundleId>& needs = {}) {
    return BundleMaker().add("text.txt", text).needs(needs, "d", "1").write_quickly();
}

BundleLibrary open_library(const ScratchFolder& scratch, const std::string& index = "index") {
    const std::string folders[] = {scratch.path("mods")};
    return value_of(BundleLibrary::open(folders, index.empty() ? "" : scratch.path(index)));
}

TEST_CASE("bundle library: the files of a folder are found by id, and those that are no bundles are left out") {
    const ScratchFolder scratch;
    const Bytes bytes = library_bundle("one");
    scratch.write("mods/one.fardel", bytes);
    scratch.write("mods/text.fardel", "no bundle");
    scratch.write("mods/empty.fardel", "");
    scratch.write("mods/one.copy", bytes);          // another name
    scratch.write("mods/below/two.fardel", bytes);  // folders below are not looked at
    fs::create_directory(scratch.path("mods/folder.fardel"));
    scratch.write("outside.fardel", library_bundle("outside"));
    fs::create_symlink(scratch.path("outside.fardel"), scratch.path("mods/link.fardel"));
    REQUIRE(::mkfifo(scratch.path("mods/pipe.fardel").c_str(), 0600) == 0);
    const BundleLibrary library = open_library(scratch);
    REQUIRE(library.bundles().size() == 1);
    CHECK(library.bundles()[0].path == fs::canonical(scratch.path("mods/one.fardel")).string());
    const BundleId id = bundle_id_of(bytes);
    CHECK(library.bundles()[0].bundle == id);
    CHECK(library.has(id));
    CHECK(value_of(library.find(id.hex().substr(0, 8))) == id);
    CHECK(all_bytes(*value_of(library.open_bundle(id))) == bytes);
    CHECK(code_of(library.find("00000000")) == ErrorCode::missing);
    CHECK(code_of(library.find("one")) == ErrorCode::malformed);
    CHECK(code_of(library.open_bundle(filled_id<BundleId>(1))) == ErrorCode::missing);
    const std::string none[] = {scratch.path("none")};
    CHECK(code_of(BundleLibrary::open(none)) == ErrorCode::missing);
    const std::string file[] = {scratch.path("outside.fardel")};
    CHECK_FALSE(BundleLibrary::open(file));
}

TEST_CASE("bundle library: heads are read once, and again for files that changed; the index may go at any time") {
    const ScratchFolder scratch;
    for (int i = 0; i < 20; ++i)
        scratch.write("mods/" + std::to_string(i) + ".fardel", library_bundle(std::to_string(i)));
    scratch.write("mods/text.fardel", "no bundle");
    grow_old();
    CHECK(open_library(scratch).heads_read() == 21);
    CHECK(open_library(scratch).heads_read() == 0);
    CHECK(open_library(scratch).bundles().size() == 20);
    CHECK(open_library(scratch, "").heads_read() == 21);

    SUBCASE("one file changed, one went, one came") {
        const Bytes other = library_bundle("other");
        scratch.write("mods/3.fardel", other);
        fs::remove(scratch.path("mods/4.fardel"));
        fs::rename(scratch.path("mods/5.fardel"), scratch.path("mods/z.fardel"));
        const BundleLibrary library = open_library(scratch);
        CHECK(library.heads_read() == 2);
        CHECK(library.bundles().size() == 19);
        CHECK(library.has(bundle_id_of(other)));
        CHECK_FALSE(library.has(bundle_id_of(library_bundle("3"))));
    }
    SUBCASE("other bytes of the same size, with the old time") {  // A110
        const auto time = fs::last_write_time(scratch.path("mods/3.fardel"));
        const Bytes other = library_bundle("x");
        REQUIRE(other.size() == fs::file_size(scratch.path("mods/3.fardel")));
        scratch.write("mods/3.fardel", other);
        fs::last_write_time(scratch.path("mods/3.fardel"), time);
        const BundleLibrary library = open_library(scratch);
        CHECK(library.heads_read() == 1);
        CHECK(library.has(bundle_id_of(other)));
    }
    SUBCASE("a file that is too young to be remembered") {
        fs::last_write_time(scratch.path("mods/3.fardel"), fs::file_time_type::clock::now() + std::chrono::hours(1));
        CHECK(open_library(scratch).heads_read() == 1);
        CHECK(open_library(scratch).heads_read() == 1);
        CHECK(open_library(scratch).bundles().size() == 20);
    }
    SUBCASE("the index is deleted") {
        fs::remove_all(scratch.path("index"));
        CHECK(open_library(scratch).heads_read() == 21);
        CHECK(open_library(scratch).heads_read() == 0);
    }
    SUBCASE("the index is damaged") {
        std::string bytes = read_file(only_file(scratch.path("index")).string());
        bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
        write_file(only_file(scratch.path("index")).string(), bytes);
        CHECK(open_library(scratch).heads_read() == 21);
        CHECK(open_library(scratch).heads_read() == 0);
    }
    SUBCASE("the index cannot be written") {
        fs::remove_all(scratch.path("index"));
        scratch.write("index", "a file");
        CHECK(open_library(scratch).heads_read() == 21);
        CHECK(open_library(scratch).bundles().size() == 20);
    }
}

TEST_CASE("bundle library: a file that was replaced, cut or removed after it was listed is never another bundle") {
    const ScratchFolder scratch;
    const Bytes bytes = library_bundle("one");
    const BundleId id = bundle_id_of(bytes);
    const std::string path = scratch.write("mods/one.fardel", bytes);
    const BundleLibrary library = open_library(scratch);
    scratch.write("mods/one.fardel", library_bundle("two"));
    check_error(library.open_bundle(id), ErrorCode::missing, "was replaced");
    scratch.write("mods/one.fardel", std::span(bytes).first(bytes.size() - 1000));
    CHECK_FALSE(library.open_bundle(id));
    scratch.write("mods/one.fardel", std::span(bytes).first(5000));
    CHECK(code_of(library.open_bundle(id)) == ErrorCode::corrupt);
    fs::remove(path);
    CHECK(code_of(library.open_bundle(id)) == ErrorCode::missing);
    scratch.write("outside.fardel", bytes);
    fs::create_symlink(scratch.path("outside.fardel"), path);
    CHECK_FALSE(library.open_bundle(id));
    fs::remove(path);
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    CHECK_FALSE(library.open_bundle(id));
}

TEST_CASE("bundle library: of two files with one id, the first that is whole is used") {
    const ScratchFolder scratch;
    const Bytes bytes = library_bundle("one");
    const BundleId id = bundle_id_of(bytes);
    scratch.write("mods/a.fardel", std::span(bytes).first(6000));
    scratch.write("mods/b.fardel", bytes);
    scratch.write("more/c.fardel", bytes);
    const std::string folders[] = {scratch.path("mods"), scratch.path("more")};
    const BundleLibrary library = value_of(BundleLibrary::open(folders));
    CHECK(library.bundles().size() == 3);
    CHECK(value_of(library.find(id.hex())) == id);
    CHECK(all_bytes(*value_of(library.open_bundle(id))) == bytes);
    scratch.write("mods/b.fardel", "no bundle any more");
    CHECK(all_bytes(*value_of(library.open_bundle(id))) == bytes);  // the one of the second folder
}

TEST_CASE("bundle library: a bundle of the store takes its static dependencies from a library, and the other way") {
    const ScratchFolder scratch;
    const Bytes base = library_bundle("base");
    const Bytes mod = library_bundle("mod", {bundle_id_of(base)});
    const Bytes more = library_bundle("more", {bundle_id_of(mod)});
    scratch.write("mods/base.fardel", base);
    scratch.write("mods/more.fardel", more);
    const BundleLibrary library = open_library(scratch);
    const BundleStore store = value_of(BundleStore::open(scratch.path("store"), true));
    value_of(store.add(make_memory_source(mod)));
    const BundleLookup both(&store, &library);
    const auto ids = value_of(both.closure(bundle_id_of(more)));
    CHECK(ids == std::vector<BundleId>{bundle_id_of(base), bundle_id_of(mod), bundle_id_of(more)});
    for (const BundleId& id : ids)
        CHECK(value_of(both.open_bundle(id))->size_bytes() > 0);
    CHECK(value_of(both.find(bundle_id_of(mod).hex().substr(0, 12))) == bundle_id_of(mod));
    check_error(BundleLookup(nullptr, &library).closure(bundle_id_of(more)), ErrorCode::unresolved,
                bundle_id_of(mod).hex());
    check_error(BundleLookup(&store, nullptr).closure(bundle_id_of(mod)), ErrorCode::unresolved,
                bundle_id_of(base).hex());
    CHECK(code_of(BundleLookup(nullptr, &library).closure(bundle_id_of(mod))) == ErrorCode::missing);
    CHECK(code_of(both.find("00000000")) == ErrorCode::missing);
    CHECK(code_of(both.open_bundle(filled_id<BundleId>(7))) == ErrorCode::missing);
    CHECK(code_of(BundleLookup(nullptr, nullptr).find("00000000")) == ErrorCode::missing);
}

}  // namespace fardel::tests::bundle_library_test
