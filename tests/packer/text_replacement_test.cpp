// New spellings in the bytes of a text: where they are put, and when they are refused.
#include "plan/text_replacement.h"

#include "kit/bytes.h"
#include "kit/test.h"

namespace fardel::tests::text_replacement_test {

struct Scanner {
    std::string pattern;
    ReferenceUse use;
};

// Replaces spellings in a text that these scanners read.
Result<ReplacedText> replaced(const std::vector<Scanner>& scanners, std::string_view text, const Spellings& spellings) {
    std::vector<ProjectScanner> declared;
    for (const Scanner& scanner : scanners)
        declared.push_back({.match = "**", .pattern = scanner.pattern, .use = scanner.use});
    PatternScanners patterns;
    for (const ProjectScanner& scanner : declared)
        patterns.emplace_back(&scanner, PatternScanner::parse(scanner.pattern).value());
    return replace_spellings("a.theme", "", bytes_of(text), patterns, spellings);
}

ReferenceKey key(std::string spelling, ReferenceUse use) {
    return {std::move(spelling), use, ReferenceForm::from_root};
}

std::string text_of(const ReplacedText& text) {
    return {reinterpret_cast<const char*>(text.bytes.data()), text.bytes.size()};
}

const Scanner kImages{"image = \"{reference}\"", ReferenceUse::texture};

TEST_CASE("text replacement: a spelling is replaced wherever a scanner finds it, and nowhere else") {
    const auto outcome = replaced({kImages}, "image = \"a.png\"\n# a.png\nimage = \"b.png\"\nimage = \"a.png\"\n",
                                  {{key("a.png", ReferenceUse::texture), "textures/long.png"}});
    REQUIRE(outcome);
    CHECK(text_of(*outcome) ==
          "image = \"textures/long.png\"\n# a.png\nimage = \"b.png\"\nimage = \"textures/long.png\"\n");
    CHECK(outcome->replacements.size() == 2);
}

TEST_CASE(
    "text replacement: spellings that do not occur in the text are left out, and without others nothing changes") {
    const ReferenceKey there = key("a.png", ReferenceUse::texture);
    const auto one = replaced({kImages}, "image = \"a.png\"\n",
                              {{there, "b.png"}, {key("sky_ft", ReferenceUse::texture), "env/sky_ft.png"}});
    REQUIRE(one);
    CHECK(one->spellings == Spellings{{there, "b.png"}});
    const auto none =
        replaced({kImages}, "image = \"a.png\"\n", {{key("sky_ft", ReferenceUse::texture), "env/sky_ft.png"}});
    REQUIRE(none);
    CHECK(none->replacements.empty());
}

TEST_CASE("text replacement: a new spelling that the scanner would not read again is refused") {
    check_error(replaced({kImages}, "\nimage = \"a.png\"\n", {{key("a.png", ReferenceUse::texture), "a\"b.png"}}),
                ErrorCode::unsupported, "line 2: ");
}

TEST_CASE("text replacement: one location cannot be replaced in two ways") {
    const Scanner sounds{"= \"{reference}\"", ReferenceUse::sound};
    const Spellings both{{key("a.png", ReferenceUse::texture), "b.png"}, {key("a.png", ReferenceUse::sound), "c.png"}};
    CHECK(code_of(replaced({kImages, sounds}, "image = \"a.png\"\n", both)) == ErrorCode::conflict);
    const Spellings alike{{key("a.png", ReferenceUse::texture), "b.png"}, {key("a.png", ReferenceUse::sound), "b.png"}};
    CHECK(replaced({kImages, sounds}, "image = \"a.png\"\n", alike));
}

}  // namespace fardel::tests::text_replacement_test
