#include <fardel/vfs/listing.h>

#include "kit/blobs.h"
#include "vfs/test_bundle.h"

#include <fardel/format/manifest.h>
#include <fardel/vfs/vfs.h>

namespace fardel::tests::listing_test {

TEST_CASE("list: names are merged over the mounts, each once") {
    Vfs vfs;
    mount(vfs, BundleMaker().add("maps/a", "1").add("maps/b", "2").add("maps/deep/x", "3").add("readme", "4").write());
    mount(vfs, BundleMaker().add("maps/b", "5").add("maps/c", "6").add("sounds/s", "7").write());
    CHECK(listing_of(vfs, "/") == "assets/ bundles/ maps/ readme@ sounds/");
    CHECK(listing_of(vfs, "/maps") == "a@ b@ c@ deep/");
    CHECK(listing_of(vfs, "/maps/deep") == "x@");
}

TEST_CASE("list: a path that is not a folder is missing") {
    Vfs vfs;
    mount(vfs, BundleMaker().add("maps/a", "1").write());
    for (const char* path : {"/nothing", "/maps/a", "/map", "/maps/a/b", "/assets/x", "/Assets"})
        CHECK_MESSAGE(outcome_of(vfs.list(path)) == "missing", path);
    CHECK(outcome_of(vfs.list("/bundles/" + std::string(64, '0'))) == "missing");
    CHECK(outcome_of(vfs.list("/assets/" + id_of("1").hex())) == "missing");
    CHECK(outcome_of(vfs.list("maps/")) == "malformed");
    CHECK(outcome_of(vfs.list("")) == "malformed");
}

TEST_CASE("list: the order is that of bytes, a folder as if it ended in '/'") {
    Vfs vfs;
    mount(vfs, BundleMaker()
                   .add("m/a/x", "1")
                   .add("m/a-b", "2")
                   .add("m/a0", "3")
                   .add("m/B", "4")
                   .add("m/\u00e4", "5")
                   .write());
    mount(vfs, BundleMaker().add("m/a.c", "6").add("m/a/y", "7").write());
    CHECK(listing_of(vfs, "/m") == "B@ a-b@ a.c@ a/ a0@ \u00e4@");
}

TEST_CASE("list: hidden names are left out, and so are folders with nothing else in them") {
    Vfs vfs;
    mount(vfs, BundleMaker()
                   .add("a", "1")
                   .add("gone/x", "2")
                   .add("gone/deep/y", "3")
                   .add("half/x", "4")
                   .add("half/y", "5")
                   .write());
    mount(vfs, BundleMaker()
                   .add_tombstone("a")
                   .add_tombstone("gone/x")
                   .add_tombstone("gone/deep/y")
                   .add_tombstone("half/x")
                   .write());
    CHECK(listing_of(vfs, "/") == "assets/ bundles/ half/");
    CHECK(listing_of(vfs, "/half") == "y@");
    CHECK(outcome_of(vfs.list("/gone")) == "missing");
    CHECK(outcome_of(vfs.stat("/gone")) == "missing");
}

TEST_CASE("list: names that are not published, or only extended, are left out") {
    Vfs vfs;
    mount(vfs, BundleMaker().add_unpublished("own/x", "1").add_variants("hd/x", {"2"}, true).add("a", "3").write());
    CHECK(listing_of(vfs, "/") == "a@ assets/ bundles/");
    CHECK(listing_of(vfs, "/bundles/" + vfs.mounts().at(0).bundle.hex()) == "a hd/ own/");
}

TEST_CASE("list: mount points and their parents are folders, even if empty") {
    Vfs vfs;
    mount(vfs, BundleMaker().add("a", "1").write(), unsigned_at("mods/x"));
    mount(vfs, BundleMaker().add_unpublished("b", "2").write(), unsigned_at("mods/y/deep"));
    mount(vfs, BundleMaker().add("mods/readme", "3").add("mods/x/b", "4").write());
    CHECK(listing_of(vfs, "/") == "assets/ bundles/ mods/");
    CHECK(listing_of(vfs, "/mods") == "readme@ x/ y/");
    CHECK(listing_of(vfs, "/mods/x") == "a@ b@");
    CHECK(listing_of(vfs, "/mods/y") == "deep/");
    CHECK(listing_of(vfs, "/mods/y/deep") == "");
    CHECK(vfs.stat("/mods/y/deep")->kind == NodeKind::folder);
}

TEST_CASE("list: a link comes before a folder of the same path, which stays reachable") {
    Vfs vfs;
    mount(vfs, BundleMaker().add("x", "link").add("x-y", "between").write());
    mount(vfs, BundleMaker().add("x/deep", "below").write());
    CHECK(listing_of(vfs, "/") == "assets/ bundles/ x@ x-y@");
    CHECK(vfs.stat("/x")->kind == NodeKind::link);
    CHECK(content_at(vfs, "/x/deep") == "below");
    CHECK(listing_of(vfs, "/x") == "deep@");
}

TEST_CASE("list: a mount that folds is listed under any spelling, with its own names") {
    Vfs vfs;
    mount(vfs, BundleMaker().add("Maps/One/a", "1").add("maps/one/b", "2").add("maps/c", "3").write(),
          {.mount_point = "Game", .case_rule = CaseRule::fold, .allow_unsigned = true});
    CHECK(listing_of(vfs, "/GAME/MAPS") == "One/ c@ one/");
    CHECK(listing_of(vfs, "/game/maps/one") == "a@ b@");
    CHECK(listing_of(vfs, "/") == "Game/ assets/ bundles/");
    CHECK(outcome_of(vfs.list("/game/maps/two")) == "missing");
}

TEST_CASE("list: /assets holds every asset once, in order") {
    Vfs vfs;
    BundleMaker one;
    BundleMaker two;
    std::vector<std::string> expected;
    for (int i = 0; i < 300; ++i) {
        const std::string content = "content " + std::to_string(i);
        if (i % 2 == 0 || i % 3 == 0)
            expected.push_back(id_of(content).hex());
        if (i % 2 == 0)
            one.add("n" + std::to_string(i), content);
        if (i % 3 == 0)
            two.add("n" + std::to_string(i), content);
    }
    std::ranges::sort(expected);
    mount(vfs, one.write());
    mount(vfs, two.write());
    const auto entries = vfs.list("/assets");
    REQUIRE(entries);
    std::vector<std::string> found;
    for (const ListingEntry& entry : *entries) {
        CHECK(entry.kind == NodeKind::file);
        found.push_back(entry.name);
    }
    CHECK(found == expected);
}

TEST_CASE("list: in /assets and /bundles, published names are among the ids, in one order") {
    Vfs vfs;
    mount(vfs, BundleMaker().add("assets/a b", "1").add("assets/ui/x", "2").add("bundles/readme", "3").write());
    std::vector<std::string> ids{id_of("1").hex(), id_of("2").hex(), id_of("3").hex()};
    std::vector<std::string> sorted = ids;
    sorted.insert(sorted.end(), {"a b@", "ui/"});
    std::ranges::sort(sorted);
    std::string expected;
    for (const std::string& entry : sorted)
        expected += (expected.empty() ? "" : " ") + entry;
    CHECK(listing_of(vfs, "/assets") == expected);
    CHECK(listing_of(vfs, "/assets/ui") == "x@");
    const std::string bundle = vfs.mounts().at(0).bundle.hex();
    CHECK(listing_of(vfs, "/bundles") == bundle + "/ readme@");
}

// What a face shows that has nothing of the tree but names.
std::string names_at(const Vfs& vfs, std::string_view path) {
    auto listing = vfs.open_listing(path, TreeView::names);
    if (!listing)
        return outcome_of(listing);
    std::string text;
    for (auto entry = listing->next(); entry && entry->has_value(); entry = listing->next())
        text += (*entry)->name + " ";
    return text;
}

TEST_CASE("list: a view of names has none of what ids give") {
    Vfs vfs;
    const MountId game = mount(vfs, BundleMaker().add("assets/ui/x", "2").add("y", "3").write());
    const std::string bundle = vfs.mounts().at(0).bundle.hex();
    CHECK(names_at(vfs, "/") == "assets y ");
    CHECK(names_at(vfs, "/assets") == "ui ");
    CHECK(names_at(vfs, "/bundles") == "missing");
    CHECK(names_at(vfs, "/bundles/" + bundle) == "missing");
    for (const std::string& path :
         {std::string("/bundles"), "/bundles/" + bundle, "/bundles/" + bundle + "/y", "/assets/" + id_of("3").hex()}) {
        CAPTURE(path);
        CHECK(vfs.find_stat(path).value());
        CHECK_FALSE(vfs.find_stat(path, TreeView::names).value());
    }
    CHECK(vfs.find_stat("/assets", TreeView::names).value());
    CHECK(vfs.find_stat("/y", TreeView::names).value());
    REQUIRE(vfs.unmount(game));
    CHECK_FALSE(vfs.find_stat("/assets", TreeView::names).value());
    CHECK(names_at(vfs, "/") == "");
}

TEST_CASE("list: /bundles holds each bundle once, and its names") {
    Vfs vfs;
    const Bytes one = BundleMaker().add("maps/a", "1").add_tombstone("gone").write();
    mount(vfs, one);
    mount(vfs, one, unsigned_at("elsewhere"));
    mount(vfs, BundleMaker().add("b", "2").write());
    CHECK(vfs.list("/bundles")->size() == 2);
    const std::string id = vfs.mounts().at(1).bundle.hex();
    CHECK(listing_of(vfs, "/bundles/" + id) == "maps/");
    CHECK(listing_of(vfs, "/bundles/" + id + "/maps") == "a");
    CHECK(outcome_of(vfs.list("/bundles/" + id + "/maps/a")) == "missing");
    CHECK(outcome_of(vfs.list("/bundles/" + id + "/gone")) == "missing");
}

TEST_CASE("list: more entries than the caller allows are a limit error; a listing has no limit") {
    Vfs vfs;
    BundleMaker maker;
    for (int i = 0; i < 100; ++i)
        maker.add("many/" + std::to_string(i), "same");
    mount(vfs, maker.write());
    CHECK(outcome_of(vfs.list("/many", 99)) == "limit");
    CHECK(outcome_of(vfs.list("/many", 100)) == "ok");

    auto listing = vfs.open_listing("/many");
    REQUIRE(listing);
    std::string last;
    int count = 0;
    for (auto entry = listing->next(); entry && entry->has_value(); entry = listing->next()) {
        CHECK((*entry)->name > last);
        last = (*entry)->name;
        ++count;
    }
    CHECK(count == 100);
    CHECK_FALSE(listing->next()->has_value());
}

TEST_CASE("list: the content of subfolders is skipped, not read") {
    BundleMaker maker;
    for (int i = 0; i < 20'000; ++i)
        maker.add("big/name " + std::to_string(i), "same");
    maker.add("a", "1").add("z", "2");
    const auto source = std::make_shared<CountingSource>(maker.write());
    Vfs vfs;
    REQUIRE(vfs.mount(source, unsigned_at()));
    const std::uint64_t before = source->bytes_read;
    CHECK(listing_of(vfs, "/") == "a@ assets/ big/ bundles/ z@");
    CHECK(source->bytes_read - before < source->size_bytes() / 4);
}

TEST_CASE("list: every listed path can be opened, and no other path exists") {
    Vfs vfs;
    mount(vfs, BundleMaker().add("a/b/c", "1").add("a/b/d", "2").add("a/e", "3").add("f", "4").write());
    mount(vfs, BundleMaker().add("a/b/c", "5").add("g/h", "6").add_tombstone("f").write());
    mount(vfs, BundleMaker().add("b/x", "7").write(), unsigned_at("a"));
    std::vector<std::string> folders{""};
    std::vector<std::string> links;
    while (!folders.empty()) {
        const std::string folder = folders.back();
        folders.pop_back();
        const auto entries = vfs.list(folder.empty() ? "/" : folder);
        REQUIRE(entries);
        for (const ListingEntry& entry : *entries) {
            const std::string path = folder + "/" + entry.name;
            CHECK(vfs.stat(path)->kind == entry.kind);
            if (entry.kind == NodeKind::link)
                links.push_back(path);
            else if (path != "/assets" && path != "/bundles")
                folders.push_back(path);
        }
    }
    std::ranges::sort(links);
    CHECK(links == std::vector<std::string>{"/a/b/c", "/a/b/d", "/a/b/x", "/a/e", "/g/h"});
    for (const std::string& link : links)
        CHECK(outcome_of(vfs.open(link)) == "ok");
}

TEST_CASE("list: damage is an error and ends the listing") {
    Vfs vfs;
    mount(vfs, damage_table(BundleMaker().add("m/a", "1").write(), TableKind::names));
    CHECK(outcome_of(vfs.list("/m")) == "corrupt");
    CHECK(outcome_of(vfs.list("/")) == "corrupt");
}

TEST_CASE("list: an invalid name is malformed and never returned") {  // A01
    const auto rename = [](std::string_view from, std::string_view to) {
        return [from = bytes_of(from), to = bytes_of(to)](std::span<std::byte> strings) {
            const auto found = std::search(strings.begin(), strings.end(), from.begin(), from.end());
            REQUIRE(found != strings.end());
            std::ranges::copy(to, found);
        };
    };
    const Bytes honest = BundleMaker().add("aa/x", "1").add("bb/c", "2").write();
    Vfs vfs;
    mount(vfs, rewrite_table(honest, TableKind::strings, rename("aa/x", "../x")));
    CHECK(outcome_of(vfs.list("/")) == "malformed");
    CHECK(outcome_of(vfs.list("/..")) == "malformed");
    mount(vfs, rewrite_table(honest, TableKind::strings, rename("aa/x", "a\n/x")));
    CHECK(outcome_of(vfs.list("/")) == "malformed");
}

TEST_CASE("list: names that are not sorted are malformed and end the listing") {  // A25
    const Bytes honest = BundleMaker().add("a", "1").add("b", "2").add("c", "3").add("d/x", "4").add("e", "5").write();
    Vfs vfs;
    mount(vfs, rewrite_table(honest, TableKind::names, [](std::span<std::byte> names) {
              std::ranges::swap_ranges(names.subspan(16, 16), names.subspan(32, 16));
          }));
    CHECK(outcome_of(vfs.list("/")) == "malformed");
    CHECK(outcome_of(vfs.list("/bundles/" + vfs.mounts().at(0).bundle.hex())) == "malformed");
}

}  // namespace fardel::tests::listing_test
