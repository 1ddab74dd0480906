
#include <fardel/vfs/pure_policy.h>

#include "vfs/test_bundle.h"

namespace fardel::tests::pure_report_test {

BundleId some_bundle() { return BundleId::parse(std::string(64, 'a')).value(); }

PureReport some_report() {
    return PureReport(
        {make_pure_problem(PureFault::missing, some_bundle(), "maps/dm01", "in the content set and not mounted"),
         make_pure_problem(PureFault::not_allowed, {}, "x.cfg", "a loose file"),
         make_pure_problem(PureFault::missing, some_bundle(), "", "")});
}

const std::string kText =
    "fardel-pure-report 1\n"
    "missing\t" +
    std::string(64, 'a') +
    "\tmaps/dm01\tin the content set and not mounted\n"
    "not-allowed\t" +
    std::string(64, '0') +
    "\tx.cfg\ta loose file\n"
    "missing\t" +
    std::string(64, 'a') + "\t\t\n";

TEST_CASE("pure report: each problem is one line, and parsing the text gives the same report") {
    CHECK(some_report().format() == kText);
    const auto again = PureReport::parse(kText);
    REQUIRE(again);
    CHECK(std::ranges::equal(again->problems(), some_report().problems()));
    CHECK(again->format() == kText);
    CHECK(again->digest() == some_report().digest());
    CHECK(again->counts() == std::array<std::uint32_t, kPureFaults>{2, 0, 0, 0, 1, 0});
    CHECK(PureReport::parse(PureReport().format())->empty());
    for (const PureFault fault : {PureFault::missing, PureFault::wrong, PureFault::unsigned_, PureFault::revoked,
                                  PureFault::not_allowed, PureFault::extra})
        CHECK(PureReport::parse(PureReport({make_pure_problem(fault, {}, "a", "b")}).format())
                  ->problems()
                  .front()
                  .fault == fault);
}

TEST_CASE("pure report: a changed bit gives another digest, or is refused") {
    for (std::size_t bit = 0; bit < kText.size() * 8; ++bit) {
        std::string flipped = kText;
        flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ 1 << bit % 8);
        const auto report = PureReport::parse(flipped);
        if (!report)
            continue;
        CHECK(report->format() == flipped);
        CHECK(report->digest() != some_report().digest());
    }
    for (std::size_t size = 0; size < kText.size(); ++size)
        if (const auto cut = PureReport::parse(std::string_view(kText).substr(0, size)))
            CHECK(kText[size - 1] == '\n');
}

// A74: a server shows its operator text that a client sent.
TEST_CASE("pure report: text that a terminal would interpret is escaped when created, and refused when received") {
    const PureReport report(
        {make_pure_problem(PureFault::extra, {}, "a\x1b[2Jb\tc\nd", std::string("\u202e") + std::string(3000, 'x'))});
    CHECK(report.problems()[0].name == "a\\u{1b}[2Jb\\u{9}c\\u{a}d");
    CHECK(report.problems()[0].text.size() < 250);
    CHECK(PureReport::parse(report.format())->format() == report.format());
    const std::string head = "fardel-pure-report 1\nextra\t" + std::string(64, '0') + "\t";
    for (const std::string& line :
         {std::string("a\x1b[2J\tb\n"), std::string("a\tb\tc\n"), std::string("\u202e\tb\n"), std::string("a\t\xff\n"),
          std::string("a\n"), "a\t" + std::string(401, 'x') + "\n"}) {
        CAPTURE(line);
        const auto report_of = PureReport::parse(head + line);
        REQUIRE_FALSE(report_of);
        CHECK(report_of.error().code() == ErrorCode::malformed);
        CHECK(report_of.error().message().find('\x1b') == std::string::npos);
    }
    CHECK(PureReport::parse("fardel-pure-report 2\n").error().code() == ErrorCode::unsupported);
    CHECK(PureReport::parse("fardel-pure 1\n").error().code() == ErrorCode::malformed);
    CHECK(PureReport::parse("fardel-pure-report 1\nworse\t" + std::string(64, '0') + "\ta\tb\n").error().code() ==
          ErrorCode::malformed);
}

TEST_CASE("pure report: ten thousand problems are listed, further ones are only counted") {
    const auto problems = [](std::size_t count) {
        return std::vector<PureProblem>(
            count, make_pure_problem(PureFault::extra, {}, std::string(3000, 'n'), std::string(3000, 't')));
    };
    CHECK(PureReport(problems(PureReport::kProblemsMax)).problems().back().fault == PureFault::extra);
    const PureReport more(problems(PureReport::kProblemsMax + 5));
    CHECK(more.problems().size() == PureReport::kProblemsMax);
    CHECK(more.problems().back().text == "6 more problems");
    const auto again = PureReport::parse(more.format());
    REQUIRE(again);
    CHECK(again->digest() == more.digest());
    std::string text = more.format();
    CHECK(text.size() < PureReport::kBytesMax);
    text += text.substr(text.find('\n') + 1, text.find('\n', 30) - text.find('\n'));
    CHECK(PureReport::parse(text).error().code() == ErrorCode::limit);
    CHECK(PureReport::parse(std::string(PureReport::kBytesMax + 1, 'x')).error().code() == ErrorCode::limit);
}

}  // namespace fardel::tests::pure_report_test
