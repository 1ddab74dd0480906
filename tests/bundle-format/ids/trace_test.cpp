#include <fardel/format/trace.h>

#include "kit/files.h"
#include "kit/ids.h"

namespace fardel::tests::trace_test {

const std::string kOnes(64, '1');
const std::string kTwos(64, '2');
const std::string kThrees(64, '3');

// docs/traces.md has this text.
const std::string kGolden = "fardel-trace 1\nbundle " + kOnes + "\n0 1024 " + kTwos + " maps/dm01.bsp\n12 7 " +
                            kThrees + "\nbundle " + kThrees + "\n12 0 " + kTwos + " readme two.txt\n";

TracedAsset traced(std::uint64_t opened_ms, std::uint8_t bundle, std::uint8_t asset, std::string name = {},
                   std::uint64_t size_bytes = 0) {
    return {.opened_ms = opened_ms,
            .size_bytes = size_bytes,
            .bundle = filled_id<BundleId>(bundle),
            .asset = filled_id<AssetId>(asset),
            .name = std::move(name)};
}

Trace golden() {
    return {traced(0, 0x11, 0x22, "maps/dm01.bsp", 1024), traced(12, 0x11, 0x33, "", 7),
            traced(12, 0x33, 0x22, "readme two.txt")};
}

TEST_CASE("trace: the text is the documented one, and reads back") {
    CHECK(format_trace(golden()) == kGolden);
    CHECK(value_of(parse_trace(kGolden)) == golden());
    CHECK(format_trace({}) == "fardel-trace 1\n");
    CHECK(value_of(parse_trace("fardel-trace 1\n")).empty());
}

TEST_CASE("trace: a prefix is refused, or is the trace of fewer assets") {
    for (std::size_t length = 0; length < kGolden.size(); ++length) {
        const std::string text = kGolden.substr(0, length);
        CAPTURE(text);
        const auto trace = parse_trace(text);
        if (trace)
            CHECK((format_trace(*trace) == text && trace->size() < 3));
        else
            CHECK(trace.error().code() == ErrorCode::malformed);
    }
}

TEST_CASE("trace: every changed character is refused, or gives another trace with that very text") {
    for (std::size_t at = 0; at < kGolden.size(); ++at)
        for (const char other : {'0', 'x', ' ', '\n', '/', '\0', 'F', '\x80'}) {
            std::string text = kGolden;
            if (text[at] == other)
                continue;
            text[at] = other;
            if (const auto trace = parse_trace(text)) {
                CHECK(format_trace(*trace) == text);
                CHECK(*trace != golden());
            }
        }
}

// A156
TEST_CASE("trace: hostile lines are refused") {
    const std::string bundle = "fardel-trace 1\nbundle " + kOnes + "\n";
    const std::string asset = "1 1 " + kTwos;
    for (const std::string& text :
         {std::string(),
          std::string("fardel-trace 2\n"),
          std::string("fardel-trace 1"),
          bundle,
          "fardel-trace 1\n" + asset + "\n",
          bundle + asset + "\n" + asset + "\n",                              // opened before
          bundle + "bundle " + kTwos + "\n" + asset + "\n",                  // a bundle without assets
          bundle + asset + "\nbundle " + kOnes + "\n1 1 " + kThrees + "\n",  // the same bundle again
          bundle + "2 1 " + kTwos + "\n1 1 " + kThrees + "\n",               // earlier
          bundle + "01 1 " + kTwos + "\n",
          bundle + "+1 1 " + kTwos + "\n",
          bundle + "-1 1 " + kTwos + "\n",
          bundle + "1  1 " + kTwos + "\n",
          bundle + "99999999999999999999 1 " + kTwos + "\n",
          bundle + "1 1 " + std::string(64, 'A') + "\n",
          bundle + asset + " \n",
          bundle + asset + " ../x\n",
          bundle + asset + " a//b\n",
          bundle + asset + " a\x1b[2Jb\n",
          bundle + asset + "\r\n",
          bundle + "\n"}) {
        CAPTURE(text);
        CHECK(code_of(parse_trace(text)) == ErrorCode::malformed);
    }
    for (const std::string& text :
         {bundle + "1099511627777 1 " + kTwos + "\n", bundle + "1 1099511627777 " + kTwos + "\n"})
        CHECK(parse_trace(text).error().code() == ErrorCode::limit);
    CHECK(parse_trace(bundle + "1099511627776 1099511627776 " + kTwos + "\n"));
}

// A156
TEST_CASE("trace: as many assets as are allowed are read, and one more is refused") {
    Trace trace;
    for (std::size_t i = 0; i < kTracedAssetsMax; ++i) {
        trace.push_back(traced(i, 1, 2));
        trace.back().asset.bytes[0] = static_cast<std::uint8_t>(i);
        trace.back().asset.bytes[1] = static_cast<std::uint8_t>(i >> 8);
    }
    const std::string text = format_trace(trace);
    CHECK(value_of(parse_trace(text)) == trace);
    CHECK(parse_trace(text + "99999999 1 " + kThrees + "\n").error().code() == ErrorCode::limit);
    CHECK(parse_trace(std::string(kTraceBytesMax + 1, 'x')).error().code() == ErrorCode::limit);
}

TEST_CASE("trace: merged traces are in the order of time, and each asset is the first one") {
    const std::vector<Trace> traces{{traced(0, 1, 1), traced(5, 1, 2), traced(9, 1, 3)},
                                    {traced(0, 1, 4), traced(4, 1, 3), traced(5, 2, 2)}};
    CHECK(merge_traces(traces) ==
          Trace{traced(0, 1, 1), traced(0, 1, 4), traced(4, 1, 3), traced(5, 1, 2), traced(5, 2, 2)});
    CHECK(merge_traces({}).empty());
    CHECK(parse_trace(format_trace(merge_traces(traces))));
}

TEST_CASE("trace: a file is read, and an error names it") {
    const ScratchFolder scratch;
    write_file(scratch.path("good"), kGolden);
    CHECK(value_of(read_trace(scratch.path("good"))) == golden());
    scratch.write("good", with_windows_ends(scratch.read("good")));
    CHECK(value_of(read_trace(scratch.path("good"))) == golden());
    write_file(scratch.path("bad"), "x");
    CHECK(read_trace(scratch.path("bad")).error().message().find(scratch.path("bad")) != std::string::npos);
    CHECK(read_trace(scratch.path("none")).error().code() == ErrorCode::missing);
}

}  // namespace fardel::tests::trace_test
