#include <fardel/format/short_alias.h>

#include "kit/test.h"

#include <string>

namespace fardel::tests::short_alias_test {

// The pairs as "alias = name", in the order in which they are found.
std::vector<std::string> aliases_in(const std::vector<std::string>& names) {
    std::vector<std::string> pairs;
    for (const ShortAlias& found :
         find_short_aliases(names.size(), [&](std::size_t i) { return std::optional<std::string_view>(names[i]); }))
        pairs.push_back(names[found.alias] + " = " + names[found.of]);
    return pairs;
}

bool is_alias_of(const std::string& alias, const std::string& name) { return !aliases_in({alias, name}).empty(); }

TEST_CASE("short alias: a name is the alias of a longer one that begins alike, in any case") {  // A06
    for (const auto& row : std::vector<std::pair<std::string, std::string>>{
             {"PROGRA~1", "Program Files"},
             {"progra~2", "programs of mine"},
             {"PROGR~10", "Program Files"},
             {"huge_e~1.png", "huge_explosion.png"},
             {"GIT~1", ".git"},
             {"ABC~1.TGA", "a b c.tga"},
             {"ab~1.jpe", "ab.jpeg"},
             {"ABC_~1.TXT", "abc+.txt"},
             {"A1234~1.TXT", "a.1.2.3.4.txt"},
             {"PR1A2B~1", "program files"},
             {"HU0FF3~1.PNG", "huge_explosion.png"},
             {"\u00dcBERG~1.TXT", "\u00fcbergr\u00f6\u00dfe.txt"},
             {"_BERGR~1.TXT", "\u00fcbergr\u00f6\u00dfe.txt"},
             {"\u5730\u56f3~1", "\u5730\u56f3\u5730\u56f3\u5730\u56f3\u5730\u56f3\u5730"}}) {
        const std::string& alias = row.first;
        const std::string& name = row.second;
        CAPTURE(alias);
        CHECK(is_alias_of(alias, name));
        CHECK(is_alias_of("Maps/" + alias, "maps/" + name + "/x"));
        CHECK(is_alias_of("maps/" + alias + "/x", "maps/" + name));
        CHECK_FALSE(is_alias_of("maps/" + alias, name));
        CHECK_FALSE(is_alias_of("maps/" + alias, "mods/" + name));
    }
}

TEST_CASE("short alias: frames of an animation and other names beside are none") {
    CHECK(aliases_in({"huge~0.png", "huge~1.png", "huge~2.png", "huge.png", "huge~10.png", "h.png"}).empty());
    for (const auto& row : std::vector<std::pair<std::string, std::string>>{
             {"huge~1.png", "huge_explosion.png"},    // that would be HUGE_E~1.PNG
             {"huge_e~1.tga", "huge_explosion.png"},  // another kind of file
             {"huge_e~0.png", "huge_explosion.png"},  // the numbers begin with 1
             {"huge_e~01.png", "huge_explosion.png"},
             {"huge~1.png", "huge.png"},  // short enough to have no second name
             {"progra~1", "PROGRAMS"},
             {"program~1", "program files"},  // longer than an alias
             {"progra~x", "program files"},
             {"~1", "~1.long name"},
             {"\u00e9~1", "\u00e9~1"}}) {
        const std::string& alias = row.first;
        const std::string& name = row.second;
        CAPTURE(alias);
        CHECK_FALSE(is_alias_of(alias, name));
    }
}

TEST_CASE("short alias: each name is found once, whatever is below its folder and below the other one") {
    CHECK(aliases_in({"PROGRA~1/a", "PROGRA~1/b", "Program Files/x", "Program Files/y", "Programs of mine"}) ==
          std::vector<std::string>{"PROGRA~1/a = Program Files/x", "PROGRA~1/b = Program Files/x"});
}

TEST_CASE("short alias: very many names in one folder take little time") {
    std::vector<std::string> names;
    for (int i = 0; i < 20'000; ++i) {
        names.push_back("PROGRA~1/" + std::to_string(i));
        names.push_back("program files/" + std::to_string(i));
        names.push_back("\u5730\u56f3 and more " + std::to_string(i));
    }
    CHECK(aliases_in(names).size() == 20'000);
}

}  // namespace fardel::tests::short_alias_test
