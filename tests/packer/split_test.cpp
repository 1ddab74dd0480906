// plan_split: the bundle of each name, on small graphs and on random ones.
#include "kit/test.h"

#include <fardel/packer/split.h>

#include <map>
#include <set>

namespace fardel::tests::split_test {

struct Graph {
    std::vector<std::string> names;
    std::vector<SplitInput> inputs;
    std::vector<std::uint32_t> roots;

    void add(std::string name, std::vector<std::uint32_t> uses, std::uint64_t size_bytes = 10) {
        names.push_back(std::move(name));
        inputs.push_back({.size_bytes = size_bytes, .uses = std::move(uses)});
    }

    std::vector<SplitBundle> split(const SplitOptions& options) const {
        auto bundles = plan_split(names, inputs, roots, options);
        const std::string message = bundles ? "" : bundles.error().message();
        REQUIRE_MESSAGE(bundles, message);
        return *std::move(bundles);
    }
};

std::map<std::string, std::set<std::string>> by_title(const Graph& graph, const std::vector<SplitBundle>& bundles) {
    std::map<std::string, std::set<std::string>> out;
    for (const SplitBundle& bundle : bundles)
        for (const std::uint32_t name : bundle.names)
            out[bundle.name].insert(graph.names[name]);
    return out;
}

// Returns the bundle and all bundles that it needs, directly or indirectly.
std::set<std::uint32_t> needed(const std::vector<SplitBundle>& bundles, std::uint32_t bundle) {
    std::set<std::uint32_t> all{bundle};
    for (std::uint32_t one = bundle + 1; one-- > 0;)  // needs are before their users
        if (all.contains(one))
            all.insert(bundles[one].needs.begin(), bundles[one].needs.end());
    return all;
}

void check_rules(const Graph& graph, const std::vector<SplitBundle>& bundles) {
    std::vector<std::uint32_t> bundle_of(graph.names.size(), 0xffff'ffffu);
    std::set<std::string> titles;
    std::size_t placed = 0;
    for (std::uint32_t bundle = 0; bundle < bundles.size(); ++bundle) {
        CHECK(titles.insert(bundles[bundle].name).second);
        CHECK_FALSE(bundles[bundle].names.empty());
        CHECK(std::ranges::is_sorted(bundles[bundle].names));
        CHECK(std::ranges::is_sorted(bundles[bundle].needs));
        for (const std::uint32_t need : bundles[bundle].needs)
            CHECK(need < bundle);
        for (const std::uint32_t name : bundles[bundle].names)
            bundle_of[name] = bundle;
        placed += bundles[bundle].names.size();
    }
    CHECK(placed == graph.names.size());
    CHECK(std::ranges::find(bundle_of, 0xffff'ffffu) == bundle_of.end());
    for (std::uint32_t bundle = 0; bundle < bundles.size(); ++bundle) {
        const auto all = needed(bundles, bundle);
        for (const std::uint32_t name : bundles[bundle].names)
            CHECK(std::ranges::all_of(graph.inputs[name].uses,
                                      [&](std::uint32_t used) { return all.contains(bundle_of[used]); }));
    }
}

Graph random_graph(std::mt19937& random) {
    Graph graph;
    const auto count = static_cast<std::uint32_t>(1 + random() % 60);
    for (std::uint32_t name = 0; name < count; ++name) {
        std::set<std::uint32_t> uses;
        for (auto more = random() % 4; more > 0; --more)
            uses.insert(static_cast<std::uint32_t>(random() % count));
        graph.add("n" + std::to_string(random() % 10) + "/" + std::to_string(name), {uses.begin(), uses.end()},
                  random() % 100);
    }
    for (auto more = 1 + random() % 8; more > 0; --more)
        graph.roots.push_back(static_cast<std::uint32_t>(random() % count));
    return graph;
}

TEST_CASE(
    "split: names that one root reaches are in its bundle, names of several roots in a common one, the rest in "
    "another") {
    Graph graph;
    graph.add("maps/a.bsp", {2, 3});
    graph.add("maps/b.bsp", {3, 4});
    graph.add("a.tga", {});
    graph.add("ab.shader", {5});
    graph.add("b.tga", {});
    graph.add("ab.tga", {});
    graph.add("old.tga", {3});
    graph.roots = {1, 0};
    const auto bundles = graph.split({.policy = SplitPolicy::per_root});
    CHECK(by_title(graph, bundles) ==
          std::map<std::string, std::set<std::string>>{{"common-1", {"ab.shader", "ab.tga"}},
                                                       {"maps/a", {"maps/a.bsp", "a.tga"}},
                                                       {"maps/b", {"maps/b.bsp", "b.tga"}},
                                                       {"rest", {"old.tga"}}});
    REQUIRE(bundles.size() == 4);
    CHECK(bundles[1].name == "maps/a");
    CHECK(bundles[1].needs == std::vector<std::uint32_t>{0});
    CHECK(bundles[3].needs == std::vector<std::uint32_t>{0});
    check_rules(graph, bundles);
}

TEST_CASE("split: roots that use one another, and everything that they share, are common") {
    Graph graph;
    graph.add("a", {1});
    graph.add("b", {0, 2});
    graph.add("c", {});
    graph.add("d", {});
    graph.roots = {0, 1, 3};
    CHECK(by_title(graph, graph.split({.policy = SplitPolicy::per_root})) ==
          std::map<std::string, std::set<std::string>>{{"common-1", {"a", "b", "c"}}, {"d", {"d"}}});
}

TEST_CASE(
    "split: shared names are divided by the roots that share them, up to the number of bundles; small parts are "
    "joined") {
    Graph graph;
    for (const std::string root : {"a", "b", "c", "d", "e"})
        graph.add(root, {});
    graph.roots = {0, 1, 2, 3, 4};
    const auto share = [&](const std::string& name, std::uint64_t size_bytes, std::vector<std::uint32_t> roots) {
        for (const std::uint32_t root : roots)
            graph.inputs[root].uses.push_back(static_cast<std::uint32_t>(graph.names.size()));
        graph.add(name, {}, size_bytes);
    };
    share("ab", 1000, {0, 1});
    share("bc", 1000, {1, 2});
    share("cd", 1000, {2, 3});
    share("de", 1000, {3, 4});
    share("all", 1000, {0, 1, 2, 3, 4});
    share("ad", 1, {0, 3});
    share("ae", 1, {0, 4});
    using Parts = std::map<std::string, std::set<std::string>>;
    const auto commons = [&](std::uint64_t bytes_max) {
        Parts parts = by_title(graph, graph.split({.policy = SplitPolicy::per_root, .bytes_max = bytes_max}));
        std::erase_if(parts, [](const auto& part) { return !part.first.starts_with("common-"); });
        return parts;
    };
    CHECK(commons(0) == Parts{{"common-1", {"ad", "ae", "all"}},
                              {"common-2", {"ab"}},
                              {"common-3", {"bc"}},
                              {"common-4", {"cd"}},
                              {"common-5", {"de"}}});
    CHECK(commons(1'000'000) == Parts{{"common-1", {"all", "ab", "ad", "ae", "bc", "cd", "de"}}});
}

TEST_CASE(
    "split: five hundred roots that share at random are split within seconds, and each loads little that it does not "
    "use") {
    std::mt19937 random(1);
    Graph graph;
    for (std::uint32_t root = 0; root < 500; ++root) {
        graph.roots.push_back(root);
        graph.add("maps/" + std::to_string(root), {});
    }
    for (std::uint32_t shared = 0; shared < 20'000; ++shared) {
        graph.add("textures/" + std::to_string(shared), {}, random() % 1000);
        for (auto more = 1 + random() % 3; more > 0; --more) {
            auto& uses = graph.inputs[random() % 500].uses;
            if (uses.empty() || uses.back() != 500 + shared)
                uses.push_back(500 + shared);
        }
    }
    const auto bundles = graph.split({.policy = SplitPolicy::per_root});
    check_rules(graph, bundles);
    CHECK(bundles.size() <= 1001);
}

TEST_CASE("split: the names of bundles are unique as file names") {
    Graph graph;
    graph.add("maps/a.bsp", {});
    graph.add("maps/a.map", {});
    graph.add("maps-A.bsp", {});
    graph.add("rest", {});
    graph.add("x", {});
    graph.roots = {0, 1, 2, 3};
    std::vector<std::string> titles;
    for (const SplitBundle& bundle : graph.split({.policy = SplitPolicy::per_root}))
        titles.push_back(bundle.name);
    CHECK(titles == std::vector<std::string>{"maps-A", "maps/a-2", "maps/a-3", "rest", "rest-2"});
}

TEST_CASE(
    "split: by size, neighbours by name fill bundles up to the budget, and what uses one another stays together") {
    Graph graph;
    graph.add("c", {});
    graph.add("a", {});
    graph.add("b", {0});
    graph.add("d", {});
    const auto bundles = graph.split({.policy = SplitPolicy::by_size, .bytes_max = 20});
    CHECK(by_title(graph, bundles) ==
          std::map<std::string, std::set<std::string>>{{"part-1", {"a", "c"}}, {"part-2", {"b", "d"}}});
    CHECK(bundles[1].needs == std::vector<std::uint32_t>{0});
    graph.inputs[0].uses = {2, 3};
    graph.inputs[3].uses = {2};
    CHECK(code_of(plan_split(graph.names, graph.inputs, {}, {.policy = SplitPolicy::by_size, .bytes_max = 29})) ==
          ErrorCode::limit);
    CHECK(graph.split({.policy = SplitPolicy::by_size, .bytes_max = 30}).size() == 2);
}

TEST_CASE("split: one bundle has everything and no name of its own") {
    Graph graph;
    graph.add("a", {});
    graph.add("b", {0});
    const auto bundles = graph.split({});
    REQUIRE(bundles.size() == 1);
    CHECK(bundles[0].name.empty());
    CHECK(bundles[0].names.size() == 2);
}

TEST_CASE("split: input that does not fit is refused") {
    Graph graph;
    graph.add("a", {});
    CHECK_FALSE(plan_split(graph.names, graph.inputs, {}, {.policy = SplitPolicy::per_root}));
    const std::vector<std::uint32_t> beyond{1};
    CHECK_FALSE(plan_split(graph.names, graph.inputs, beyond, {.policy = SplitPolicy::per_root}));
    CHECK_FALSE(plan_split({}, graph.inputs, {}, {}));
    graph.inputs[0].uses = {1};
    CHECK_FALSE(plan_split(graph.names, graph.inputs, {}, {}));
}

TEST_CASE("split: a chain of a hundred thousand names is split") {
    Graph graph;
    constexpr std::uint32_t kCount = 100'000;
    for (std::uint32_t name = 0; name < kCount; ++name)
        graph.add(std::to_string(name), {(name + 1) % kCount}, 1);
    graph.roots = {7};
    CHECK(graph.split({.policy = SplitPolicy::by_size, .bytes_max = kCount}).size() == 1);
    CHECK(graph.split({.policy = SplitPolicy::per_root}).size() == 1);
}

TEST_CASE("split: random graphs keep every name once, every closure whole, and an order without cycles") {
    for (unsigned seed = 0; seed < 400; ++seed) {
        CAPTURE(seed);
        std::mt19937 random(seed);
        const Graph graph = random_graph(random);
        const std::uint64_t bytes_max = random() % 300;
        const auto per_root = graph.split({.policy = SplitPolicy::per_root, .bytes_max = bytes_max});
        check_rules(graph, per_root);
        const std::size_t roots = std::set<std::uint32_t>(graph.roots.begin(), graph.roots.end()).size();
        CHECK(per_root.size() <= std::max<std::size_t>(4, roots) + roots + 1);
        check_rules(graph, graph.split({.policy = SplitPolicy::by_size, .bytes_max = 6000}));
        const auto small =
            plan_split(graph.names, graph.inputs, {}, {.policy = SplitPolicy::by_size, .bytes_max = 150});
        if (small)
            for (const SplitBundle& bundle : *small) {
                std::uint64_t size = 0;
                for (const std::uint32_t name : bundle.names)
                    size += graph.inputs[name].size_bytes;
                CHECK(size <= 150);
            }
    }
}

}  // namespace fardel::tests::split_test
