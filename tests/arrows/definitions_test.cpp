#include "definitions.h"

#include "kit/files.h"

namespace fardel::tests::definitions_test {

using fardel::arrows::check_definitions;
using fardel::arrows::format_finding;

using Texts = std::vector<std::string>;

// What a file defines: "name", or "name = type" of an alias.
Texts defined_by(std::string_view source) {
    Texts texts;
    for (const auto& one : fardel::arrows::definitions_in(source, "x.cpp"))
        texts.push_back(one.name + (one.alias_of.empty() ? "" : " = " + one.alias_of));
    return texts;
}

struct File {
    std::string_view path;
    std::string_view text;
};

// The findings about a product of one folder, "a".
Texts findings_in(const std::vector<File>& files) {
    const fardel::tests::ScratchFolder scratch;
    for (const File& file : files)
        scratch.write(file.path, file.text);
    Texts texts;
    for (const auto& finding : check_definitions(scratch.root(), Texts{"a"}))
        texts.push_back(format_finding(finding));
    return texts;
}

TEST_CASE("definitions: no two files of the product define one name") {
    for (const auto& finding : check_definitions(FARDEL_SOURCE_DIR, fardel::arrows::product_folders()))
        FAIL_CHECK(format_finding(finding));
}

// A test program consists of the product, what tests share, and the files of one folder. A fuzz target and a program of
// the consumer is one file.
TEST_CASE("definitions: no two files of a test program define one name") {
    const std::filesystem::path tests = std::filesystem::path(FARDEL_SOURCE_DIR) / "tests";
    std::size_t programs = 0;
    for (const auto& folder : std::filesystem::directory_iterator(tests)) {
        const std::string name = folder.path().filename().string();
        if (!folder.is_directory() || name == "fuzz" || name == "consumer" || name == "kit" || name == "bundle_forge")
            continue;
        ++programs;
        Texts folders = fardel::arrows::product_folders();
        for (const std::string& shared : {std::string("kit"), std::string("bundle_forge"), name})
            folders.push_back("tests/" + shared);
        for (const auto& finding : check_definitions(FARDEL_SOURCE_DIR, folders))
            FAIL_CHECK(format_finding(finding));
    }
    CHECK(programs > 5);
}

TEST_CASE("definitions: two types of one name are a finding, wherever they are") {
    CHECK(findings_in({{"a/one.h", "namespace n {\nstruct Part { int x; };\n}\n"},
                       {"a/room/two.h", "namespace n {\n\nclass Part final : Base<int> { };\n}\n"}}) ==
          Texts{"a/room/two.h:3: n::Part is also defined in a/one.h:2"});
    CHECK(findings_in({{"a/one.h", "namespace n { enum class Kind : int { x }; }"},
                       {"a/two.cpp", "namespace n { using Kind = int; }"},
                       {"a/three.h", "namespace n { union Kind { int x; }; }"}})
              .size() == 2);
    CHECK(findings_in({{"a/one.cpp", "namespace n { struct Part::Impl { int x; }; }"},
                       {"a/two.cpp", "namespace n { struct Part::Impl { int y; }; }"}}) ==
          Texts{"a/two.cpp:1: n::Part::Impl is also defined in a/one.cpp:1"});
}

TEST_CASE("definitions: two functions of one name and the same parameters are a finding, overloads are none") {
    CHECK(findings_in({{"a/one.cpp", "namespace n { Status send(const Part& part, int count = 1) { } }"},
                       {"a/two.cpp", "namespace n { inline auto send(const Part&, int n) noexcept -> int { } }"}}) ==
          Texts{"a/two.cpp:1: n::send(const Part &, int) is also defined in a/one.cpp:1"});
    CHECK(findings_in({{"a/one.cpp", "namespace n { void send(const Part& part) { } }"},
                       {"a/two.cpp", "namespace n { void send(Part& part) { } }"},
                       {"a/three.cpp", "namespace n { void send(const Whole& part) { } }"},
                       {"a/four.cpp", "namespace m { void send(const Part& part) { } }"}}) == Texts{});
    CHECK(findings_in({{"a/one.cpp", "bool operator==(A, B b) { }"}, {"a/two.cpp", "bool operator==(A a, B) { }"}}) ==
          Texts{"a/two.cpp:1: operator==(A, B) is also defined in a/one.cpp:1"});
    // In C, a function has no parameters in its name.
    CHECK(findings_in({{"a/one.cpp", "namespace n { extern \"C\" int part_send(int x) { } }"},
                       {"a/two.cpp", "extern \"C\" {\nint part_send(char x) { }\n}"}}) ==
          Texts{"a/two.cpp:2: part_send is also defined in a/one.cpp:1"});
}

TEST_CASE("definitions: two constants or variables that other files see are a finding") {
    CHECK(findings_in({{"a/one.h", "inline constexpr int kMax = 1;"}, {"a/two.h", "inline constexpr long kMax{2};"}}) ==
          Texts{"a/two.h:1: kMax is also defined in a/one.h:1"});
    CHECK(findings_in({{"a/one.cpp", "int count;"}, {"a/two.cpp", "int count = 0;"}}).size() == 1);
    CHECK(findings_in({{"a/one.cpp", "const char* text = 0;"}, {"a/two.cpp", "const char* text = 0;"}}).size() == 1);
    CHECK(findings_in({{"a/one.cpp", "extern const int kMax = 1;"}, {"a/two.cpp", "extern const int kMax = 1;"}})
              .size() == 1);
}

TEST_CASE("definitions: what only one file sees may have the name of another's") {
    constexpr std::string_view kHidden[] = {
        "namespace n { namespace { struct Part { }; void send(int x) { } int count = 0; } }",
        "static void send(int x) { }\nstatic int count = 0;",
        "const int kMax = 1; constexpr int kMin = 2; constexpr std::string_view kAll[] = {\"a\", \"b\"};",
        "const char* const kText = \"a\";",
        "struct Part;\nenum class Kind : int;\nclass Whole;\nvoid send(int x);\nextern int count;",
        "namespace n { int Part::count = 0; Part::Part(int x) : a{x}, b(1), Base<int>{} { } Part::~Part() { } }",
        "template class Part<int>; extern template class Part<char>; template <class T> struct Whole;",
        "namespace other = n::m; using namespace n; using n::Part; static_assert(sizeof(int) == 4);",
        "struct stat status(int x); struct tm* now(); static struct tm when = {};",
        "TEST_CASE(\"send(int x) { }\") { struct Part { }; }\nMACRO(x)\n",
        "namespace n { bool Part::operator==(const Part& x) const { } Part::operator bool() const { } }",
    };
    for (const std::string_view text : kHidden) {
        CAPTURE(text);
        CHECK(defined_by(text) == Texts{});
        CHECK(findings_in({{"a/one.cpp", text}, {"a/two.cpp", text}}) == Texts{});
    }
}

TEST_CASE("definitions: a header's type is defined once, however often it is included or declared") {
    CHECK(findings_in({{"a/part.h", "#pragma once\nstruct Part { int x; };\nvoid send(const Part& part);\n"},
                       {"a/one.cpp", "#include \"part.h\"\nvoid send(const Part& part) { }\n"},
                       {"a/two.cpp", "#include \"part.h\"\nstruct Part;\nvoid send(const Part& part);\n"}}) == Texts{});
}

TEST_CASE("definitions: aliases for the same type are no finding, for different ones they are") {
    CHECK(findings_in({{"a/one.h", "using Words = std::vector<Word>;"},
                       {"a/two.h", "using Words = std::vector<Word>;"}}) == Texts{});
    CHECK(findings_in({{"a/one.h", "using Words = std::vector<Word>;"}, {"a/two.h", "using Words = std::set<Word>;"}})
              .size() == 1);
    CHECK(findings_in({{"a/one.h", "typedef struct part part;"},
                       {"a/two.h", "typedef struct part part;\nstruct part { int x; };"}}) == Texts{});
}

TEST_CASE("definitions: files that are built instead of one another may define one name") {
    CHECK(findings_in({{"a/clock_posix.cpp", "int now() { }"}, {"a/clock_windows.cpp", "int now() { }"}}) == Texts{});
    CHECK(findings_in({{"a/clock_posix.cpp", "int now() { }"}, {"a/time_windows.cpp", "int now() { }"}}).size() == 1);
    CHECK(findings_in({{"a/one.cpp", "int main() { }"}, {"a/two.cpp", "int main(int argc, char** argv) { }"}}) ==
          Texts{});
}

TEST_CASE("definitions: names are read among all that C++ has") {
    CHECK(defined_by("/* struct A { }; */ // struct B { };\nconst char* x = \"struct C { };\", y = '{';\n"
                     "auto raw = R\"end(struct D { )\" })end\"; int big = 1'000'000;\nstruct E { };\n") ==
          Texts{"x", "raw", "big", "E"});
    CHECK(defined_by("#if A\nstruct X {\n#else\nstruct X : Y {\n# if B\n# endif\n#endif\n};\n"
                     "#define BRACE { \\\n  {\nstruct Z { };") == Texts{"X", "Z"});
    CHECK(defined_by("namespace a::b { inline namespace c { struct [[nodiscard]] alignas(8) D final { E e{1}; }; } }\n"
                     "struct F { };") == Texts{"a::b::c::D", "F"});
    CHECK(defined_by("template <class T, int N = (2 > 1)> requires std::is_x<T> && (N < 3) struct A { };\n"
                     "template <> struct std::hash<A<int>> { };\ntemplate <class T> struct A<T*, 1> { };\n"
                     "template <class T> concept Small = requires(T t) { t.x(); };\n"
                     "template <class T> using Alias = A<T, 1>;\n"
                     "template <class T> inline constexpr bool kIs = false;\n"
                     "template <class T> T get(std::vector<T> from) { }\n") ==
          Texts{"A", "std::hash< A < int > >", "A< T * , 1 >", "Small", "Alias = A < T , 1 >", "kIs",
                "get< class T >(std :: vector < T >)"});
    CHECK(defined_by("[[nodiscard]] std::function<void(int)> make(std::map<int, A> map, unsigned, const B) { }\n"
                     "decltype(auto) pick(char buffer[4], int (*f)(int)) { if (x < y) { } }\n"
                     "auto sum(int... all) requires (sizeof(int) > 1) { }\n"
                     "std::strong_ordering operator<=>(const A& a, const A&) noexcept { }\n") ==
          Texts{"make(std :: map < int , A >, unsigned, const B)", "pick(char buffer [ 4 ], int ( * f ) ( int ))",
                "sum(int . . .)", "operator<=>(const A &, const A &)"});
    CHECK(defined_by("typedef struct part { int (*read)(int); } part;\ntypedef int (*callback)(void* context);\n"
                     "typedef int32_t code;\nenum { a, b };\nstruct { int x; } one;\n") ==
          Texts{"part", "callback = int ( * callback ) ( void * context )", "code = int32_t code"});
}

}  // namespace fardel::tests::definitions_test
