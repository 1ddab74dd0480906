// Which classes of content a policy lets a bundle bring. docs/trust-policy.md, "Classes of content". A137.
#include "kit/class_samples.h"
#include "kit/ids.h"
#include "vfs/test_bundle.h"

namespace fardel::tests::class_limit_test {

struct Limited {
    Author author;
    std::vector<std::unique_ptr<TrustPolicy>> policies;

    const TrustPolicy& policy(const std::string& classes) {
        policies.push_back(std::make_unique<TrustPolicy>(limiting_policy(author.key(), classes)));
        return *policies.back();
    }
    Result<MountId> mount(Vfs& vfs, const BundleMaker& maker, const std::string& classes) {
        return vfs.mount(make_memory_source(author.sign(maker.write())), {.policy = &policy(classes)});
    }
};

std::string opened(const Vfs& vfs, const std::string& path) { return outcome_of(vfs.open(path)); }

TEST_CASE("class limit: code and scripts that are named .tga are denied at every face of a data-only signer") {  // A137
    for (const std::string& bytes : {kElf, kQvm, kScript, std::string("#!/bin/sh\n")}) {
        Limited limited;
        Vfs vfs;
        BundleMaker maker;
        maker.add("textures/good.tga", kTarga).add("textures/skull.tga", bytes);
        maker.add_unpublished("hidden.tga", bytes);
        REQUIRE(limited.mount(vfs, maker, " classes=data"));
        const std::string bundle = "/bundles/" + vfs.mounts().front().bundle.hex();
        CHECK(opened(vfs, "/textures/good.tga") == "ok");
        CHECK(opened(vfs, "/assets/" + id_of(kTarga).hex()) == "ok");
        for (const std::string& path : {std::string("/textures/skull.tga"), bundle + "/textures/skull.tga",
                                        bundle + "/hidden.tga", "/assets/" + id_of(bytes).hex()}) {
            CAPTURE(path);
            CHECK(opened(vfs, path) == "denied");
            CHECK(opened(vfs, path) == "denied");  // the second time, too
            CHECK(outcome_of(vfs.find(path)) == "denied");
        }
        const auto good = vfs.open("/textures/good.tga");
        REQUIRE(good);
        CHECK(outcome_of(vfs.open({"textures/skull.tga", {}, &*good})) == "denied");
        const NameExtensions images = NameExtensions::parse("tga").value();
        CHECK(outcome_of(vfs.open({"/textures/skull", &images})) == "denied");
        CHECK(vfs.stat("/textures/skull.tga"));  // its size is no secret
    }
}

TEST_CASE("class limit: a name of code or of a script refuses the mount") {  // A137
    Limited limited;
    for (const std::string_view name : {"vm/cgame.qvm", "lib/x.SO", "autoexec.cfg", "a.lua", "pak.pk3"}) {
        Vfs vfs;
        BundleMaker maker;
        maker.add(name, "anything");
        CAPTURE(name);
        check_error(limited.mount(vfs, maker, " classes=data"), ErrorCode::denied, name);
        CHECK(vfs.mounts().empty());
        CHECK(limited.mount(vfs, maker, " classes=data,script,code"));
    }
    Vfs vfs;
    BundleMaker tombstone;
    tombstone.add("x.txt", "x").add_tombstone("vm/cgame.qvm");
    CHECK(limited.mount(vfs, tombstone, " classes=data"));  // it brings nothing under that name
}

TEST_CASE("class limit: each rule lets bring what it says") {
    Limited limited;
    BundleMaker maker;
    maker.add("a.txt", "text").add("b.tga", kScript).add("c.tga", kElf);
    const auto outcomes = [&](const std::string& classes) {
        Vfs vfs;
        REQUIRE(limited.mount(vfs, maker, classes));
        return opened(vfs, "/a.txt") + " " + opened(vfs, "/b.tga") + " " + opened(vfs, "/c.tga");
    };
    CHECK(outcomes(" classes=data") == "ok denied denied");
    CHECK(outcomes(" classes=data,script") == "ok ok denied");
    CHECK(outcomes(" classes=data,script,code") == "ok ok ok");
    CHECK(outcomes("") == "ok ok ok");
}

TEST_CASE("class limit: a variant is judged as every other asset") {  // A137
    Limited limited;
    Vfs vfs;
    BundleMaker maker;
    maker.add_variants("skin.tga", {kTarga, kElf});
    REQUIRE(limited.mount(vfs, maker, " classes=data"));
    CHECK(opened(vfs, "/assets/" + id_of(kElf).hex()) == "denied");
    CHECK(opened(vfs, "/assets/" + id_of(kTarga).hex()) == "ok");
}

TEST_CASE("class limit: the same bytes come from a signer who may bring them") {
    Limited limited;
    Vfs vfs;
    mount(vfs, BundleMaker().add("tool.tga", kElf).write());
    BundleMaker maker;
    maker.add("skull.tga", kElf);
    REQUIRE(limited.mount(vfs, maker, " classes=data"));
    CHECK(opened(vfs, "/skull.tga") == "denied");
    CHECK(opened(vfs, "/assets/" + id_of(kElf).hex()) == "ok");
    CHECK(opened(vfs, "/tool.tga") == "ok");
}

TEST_CASE("class limit: a second policy that is required limits as well") {
    Limited limited;
    const TrustPolicy& data = limited.policy(" classes=data");
    const TrustPolicy& all = limited.policy("");
    BundleMaker maker;
    maker.add("skull.tga", kElf);
    for (const TrustPolicy& both : {data.requiring(all), all.requiring(data)}) {
        Vfs vfs;
        REQUIRE(vfs.mount(make_memory_source(limited.author.sign(maker.write())), {.policy = &both}));
        CHECK(opened(vfs, "/skull.tga") == "denied");
    }
}

TEST_CASE("class limit: bytes that cannot be verified are not judged, and not given") {
    Limited limited;
    Vfs vfs;
    BundleMaker maker;
    maker.add("skull.tga", kElf);
    Bytes damaged = damage_content(limited.author.sign(maker.write()), id_of(kElf));
    REQUIRE(vfs.mount(make_memory_source(std::move(damaged)), {.policy = &limited.policy(" classes=data")}));
    CHECK(opened(vfs, "/skull.tga") == "corrupt");
}

TEST_CASE("class limit: a look-up table that leads to another name does not lend its class") {
    Limited limited;
    const Bytes honest = BundleMaker().add("a.tga", kTarga).add("b.txt", kScript).write();
    // Both slots lead to b.txt; docs/bundle-format.md, name_buckets.
    const Bytes bundle = rewrite_table(honest, TableKind::name_buckets,
                                       [](std::span<std::byte> bucket) { bucket[44] = bucket[48] = std::byte{1}; });
    Vfs vfs;
    REQUIRE(vfs.mount(make_memory_source(limited.author.sign(bundle)), {.policy = &limited.policy(" classes=data")}));
    CHECK(opened(vfs, "/b.txt") == "ok");
    CHECK(opened(vfs, "/a.tga") == "malformed");
}

}  // namespace fardel::tests::class_limit_test
