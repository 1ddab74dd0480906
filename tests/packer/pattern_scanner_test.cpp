// PatternScanner and the answers of scanners that are programs.
#include "scan/pattern_scanner.h"
#include "kit/test.h"

namespace fardel::tests::pattern_scanner_test {

using Lines = std::vector<std::string>;

// "2 a.png": line and spelling.
Lines found(std::string_view pattern, std::string_view text) {
    const auto scanner = PatternScanner::parse(pattern);
    REQUIRE(scanner);
    const auto findings =
        scanner->scan(std::as_bytes(std::span(text)), ReferenceUse::texture, ReferenceForm::relative, true);
    REQUIRE(findings);
    Lines lines;
    for (const FoundReference& one : findings->references) {
        CHECK(one.use == ReferenceUse::texture);
        CHECK(one.form == ReferenceForm::relative);
        CHECK(one.optional);
        lines.push_back(std::to_string(one.line) + " " + one.spelling);
    }
    return lines;
}

void check_refused(std::string_view answer) {
    CAPTURE(std::string(answer));
    CHECK(code_of(parse_scanner_answers(answer, {}, {})) == ErrorCode::malformed);
}

TEST_CASE("pattern scanner: finds each text between prefix and suffix once, several per line") {
    CHECK(found("image = \"{reference}\"",
                "image = \"a.png\" image\t =  \"b c.png\"\nimage=\"no\"\nx image = \"a.png\"\nimage = \"d\"") ==
          Lines{"1 a.png", "1 b c.png", "4 d"});
    CHECK(found("model: {reference}", "model: x.md3 y\r\nmodel:\tz.md3\r\nmodel:") == Lines{"1 x.md3", "2 z.md3"});
    CHECK(found("<{reference}>", "<<a>> <b\n<>") == Lines{"1 <a"});
}

TEST_CASE("pattern scanner: time is linear in text that nearly matches") {
    const auto begin = std::chrono::steady_clock::now();
    CHECK(found("a b{reference}\"", std::string(4'000'000, ' ')).empty());
    CHECK(found("a b{reference}\"", std::string(1'000'000, 'a') + std::string(1'000'000, ' ') + "c").empty());
    std::string many;
    for (int i = 0; i < 500'000; ++i)
        many += "a b ";
    CHECK(found("a b{reference}\"", many).empty());
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(60));
}

TEST_CASE("pattern scanner: a pattern without exactly one capture after some text is refused") {
    for (const char* const bad :
         {"", "a", "{reference}", " \t{reference}x", "a{reference}{reference}", "a\n{reference}"})
        CHECK_FALSE(PatternScanner::parse(bad));
    CHECK_FALSE(PatternScanner::parse(std::string(300, 'a') + "{reference}"));
    CHECK_FALSE(PatternScanner::parse("a{reference}")
                    ->scan(std::as_bytes(std::span(std::string_view("a\0b", 3))), ReferenceUse::file,
                           ReferenceForm::from_root, false));
}

TEST_CASE("pattern scanner: a program's answer has one line of JSON per finding") {
    const auto all = parse_scanner_answers(
        "{\"reference\": \"a.png\", \"use\": \"texture\", \"form\": \"relative\", \"optional\": true, \"line\": "
        "3}\n\n{\"defines\":\"wall\"}\r\n{\"reference\":\"b\"}",
        {}, {});
    REQUIRE(all);
    REQUIRE(all->size() == 1);
    const ScanFindings* const findings = &all->front();
    CHECK(findings->defines == Lines{"wall"});
    REQUIRE(findings->references.size() == 2);
    CHECK(findings->references[0] == FoundReference{.spelling = "a.png",
                                                    .use = ReferenceUse::texture,
                                                    .form = ReferenceForm::relative,
                                                    .optional = true,
                                                    .line = 3});
    CHECK(findings->references[1] == FoundReference{.spelling = "b", .defined_in = 0});
    for (const char* const bad : {"x", "[]", "{}", "{\"reference\": 1}", "{\"reference\": \"a\", \"use\": \"image\"}",
                                  "{\"reference\": \"a\", \"line\": -1}", "{\"reference\": \"a\", \"else\": 1}",
                                  "{\"defines\": \"a\", \"line\": 1}", "{\"reference\": \"a\\u0000\"}",
                                  "{\"reference\": \"a\"} {}", "{\"reference\": [[[[[[[[[[1]]]]]]]]]]}"})
        check_refused(bad);
    check_refused("{\"reference\": " + std::string(1'000'000, '['));
    check_refused("{\"file\": \"in/a\"}");
}

TEST_CASE("pattern scanner: an answer about several files names the file of its lines; defaults fill in the rest") {
    const Lines files{"in/a", "in/b", "in/c"};
    const FoundReference unsaid{
        .spelling = {}, .use = ReferenceUse::sound, .form = ReferenceForm::relative, .optional = true};
    const auto findings = parse_scanner_answers(
        "{\"file\":\"in/c\"}\n{\"reference\":\"x\"}\n{\"defines\":\"d\"}\n{\"file\":\"in/"
        "a\"}\n{\"reference\":\"y\",\"use\":\"file\",\"optional\":false,\"form\":\"from_root\"}\n",
        files, unsaid);
    REQUIRE(findings);
    REQUIRE(findings->size() == 3);
    CHECK((*findings)[0].references == std::vector<FoundReference>{{.spelling = "y"}});
    CHECK((*findings)[1].references.empty());
    CHECK((*findings)[2].references ==
          std::vector<FoundReference>{
              {.spelling = "x", .use = ReferenceUse::sound, .form = ReferenceForm::relative, .optional = true}});
    CHECK((*findings)[2].defines == Lines{"d"});
    for (const char* const bad :
         {"{\"reference\":\"x\"}", "{\"file\":\"in/d\"}", "{\"file\":\"in/a\"}\n{\"file\":\"in/a\"}",
          "{\"file\":\"in/a\",\"reference\":\"x\"}", "{\"file\":1}", "{\"defines\":\"d\"}"}) {
        CAPTURE(bad);
        const auto refused = parse_scanner_answers(bad, files, unsaid);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code() == ErrorCode::malformed);
        CHECK(refused.error().message().starts_with("line "));
    }
}

}  // namespace fardel::tests::pattern_scanner_test
