
#include <fardel/vfs/pure_judgement.h>

#include "vfs/test_bundle.h"

#include <fardel/format/bundle.h>

#include <ctime>

namespace fardel::tests::pure_judgement_test {

PureMount mount_of(std::uint32_t id, char digit, std::string name = "base/core",
                   std::vector<PublicKey> signers = {key_of('5')}, SignerRole role = SignerRole::author) {
    PureMount mount;
    mount.id = MountId{id};
    mount.label = "file" + std::to_string(id);
    mount.bundle = bundle_of(digit);
    mount.name = std::move(name);
    for (const PublicKey& key : signers)
        mount.signers.push_back({.label = "", .role = role, .key = key});
    return mount;
}

PureMount tainted(PureMount mount) {
    mount.tainted = true;
    mount.name.clear();
    mount.signers.clear();
    return mount;
}

PureMount loose_mount(std::uint32_t id) {
    PureMount mount;
    mount.id = MountId{id};
    mount.label = "folder";
    mount.loose = true;
    return mount;
}

PureRules two_bundles() {
    PureRules rules;
    rules.bundles = {{bundle_of('a'), CaseRule::exact, "", "base/core"},
                     {bundle_of('b'), CaseRule::exact, "", "maps/dm01"}};
    return rules;
}

PureJudgement judge(PureRules rules, std::vector<PureMount> mounts) {
    const auto policy = PurePolicy::make(std::move(rules));
    REQUIRE_MESSAGE(policy, policy.error().text());
    return judge_mounts(*policy, mounts);
}

// "2 1:gfx/**"
std::string visible(const PureJudgement& judgement) {
    std::string text;
    for (const PureVisible& one : judgement.visible) {
        text += (text.empty() ? "" : " ") + std::to_string(static_cast<std::uint32_t>(one.id));
        for (const std::string& paths : one.paths)
            text += ":" + paths;
    }
    return text;
}

// "missing maps/dm01, extra x"
std::string problems_text(const std::vector<PureProblem>& problems) {
    std::string text;
    for (const PureProblem& problem : problems)
        text += (text.empty() ? "" : ", ") + std::string(pure_fault_text(problem.fault)) + " " + problem.name;
    return text;
}

TEST_CASE("judge_mounts: exactly the content set is visible in the policy's order, whatever order it was mounted in") {
    for (const bool swapped : {false, true}) {
        std::vector<PureMount> mounts{mount_of(2, 'b', "maps/dm01"), mount_of(1, 'a')};
        if (swapped)
            std::swap(mounts[0], mounts[1]);
        const PureJudgement judgement = judge(two_bundles(), mounts);
        CHECK(visible(judgement) == "2 1");  // mounts in front come first
        CHECK(judgement.problems.empty());
        CHECK(judgement.complete);
    }
}

TEST_CASE("judge_mounts: all problems are reported at once, each with bundle and name") {
    PureRules rules = two_bundles();
    for (const char digit : {'c', 'd', 'e'})
        rules.bundles.push_back({bundle_of(digit), CaseRule::exact, "", std::string("more/") + digit});
    rules.exceptions = {{"huds/*", key_of('1'), "gfx/hud/**"}};
    rules.revoked_keys = {{key_of('9'), "stolen"}};
    rules.revoked_bundles = {{bundle_of('8'), "wallhack"}};
    PureMount elsewhere = mount_of(3, 'c');
    elsewhere.mount_point = "x";
    const PureJudgement judgement =
        judge(rules, {mount_of(9, '8', "cheats/see"), loose_mount(8), mount_of(7, '7', "huds/fine", {key_of('2')}),
                      mount_of(6, '6', "mods/other"), mount_of(5, 'e', "more/e", {key_of('9')}), elsewhere,
                      tainted(mount_of(2, 'b'))});
    CHECK(problems_text(judgement.problems) ==
          "missing base/core, unsigned maps/dm01, wrong more/c, missing more/d, revoked more/e, revoked cheats/see, "
          "not-allowed folder, not-allowed huds/fine, extra mods/other");
    CHECK(judgement.problems[0].bundle == bundle_of('a'));
    CHECK(judgement.problems[2].text == "mounted at \"/x\"; the policy says \"/\"");
    CHECK(judgement.problems[5].text == "the bundle is withdrawn: wallhack");
    CHECK(judgement.problems[6].bundle.is_zero());
    CHECK(judgement.visible.empty());
    CHECK_FALSE(judgement.complete);
}

TEST_CASE("judge_mounts: an unsigned content set is accepted only by policies that allow it") {
    PureRules rules = two_bundles();
    const std::vector<PureMount> mounts{tainted(mount_of(2, 'b')), mount_of(1, 'a')};
    CHECK(problems_text(judge(rules, mounts).problems) == "unsigned maps/dm01");
    rules.unsigned_allowed = true;
    CHECK(judge(rules, mounts).problems.empty());
}

TEST_CASE("judge_mounts: mount point and case rule are part of the policy") {
    PureRules rules = two_bundles();
    rules.bundles[1].mount_point = "mods";
    rules.bundles[0].case_rule = CaseRule::fold;
    std::vector<PureMount> mounts{mount_of(2, 'b'), mount_of(1, 'a')};
    CHECK(problems_text(judge(rules, mounts).problems) == "wrong base/core, wrong maps/dm01");
    mounts[0].mount_point = "mods";
    mounts[1].case_rule = CaseRule::fold;
    CHECK(judge(rules, mounts).problems.empty());
    // The bundle at the right mount point, and again at another one.
    mounts.push_back(mount_of(3, 'a'));
    const PureJudgement twice = judge(rules, mounts);
    CHECK(visible(twice) == "2 1");
    CHECK(twice.complete);
    CHECK(problems_text(twice.problems) == "extra base/core");
}

TEST_CASE("judge_mounts: an exception needs name and key, wins over the content set, and shows only its paths") {
    PureRules rules = two_bundles();
    rules.exceptions = {
        {"huds/*", key_of('1'), "gfx/hud/**"}, {"huds/*", key_of('2'), "**"}, {"lang/**", key_of('1'), "text/**"}};
    const auto judged = [&](PureMount mount) { return judge(rules, {mount_of(2, 'b'), mount, mount_of(1, 'a')}); };
    CHECK(visible(judged(mount_of(7, '7', "huds/fine", {key_of('1')}))) == "7:gfx/hud/** 2 1");
    CHECK(visible(judged(mount_of(7, '7', "lang/fr/all", {key_of('5'), key_of('1')}))) == "7:text/** 2 1");
    CHECK(visible(judged(mount_of(7, '7', "huds/fine", {key_of('1'), key_of('2')}))) == "7:gfx/hud/**:** 2 1");
    CHECK(problems_text(judged(mount_of(7, '7', "lang/fr", {key_of('2')})).problems) == "not-allowed lang/fr");
    CHECK(problems_text(judged(mount_of(7, '7', "HUDS/fine", {key_of('1')})).problems) == "extra HUDS/fine");  // A69
    CHECK(problems_text(judged(mount_of(7, '7', "huds/a/b", {key_of('1')})).problems) == "extra huds/a/b");
    CHECK(problems_text(judged(tainted(mount_of(7, '7'))).problems) == "unsigned file7");
    // A bundle has the right name in a statement that the trust policy does not vouch for.
    PureMount claimed = mount_of(7, '7', "huds/fine", {key_of('1')});
    claimed.tainted = true;
    CHECK(problems_text(judged(claimed).problems) == "not-allowed huds/fine");
    rules.revoked_keys = {{key_of('1'), ""}};
    CHECK(problems_text(judged(mount_of(7, '7', "huds/fine", {key_of('1')})).problems) == "revoked huds/fine");
}

TEST_CASE("judge_mounts: an exception for a role needs so many of its keys, in that role") {
    PureRules rules = two_bundles();
    rules.exceptions = {
        {"huds/*", {}, "gfx/**", PureRole{SignerRole::registry, 2, {key_of('1'), key_of('2'), key_of('3')}}}};
    const auto judged = [&](std::vector<PublicKey> keys, SignerRole role) {
        const auto judgement =
            judge(rules, {mount_of(2, 'b'), mount_of(7, '7', "huds/fine", std::move(keys), role), mount_of(1, 'a')});
        return visible(judgement) + " " + problems_text(judgement.problems);
    };
    CHECK(judged({key_of('1'), key_of('3')}, SignerRole::registry) == "7:gfx/** 2 1 ");
    CHECK(judged({key_of('1')}, SignerRole::registry) == "2 1 not-allowed huds/fine");
    CHECK(judged({key_of('1'), key_of('1')}, SignerRole::registry) == "2 1 not-allowed huds/fine");
    CHECK(judged({key_of('1'), key_of('3')}, SignerRole::author) == "2 1 not-allowed huds/fine");
    CHECK(judged({key_of('4'), key_of('5')}, SignerRole::registry) == "2 1 not-allowed huds/fine");
    // A server that names a key does not make a client trust it: these signatures did not count.
    PureMount untrusted = mount_of(7, '7', "huds/fine", {key_of('1'), key_of('2')}, SignerRole::registry);
    untrusted.tainted = true;
    CHECK(visible(judge(rules, {mount_of(2, 'b'), untrusted, mount_of(1, 'a')})) == "2 1");
}

TEST_CASE("judge_mounts: what the client's own policy has withdrawn since is revoked, and hidden") {
    PureMount recalled = mount_of(2, 'b', "maps/dm01");
    recalled.recall = "crashes";
    const auto judgement = judge(two_bundles(), {recalled, mount_of(1, 'a')});
    CHECK(visible(judgement) == "1");
    CHECK(problems_text(judgement.problems) == "revoked maps/dm01");
    REQUIRE(judgement.problems.size() == 1);
    CHECK(judgement.problems[0].text == "crashes");
}

TEST_CASE("judge_mounts: loose files come last, so that none overrides a bundle's name, and only where tolerated") {
    PureRules rules = two_bundles();
    const std::vector<PureMount> mounts{loose_mount(8), mount_of(2, 'b'), mount_of(1, 'a')};
    CHECK(problems_text(judge(rules, mounts).problems) == "not-allowed folder");
    CHECK(visible(judge(rules, mounts)) == "2 1");
    rules.loose = {"config/**", "screenshots/*.png"};
    CHECK(visible(judge(rules, mounts)) == "2 1 8:config/**:screenshots/*.png");
    CHECK(judge(rules, mounts).problems.empty());

    const std::vector<PureVisible> all = judge(rules, mounts).visible;
    CHECK(all[2].shows("config/x/y.cfg"));
    CHECK_FALSE(all[2].shows("maps/dm01.bsp"));
    CHECK(all[0].shows("maps/dm01.bsp"));

    // The allowed file name extension is not allowed in another folder.
    const auto policy = PurePolicy::make(rules).value();
    const std::vector<std::string> paths{"config/a.cfg",        "scripts/a.cfg", "screenshots/1.png",
                                         "screenshots/x/1.png", "Config/a.cfg",  "a.png"};
    CHECK(problems_text(judge_loose_paths(policy, "folder", paths)) ==
          "not-allowed scripts/a.cfg, not-allowed screenshots/x/1.png, not-allowed Config/a.cfg, not-allowed a.png");
}

TEST_CASE("judge_mounts: the time for a content set and its mounts is linear, and all of them are judged") {
    const auto judged_s = [](std::size_t count) {
        PureRules rules;
        std::vector<PureMount> mounts;
        for (std::size_t i = 0; i < count; ++i) {
            PureMount mount = mount_of(static_cast<std::uint32_t>(i + 1), 'a', "maps/" + std::to_string(i));
            mount.bundle = id_from<BundleId>(random_hash());
            rules.bundles.push_back({mount.bundle, CaseRule::exact, "", mount.name});
            mounts.push_back(std::move(mount));
        }
        for (std::size_t i = 0; i < count; ++i)  // as many that the policy does not have
            mounts.push_back(mount_of(static_cast<std::uint32_t>(count + i + 1), 'f', "mods/" + std::to_string(i)));
        const PurePolicy policy = PurePolicy::make(std::move(rules)).value();
        double best_s = 1e9;
        for (int run = 0; run < 5; ++run) {
            const std::clock_t begin = std::clock();
            const PureJudgement judgement = judge_mounts(policy, mounts);
            best_s = std::min(best_s, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
            CHECK(judgement.complete);
            CHECK(judgement.visible.size() == count);
            CHECK(judgement.problems.size() == count);
        }
        return best_s;
    };
    const double few_s = judged_s(512);
    const double many_s = judged_s(16'384);  // 32 times as many; each with each would be 1024 times as much
    CAPTURE(few_s);
    CAPTURE(many_s);
#ifdef _WIN32
    const double clock_step_s = 1e-3;  // of std::clock() there
#else
    const double clock_step_s = 1e-5;
#endif
    CHECK(many_s < 200 * std::max(few_s, clock_step_s));
}

TEST_CASE("judge_variants: tags outside an axis of the policy are reported; the client may choose on other axes") {
    PureRules rules = two_bundles();
    rules.variants = {{"texture", {"astc", "bc7"}}};
    const auto policy = PurePolicy::make(rules).value();
    CHECK(problems_text(judge_variants(policy, std::vector<PureAxis>{{"texture", {"png", "astc"}},
                                                                     {"lang", {"fr"}}})) == "not-allowed texture=png");
    CHECK(judge_variants(policy, std::vector<PureAxis>{{"texture", {"bc7"}}}).empty());
    CHECK(judge_variants(policy, {}).empty());
}

// A61: classic schemes compared 32 bits here.
TEST_CASE("judge_mounts: a bundle whose id is right in all but its last bit is missing, and extra") {
    BundleId forged = bundle_of('a');
    forged.bytes[31] ^= 1;
    PureMount mount = mount_of(1, 'a');
    mount.bundle = forged;
    CHECK(problems_text(judge(two_bundles(), {mount_of(2, 'b'), mount}).problems) ==
          "missing base/core, extra base/core");
}

TEST_CASE("pure_mount: it has the bundle's name and signers if the trust policy accepts them, otherwise none") {
    Author author;
    const Bytes bytes = author.sign(BundleMaker().add("a", "x").write());
    const MountDescription mount{.id = MountId{4}, .label = "l", .mount_point = "p", .case_rule = CaseRule::fold};
    const auto bundle = Bundle::open(make_memory_source(bytes), {.policy = &author.policy(), .label = "l"}).value();
    const PureMount signed_mount = pure_mount(mount, *bundle);
    CHECK(signed_mount.id == MountId{4});
    CHECK(signed_mount.mount_point == "p");
    CHECK(signed_mount.case_rule == CaseRule::fold);
    CHECK(signed_mount.bundle == bundle->id());
    CHECK(signed_mount.name == "test");
    REQUIRE(signed_mount.signers.size() == 1);
    CHECK(signed_mount.signers[0].key == author.key());
    CHECK_FALSE(signed_mount.tainted);
    const PureMount plain = pure_mount(mount, *Bundle::open(make_memory_source(bytes), {.label = "l"}).value());
    CHECK(plain.tainted);
    CHECK(plain.name.empty());
    CHECK(plain.signers.empty());
}

}  // namespace fardel::tests::pure_judgement_test
