#include <fardel/vfs/vfs.h>

#include "kit/blobs.h"
#include "kit/bundles.h"
#include "kit/emulator.h"
#include "kit/files.h"
#include "test_bundle.h"

#include <fardel/base/file.h>
#include <fardel/format/bundle.h>
#include <fardel/format/limits.h>
#include <fardel/format/trust_policy.h>
#include <fardel/vfs/pure_check.h>

namespace fardel::tests::vfs_test {

TEST_CASE("vfs: an empty Vfs has its two folders and nothing else") {
    const Vfs vfs;
    CHECK(vfs.mounts().empty());
    CHECK_FALSE(vfs.tainted());
    CHECK(listing_of(vfs, "/") == "assets/ bundles/");
    CHECK(listing_of(vfs, "/assets") == "");
    CHECK(listing_of(vfs, "/bundles") == "");
    CHECK(outcome_of(vfs.open("/maps/dm01.bsp")) == "missing");
}

TEST_CASE("vfs: a mounted bundle's assets have three paths") {
    const std::string content = "the map";
    Vfs vfs;
    mount(vfs, BundleMaker().add("maps/dm01.bsp", content).write());
    const std::string bundle = vfs.mounts().at(0).bundle.hex();

    CHECK(content_at(vfs, "/maps/dm01.bsp") == content);
    CHECK(content_at(vfs, "/assets/" + id_of(content).hex()) == content);
    CHECK(content_at(vfs, "/bundles/" + bundle + "/maps/dm01.bsp") == content);
}

TEST_CASE("vfs: find returns nothing for absent paths and for folders") {
    Vfs vfs;
    mount(vfs, BundleMaker().add("maps/dm01.bsp", "the map").write());
    const std::string bundle = vfs.mounts().at(0).bundle.hex();
    for (const std::string& path :
         {std::string("/"), std::string("/maps"), std::string("/maps/dm02.bsp"), std::string("/maps/dm01.bsp/x"),
          std::string("/assets"), "/assets/" + id_of("other").hex(), "/assets/" + std::string(64, 'F'),
          std::string("/bundles"), "/bundles/" + bundle, "/bundles/" + bundle + "/maps", "/bundles/" + bundle + "/x",
          "/bundles/" + std::string(64, '0') + "/maps/dm01.bsp"}) {
        const auto file = vfs.find(path);
        REQUIRE_MESSAGE(file, path);
        CHECK_MESSAGE(!file->has_value(), path);
        CHECK_MESSAGE(outcome_of(vfs.open(path)) == "missing", path);
    }
    for (const char* path : {"", "maps/", "maps//dm01.bsp", "../maps/dm01.bsp", "\\maps", "/maps/dm01.bsp/"})
        CHECK_MESSAGE(outcome_of(vfs.find(path)) == "malformed", path);
}

TEST_CASE("vfs: the message of a failed open distinguishes a folder from an absent path") {
    Vfs vfs;
    mount(vfs, BundleMaker().add("maps/dm01.bsp", "the map").write());
    CHECK(vfs.open("/maps").error().message() == "path \"/maps\": is a folder");
    CHECK(vfs.open("/mops").error().message() == "path \"/mops\": nothing has this name");
}

TEST_CASE("vfs: a failed open, stat and explanation name the file of which only the case differs") {
    for (const char* mount_point : {"", "mods/x"}) {
        Vfs vfs;
        MountOptions options{.mount_point = mount_point, .allow_unsigned = true};
        const auto bundle = BundleMaker().add("maps/dm01.bsp", "the map").write();
        REQUIRE(vfs.mount(make_memory_source(bundle), options));
        const std::string folder = *mount_point == 0 ? "/" : "/mods/x/";
        const std::string there = "\"" + folder + "maps/dm01.bsp\" is there, which differs only in case";
        CHECK(vfs.open(folder + "Maps/DM01.bsp").error().message().find(there) != std::string::npos);
        CHECK(vfs.stat(folder + "Maps/DM01.bsp").error().message().find(there) != std::string::npos);
        CHECK(vfs.open(folder + "Maps/DM01.bsp").error().code() == ErrorCode::missing);
        const auto explained = vfs.explain(folder + "Maps/DM01.bsp");
        REQUIRE(explained);
        CHECK(explained->other_case == folder + "maps/dm01.bsp");
        CHECK(vfs.explain(folder + "maps/dm01.bsp")->other_case.empty());
        CHECK(vfs.explain(folder + "maps/dm02.bsp")->other_case.empty());
        const NameExtensions extensions = *NameExtensions::parse("map,bsp");
        CHECK(vfs.open({folder + "Maps/DM01", &extensions}).error().message().find(there) != std::string::npos);
        CHECK(vfs.explain({folder + "Maps/DM01", &extensions})->other_case == folder + "maps/dm01.bsp");
    }
}

TEST_CASE("vfs: a path means the same without its leading '/'") {
    Vfs vfs;
    mount(vfs, BundleMaker().add("maps/dm01.bsp", "the map").write());
    const std::string bundle = vfs.mounts().at(0).bundle.hex();
    for (const std::string& path :
         {std::string("maps/dm01.bsp"), std::string("maps"), "assets/" + id_of("the map").hex(), std::string("assets"),
          "bundles/" + bundle, "bundles/" + bundle + "/maps/dm01.bsp", std::string("nothing")}) {
        CAPTURE(path);
        CHECK(outcome_of(vfs.open(path)) == outcome_of(vfs.open("/" + path)));
        CHECK(outcome_of(vfs.list(path)) == outcome_of(vfs.list("/" + path)));
        CHECK(outcome_of(vfs.stat(path)) == outcome_of(vfs.stat("/" + path)));
        CHECK(outcome_of(vfs.read_link(path)) == outcome_of(vfs.read_link("/" + path)));
        CHECK(vfs.exists(path) == vfs.exists("/" + path));
        const auto explanation = vfs.explain(path);
        REQUIRE(explanation);
        CHECK(explanation->path == "/" + path);
        CHECK(explanation->winner == vfs.explain("/" + path).value().winner);
        CHECK(explanation->folder == static_cast<bool>(vfs.list(path)));
    }
    CHECK(content_at(vfs, "maps/dm01.bsp") == "the map");
    CHECK(content_at(vfs, "bundles/" + bundle + "/maps/dm01.bsp") == "the map");
    CHECK(vfs.list("maps").value() == vfs.list("/maps").value());
}

TEST_CASE("exists: true for files, links and folders, false for everything else") {
    Vfs vfs;
    mount(vfs, BundleMaker().add("maps/dm01.bsp", "the map").write());
    const std::string bundle = vfs.mounts().at(0).bundle.hex();
    for (const std::string& path : {std::string("/"), std::string("/maps"), std::string("/maps/dm01.bsp"),
                                    std::string("/assets"), "/assets/" + id_of("the map").hex(), "/bundles/" + bundle})
        CHECK_MESSAGE(vfs.exists(path), path);
    for (const std::string& path : {std::string("/map"), std::string("/maps/dm01.bsp/x"), std::string(""),
                                    std::string("/maps/"), std::string("/Assets"), "/assets/" + std::string(64, '0')})
        CHECK_MESSAGE(!vfs.exists(path), path);
    const auto entries = vfs.list("/maps");
    REQUIRE(entries);
    for (const ListingEntry& entry : *entries)
        CHECK(vfs.exists("/maps/" + entry.name));
}

TEST_CASE("stat: it distinguishes folder, link and file") {
    const std::string content = "the map";
    Vfs vfs;
    mount(vfs, BundleMaker().add("maps/dm01.bsp", content).write());
    const BundleId bundle = vfs.mounts().at(0).bundle;

    for (const char* folder : {"/", "/maps", "/assets", "/bundles"}) {
        const auto stat = vfs.stat(folder);
        REQUIRE_MESSAGE(stat, folder);
        CHECK(stat->kind == NodeKind::folder);
        CHECK_FALSE(stat->asset);
    }
    const auto link = vfs.stat("/maps/dm01.bsp");
    REQUIRE(link);
    CHECK(link->kind == NodeKind::link);
    CHECK(link->size_bytes == content.size());
    CHECK(link->asset == id_of(content));
    CHECK(link->bundle == bundle);
    CHECK(link->content_type == "text/plain");

    const auto asset = vfs.stat("/assets/" + id_of(content).hex());
    REQUIRE(asset);
    CHECK(asset->kind == NodeKind::file);
    CHECK(asset->size_bytes == content.size());

    const auto in_bundle = vfs.stat("/bundles/" + bundle.hex() + "/maps/dm01.bsp");
    REQUIRE(in_bundle);
    CHECK(in_bundle->kind == NodeKind::file);
    const auto folder_in_bundle = vfs.stat("/bundles/" + bundle.hex() + "/maps");
    REQUIRE(folder_in_bundle);
    CHECK(folder_in_bundle->kind == NodeKind::folder);
    CHECK(folder_in_bundle->bundle == bundle);

    CHECK(outcome_of(vfs.stat("/maps/dm02.bsp")) == "missing");
    CHECK(outcome_of(vfs.stat("/assets/readme")) == "missing");
    const auto nothing = vfs.find_stat("/nothing");
    REQUIRE(nothing);
    CHECK_FALSE(nothing->has_value());
}

TEST_CASE("read_link: a published name leads to its asset, in one step") {  // A14: no name leads to a name
    Vfs vfs;
    mount(vfs, BundleMaker().add("maps/dm01.bsp", "the map").write());
    const auto target = vfs.read_link("/maps/dm01.bsp");
    REQUIRE(target);
    CHECK(*target == "/assets/" + id_of("the map").hex());
    CHECK(outcome_of(vfs.open(*target)) == "ok");

    CHECK(outcome_of(vfs.read_link(*target)) == "missing");
    CHECK(outcome_of(vfs.read_link("/maps")) == "missing");
    CHECK(outcome_of(vfs.read_link("/nothing")) == "missing");
    CHECK(outcome_of(vfs.read_link("/bundles/" + vfs.mounts().at(0).bundle.hex() + "/maps/dm01.bsp")) == "missing");
}

TEST_CASE("unmount: the names go, open files and listings stay") {
    Vfs vfs;
    const MountId id = mount(vfs, BundleMaker().add("a", "first").add("b", "second").write());
    const auto file = vfs.open("/a");
    auto listing = vfs.open_listing("/");
    REQUIRE(file);
    REQUIRE(listing);
    REQUIRE(vfs.unmount(id));

    CHECK(outcome_of(vfs.open("/a")) == "missing");
    CHECK(outcome_of(vfs.unmount(id)) == "missing");
    CHECK(vfs.mounts().empty());
    const auto content = file->read_all();
    REQUIRE(content);
    CHECK(text_of(*content) == "first");
    const auto entry = listing->next();
    REQUIRE(entry);
    CHECK(entry->value().name == "a");
}

TEST_CASE("vfs: files outlive their Vfs") {
    std::optional<File> file;
    {
        Vfs vfs;
        mount(vfs, BundleMaker().add("a", "first").write());
        file = vfs.find("/a").value();
    }
    REQUIRE(file);
    const auto content = file->read_all();
    REQUIRE(content);
    CHECK(text_of(*content) == "first");
}

TEST_CASE("vfs: several instances are independent of each other") {
    Vfs left;
    Vfs right(VfsOptions{.cache_bytes = 0});
    mount(left, BundleMaker().add("a", "left").write());
    mount(right, BundleMaker().add("a", "right").write());
    CHECK(content_at(left, "/a") == "left");
    CHECK(content_at(right, "/a") == "right");
}

TEST_CASE("mount: a bundle is mounted once per mount point, and again at other mount points") {
    const Bytes bundle = BundleMaker().add("a", "content").write();
    Vfs vfs;
    mount(vfs, bundle);
    const auto again = vfs.mount(make_memory_source(bundle), unsigned_at("", 7));
    CHECK(outcome_of(again) == "conflict");
    CHECK(vfs.mounts().size() == 1);
    const MountId other = mount(vfs, bundle, unsigned_at("mods/x"));
    CHECK(content_at(vfs, "/a") == "content");
    CHECK(content_at(vfs, "/mods/x/a") == "content");
    CHECK(listing_of(vfs, "/bundles") == vfs.mounts().at(0).bundle.hex() + "/");
    REQUIRE(vfs.unmount(other));
    mount(vfs, bundle, unsigned_at("mods/x"));
}

TEST_CASE("mount: a mount point is a name, and no path that an id gives") {  // A15
    const Bytes bundle = BundleMaker().add("a", "content").write();
    Vfs vfs;
    const auto refusal = [&](std::string mount_point) {
        return outcome_of(vfs.mount(make_memory_source(bundle), unsigned_at(mount_point)));
    };
    CHECK(refusal("assets") == "denied");
    CHECK(refusal("bundles") == "denied");
    CHECK(refusal("assets/" + std::string(64, '0')) == "denied");
    CHECK(refusal("bundles/" + std::string(64, '0') + "/x") == "denied");
    CHECK(refusal("/mods") == "malformed");
    CHECK(refusal("mods/") == "malformed");
    CHECK(refusal("mods/../x") == "malformed");
    CHECK(refusal(std::string(300, 'a')) == "limit");
    CHECK(vfs.mounts().empty());
    CHECK(refusal("mods/assets") == "ok");
    CHECK(refusal("assets/mods") == "ok");
    CHECK(content_at(vfs, "/assets/mods/a") == "content");
    CHECK(listing_of(vfs, "/assets") == id_of("content").hex() + " mods/");
}

TEST_CASE("mount: a name below assets or bundles is a name like any other") {
    Vfs vfs;
    mount(vfs, BundleMaker()
                   .add("assets/minecraft/stone.png", "stone")
                   .add("assets/pack", "pack")
                   .add("bundles/b.txt", "b")
                   .write());
    const std::string stone = id_of("stone").hex();
    CHECK(content_at(vfs, "/assets/minecraft/stone.png") == "stone");
    CHECK(content_at(vfs, "bundles/b.txt") == "b");
    CHECK(vfs.read_link("/assets/minecraft/stone.png").value() == "/assets/" + stone);
    CHECK(vfs.stat("/assets/minecraft")->kind == NodeKind::folder);
    CHECK(content_at(vfs, "/assets/" + stone) == "stone");
    CHECK(content_at(vfs, "/bundles/" + vfs.mounts().at(0).bundle.hex() + "/assets/pack") == "pack");
    const NameExtensions images = NameExtensions::parse("tga,png").value();
    CHECK(vfs.open({"assets/minecraft/stone", &images}));

    mount(vfs, BundleMaker().add("assets/pack", "other").write());
    CHECK(content_at(vfs, "/assets/pack") == "other");
    CHECK(vfs.conflicts()->size() == 1);
    MountOptions folding = unsigned_at();
    folding.case_rule = CaseRule::fold;
    mount(vfs, BundleMaker().add("Assets/Unity.bin", "unity").write(), folding);
    CHECK(content_at(vfs, "/assets/unity.bin") == "unity");
    CHECK(content_at(vfs, "/Assets/Unity.bin") == "unity");
}

// A bundle that publishes what it added unpublished, as a hostile packer could write it.
Bytes publishing_all(Bytes bundle) {
    return rewrite_table(std::move(bundle), TableKind::names, [](std::span<std::byte> names) {
        constexpr std::size_t kRecordBytes = 16, kFlags = 10;
        for (std::size_t at = kFlags; at < names.size(); at += kRecordBytes)
            names[at] |= std::byte{NameRecord::published};
    });
}

TEST_CASE("mount: names that a bundle publishes at the path of an id are visible only in the bundle") {  // A15
    Vfs vfs;
    const std::string id = id_of("mine").hex();
    mount(vfs, publishing_all(BundleMaker()
                                  .add_unpublished("assets/" + id, "forged")
                                  .add_unpublished("bundles/" + id + "/x", "forged")
                                  .add_unpublished("ok", "fine")
                                  .write()));
    mount(vfs, BundleMaker().add("mine", "mine").write());
    CHECK(content_at(vfs, "/assets/" + id) == "mine");
    CHECK(outcome_of(vfs.open("/bundles/" + id + "/x")) == "missing");
    CHECK(listing_of(vfs, "/") == "assets/ bundles/ mine@ ok@");
    CHECK(vfs.list("/assets")->size() == 3);
    CHECK(vfs.list("/bundles")->size() == 2);
    const std::string bundle = vfs.mounts().at(1).bundle.hex();
    CHECK(content_at(vfs, "/bundles/" + bundle + "/assets/" + id) == "forged");

    Vfs other;
    mount(other, publishing_all(BundleMaker().add_unpublished("assets", "a file").write()));
    mount(other, BundleMaker().add("assets/a", "a").write());
    CHECK(other.stat("/assets")->kind == NodeKind::folder);
    CHECK(content_at(other, "/assets/a") == "a");
    CHECK(listing_of(other, "/") == "assets/ bundles/");
}

TEST_CASE("mount: an unsigned bundle is refused unless that is allowed") {
    const Bytes bundle = BundleMaker().add("a", "content").write();
    Author author;
    Vfs vfs;
    CHECK(outcome_of(vfs.mount(make_memory_source(bundle), {})) == "untrusted");
    CHECK(outcome_of(vfs.mount(make_memory_source(bundle), {.policy = &author.policy()})) == "untrusted");
    CHECK(vfs.mounts().empty());
    CHECK_FALSE(vfs.tainted());

    const MountId id = mount(vfs, bundle, {.policy = &author.policy(), .allow_unsigned = true});
    CHECK(vfs.tainted());
    CHECK(vfs.mounts().at(0).tainted);
    REQUIRE(vfs.unmount(id));
    CHECK_FALSE(vfs.tainted());
}

TEST_CASE("mount: a bundle that the policy accepts is not tainted, and its signers are listed") {
    Author author;
    Author stranger;
    const Bytes bundle = author.sign(BundleMaker().add("a", "content").write());
    Vfs vfs;
    CHECK(outcome_of(vfs.mount(make_memory_source(bundle), {.policy = &stranger.policy()})) == "untrusted");
    mount(vfs, bundle, {.policy = &author.policy(), .allow_unsigned = true});
    CHECK_FALSE(vfs.tainted());
    REQUIRE(vfs.mounts().size() == 1);
    CHECK(vfs.mounts()[0].signers == std::vector<std::string>{"author"});
    CHECK(content_at(vfs, "/a") == "content");
}

// A121, A123
TEST_CASE("mount: a key believed for other names cannot serve other bytes under a genuine bundle's id") {
    const std::string config = noise_text(5'000, 1), other = noise_text(5'000, 2);
    const Bytes core = BundleMaker().title("core").add("default.cfg", config).write();
    Author alice, bob;
    const Bytes evil = forge_content(core, config, other);
    const auto policy_of = [&](const std::string& rules) {
        return TrustPolicy::parse("fardel-trust 1\nkey alice " + alice.key().hex() + "\nkey bob " + bob.key().hex() +
                                  "\n" + rules)
            .value();
    };
    // Under the name that he is believed for, it is not the manifest's name.
    const TrustPolicy narrow = policy_of("allow core author=1:alice\nallow maps/* author=1:bob\n");
    Vfs vfs;
    mount(vfs, alice.sign(core), {.policy = &narrow});
    CHECK(outcome_of(vfs.mount(make_memory_source(bob.sign(evil, "maps/x")), {.policy = &narrow})) == "untrusted");
    CHECK(outcome_of(vfs.mount(make_memory_source(bob.sign(core, "maps/x")), {.policy = &narrow})) == "untrusted");
    CHECK(content_at(vfs, "/default.cfg") == config);

    // Believed for everything, he still cannot change what a bundle id means.
    const TrustPolicy wide = policy_of("allow ** author=1:alice,bob\n");
    const BundleId id = Bundle::open(make_memory_source(core), {}).value()->id();
    Vfs trusting;
    mount(trusting, bob.sign(evil), {.policy = &wide});
    REQUIRE(trusting.mounts().at(0).bundle == id);
    for (int round = 0; round < 2; ++round) {
        CHECK(outcome_of(trusting.open("/default.cfg").value().read_all()) == "corrupt");
        CHECK(outcome_of(trusting.open("/bundles/" + id.hex() + "/default.cfg").value().read_all()) == "corrupt");
        CHECK(outcome_of(trusting.open("/assets/" + id_of(config).hex())) == "corrupt");
        CHECK(outcome_of(trusting.open("/default.cfg").value().view()) == "corrupt");
    }
}

// A76, A135
TEST_CASE("mount: dates are those of the system's clock unless the mount says otherwise") {
    constexpr UnixTime k2020{1'577'836'800};
    Author author;
    const Bytes old = author.sign(BundleMaker().add("a", "content").write(), {}, k2020);
    Vfs vfs;
    const auto mounted = [&](const Bytes& bundle, MountOptions options) {
        auto id = vfs.mount(make_memory_source(bundle), std::move(options));
        if (id)
            REQUIRE(vfs.unmount(*id));
        return outcome_of(id);
    };
    CHECK(mounted(old, {.policy = &author.policy()}) == "expired");
    CHECK(mounted(old, {.policy = &author.policy(), .allow_unsigned = true}) == "expired");
    CHECK(mounted(old, {.policy = &author.policy(), .time = TrustTime::at(k2020)}) == "expired");
    CHECK(mounted(old, {.policy = &author.policy(), .time = TrustTime::at(k2020 - 1)}) == "ok");
    CHECK(mounted(old, {.policy = &author.policy(), .time = TrustTime::ignored()}) == "ok");
}

TEST_CASE("mount: content whose date has passed is refused unless the policy allows it; what is open stays open") {
    constexpr std::int64_t k2020 = 1'577'836'800;
    Author author;
    BundleMaker maker;
    maker.add("a", "content").plan().metadata.push_back({.key = "expires", .value = k2020});
    const Bytes bundle = author.sign(maker.write());
    TrustRules rules = author.policy().rules();
    rules.expired_content_allowed = true;
    const auto allowing = TrustPolicy::make(rules);
    REQUIRE(allowing);
    Vfs vfs;
    CHECK(outcome_of(vfs.mount(make_memory_source(bundle), {.policy = &author.policy()})) == "expired");
    CHECK(outcome_of(vfs.mount(make_memory_source(bundle), unsigned_at())) == "expired");
    const auto refused = vfs.mount(make_memory_source(bundle), {.policy = &author.policy()});
    CHECK(refused.error().message().find("expired on 2020-01-01") != std::string::npos);
    CHECK(refused.error().message().find("expired-content allow") != std::string::npos);

    mount(vfs, bundle, {.policy = &*allowing});
    CHECK(content_at(vfs, "/a") == "content");
    REQUIRE(vfs.unmount(vfs.mounts().at(0).id));
    const MountId in_time = mount(vfs, bundle, {.policy = &author.policy(), .time = TrustTime::at({k2020 - 1})});
    const File open = vfs.open("/a").value();
    const auto replaced =
        vfs.replace(in_time, {.subject = make_memory_source(bundle), .options = {.policy = &author.policy()}});
    CHECK(outcome_of(replaced) == "expired");
    CHECK(content_at(vfs, "/a") == "content");  // mounted in time, it stays
    CHECK(text_of(open.read_all().value()) == "content");
    REQUIRE(vfs.unmount(in_time));
    CHECK(outcome_of(vfs.mount(make_memory_source(bundle),
                               {.policy = &author.policy(), .time = TrustTime::ignored()})) == "ok");
}

TEST_CASE("mount: allow_unsigned does not admit a bundle that the policy has withdrawn") {
    Author author;
    const Bytes bundle = author.sign(BundleMaker().add("a", "content").write());
    TrustRules rules = author.policy().rules();
    rules.revoked_keys.push_back({.id = author.key(), .reason = "stolen"});
    const auto policy = TrustPolicy::make(rules);
    REQUIRE(policy);
    Vfs vfs;
    CHECK(outcome_of(vfs.mount(make_memory_source(bundle), {.policy = &*policy, .allow_unsigned = true})) == "revoked");
}

TEST_CASE("mount: files on disk by path; the errors are those of the file") {
    const ScratchFolder scratch;
    Vfs vfs;
    CHECK(outcome_of(vfs.mount(scratch.path("none.fardel"), unsigned_at())) == "missing");
    CHECK(outcome_of(vfs.mount(scratch.root().string(), {})) == "untrusted");
    CHECK(outcome_of(vfs.mount(scratch.write("text.fardel", "hello"), unsigned_at())) == "malformed");
    const std::string path = scratch.write("good.fardel", BundleMaker().add("a", "content").write());
    REQUIRE(vfs.mount(path, unsigned_at()));
    CHECK(vfs.mounts().at(0).label == path);
    CHECK(content_at(vfs, "/a") == "content");
}

TEST_CASE("mount: a file that is replaced on disk keeps its old content") {  // A33
    const ScratchFolder scratch;
    const std::string path = scratch.write("good.fardel", BundleMaker().add("a", "old").write());
    Vfs vfs;
    REQUIRE(vfs.mount(path, unsigned_at()));
    const std::string next = scratch.write("new", BundleMaker().add("a", "new").write());
    REQUIRE(rename_file(next, path, path));
    CHECK(content_at(vfs, "/a") == "old");
    REQUIRE(remove_file(path, path));
    CHECK_FALSE(file_exists(path));
    CHECK(content_at(vfs, "/a") == "old");
}

TEST_CASE("mount: a file that is truncated while it is mounted gives errors, not crashes") {  // A33
    const ScratchFolder scratch;
    const std::string path = scratch.write("good.fardel", BundleMaker().add("a", noise_text(100'000, 1)).write());
    Vfs vfs;
    REQUIRE(vfs.mount(path, unsigned_at()));
    const auto file = vfs.open("/a");
    REQUIRE(file);
    std::filesystem::resize_file(path, 2 * limits::kHeadBytes);
    CHECK(outcome_of(file->read_all()) == "corrupt");
    CHECK(outcome_of(vfs.open("/assets/" + file->asset_id().hex())) == "corrupt");
}

TEST_CASE("mount: the number of bytes read does not grow with the bundle") {  // A30
    BundleMaker small;
    BundleMaker large;
    small.add("a", "content");
    for (int i = 0; i < (kEmulated ? 2'000 : 20'000); ++i)
        large.add("folder/name " + std::to_string(i), "content " + std::to_string(i % 100));
    for (const BundleMaker* maker : {&small, &large}) {
        const auto source = std::make_shared<CountingSource>(maker->write());
        Vfs vfs;
        REQUIRE(vfs.mount(source, unsigned_at()));
        CHECK(source->bytes_read <= 2 * limits::kHeadBytes + limits::kTrailerBytesMax);
        // Unsigned, so no trailer. The date in the metadata takes the last page of that table, and of `strings` a page
        // and the pages of hashes above it.
        CHECK(source->bytes_read <= 2 * limits::kHeadBytes + 4 * limits::kPageBytes);
    }
}

// ---- Names without extension ----------------------------------------------------------------------------------------

const NameExtensions kImages = NameExtensions::parse("tga,jpg,png").value();

std::string image_at(const Vfs& vfs, std::string_view path) {
    const auto file = vfs.open({path, &kImages});
    return file ? text_of(file->read_all().value()) : std::string(error_code_name(file.error().code()));
}

TEST_CASE("extensions: the name as given, otherwise the first extension that exists in any mount") {
    Vfs vfs;
    mount(vfs, BundleMaker().add("t/wall.png", "base png").add("t/floor.tga", "base tga").write());
    CHECK(outcome_of(vfs.open("t/wall")) == "missing");
    CHECK(image_at(vfs, "t/wall") == "base png");
    CHECK(image_at(vfs, "/t/wall") == "base png");
    CHECK(image_at(vfs, "t/wall.tga") == "base png");
    CHECK(image_at(vfs, "t/wall.bmp") == "missing");
    CHECK(image_at(vfs, "t") == "missing");
    CHECK_FALSE(vfs.find({"t/none", &kImages}).value());
    const NameExtensions none;
    CHECK(outcome_of(vfs.open({"t/none", &none})) == "missing");

    // The order of the extensions counts before the order of the mounts.
    mount(vfs, BundleMaker().add("t/wall.jpg", "mod jpg").add("t/floor.png", "mod png").write());
    CHECK(image_at(vfs, "t/wall") == "mod jpg");
    CHECK(image_at(vfs, "t/floor") == "base tga");
    mount(vfs, BundleMaker().add("t/wall.tga", "low tga").write(), unsigned_at("", -1));
    CHECK(image_at(vfs, "t/wall") == "low tga");
    // The name as given comes before all of them, wherever it is mounted.
    mount(vfs, BundleMaker().add("t/wall", "as given").write(), unsigned_at("", -2));
    CHECK(image_at(vfs, "t/wall") == "as given");
}

TEST_CASE("extensions: at last the name without its own extension, as variants of several formats have it") {
    Vfs vfs;
    mount(vfs,
          BundleMaker().add_variants("t/water", {"one", "two"}).add("t/lava.png", "png").add("t/lava", "lava").write());
    CHECK(image_at(vfs, "t/water.tga") == content_at(vfs, "t/water"));
    CHECK(image_at(vfs, "t/water.dds") == content_at(vfs, "t/water"));
    CHECK(image_at(vfs, "t/lava.tga") == "png");
    CHECK(image_at(vfs, "t/ice.tga") == "missing");
    CHECK(outcome_of(vfs.open("t/water.tga")) == "missing");  // a path without a list is taken as given
}

TEST_CASE("extensions: variants, tombstones, mount points and folded names are those of a plain look-up") {
    Vfs vfs;
    mount(vfs, BundleMaker().add("t/wall.jpg", "jpg").add("t/wall.png", "png").write());
    mount(vfs, BundleMaker().add_variants("t/water", {"one", "two"}).write());
    CHECK(image_at(vfs, "t/water") == content_at(vfs, "t/water"));
    const MountId hiding = mount(vfs, BundleMaker().add_tombstone("t/wall.jpg").write());
    CHECK(image_at(vfs, "t/wall") == "png");
    REQUIRE(vfs.unmount(hiding));
    MountOptions folded = unsigned_at("Mods/x");
    folded.case_rule = CaseRule::fold;
    const Bytes mod = BundleMaker().add("Wall.TGA", "folded").add_unpublished("own.png", "own").write();
    mount(vfs, mod, folded);
    CHECK(image_at(vfs, "mods/X/wall") == "folded");
    CHECK(image_at(vfs, "mods/x/own") == "missing");
    CHECK(image_at(vfs, "/bundles/" + bundle_id_of(mod).hex() + "/own") == "own");
    CHECK(image_at(vfs, "/assets/" + id_of("own").hex()) == "own");
    CHECK(image_at(vfs, "/assets/" + std::string(64, '0')) == "missing");
    CHECK(image_at(vfs, "../t/wall") == "malformed");
}

TEST_CASE("extensions: a damaged mount that decides about one of the names ends the look-up") {
    Vfs vfs;
    mount(vfs, BundleMaker().add("t/wall.png", "png").write());
    mount(vfs, damage_table(BundleMaker().add("t/wall.tga", "tga").write(), TableKind::names));
    CHECK(image_at(vfs, "t/wall") == "corrupt");
}

TEST_CASE("extensions: pure mode shows them nothing that it hides") {
    const Bytes base = BundleMaker().add("t/wall.png", "genuine").write();
    Vfs vfs;
    mount(vfs, base);
    mount(vfs, BundleMaker().add("t/wall.tga", "transparent").add("t/wall", "no wall").write());
    CHECK(image_at(vfs, "t/wall") == "no wall");
    PureRules rules;
    rules.unsigned_allowed = true;
    rules.bundles = {{.bundle = bundle_id_of(base), .mount_point = "", .name = ""}};
    vfs.enter_pure(PurePolicy::make(rules).value());
    CHECK(image_at(vfs, "t/wall") == "genuine");
    CHECK(image_at(vfs, "t/wall.tga") == "genuine");
    const File from = vfs.open({"t/wall", &kImages}).value();
    CHECK(text_of(vfs.open({"t/wall", &kImages, &from}).value().read_all().value()) == "genuine");
    vfs.leave_pure();
    CHECK(image_at(vfs, "t/wall") == "no wall");
}

}  // namespace fardel::tests::vfs_test
