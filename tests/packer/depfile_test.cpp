// parse_depfile: depfiles of compilers, and invalid ones.
#include "jobs/depfile.h"

#include "kit/test.h"

#include <initializer_list>

namespace fardel::tests::depfile_test {

using Paths = std::vector<std::string>;

Paths paths_of(std::string_view text) {
    const auto paths = parse_depfile(text);
    const std::string message = paths ? "" : paths.error().text();
    REQUIRE_MESSAGE(paths, message);
    return *paths;
}

TEST_CASE("depfile: prerequisites are returned in their order, each once") {
    CHECK(paths_of("") == Paths{});
    CHECK(paths_of("\n\n") == Paths{});
    CHECK(paths_of("a.o: a.c a.h") == Paths{"a.c", "a.h"});
    CHECK(paths_of("a.o: a.c a.h a.c\nb.o: a.h b.c\n") == Paths{"a.c", "a.h", "b.c"});
    CHECK(paths_of("a.o b.o : a.c\n") == Paths{"a.c"});
    CHECK(paths_of("a.o:\n") == Paths{});
    CHECK(paths_of("a.o: a.c\r\na.h:\r\n") == Paths{"a.c"});
    CHECK(paths_of("a.o: a.c # a comment: b.c\n# c.o: d.c \\\n e.c\nf.o: f.c\n") == Paths{"a.c", "f.c"});
}

TEST_CASE("depfile: a backslash continues a line") {
    CHECK(paths_of("a.o: a.c \\\n  b.h \\\r\n\tc.h\n") == Paths{"a.c", "b.h", "c.h"});
    CHECK(paths_of("a.o:\\\n a.c\n") == Paths{"a.c"});
    CHECK(paths_of("a.o: a.c\\\n b.c\n") == Paths{"a.c", "b.c"});
    CHECK(paths_of("\\\n a.o: a.c \\\n") == Paths{"a.c"});
}

TEST_CASE("depfile: characters that a Makefile escapes are returned unescaped") {
    CHECK(paths_of("a.o: a\\ b.c c\\#d.h $$e.h f$g") == Paths{"a b.c", "c#d.h", "$e.h", "f$g"});
    CHECK(paths_of("a.o: a\\\\\\ b.c c\\\\ d.h e\\f.h") == Paths{"a\\ b.c", "c\\", "d.h", "e\\f.h"});
    CHECK(paths_of("C:/a.o: C:/a.c D:b.c") == Paths{"C:/a.c", "D:b.c"});
    CHECK(paths_of("a.o: \xc3\xa4.c") == Paths{"\xc3\xa4.c"});
    CHECK(paths_of("a.o: a\\") == Paths{"a\\"});
}

TEST_CASE("depfile: text that is not a rule is malformed, with its line") {
    for (const std::string_view text :
         std::initializer_list<std::string_view>{"a.c", "a.o: a.c\nb.c\n", ": a.c", "a.o: a\x01.c", "a.o: a\rb",
                                                 std::string_view("a.o: a\0b", 8), "a.o a.c \\\n b.c"}) {
        CAPTURE(text);
        CHECK(code_of(parse_depfile(text)) == ErrorCode::malformed);
    }
    CHECK(parse_depfile("a.o: \\\n a.c\n\nb").error().message().find("line 4:") != std::string::npos);
}

TEST_CASE("depfile: sizes have limits") {
    const auto code = [](const std::string& text) {
        const auto paths = parse_depfile(text);
        REQUIRE_FALSE(paths);
        return paths.error().code();
    };
    CHECK(code(std::string(kDepfileBytesMax + 1, ' ')) == ErrorCode::limit);
    CHECK(code("a.o: " + std::string(5000, 'x')) == ErrorCode::limit);
    CHECK(code("a.o: " + std::string(100'000, '\\')) == ErrorCode::limit);
    std::string many = "a.o:";
    for (std::size_t i = 0; i <= kFoundInputsMax; ++i)
        many += " " + std::to_string(i);
    CHECK(code(many) == ErrorCode::limit);
}

}  // namespace fardel::tests::depfile_test
