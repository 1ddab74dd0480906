#include "mounts/name_run.h"

#include "vfs/test_bundle.h"

#include <fardel/format/bundle.h>
#include <fardel/format/manifest.h>
#include <fardel/format/name.h>

#include <set>

namespace fardel::tests::name_run_test {

using BundlePtr = std::shared_ptr<const Bundle>;

BundlePtr open(Bytes bytes) { return value_of(Bundle::open(make_memory_source(std::move(bytes)), {.label = "test"})); }

std::shared_ptr<const NameRun> build(const std::vector<BundlePtr>& bundles) {
    std::vector<NameRun::Member> members;
    for (const BundlePtr& bundle : bundles) {
        REQUIRE(NameRun::fits(*bundle));
        members.push_back({.content = static_cast<ContentNumber>(100 + members.size()), .bundle = bundle.get()});
    }
    return NameRun::build(members);
}

std::set<std::size_t> hits(const NameRun& run, std::string_view name) {
    std::set<std::size_t> out;
    REQUIRE(run.for_each(name_hash(name), [&](std::size_t member) { out.insert(member); }));
    return out;
}

TEST_CASE("name run: it finds every member that has a name, in any case, and few others") {
    std::vector<BundlePtr> bundles;
    for (int b = 0; b < 20; ++b) {
        BundleMaker maker;
        maker.add("Common.txt", "x");
        for (int i = 0; i < b * 10; ++i)
            maker.add("own " + std::to_string(b) + "/" + std::to_string(i), "x");
        bundles.push_back(open(maker.write()));
    }
    const auto run = build(bundles);
    CHECK(run->members().size() == 20);
    CHECK(run->members()[3] == ContentNumber{103});
    CHECK(run->names() == 20 + 10 * 190);
    CHECK(hits(*run, "common.TXT").size() == 20);
    for (std::size_t b = 0; b < 20; ++b)
        for (std::size_t i = 0; i < b * 10; ++i)
            CHECK(hits(*run, "own " + std::to_string(b) + "/" + std::to_string(i)).contains(b));
    std::size_t false_hits = 0;
    for (int i = 0; i < 10'000; ++i)
        false_hits += hits(*run, "nobody has " + std::to_string(i)).size();
    CHECK(false_hits < 10);
}

TEST_CASE("name run: it may be empty or contain bundles without names") {
    const auto none = build({});
    CHECK(hits(*none, "a").empty());
    const auto run =
        build({open(BundleMaker().write()), open(BundleMaker().add("a", "1").write()), open(BundleMaker().write())});
    CHECK(hits(*run, "a") == std::set<std::size_t>{1});
}

TEST_CASE("name run: a bundle with damaged buckets does not fit") {
    CHECK_FALSE(NameRun::fits(*open(damage_table(BundleMaker().add("a", "1").write(), TableKind::name_buckets))));
}

TEST_CASE("name run: a flooded bucket is reported, not searched") {
    BundleMaker maker;
    for (int i = 0; i < 200; ++i)
        maker.add(std::to_string(i), "x");
    const std::uint64_t hash = name_hash("victim");
    const Bytes hostile = flood_name_buckets(maker.write(), hash);
    const auto run = build({open(hostile), open(BundleMaker().add("victim", "1").write())});
    CHECK_FALSE(run->for_each(hash, [](std::size_t) {}));
}

}  // namespace fardel::tests::name_run_test
