#include <fardel/delivery/resolve.h>

#include "kit/bundles.h"
#include "kit/ids.h"

namespace fardel::tests::resolve_test {

BundleId numbered(std::uint32_t number) {
    BundleId id;
    for (int i = 0; i < 4; ++i)
        id.bytes[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(number >> (8 * (3 - i)));
    return id;
}

// A registry in which bundles have numbers.
class NumberedRegistry {
public:
    std::uint32_t add(const std::string& name, const std::string& version,
                      const std::vector<std::string>& requirements = {}, const std::vector<std::uint32_t>& needs = {}) {
        const std::uint32_t number = next_++;
        snapshot.bundles.push_back({numbered(number), name, value_of(BundleVersion::parse(version))});
        BundleNeeds& stated = snapshot.needs[numbered(number)];
        for (const std::string& text : requirements)
            stated.requirements.push_back(value_of(Requirement::parse(text)));
        for (const std::uint32_t needed : needs)
            stated.needs.push_back(numbered(needed));
        return number;
    }

    ResolveOutcome resolve(const std::vector<std::string>& texts, const std::set<BundleId>& preferred = {}) const {
        return value_of(try_resolve(texts, preferred));
    }
    Result<ResolveOutcome> try_resolve(const std::vector<std::string>& texts,
                                       const std::set<BundleId>& preferred = {}) const {
        std::vector<Requirement> roots;
        for (const std::string& text : texts)
            roots.push_back(value_of(Requirement::parse(text)));
        return fardel::resolve(roots, snapshot, preferred);
    }

    ResolveSnapshot snapshot;

private:
    std::uint32_t next_ = 1;
};

// "base 1.0, castle 1", in the order of mounting.
std::string mounted(const ResolveOutcome& outcome) {
    for (const std::string& conflict : outcome.conflicts)
        MESSAGE(conflict);
    std::string text;
    for (const ResolvedBundle& one : outcome.resolution.bundles)
        text += (text.empty() ? "" : ", ") + one.name + " " + one.version.text();
    return text;
}

std::string version_for(const ResolveOutcome& outcome, const std::string& name, const std::string& required) {
    const auto& bundles = outcome.resolution.bundles;
    for (const ResolvedBundle& one : bundles)
        if (one.name == name)
            for (const ResolvedRequirement& wanted : one.requirements)
                if (wanted.requirement.name == required)
                    return std::ranges::find(bundles, wanted.bundle, &ResolvedBundle::bundle)->version.text();
    return "none";
}

bool mentions(const std::vector<std::string>& conflicts, const std::string& words) {
    return std::ranges::any_of(conflicts, [&](const std::string& one) { return one.find(words) != std::string::npos; });
}

TEST_CASE("resolve: the newest version within the bounds is chosen, and what it requires") {
    NumberedRegistry registry;
    registry.add("base", "1.0");
    registry.add("base", "1.9");
    registry.add("base", "1.10");
    registry.add("base", "2.0");
    registry.add("castle", "1.0", {"base"});
    registry.add("castle", "1.1", {"base >= 1.0, < 2"});
    CHECK(mounted(registry.resolve({"castle"})) == "base 1.10, castle 1.1");
    CHECK(mounted(registry.resolve({"castle = 1.0"})) == "base 2.0, castle 1.0");
    CHECK(mounted(registry.resolve({})) == "");
}

TEST_CASE("resolve: one version for all where one does, otherwise each gets its own") {
    NumberedRegistry registry;
    for (const char* version : {"1.0", "1.5", "2.0"})
        registry.add("base", version);
    registry.add("castle", "1", {"base >= 1.0"});
    registry.add("forest", "1", {"base < 2"});
    registry.add("desert", "1", {"base >= 2"});
    const ResolveOutcome one = registry.resolve({"castle", "forest"});
    CHECK(mounted(one) == "base 1.5, castle 1, forest 1");
    const ResolveOutcome two = registry.resolve({"forest", "desert", "castle"});
    CHECK(mounted(two) == "base 1.5, base 2.0, forest 1, desert 1, castle 1");
    CHECK(version_for(two, "forest", "base") == "1.5");
    CHECK(version_for(two, "desert", "base") == "2.0");
    CHECK(version_for(two, "castle", "base") == "2.0");
}

TEST_CASE("resolve: what was considered and is not chosen is listed, since it had an influence") {
    NumberedRegistry registry;
    registry.add("base", "1.9", {"tool"});
    const BundleId newest = numbered(registry.add("base", "2.0", {"base < 2"}));
    registry.add("tool", "1", {"base < 2"});
    registry.add("castle", "1", {"base"});
    const ResolveOutcome outcome = registry.resolve({"castle"});
    CHECK(version_for(outcome, "castle", "base") == "1.9");
    REQUIRE(outcome.consulted.size() == 1);
    CHECK(outcome.consulted.begin()->first == newest);
    CHECK(registry.resolve({"tool"}).consulted.empty());
    CHECK(outcome.unknown.empty());
    registry.snapshot.needs.erase(newest);
    CHECK(registry.resolve({"castle"}).unknown == std::vector{newest});
}

TEST_CASE("resolve: what is installed stays if it does") {
    NumberedRegistry registry;
    const BundleId old_base = numbered(registry.add("base", "1.0"));
    registry.add("base", "1.5");
    registry.add("castle", "1", {"base"});
    registry.add("forest", "1", {"base >= 1.5"});
    CHECK(mounted(registry.resolve({"castle"}, {old_base})) == "base 1.0, castle 1");
    CHECK(mounted(registry.resolve({"castle", "forest"}, {old_base})) == "base 1.5, castle 1, forest 1");
}

TEST_CASE("resolve: all conflicts are reported at once, each with the chain that led to it") {
    NumberedRegistry registry;
    registry.add("base", "1.0", {"lib >= 3"});
    registry.add("lib", "1.0");
    registry.add("lib", "2.0");
    registry.add("castle", "1", {"base", "nothing"});
    const BundleId bad = numbered(registry.add("bad", "1.0"));
    registry.snapshot.recalled.emplace(bad, "crashes");
    const ResolveOutcome outcome = registry.resolve({"castle", "bad", "unknown"});
    CHECK(outcome.resolution.bundles.empty());
    CHECK(outcome.conflicts.size() == 4);
    CHECK(mentions(outcome.conflicts, "castle 1 → base 1.0 → 'lib >= 3': the release has 2.0, 1.0"));
    CHECK(mentions(outcome.conflicts, "castle 1 → 'nothing': the release has no bundle of this name"));
    CHECK(mentions(outcome.conflicts, "'bad': 1.0 has been recalled: crashes; no version is left"));
    CHECK(mentions(outcome.conflicts, "'unknown': the release has no bundle of this name"));
}

TEST_CASE(
    "resolve: nothing outside of the release is chosen, and static ids only if something is known of them (A68)") {
    NumberedRegistry registry;
    registry.add("castle", "1", {}, {77});
    CHECK(mentions(registry.resolve({"castle"}).conflicts,
                   "castle 1 → bundle " + numbered(77).hex() + " → the registry does not have this bundle"));
    registry.snapshot.needs[numbered(77)] = {};  // known as a dependency, and not offered by any name
    const ResolveOutcome outcome = registry.resolve({"castle"});
    REQUIRE(outcome.resolution.bundles.size() == 2);
    CHECK(outcome.resolution.bundles[0].bundle == numbered(77));
    registry.snapshot.recalled.emplace(numbered(77), "stolen");
    CHECK(mentions(registry.resolve({"castle"}).conflicts, "it has been recalled: stolen"));
    registry.snapshot.recalled.clear();
    registry.snapshot.needs.erase(numbered(1));
    CHECK(mentions(registry.resolve({"castle"}).conflicts, "what it needs is not known"));
}

TEST_CASE("resolve: a requirement that only previews would meet says so") {
    NumberedRegistry registry;
    registry.add("base", "0.9");
    registry.add("base", "1.0rc1");
    registry.add("base", "1.0b2");
    registry.add("castle", "1", {"base >= 1.0"});
    const ResolveOutcome outcome = registry.resolve({"castle", "base >= 2"});
    CHECK(mentions(outcome.conflicts,
                   "'base >= 1.0': the release has 1.0rc1, 1.0b2, 0.9; 1.0rc1 is a preview, which only "
                   "a requirement that names one takes, such as 'base >= 1.0rc1'"));
    CHECK(mentions(outcome.conflicts, "'base >= 2': the release has 1.0rc1, 1.0b2, 0.9"));
}

TEST_CASE("resolve: of one version, the last build is chosen") {
    NumberedRegistry registry;
    registry.add("base", "1.0+build10");
    registry.add("base", "1.0+build9");
    const ResolveOutcome outcome = registry.resolve({"base"});
    REQUIRE(outcome.resolution.bundles.size() == 1);
    CHECK(outcome.resolution.bundles[0].version.text() == "1.0+build10");
}

TEST_CASE("resolve: a recalled version is passed over for an older one") {
    NumberedRegistry registry;
    registry.add("base", "1.0");
    const BundleId bad = numbered(registry.add("base", "1.1"));
    registry.snapshot.recalled.emplace(bad, "crashes");
    CHECK(mounted(registry.resolve({"base"}, {bad})) == "base 1.0");
}

TEST_CASE("resolve: cycles by name and requirements on oneself are harmless (A78)") {
    NumberedRegistry registry;
    registry.add("a", "1", {"b"});
    registry.add("b", "1", {"c"});
    registry.add("c", "1", {"a", "c"});
    const ResolveOutcome outcome = registry.resolve({"a"});
    CHECK(outcome.resolution.bundles.size() == 3);
    CHECK(version_for(outcome, "c", "c") == "1");
}

TEST_CASE("resolve: a diamond with exponentially many paths visits each bundle once (A78)") {
    NumberedRegistry registry;
    constexpr int kLayers = 300;
    for (int i = 0; i < kLayers; ++i)
        for (const char* side : {"l", "r"}) {
            const std::string below = std::to_string(i + 1);
            registry.add(
                side + std::to_string(i), "1",
                i + 1 < kLayers ? std::vector<std::string>{"l" + below, "r" + below} : std::vector<std::string>{});
        }
    CHECK(registry.resolve({"l0"}).resolution.bundles.size() == 2 * kLayers - 1);
}

TEST_CASE("resolve: a chain of 100,000 and too many steps end with a limit (A78)") {
    NumberedRegistry chain;
    for (int i = 0; i < 100'000; ++i)
        chain.add("n" + std::to_string(i), "1", {"n" + std::to_string(i + 1)});
    check_error(chain.try_resolve({"n0"}), ErrorCode::limit, "4096 bundles");

    NumberedRegistry wide;  // each of many requirements is compared with each of many versions
    for (int i = 0; i < 6000; ++i)
        wide.add("base", "1." + std::to_string(i));
    std::vector<std::string> roots;
    for (int i = 0; i < 1000; ++i) {
        wide.add("mod" + std::to_string(i), "1", {"base <= 1." + std::to_string(i)});
        roots.push_back("mod" + std::to_string(i));
    }
    check_error(wide.try_resolve(roots), ErrorCode::limit, "steps");
}

TEST_CASE("resolve: choices that never settle end, each requirement answered by itself") {
    // With one base for all, castle 1 is chosen, whose requirement rules out that base, and so on.
    NumberedRegistry registry;
    for (const char* version : {"1", "2", "3"})
        registry.add("base", version, {std::string("tool < ") + version + ".5"});
    for (const char* version : {"1", "2", "3"})
        registry.add("tool", version, {std::string("base <= ") + version, std::string("other")});
    registry.add("other", "1", {"tool >= 2"});
    const ResolveOutcome outcome = registry.resolve({"base", "tool"});
    CHECK(outcome.conflicts.empty());
    for (const ResolvedBundle& one : outcome.resolution.bundles)
        for (const ResolvedRequirement& wanted : one.requirements) {
            const auto chosen = std::ranges::find(outcome.resolution.bundles, wanted.bundle, &ResolvedBundle::bundle);
            REQUIRE(chosen != outcome.resolution.bundles.end());
            CHECK(wanted.requirement.accepts(chosen->version));
        }
}

TEST_CASE("resolve: of two versions the newer is mounted later, unless the older one needs it") {
    NumberedRegistry registry;
    registry.add("lib", "1");
    registry.add("base", "1", {"lib"});
    registry.add("base", "2");
    registry.add("x", "1", {"base = 1"});
    registry.add("y", "1", {"base = 2"});
    CHECK(mounted(registry.resolve({"x", "y"})) == "lib 1, base 1, base 2, x 1, y 1");
    NumberedRegistry odd;
    odd.add("base", "1", {"x"});
    odd.add("base", "2");
    odd.add("x", "1", {"base = 2"});
    CHECK(mounted(odd.resolve({"base = 1"})) == "base 2, x 1, base 1");
}

TEST_CASE("resolve: without a root, only what the others need is left") {
    NumberedRegistry registry;
    registry.add("base", "1");
    registry.add("lib", "1");
    registry.add("castle", "1", {"base", "lib"});
    registry.add("forest", "1", {"base"});
    Resolution all = registry.resolve({"castle", "forest"}).resolution;
    const Resolution reduced = reduced_to(all, {all.roots[1]});
    CHECK(mounted({.resolution = reduced, .consulted = {}, .unknown = {}, .conflicts = {}}) == "base 1, forest 1");
}

TEST_CASE("resolve: bundles must state what they were resolved by, and meet what is required (A66)") {
    const auto bundle_of = [](const char* name, const char* version, const std::vector<std::string>& requirements) {
        BundlePlan plan;
        add(plan, std::string(name) + ".txt", version);
        plan.metadata = {{.key = "name", .value = name}, {.key = "version", .value = version}};
        for (const std::string& text : requirements) {
            const Requirement one = value_of(Requirement::parse(text));
            plan.metadata.push_back({.key = one.metadata_key(), .value = one.metadata_value()});
        }
        return open_bundle(written(plan));
    };
    const auto base = bundle_of("base", "1.0", {});
    const auto castle = bundle_of("castle", "1", {"base >= 1.0"});
    const auto opened = [&](const BundleId& id) -> Result<std::shared_ptr<const Bundle>> {
        return id == base->id() ? base : castle;
    };
    const auto base_wanted = value_of(Requirement::parse("base >= 1.0"));
    const auto version = [](const char* text) { return value_of(BundleVersion::parse(text)); };
    const Resolution good{.roots = {{value_of(Requirement::parse("castle")), castle->id()}},
                          .bundles = {{base->id(), "base", version("1.0"), {}, {}},
                                      {castle->id(), "castle", version("1"), {}, {{base_wanted, base->id()}}}}};
    Resolution one = good;
    CHECK(verify_resolution(one, opened));
    CHECK(one == good);
    one.bundles[0].name.clear();  // only a static dependency: the bundle says it
    one.bundles[0].version = {};
    CHECK(verify_resolution(one, opened));
    CHECK(one == good);

    const auto refused = [&](auto change, ErrorCode code) {
        Resolution bad = good;
        change(bad);
        CHECK(code_of(verify_resolution(bad, opened)) == code);
    };
    refused([&](Resolution& bad) { bad.bundles[1].requirements.clear(); }, ErrorCode::conflict);
    refused([&](Resolution& bad) { bad.bundles[1].requirements[0].requirement = value_of(Requirement::parse("base")); },
            ErrorCode::conflict);
    refused([&](Resolution& bad) { bad.bundles[0].needs = {castle->id()}; }, ErrorCode::conflict);
    refused([&](Resolution& bad) { bad.bundles[0].version = version("1.5"); }, ErrorCode::conflict);
    refused([&](Resolution& bad) { bad.bundles[0].name = "castle"; }, ErrorCode::conflict);
    refused([&](Resolution& bad) { bad.bundles[1].requirements[0].bundle = castle->id(); }, ErrorCode::unresolved);
    refused([&](Resolution& bad) { bad.roots[0].requirement = value_of(Requirement::parse("castle >= 2")); },
            ErrorCode::unresolved);
    refused(
        [&](Resolution& bad) {
            bad.roots[0].requirement = value_of(Requirement::parse("castle by " + std::string(64, 'a')));
        },
        ErrorCode::untrusted);
}

}  // namespace fardel::tests::resolve_test
