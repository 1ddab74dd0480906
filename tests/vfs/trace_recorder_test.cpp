// Vfs::trace(): what is opened, first opens only, in order.
#include "kit/bundles.h"
#include "kit/ids.h"

#include <fardel/format/trace.h>
#include <fardel/vfs/vfs.h>

namespace fardel::tests::trace_recorder_test {

std::shared_ptr<const ByteSource> written_source(const BundlePlan& plan) { return make_memory_source(written(plan)); }

std::vector<std::string> names_of(const Vfs& vfs) {
    std::vector<std::string> names;
    for (const TracedAsset& traced : value_of(parse_trace(value_of(vfs.trace()))))
        names.push_back(traced.name);
    return names;
}

TEST_CASE("recorded trace: each asset once, in the order of the first open, however it is opened") {
    BundlePlan plan;
    add(plan, "a.txt", "first");
    add(plan, "b.txt", "second");
    add(plan, "c.txt", "third");
    add(plan, "d.txt", "fourth");
    add(plan, "same as a.txt", "first");
    Vfs vfs({.records_trace = true});
    REQUIRE(vfs.mount(written_source(plan), {.allow_unsigned = true}));
    CHECK(names_of(vfs).empty());
    const File opened = value_of(vfs.open("/c.txt"));
    CHECK(vfs.open("/assets/" + id_of("second").hex()));
    CHECK(vfs.open({"a.txt", {}, &opened}));
    CHECK(vfs.open("/same as a.txt"));
    const NameExtensions texts = NameExtensions::parse("txt").value();
    CHECK(vfs.find({"/d", &texts}));
    CHECK(vfs.open("/c.txt"));
    CHECK_FALSE(vfs.open("/none"));
    CHECK(vfs.exists("/d.txt"));
    CHECK(names_of(vfs) == std::vector<std::string>{"c.txt", "b.txt", "a.txt", "d.txt"});
    const Trace trace = value_of(parse_trace(value_of(vfs.trace())));
    CHECK(trace[0].bundle == opened.bundle_id());
    CHECK(trace[0].asset == opened.asset_id());
    CHECK(trace[0].size_bytes == 5);
}

TEST_CASE("recorded trace: without the option there is none, and looking is not opening") {
    BundlePlan plan;
    add(plan, "a.txt", "first");
    Vfs off;
    CHECK(off.trace().error().code() == ErrorCode::unsupported);
    Vfs vfs({.records_trace = true});
    REQUIRE(vfs.mount(written_source(plan), {.allow_unsigned = true}));
    CHECK(vfs.stat("/a.txt"));
    CHECK(vfs.list("/"));
    CHECK(value_of(vfs.trace()) == "fardel-trace 1\n");
}

TEST_CASE("recorded trace: an asset of an unmounted bundle stays in it, without its name") {
    BundlePlan plan;
    add(plan, "a.txt", "first");
    Vfs vfs({.records_trace = true});
    const MountId mount = value_of(vfs.mount(written_source(plan), {.allow_unsigned = true}));
    CHECK(vfs.open("/a.txt"));
    REQUIRE(vfs.unmount(mount));
    CHECK(names_of(vfs) == std::vector<std::string>{""});
}

TEST_CASE("recorded trace: of many threads that open the same files, each file is there once") {
    constexpr int kFiles = 500;
    BundlePlan plan;
    for (int i = 0; i < kFiles; ++i)
        add(plan, "f" + std::to_string(i), std::to_string(i));
    Vfs vfs({.records_trace = true});
    REQUIRE(vfs.mount(written_source(plan), {.allow_unsigned = true}));
    {
        std::vector<std::jthread> threads;
        for (int first = 0; first < 4; ++first)
            threads.emplace_back([&vfs, first] {
                for (int i = 0; i < kFiles; ++i)
                    static_cast<void>(vfs.find("/f" + std::to_string((i + first * 125) % kFiles)));
            });
    }
    std::vector<std::string> names = names_of(vfs);
    CHECK(names.size() == kFiles);
    std::ranges::sort(names);
    CHECK(std::ranges::adjacent_find(names) == names.end());
}

}  // namespace fardel::tests::trace_recorder_test
