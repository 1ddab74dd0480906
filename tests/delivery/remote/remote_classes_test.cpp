// Content classes of bundles that are read from servers while they are used: their content is not here when they are
// mounted. docs/trust-policy.md, "Classes of content". A137.
#include "delivery/served_bundle.h"

#include "kit/bundles.h"
#include "kit/class_samples.h"
#include "vfs/test_bundle.h"

#include <fardel/delivery/remote_bundle.h>
#include <fardel/format/head.h>
#include <fardel/vfs/vfs.h>

#include <atomic>

namespace fardel::tests::remote_classes_test {

const std::string kPixels = random_text(3, 300'000);
const std::string kPicture = kTarga.substr(0, 18) + kPixels;
const std::string kProgram = kElf.substr(0, 18) + kPixels;  // as long, and the same after the first bytes

// A bundle of a painter who may bring data only, mounted from a server that a fault makes lie.
struct RemoteMounted {
    explicit RemoteMounted(const Bytes& bundle, const PublicKey& painter, TreeServer::Fault fault = nullptr,
                           const VfsOptions& options = {.cache_bytes = 0})
        : server({bundle}, std::move(fault)),
          servers(connect_to({server.url()})),
          policy(limiting_policy(painter)),
          vfs(options) {
        remote = value_of(RemoteBundle::open(store, servers, bundle_id_of(bundle), &policy));
    }
    Result<MountId> mount() { return vfs.mount(remote->source(), {.policy = &policy}); }
    std::string opened(const std::string& path) const { return outcome_of(vfs.open(path)); }

    ScratchFolder scratch;
    TreeServer server;
    BundleStore store = make_store(scratch);
    RemoteServers servers;
    TrustPolicy policy;
    Vfs vfs;
    std::shared_ptr<const RemoteBundle> remote;
};

void wait_until_here(const RemoteBundle& bundle, const AssetId& asset) {
    REQUIRE(bundle.want({&asset, 1}, 1));
    wait_until([&] { return value_of(bundle.is_here(asset)); });
    REQUIRE(value_of(bundle.is_here(asset)));
}

TEST_CASE("remote class limit: pictures that are none are denied at every path, whether or not their bytes are here") {
    Author painter;
    BundleMaker maker;
    maker.add("good.tga", kPicture).add("program.tga", kProgram).add("qvm.tga", kQvm).add("script.tga", real_script());
    maker.add_unpublished("hidden.tga", kElf);
    const Bytes bundle = painter.sign(maker.write());
    RemoteMounted mounted(bundle, painter.key());
    REQUIRE(mounted.mount());
    SUBCASE("nothing was read before") {}
    SUBCASE("all was read ahead") {
        for (const std::string& content : {kProgram, kQvm, real_script(), kElf})
            wait_until_here(*mounted.remote, id_of(content));
    }
    CHECK(content_at(mounted.vfs, "/good.tga") == kPicture);
    const File good = mounted.vfs.open("good.tga").value();
    for (const std::string& name : {std::string("program.tga"), std::string("qvm.tga"), std::string("script.tga")}) {
        CAPTURE(name);
        CHECK(mounted.opened(name) == "denied");
        CHECK(mounted.opened("/bundles/" + bundle_id_of(bundle).hex() + "/" + name) == "denied");
        CHECK(outcome_of(mounted.vfs.open({name, {}, &good})) == "denied");
    }
    CHECK(mounted.opened("/bundles/" + bundle_id_of(bundle).hex() + "/hidden.tga") == "denied");
    for (const std::string& content : {kProgram, kQvm, real_script(), kElf})
        CHECK(mounted.opened("/assets/" + id_of(content).hex()) == "denied");
}

TEST_CASE("remote class limit: a judgement costs the first bytes of the asset, not all of it") {
    Author painter;
    constexpr std::size_t kLongBytes = 6'000'000;
    const Bytes bundle = painter.sign(BundleMaker()
                                          .add("long.txt",
                                               "\x7f"
                                               "ELF" +
                                                   random_text(4, kLongBytes))
                                          .write());
    RemoteMounted mounted(bundle, painter.key());
    REQUIRE(mounted.mount());
    CHECK(mounted.opened("long.txt") == "denied");
    CHECK(mounted.server.sent_bytes() < 1'500'000);
}

TEST_CASE("remote class limit: a name of code refuses the mount before any content is received") {
    Author painter;
    const Bytes bundle =
        painter.sign(BundleMaker().add("vm/ui.qvm", kQvm).add("long.txt", random_text(4, 1'000'000)).write());
    RemoteMounted mounted(bundle, painter.key());
    check_error(mounted.mount(), ErrorCode::denied, "vm/ui.qvm");
    CHECK(mounted.vfs.mounts().empty());
    CHECK(mounted.server.sent_bytes() < 100'000);
}

TEST_CASE("remote class limit: an asset that could not be judged is not open, and is judged when the server is back") {
    Author painter;
    const Bytes bundle = painter.sign(BundleMaker().add("good.tga", kPicture).add("program.tga", kProgram).write());
    std::atomic<bool> is_down = false;
    RemoteMounted mounted(bundle, painter.key(), [&](auto& guest, const RangeRequest&, auto, auto) {
        if (is_down)
            guest.reset();
        return is_down.load();
    });
    REQUIRE(mounted.mount());
    CHECK(mounted.opened("program.tga") == "denied");
    is_down = true;
    CHECK(mounted.opened("good.tga") == "unreachable");
    is_down = false;
    Vfs later;
    const RemoteServers servers = connect_to({mounted.server.url()});
    mounted.remote.reset();
    const auto again = value_of(RemoteBundle::open(mounted.store, servers, bundle_id_of(bundle), &mounted.policy));
    REQUIRE(later.mount(again->source(), {.policy = &mounted.policy}));
    CHECK(content_at(later, "good.tga") == kPicture);
    CHECK(outcome_of(later.open("program.tga")) == "denied");
}

TEST_CASE("remote class limit: without waiting for servers, what is not here is missing and what is here is judged") {
    Author painter;
    const Bytes bundle = painter.sign(BundleMaker().add("good.tga", kPicture).add("program.tga", kProgram).write());
    RemoteMounted mounted(bundle, painter.key(), nullptr, {.open_needs_content = true});
    REQUIRE(mounted.mount());
    CHECK(mounted.opened("program.tga") == "missing");
    CHECK(outcome_of(mounted.vfs.find("program.tga")) == "missing");
    wait_until_here(*mounted.remote, id_of(kProgram));
    wait_until_here(*mounted.remote, id_of(kPicture));
    CHECK(mounted.opened("program.tga") == "denied");
    CHECK(content_at(mounted.vfs, "good.tga") == kPicture);
}

// Signer and server are one. The signer has signed two layouts of one bundle: by the manifest both hold a picture; one
// of them holds a program.
TEST_CASE("remote class limit: a server cannot show a picture to the judge and a program to the reader") {
    Author painter;
    const std::string small = kPicture.substr(0, 400);
    const Bytes plain = BundleMaker().add("skin.tga", small).add("other.txt", random_text(5, 400)).write();
    const Bytes picture = painter.sign(plain);
    const Bytes program = painter.sign(forge_content(plain, small, kProgram.substr(0, 400)));
    REQUIRE(picture.size() == program.size());
    REQUIRE(bundle_id_of(picture) == bundle_id_of(program));
    const std::string forged = text_of(program);
    std::atomic<bool> is_program = false;
    std::atomic<std::uint64_t> is_program_from = 0;
    const auto lie = [&](auto& guest, const RangeRequest& request, std::string_view right, std::uint64_t all) {
        if (!is_program || request.first < is_program_from)
            return false;
        guest.send(partial_answer(std::string_view(forged).substr(request.first, right.size()), request.first, all));
        return true;
    };
    SUBCASE("the whole bundle is the program's") {
        is_program = true;
        RemoteMounted mounted(picture, painter.key(), lie);
        REQUIRE(mounted.mount());
        CHECK(mounted.opened("skin.tga") == "corrupt");  // the manifest has hashes of the content, too
    }
    SUBCASE("the tables are the picture's, the content is the program's") {
        RemoteMounted mounted(picture, painter.key(), lie);
        REQUIRE(mounted.mount());
        is_program_from = open_bundle(picture)->layout_head().blocks_offset;
        is_program = true;
        CHECK(mounted.opened("skin.tga") == "corrupt");
    }
    SUBCASE("it changes to the program after the judgement") {
        RemoteMounted mounted(picture, painter.key(), lie);
        REQUIRE(mounted.mount());
        CHECK(mounted.opened("skin.tga") == "ok");
        is_program = true;
        CHECK(content_at(mounted.vfs, "skin.tga") == small);
    }
}

}  // namespace fardel::tests::remote_classes_test
