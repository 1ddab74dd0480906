#include "write/sorted_names.h"

#include "bundle-format/plans.h"

namespace fardel::tests::sorted_names_test {

std::vector<PlannedName> names_of(std::initializer_list<std::string_view> texts) {
    std::vector<PlannedName> names;
    for (const std::string_view text : texts)
        names.push_back({.name = name_of(text)});
    return names;
}

std::string sort_refusal(std::initializer_list<std::string_view> texts) {
    const auto sorted = sort_names(names_of(texts));
    REQUIRE_FALSE(sorted);
    return sorted.error().text();
}

TEST_CASE("sorted names: they are sorted by the bytes of the text, and by hash") {
    const auto names = names_of({"b", "a/c", "a b", "é", "Z", "a/b"});
    const std::vector<std::uint32_t> by_text = sort_names(names).value();
    std::string order;
    for (const std::uint32_t name : by_text)
        order += names[name].name.text() + "|";
    CHECK(order == "Z|a b|a/b|a/c|b|é|");
    const std::vector<HashedName> by_hash = hash_names(names, by_text);
    REQUIRE(by_hash.size() == 6);
    for (std::size_t i = 0; i < 6; ++i) {
        CHECK(by_hash[i].hash == name_hash(names[by_text[by_hash[i].name]].name.view()));
        CHECK((i == 0 || by_hash[i - 1].hash <= by_hash[i].hash));
    }
}

TEST_CASE("sorted names: two names equal under case folding are refused, and the error names both") {  // A07, A08
    CHECK(sort_refusal({"x", "Maps/dm1", "maps/DM1"}) ==
          "malformed: name \"Maps/dm1\" differs only in case from \"maps/DM1\"");
    CHECK(sort_refusal({"straße", "STRASSE"}).starts_with("malformed: "));
    CHECK(sort_refusal({"ÉTÉ", "été"}).starts_with("malformed: "));
    CHECK(sort_refusal({"a", "b", "a"}) == "malformed: name \"a\" is planned twice, also as \"a\"");
}

TEST_CASE("sorted names: a name that is also a folder is refused, in any case and at any depth") {  // A12
    CHECK(sort_refusal({"a", "a/b"}) == "malformed: name \"a\" is also the folder of \"a/b\"");
    CHECK(sort_refusal({"a/b/c/d", "a/b"}) == "malformed: name \"a/b\" is also the folder of \"a/b/c/d\"");
    CHECK(sort_refusal({"A", "a/b"}) == "malformed: name \"A\" is also the folder of \"a/b\"");
    CHECK(sort_refusal({"été/x", "ÉTÉ"}).starts_with("malformed: "));
    CHECK(sort_refusal({"a/b", "a/bc", "a/b-", "a/b/c", "a/b.c"}) ==
          "malformed: name \"a/b\" is also the folder of \"a/b/c\"");
    CHECK(sort_names(names_of({"a/b", "a/b-/c", "a/bc", "A/x/y", "a/X/z", "ab"})));
    CHECK(sort_names({}));
}

TEST_CASE("sorted names: a name that is the 8.3 alias of another is refused, and the error names both") {  // A06
    CHECK(sort_refusal({"mods/PROGRA~1/a", "mods/Program Files/b"})
              .find("name \"mods/PROGRA~1/a\" has the form of an 8.3 alias of \"mods/Program Files/b\"") !=
          std::string::npos);
    CHECK(sort_names(names_of({"effect/huge~0.png", "effect/huge~1.png", "effect/huge~2.png"})));
}

}  // namespace fardel::tests::sorted_names_test
