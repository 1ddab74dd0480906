#include "pure_lock.h"

#include "kit/bundles.h"
#include "kit/files.h"
#include "vfs/test_bundle.h"

#include <fardel/format/bundle.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/hash.h>
#include <fardel/format/unpacked_bundle.h>
#include <fardel/vfs/pure_check.h>

namespace fardel::tests::pure_lock_test {

PurePolicy policy_of(PureRules rules) { return value_of(PurePolicy::make(std::move(rules))); }

PureRules rules_of(const std::vector<Bytes>& bundles) {
    PureRules rules;
    rules.unsigned_allowed = true;
    for (const Bytes& bundle : bundles)
        rules.bundles.push_back({.bundle = bundle_id_of(bundle), .mount_point = "", .name = ""});
    return rules;
}

TEST_CASE("pure lock: only the policy's bundles are visible, in its order, and all mounts are visible afterwards") {
    const Bytes base = BundleMaker().add("a", "base").add("b", "base").write();
    const Bytes mod = BundleMaker().add("a", "mod").write();
    const Bytes cheat = BundleMaker().add("a", "see through walls").add("cheat", "c").add_tombstone("b").write();
    Vfs vfs;
    mount(vfs, mod);
    mount(vfs, base);
    const MountId extra = mount(vfs, cheat, unsigned_at("", 100));
    const File open = vfs.open("/cheat").value();
    CHECK(content_at(vfs, "/a") == "see through walls");

    CHECK(faults_of(vfs.enter_pure(policy_of(rules_of({base, mod})))) == "extra");
    CHECK(content_at(vfs, "/a") == "mod");
    CHECK(content_at(vfs, "/b") == "base");
    CHECK(outcome_of(vfs.open("/cheat")) == "missing");
    CHECK(outcome_of(vfs.open("/assets/" + id_of("c").hex())) == "missing");
    CHECK(outcome_of(vfs.open("/bundles/" + bundle_id_of(cheat).hex() + "/cheat")) == "missing");
    CHECK(listing_of(vfs, "/") == "a@ assets/ b@ bundles/");
    CHECK(vfs.conflicts().value().size() == 1);
    CHECK(text_of(open.read_all().value()) == "c");
    REQUIRE(vfs.mounts().size() == 3);
    CHECK(vfs.mounts().back().id == extra);
    CHECK(vfs.mounts().back().hidden);
    CHECK_FALSE(vfs.mounts().front().hidden);
    CHECK(faults_of(vfs.pure_report().value()) == "extra");

    vfs.leave_pure();
    CHECK_FALSE(vfs.pure_report());
    CHECK(content_at(vfs, "/a") == "see through walls");
    CHECK_FALSE(vfs.mounts().back().hidden);
}

TEST_CASE("pure lock: mounts, replacements and unmounts while it is held are judged too") {
    const Bytes base = BundleMaker().add("a", "base").write();
    const Bytes other = BundleMaker().add("a", "other").write();
    Vfs vfs;
    CHECK(faults_of(vfs.enter_pure(policy_of(rules_of({base})))) == "missing");
    mount(vfs, other);
    CHECK(outcome_of(vfs.open("/a")) == "missing");
    const MountId id = mount(vfs, base);
    CHECK(content_at(vfs, "/a") == "base");
    CHECK(faults_of(vfs.pure_report().value()) == "extra");
    REQUIRE(vfs.replace(
        id, {.subject = make_memory_source(BundleMaker().add("a", "third").write()), .options = unsigned_at()}));
    CHECK(outcome_of(vfs.open("/a")) == "missing");
    CHECK(faults_of(vfs.pure_report().value()) == "missing extra extra");
    REQUIRE(vfs.unmount(id));
    CHECK(faults_of(vfs.pure_report().value()) == "missing extra");
}

TEST_CASE("pure lock: loose files are refused, or visible only where they are tolerated and no bundle has the name") {
    const ScratchFolder scratch;
    scratch.write("home/a", "cheat");
    scratch.write("home/screenshots/1.png", "mine");
    scratch.write("home/screenshots/base.png", "fake");
    const Bytes base = BundleMaker().add("a", "base").add("screenshots/base.png", "base").write();
    Vfs vfs;
    mount(vfs, base);
    REQUIRE(vfs.mount(scratch.path("home"), unsigned_at("", 50)));
    CHECK(content_at(vfs, "/a") == "cheat");

    CHECK(faults_of(vfs.enter_pure(policy_of(rules_of({base})))) == "not-allowed");
    CHECK(content_at(vfs, "/a") == "base");
    CHECK(outcome_of(vfs.open("/screenshots/1.png")) == "missing");

    PureRules tolerant = rules_of({base});
    tolerant.loose = {"screenshots/*"};
    CHECK(faults_of(vfs.enter_pure(policy_of(tolerant))) == "");
    CHECK(content_at(vfs, "/a") == "base");
    CHECK(content_at(vfs, "/screenshots/1.png") == "mine");
    CHECK(content_at(vfs, "/screenshots/base.png") == "base");
    CHECK(outcome_of(vfs.open("/assets/" + id_of("cheat").hex())) == "missing");
    CHECK(outcome_of(vfs.open("/assets/" + id_of("mine").hex())) == "missing");
    CHECK(listing_of(vfs, "/screenshots") == "1.png@ base.png@");
}

TEST_CASE("pure lock: an exception's bundle is visible at its paths and nowhere else") {
    Author author;
    const Bytes base = BundleMaker().add("gfx/hud", "base hud").add("a", "base").write();
    const Bytes skin =
        author.sign(BundleMaker().add("gfx/hud", "my hud").add("a", "cheat").add("gfx/own", "own").write());
    PureRules rules = rules_of({base});
    rules.exceptions = {{.bundles = "**", .signer = author.key(), .paths = "gfx/hud"}};
    Vfs vfs;
    mount(vfs, base);
    mount(vfs, skin, {.priority = 9, .policy = &author.policy()});
    CHECK(faults_of(vfs.enter_pure(policy_of(rules))) == "");
    CHECK(content_at(vfs, "/gfx/hud") == "my hud");
    CHECK(content_at(vfs, "/a") == "base");
    CHECK(outcome_of(vfs.open("/gfx/own")) == "missing");
    CHECK(outcome_of(vfs.open("/bundles/" + bundle_id_of(skin).hex() + "/gfx/own")) == "missing");
    CHECK(outcome_of(vfs.open("/assets/" + id_of("cheat").hex())) == "missing");
    const File hud = vfs.open("/gfx/hud").value();
    CHECK(outcome_of(vfs.open({"gfx/own", {}, &hud})) == "missing");
    CHECK(text_of(vfs.open({"a", {}, &hud}).value().read_all().value()) == "base");
    vfs.leave_pure();
    CHECK(text_of(vfs.open({"gfx/own", {}, &hud}).value().read_all().value()) == "own");
}

// A136
TEST_CASE("pure lock: references inside an exception's bundle lead to its visible paths and nowhere else") {
    Author author;
    BundleMaker maker;
    maker.add("gfx/hud/main", "script").add("gfx/hud/icon", "icon").add("wall", "a see-through wall");
    maker.add("gfx/hud/menu", "menu").add("secret", "also hidden");
    maker.plan().names.back().published = false;
    const auto reference = [](const char* spelling, std::uint32_t asset, const char* name = "") {
        return PlannedReference{.spelling = spelling, .target = PlannedReference::Internal{asset}, .name = name};
    };
    maker.plan().assets[0].references = {reference("cheat", 2), reference("cheat by name", 2, "wall"),
                                         reference("icon", 1), reference("menu by name", 3, "gfx/hud/menu"),
                                         reference("not published", 4)};
    const Bytes skin = author.sign(maker.write());
    const Bytes core = BundleMaker().add("wall", "wall").write();
    PureRules rules = rules_of({core});
    rules.exceptions = {{.bundles = "**", .signer = author.key(), .paths = "gfx/hud/**"}};
    Vfs vfs;
    mount(vfs, core);
    mount(vfs, skin, {.priority = 9, .policy = &author.policy()});
    const File script = vfs.open("/gfx/hud/main").value();
    CHECK(vfs.find({"cheat", {}, &script}).value());
    CHECK(faults_of(vfs.enter_pure(policy_of(rules))) == "");
    for (const char* const spelling : {"cheat", "cheat by name", "not published"}) {
        CAPTURE(spelling);
        CHECK_FALSE(vfs.find({spelling, {}, &script}).value());
        const File again = vfs.open("/gfx/hud/main").value();
        CHECK_FALSE(vfs.find({spelling, {}, &again}).value());
    }
    CHECK(text_of(vfs.open({"icon", {}, &script}).value().read_all().value()) == "icon");
    CHECK(text_of(vfs.open({"menu by name", {}, &script}).value().read_all().value()) == "menu");
    vfs.leave_pure();
    CHECK(vfs.find({"cheat", {}, &script}).value());
}

TEST_CASE("pure lock: only variants that the policy allows are chosen") {
    BundleMaker maker;
    maker.add_variants("wall", {"solid", "glass"}).add_variants("all glass", {"glass 2"});
    maker.plan().names[0].variants[0].tags = {{"quality", "sd"}};
    maker.plan().names[0].variants[1].tags = {{"quality", "see-through"}};
    maker.plan().names[1].variants[0].tags = {{"quality", "see-through"}};
    maker.add("map", "map");
    maker.plan().assets.back().references = {
        {.spelling = "the wall", .target = PlannedReference::Internal{0}, .name = "wall"},
        {.spelling = "the glass", .target = PlannedReference::Internal{2}, .name = "all glass"}};
    const Bytes bundle = maker.write();
    PureRules rules = rules_of({bundle});
    rules.variants = {{.axis = "quality", .tags = {"hd", "sd"}}};
    Vfs vfs;
    mount(vfs, bundle);
    vfs.prefer(parse_variant_preference("quality=see-through").value());
    CHECK(content_at(vfs, "/wall") == "glass");
    const File map = vfs.open("/map").value();
    CHECK(text_of(vfs.open({"the wall", {}, &map})->read_all().value()) == "glass");
    vfs.enter_pure(policy_of(rules));
    CHECK(content_at(vfs, "/wall") == "solid");
    CHECK(text_of(vfs.open({"the wall", {}, &map})->read_all().value()) == "solid");
    CHECK(outcome_of(vfs.open({"the glass", {}, &map})) == "denied");
    CHECK(outcome_of(vfs.open("/all glass")) == "denied");
    CHECK(outcome_of(vfs.open("/bundles/" + bundle_id_of(bundle).hex() + "/all glass")) == "denied");
    vfs.leave_pure();
    CHECK(content_at(vfs, "/wall") == "glass");
}

TEST_CASE("pure lock: it handles hundreds of bundles") {
    std::vector<Bytes> bundles;
    for (int i = 0; i < 120; ++i)
        bundles.push_back(BundleMaker().add("all", std::to_string(i)).add("own " + std::to_string(i), "x").write());
    Vfs vfs;
    for (auto at = bundles.rbegin(); at != bundles.rend(); ++at)
        mount(vfs, *at);
    CHECK(content_at(vfs, "/all") == "0");
    CHECK(vfs.enter_pure(policy_of(rules_of(bundles))).empty());
    CHECK(content_at(vfs, "/all") == "119");
    for (int i = 0; i < 120; ++i)
        CHECK(content_at(vfs, "/own " + std::to_string(i)) == "x");
}

TEST_CASE("pure lock: ten thousand bundles are locked, answered and judged with the messages of one") {
    constexpr std::size_t kBundles = 10'000;
    const auto name_of = [](std::size_t i) { return "maps/" + std::to_string(i); };
    std::vector<std::shared_ptr<const ByteSource>> sources;
    std::vector<std::shared_ptr<const Bundle>> copies;
    PureRules rules;
    rules.unsigned_allowed = true;
    MountChange all;
    for (std::size_t i = 0; i < kBundles; ++i) {
        sources.push_back(
            value_of(make_unpacked_source(BundleMaker().add(name_of(i), std::to_string(i)).plan(), {.jobs = 1})));
        copies.push_back(value_of(open_pure_bundle(sources.back(), name_of(i))));
        rules.bundles.push_back({.bundle = copies.back()->id(), .mount_point = "", .name = name_of(i)});
        all.mount.push_back({.subject = sources.back(), .options = unsigned_at()});
    }
    std::ranges::reverse(all.mount);  // the policy's order counts
    Vfs vfs;
    const std::vector<MountId> mounts = value_of(vfs.apply(std::move(all)));
    const PurePolicy policy = policy_of(std::move(rules));
    CHECK(vfs.enter_pure(policy).empty());
    for (const std::size_t i : {std::size_t{0}, kBundles / 2, kBundles - 1})
        CHECK(content_at(vfs, "/" + name_of(i)) == std::to_string(i));
    PureServer server = value_of(PureServer::create(policy, copies));
    REQUIRE(server.begin_epoch(random_hash()));
    const auto judged = [&](const PureReply& reply) {
        return server.check(reply.answer, "alice", &reply.report, {1001});
    };
    const auto offer = [&] { return value_of(server.offer(random_hash(), "alice", "alice", {1000})); };
    const PureOffer asked = offer();
    const PureReply reply = value_of(vfs.answer_pure(asked, {}, "alice", {}));
    const PureVerdict welcome = judged(reply);
    CHECK(welcome.welcome());
    CHECK(value_of(encode_pure_offer(asked)).size() == 624);
    CHECK(encode_pure_answer(reply.answer).size() == 240);
    CHECK(encode_pure_verdict(welcome).size() == 108);
    // Without one of them: exactly that one is named.
    REQUIRE(vfs.unmount(mounts[kBundles / 2]));
    const PureReply without = value_of(vfs.answer_pure(offer(), {}, "alice", {}));
    REQUIRE(without.report.problems().size() == 1);
    CHECK(without.report.problems()[0].name == name_of(kBundles - 1 - kBundles / 2));
    CHECK(judged(without).has(PureRefusal::client_problems));
}

TEST_CASE("pure lock: the trust policy's bounds of names do not change what the server's policy shows") {
    Author author;
    const Bytes base = author.sign(BundleMaker().title("maps/x").add("wall", "solid").write());
    const TrustPolicy bounded =
        TrustPolicy::parse("fardel-trust 1\nkey a " + author.key().hex() + "\nallow maps/* author=1:a\n").value();
    Vfs vfs;
    mount(vfs, base, {.policy = &bounded});
    CHECK(outcome_of(vfs.open("/wall")) == "missing");
    CHECK(vfs.enter_pure(policy_of(rules_of({base}))).empty());
    CHECK(content_at(vfs, "/wall") == "solid");
    vfs.leave_pure();
    CHECK(outcome_of(vfs.open("/wall")) == "missing");
}

TEST_CASE("pure lock: a layout that the player signed does not make other bytes genuine") {
    const std::string genuine = noise_text(30'000, 1), cheat = noise_text(30'000, 2);
    const Bytes bundle = BundleMaker().add("a", genuine).write();
    Author player;
    Vfs vfs;
    mount(vfs, player.sign(forge_content(bundle, genuine, cheat)), {.policy = &player.policy()});
    CHECK(outcome_of(vfs.open("/a").value().read_all()) == "corrupt");  // though his own policy trusts his own key
    PureRules rules = rules_of({bundle});
    rules.unsigned_allowed = false;
    CHECK(vfs.enter_pure(policy_of(rules)).empty());
    CHECK(outcome_of(vfs.open("/a").value().read_all()) == "corrupt");
    CHECK(outcome_of(vfs.open("/assets/" + id_of(genuine).hex())) == "corrupt");
    CHECK_FALSE(vfs.tainted());
    CHECK(vfs.mounts().at(0).signers == std::vector<std::string>{"author"});
    vfs.leave_pure();
    CHECK(outcome_of(vfs.open("/a").value().read_all()) == "corrupt");
}

TEST_CASE("pure lock: a locked Vfs answers the server's offer, an unlocked one does not") {
    Author author;
    const Bytes base = author.sign(BundleMaker().add("a", noise_text(100'000, 1)).write());
    const Bytes mod = author.sign(BundleMaker().add("b", "mod").write());
    const PurePolicy policy = policy_of(rules_of({base, mod}));
    const auto own = [&](const Bytes& bundle) { return Bundle::open(make_memory_source(bundle), {}).value(); };
    const std::vector<std::shared_ptr<const Bundle>> server = {own(base), own(mod)};
    const PureClaim claim{PureNonce::open, make_pure_epoch(id_from<Hash>(id_of("epoch")), policy, server).value()};
    PureOffer offer;
    offer.nonce = id_from<Hash>(id_of("nonce"));
    offer.policy = policy.digest();
    offer.epoch = claim.epoch.key;
    const auto is_welcome = [&](const PureReply& reply, std::string_view connection) {
        return check_pure_answer(reply.answer, claim, policy, connection, &reply.report).welcome();
    };

    Vfs vfs;
    mount(vfs, base, {.policy = &author.policy()});
    CHECK(outcome_of(vfs.answer_pure(offer, {}, "player 1")) == "denied");
    vfs.enter_pure(policy);
    const PureReply incomplete = vfs.answer_pure(offer, {}, "player 1").value();
    CHECK(faults_of(incomplete.report) == "missing");
    CHECK_FALSE(is_welcome(incomplete, "player 1"));

    mount(vfs, mod, {.policy = &author.policy()});
    mount(vfs, BundleMaker().add("a", "cheat").write(), unsigned_at("", 9));
    const PureReply extra = vfs.answer_pure(offer, {}, "player 1").value();
    CHECK(faults_of(extra.report) == "extra");

    REQUIRE(vfs.unmount(vfs.mounts().back().id));
    const PureReply good = vfs.answer_pure(offer, {}, "player 1").value();
    CHECK(good.report.empty());
    CHECK(is_welcome(good, "player 1"));
    CHECK_FALSE(is_welcome(good, "player 2"));
}

// A136
TEST_CASE("pure lock: references of a file that was opened before lead to nothing that is hidden now") {
    BundleMaker mod;
    mod.add("start", "script").add("wall.png", "a see-through wall");
    mod.plan().assets[0].references = {{.spelling = "wall.png", .target = PlannedReference::Internal{1}}};
    const Bytes core = BundleMaker().add("genuine", "genuine").write();
    Vfs vfs;
    mount(vfs, core);
    mount(vfs, mod.write());
    const File before = vfs.open("/start").value();
    REQUIRE(vfs.find({"wall.png", {}, &before}).value());

    (void)vfs.enter_pure(policy_of(rules_of({core})));
    CHECK_FALSE(vfs.find({"wall.png", {}, &before}).value());
    CHECK_FALSE(vfs.find({"start", {}, &before}).value());
    CHECK(text_of(before.read_all().value()) == "script");

    vfs.leave_pure();
    CHECK(vfs.find({"wall.png", {}, &before}).value());
}

}  // namespace fardel::tests::pure_lock_test
