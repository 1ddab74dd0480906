// Content that a server brought: visible while a server asks for it, and never otherwise.
#include "kit/bundles.h"
#include "vfs/test_bundle.h"

#include <fardel/vfs/fardel_pure.h>
#include <fardel/vfs/pure_check.h>

#include <atomic>

namespace fardel::tests::pure_visit_test {

// A player's game, and what two servers brought; both replace a file of the game.
struct Visits {
    Bytes base = BundleMaker().add("wall", "the player's").add("base", "base").title("base").write();
    Bytes one = BundleMaker().add("wall", "of server one").add("one", "one").title("one").write();
    Bytes two = BundleMaker().add("wall", "of server two").add("two", "two").title("two").write();
};

PureRules rules_of(const std::vector<const Bytes*>& bundles) {
    PureRules rules;
    rules.unsigned_allowed = true;
    for (const Bytes* bundle : bundles)
        rules.bundles.push_back({.bundle = bundle_id_of(*bundle), .mount_point = "", .name = ""});
    return rules;
}
PurePolicy policy_of(const std::vector<const Bytes*>& bundles) { return value_of(PurePolicy::make(rules_of(bundles))); }

MountOptions brought(std::string mount_point = {}, int priority = 0) {
    MountOptions options = unsigned_at(std::move(mount_point), priority);
    options.pure_only = true;
    return options;
}

bool is_hidden(const Vfs& vfs, MountId id) {
    for (const MountDescription& mount : vfs.mounts())
        if (mount.id == id)
            return mount.hidden;
    FAIL("no such mount");
    return false;
}

TEST_CASE("pure visit: what a server brought is visible to its policy, and neither before, afterwards nor elsewhere") {
    const Visits visits;
    Vfs vfs;
    mount(vfs, visits.base);
    const MountId one = mount(vfs, visits.one, brought("", 100));
    const MountId two = mount(vfs, visits.two, brought("", 100));
    const auto is_own = [&] {
        CHECK(content_at(vfs, "/wall") == "the player's");
        CHECK(listing_of(vfs, "/") == "assets/ base@ bundles/ wall@");
        CHECK(outcome_of(vfs.open("/one")) == "missing");
        CHECK(outcome_of(vfs.open("/assets/" + id_of("one").hex())) == "missing");
        CHECK(outcome_of(vfs.open("/bundles/" + bundle_id_of(visits.one).hex() + "/one")) == "missing");
        CHECK(value_of(vfs.conflicts()).empty());
        CHECK(is_hidden(vfs, one));
        CHECK(is_hidden(vfs, two));
    };
    is_own();
    CHECK(faults_of(vfs.enter_pure(policy_of({&visits.base, &visits.one}))) == "");
    CHECK(content_at(vfs, "/wall") == "of server one");
    CHECK(content_at(vfs, "/one") == "one");
    CHECK(outcome_of(vfs.open("/two")) == "missing");
    CHECK_FALSE(is_hidden(vfs, one));
    // The next server sees nothing of the first, and is not informed of it.
    CHECK(faults_of(vfs.enter_pure(policy_of({&visits.base, &visits.two}))) == "");
    CHECK(content_at(vfs, "/wall") == "of server two");
    CHECK(outcome_of(vfs.open("/one")) == "missing");
    CHECK(outcome_of(vfs.open("/assets/" + id_of("one").hex())) == "missing");
    // Nor does a server that wants only the game.
    CHECK(faults_of(vfs.enter_pure(policy_of({&visits.base}))) == "");
    is_own();
    vfs.leave_pure();
    is_own();
    REQUIRE(vfs.unmount(one));
    REQUIRE(vfs.unmount(two));
    CHECK(vfs.mounts().size() == 1);
}

TEST_CASE("pure visit: no exception and no other mount point shows what a server brought") {
    const Visits visits;
    Author author;
    const Bytes hud = author.sign(BundleMaker().add("wall", "see through").title("hud").write());
    Vfs vfs;
    mount(vfs, visits.base);
    MountOptions options = brought();
    options.policy = &author.policy();
    mount(vfs, hud, options);
    mount(vfs, visits.one, brought("elsewhere"));
    PureRules rules = rules_of({&visits.base, &visits.one});
    rules.exceptions = {{.bundles = "**", .signer = author.key(), .paths = "**"}};
    // Not "wrong": for this server, the bundle is not there.
    CHECK(faults_of(vfs.enter_pure(value_of(PurePolicy::make(rules)))) == "missing");
    CHECK(content_at(vfs, "/wall") == "the player's");
    CHECK(outcome_of(vfs.open("/elsewhere/one")) == "missing");
    mount(vfs, visits.one, brought());
    CHECK(faults_of(*vfs.pure_report()) == "");
    CHECK(content_at(vfs, "/wall") == "of server one");
}

TEST_CASE("pure visit: what a server brought neither taints the player's game nor fulfils its needs") {
    const Visits visits;
    std::vector<BundleId> missing;
    BundleMaker needing;
    needing.plan().dependencies = {{.bundle = bundle_id_of(visits.one)}};
    const Bytes mod = needing.add("mod", "mod").write();
    Author author;
    Vfs vfs({.on_missing_dependency = [&](const MissingDependency& one) { missing.push_back(one.bundle); }});
    mount(vfs, author.sign(visits.base), {.policy = &author.policy()});
    mount(vfs, visits.one, brought());
    CHECK_FALSE(vfs.tainted());
    CHECK(missing.empty());
    MountOptions strict = unsigned_at();
    strict.require_dependencies = true;
    CHECK(outcome_of(vfs.mount(make_memory_source(mod), strict)) == "unresolved");
    mount(vfs, mod);
    CHECK(missing == std::vector<BundleId>{bundle_id_of(visits.one)});
    // A bundle that a server brought may need one that it brought, too.
    strict.pure_only = true;
    strict.mount_point = "brought";
    CHECK(vfs.mount(make_memory_source(mod), strict));
}

TEST_CASE("pure visit: references of the player's files never lead into what a server brought") {
    const Visits visits;
    Vfs vfs;
    mount(vfs, visits.base);
    mount(vfs, visits.one, brought());
    const File own = value_of(vfs.open("/base"));
    CHECK(text_of(value_of(value_of(vfs.open({"wall", {}, &own})).read_all())) == "the player's");
    CHECK(outcome_of(vfs.open({"one", {}, &own})) == "missing");
    vfs.enter_pure(policy_of({&visits.base, &visits.one}));
    const File open = value_of(vfs.open("/one"));
    CHECK(text_of(value_of(value_of(vfs.open({"one", {}, &own})).read_all())) == "one");
    vfs.leave_pure();
    CHECK(outcome_of(vfs.open({"one", {}, &own})) == "missing");
    CHECK(text_of(value_of(open.read_all())) == "one");  // an open file keeps its bytes
}

TEST_CASE("pure visit: entering, changing servers and leaving are one step each, also with many mounts") {
    const Visits visits;
    Vfs vfs;
    for (int i = 0; i < 20; ++i)  // more than are outside of runs
        mount(vfs, BundleMaker().add("n" + std::to_string(i), "n").write());
    mount(vfs, visits.base);
    mount(vfs, visits.one, brought());
    mount(vfs, visits.two, brought());
    const std::vector<std::string> states = {listing_of(vfs, "/"), "assets/ base@ bundles/ one@ wall@",
                                             "assets/ base@ bundles/ two@ wall@"};
    REQUIRE(states[0].find("one@") == std::string::npos);
    std::atomic<bool> over = false;
    std::atomic<int> seen = 0;
    std::atomic<int> torn = 0;
    std::jthread reader([&] {
        while (!over) {
            const std::string now = listing_of(vfs, "/");
            torn += std::ranges::find(states, now) == states.end() ? 1 : 0;
            const std::string wall = content_at(vfs, "/wall");
            torn += wall != "the player's" && wall != "of server one" && wall != "of server two" ? 1 : 0;
            ++seen;
        }
    });
    for (int i = 0; i < 100 || seen < 20; ++i) {
        vfs.enter_pure(policy_of({&visits.base, &visits.one}));
        vfs.enter_pure(policy_of({&visits.base, &visits.two}));
        vfs.leave_pure();
    }
    over = true;
    reader.join();
    CHECK(torn == 0);
    CHECK(listing_of(vfs, "/") == states[0]);
}

TEST_CASE("C pure visit: the same through the C API") {
    const Visits visits;
    fardel_vfs* vfs = nullptr;
    REQUIRE(fardel_vfs_create(nullptr, &vfs, nullptr) == FARDEL_OK);
    const auto mount = [&](const Bytes& bundle, std::uint32_t flags) {
        fardel_mount_options options = FARDEL_MOUNT_OPTIONS_INIT;
        options.flags = FARDEL_MOUNT_ALLOW_UNSIGNED | flags;
        REQUIRE(fardel_mount_memory(vfs, bundle.data(), bundle.size(), &options, nullptr, nullptr) == FARDEL_OK);
    };
    const auto wall = [&] {
        fardel_file* file = nullptr;
        REQUIRE(fardel_open(vfs, "/wall", &file, nullptr) == FARDEL_OK);
        std::string text(fardel_file_size(file), '\0');
        REQUIRE(fardel_read_all(file, text.data(), text.size(), nullptr) == FARDEL_OK);
        fardel_close(file);
        return text;
    };
    mount(visits.base, 0);
    mount(visits.one, FARDEL_MOUNT_PURE_ONLY);
    mount(visits.two, FARDEL_MOUNT_PURE_ONLY);
    CHECK(wall() == "the player's");
    std::size_t problems = 9;
    REQUIRE(fardel_enter_pure(vfs, policy_of({&visits.base, &visits.one}).format().c_str(), &problems, nullptr) ==
            FARDEL_OK);
    CHECK(problems == 0);
    CHECK(wall() == "of server one");
    CHECK(fardel_exists(vfs, "/two") == 0);
    REQUIRE(fardel_enter_pure(vfs, policy_of({&visits.base, &visits.two}).format().c_str(), &problems, nullptr) ==
            FARDEL_OK);
    CHECK(problems == 0);
    CHECK(wall() == "of server two");
    CHECK(fardel_exists(vfs, "/one") == 0);
    fardel_leave_pure(vfs);
    CHECK(wall() == "the player's");
    CHECK(fardel_exists(vfs, "/one") == 0);
    fardel_vfs_destroy(vfs);
}

}  // namespace fardel::tests::pure_visit_test
