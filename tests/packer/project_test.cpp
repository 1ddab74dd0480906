// parse_project: each key, each mistake with its position and what to write instead.
#include <fardel/packer/project.h>

#include "kit/files.h"
#include "parsed_project.h"

namespace fardel::tests::project_test {

const std::string kStart = "name = \"mygame\"\nsources = [\"assets\"]\n";  // two lines

TEST_CASE("project: every key of the bundle is read") {
    const Project project = parse_well(R"(
name = "studio/mygame"
version = "1.0-rc1"
output = "build/game.fardel"
key = "keys/author.key"
sources = ["assets", "old/pak0.pk3"]
exclude = ["**/*.psd"]
tombstones = ["old.cfg", "maps/gone.bsp"]
requires = ["studio/base >= 1.0, < 2", "studio/sounds"]
[metadata]
licence = "CC-BY-4.0"
free = true
players = 4
scale = 0.5
metric.triangles = 12
"metric.weight" = 1.5
expires = 1798761600
)");
    CHECK(project.file == "fardel.toml");
    CHECK(project.name == "studio/mygame");
    CHECK(project.version.text() == "1.0-rc1");
    CHECK(project.output == "build/game.fardel");
    CHECK(output_of(project) == "build/game.fardel");
    CHECK(project.key == "keys/author.key");
    CHECK(project.sources == std::vector<std::string>{"assets", "old/pak0.pk3"});
    CHECK(project.excludes == std::vector<std::string>{"**/*.psd"});
    REQUIRE(project.tombstones.size() == 2);
    CHECK(project.tombstones[1].text() == "maps/gone.bsp");
    REQUIRE(project.requirements.size() == 2);
    CHECK(project.requirements[0].text() == "studio/base >= 1.0, < 2");
    CHECK(project.requirements[1].text() == "studio/sounds");
    REQUIRE(project.metadata.size() == 7);
    const std::vector<std::pair<std::string, MetadataValue>> expected = {{"licence", std::string("CC-BY-4.0")},
                                                                         {"free", true},
                                                                         {"players", std::int64_t{4}},
                                                                         {"scale", 0.5},
                                                                         {"metric.triangles", 12.0},
                                                                         {"metric.weight", 1.5},
                                                                         {"expires", std::int64_t{1798761600}}};
    for (std::size_t i = 0; i < expected.size(); ++i) {
        CHECK(project.metadata[i].key == expected[i].first);
        CHECK((project.metadata[i].value == expected[i].second));
    }
}

TEST_CASE("project: every key of a rule is read") {
    const Project project = parse_well(kStart + R"(
[[rule]]
match = "**/*@hd.png"
strip = "@hd"
tags = { quality = "hd", lang = "fr" }
publish = false
extends = true
content_type = "image/x-tga"
for = "load"
metadata = { licence = "CC0-1.0", metric.triangles = 3 }
[[rule]]
match = "wip/**"
exclude = true
[[rule]]
match = "readme_2.txt"
name = "readme.txt"
)");
    REQUIRE(project.rules.size() == 3);
    const ProjectRule& rule = project.rules[0];
    CHECK(rule.match == "**/*@hd.png");
    CHECK(rule.strip == "@hd");
    CHECK(rule.tags == Tags{{"quality", "hd"}, {"lang", "fr"}});
    CHECK(rule.publish == false);
    CHECK(rule.extends == true);
    CHECK(rule.content_type == "image/x-tga");
    CHECK(rule.purpose == BundlePurpose::load);
    CHECK(rule.metadata.size() == 2);
    CHECK(rule.at.line == 4);
    CHECK_FALSE(rule.exclude);
    CHECK(project.rules[1].exclude);
    CHECK_FALSE(project.rules[1].publish);
    CHECK(project.rules[2].name == "readme.txt");
}

TEST_CASE("project: consumes and dependencies are read") {
    const std::string id(64, 'a');
    const Project project = parse_well(
        kStart + "[[consume]]\nname = \"textures/base/**\"\noptional = true\n[[consume]]\nname = \"default.cfg\"\n" +
        "[[dependency]]\nfile = \"../base.fardel\"\nstatic = false\n[[dependency]]\nid = \"" + id +
        "\"\nname = \"base\"\nversion = \"2\"\n");
    REQUIRE(project.consumes.size() == 2);
    CHECK(project.consumes[0].pattern);
    CHECK(project.consumes[0].optional);
    CHECK_FALSE(project.consumes[1].pattern);
    CHECK_FALSE(project.consumes[1].optional);
    REQUIRE(project.dependencies.size() == 2);
    CHECK(project.dependencies[0].file == "../base.fardel");
    CHECK_FALSE(project.dependencies[0].is_static);
    REQUIRE(project.dependencies[1].bundle);
    CHECK(project.dependencies[1].bundle->hex() == id);
    CHECK(project.dependencies[1].name == "base");
    CHECK(project.dependencies[1].version.text() == "2");
    CHECK(project.dependencies[1].is_static);
}

TEST_CASE("project: without an output the bundle has the last part of its name") {
    CHECK(output_of(parse_well(kStart)) == "mygame.fardel");
    CHECK(output_of(parse_well("name = \"studio/mygame\"\nsources = [\"a\"]")) == "mygame.fardel");
}

TEST_CASE("project: a mistake is reported with its position and what to write instead") {
    struct Mistake {
        std::string text;  // behind kStart
        std::string position;
        std::string words;
    };
    const Mistake mistakes[] = {
        // Keys that do not exist.
        {"exclud = [\"x\"]", "3:1", "there is no key 'exclud' at the top of a project; did you mean 'exclude'?"},
        {"[[rules]]\nmatch = \"a\"", "3:", "did you mean 'rule'?"},
        {"[frobnication]", "3:",
         "the keys are: name, version, output, key, order, sources, exclude, allow_secrets, tombstones, metadata, "
         "requires, pack, rule, consume, own_cache, cache, dependency, processor, job, target, link, split, scanner, "
         "budget, licences, sandbox, include"},
        {"[[rule]]\nmatch = \"a\"\npublished = false", "5:1", "in [[rule]]; did you mean 'publish'?"},
        {"[[consume]]\nname = \"a\"\noptinal = true", "5:1", "in [[consume]]; did you mean 'optional'?"},
        {"[[dependency]]\nfil = \"a\"", "4:1", "in [[dependency]]; did you mean 'file'?"},
        {"[own_cache]\nbytes = 1", "4:1", "in [own_cache]; did you mean 'bytes_max'?"},
        {"[own_cache]\nbytes_max = -1", "4:13", "'bytes_max' is below 0"},
        {"[own_cache]\nunused_days = 40_000", "4:15", "it is from 0 to 36500"},
        {"[[cache]]\nurl = \"http://x/\"\nbytes_max = 1", "3:", "'bytes_max' and 'unused_days' are for a folder"},
        // Another kind of value.
        {"version = 1.0", "3:11", "'version' is a number; write version = \"1.0\""},
        {"output = 3", "3:10", "'output' is an integer; write output = \"mygame.fardel\""},
        {"key = true", "3:7", "'key' is true or false; write key = \"author.key\""},
        {"exclude = \"**/*.psd\"", "3:11", "'exclude' is a text; write exclude = [\"**/*.psd\"]"},
        {"exclude = [1]", "3:12", "'exclude' is an integer"},
        {"tombstones = 2026-01-01", "3:14", "'tombstones' is a date; write tombstones = [\"old.cfg\"]"},
        {"metadata = []", "3:12", "'metadata' is a list; write metadata = { licence = \"CC-BY-4.0\" }"},
        {"[rule]\nmatch = \"a\"", "3:", "'rule' is a table; write [[rule]] above each of its tables"},
        {"rule = [1]", "3:9", "'rule' is an integer; write [[rule]]"},
        {"[[rule]]\nmatch = \"a\"\npublish = \"no\"", "5:11",
         "'publish' is a text; write publish = true or publish = false"},
        {"[[rule]]\nmatch = \"a\"\ntags = [\"hd\"]", "5:8", "'tags' is a list; write tags = { quality = \"hd\" }"},
        // Invalid values.
        {"version = \"1 0\"", "3:11", "bundle version \"1 0\": only letters, digits and . + - _ ~ may be in it"},
        {"version = \"\"", "3:11", "'version' is empty; write version = \"1.0\", or leave it out"},
        {"version = \"" + std::string(65, '1') + "\"", "3:11", "'version' has 65 bytes; at most 64"},
        {"output = \"a\\u0000b\"", "3:10", "'output' contains a NUL character"},
        {"exclude = [\"a//b\"]", "3:12", "'a//b': "},
        {"exclude = [\"a\", \"a\"]", "3:17", "'a' is in 'exclude' twice"},
        {"tombstones = [\"../x\"]", "3:15", "'../x': "},
        {"requires = [\"base 1.0\"]", "3:13", "a bound begins with"},
        {"requires = [\"base >= 1\", \"base < 2\"]", "3:12", "the bundle requires 'base' twice"},
        {"metadata = { requires.base = \"*\" }", "3:1", "write requires = "},
        {"metadata = { name = \"x\" }", "3:1", "write name = \"…\" at the top of the file"},
        {"metadata = { a = [] }", "3:18", "'a' is a list; write a text in quotes, a number, true or false"},
        {"metadata = { a = nan }", "3:18", "'a' is not a finite number"},
        {"metadata = { metric.a = \"x\" }", "3:", "'metric.a' is a text; a metric is a finite number"},
        {"metadata = { expires = \"2027\" }", "3:24", "write the Unix time in seconds"},
        {"metadata = { \"a.b\" = 1, a.b = 2 }", "3:", "'a.b' is there twice"},
        {"metadata = { \"\" = 1 }", "3:", "a metadata key has 1 to 255 bytes"},
        // Rules.
        {"[[rule]]\npublish = false", "3:", "this [[rule]] has no valid 'match'; write match = \"textures/**\""},
        {"[[rule]]\nmatch = \"a//b\"\npublish = false", "4:9", "'a//b': "},
        {"[[rule]]\nmatch = \"a\"", "3:", "this [[rule]] does nothing; write an effect"},
        {"[[rule]]\nmatch = \"a\"\nexclude = false", "5:11", "write exclude = true, or remove it"},
        {"[[rule]]\nmatch = \"a\"\nexclude = true\npublish = false", "3:", "make it two rules"},
        {"[[rule]]\nmatch = \"a\"\nname = \"b\"\nstrip = \"c\"", "3:", "has 'name' and 'strip'; write one of them"},
        {"[[rule]]\nmatch = \"*\"\nname = \"b\"", "3:", "'name' is for one file, and '*' is a pattern; write strip"},
        {"[[rule]]\nmatch = \"a\"\nname = \"/b\"", "5:8", "'/b': "},
        {"[[rule]]\nmatch = \"a\"\ncontent_type = \"PNG\"", "5:16",
         "'PNG' is not a content type; write content_type = \"image/png\""},
        {"[[rule]]\nmatch = \"a\"\ntags = {}", "5:1", "a variant has 1 to 16 tags"},
        {"[[rule]]\nmatch = \"a\"\ntags = { quality = \"very high\" }", "5:10",
         "the tag 'quality=very high' contains other characters than letters, digits and - _ . +"},
        {"[[rule]]\nmatch = \"a\"\ntags = { quality = 1 }", "5:20", "'quality' is an integer"},
        {"[[rule]]\nmatch = \"a\"\nmetadata = { version = 1 }",
         "3:", "metadata 'version' is a text; write it in quotes"},
        // Consumed names and dependencies.
        {"[[consume]]\noptional = true", "3:", "this [[consume]] has no valid 'name'"},
        {"[[consume]]\nname = \"a//b\"", "4:8", "'a//b': "},
        {"[[dependency]]\nname = \"base\"", "3:", "a [[dependency]] has either 'file' or 'id'"},
        {"[[dependency]]\nfile = \"x\"\nid = \"" + std::string(64, 'a') + "\"",
         "3:", "a [[dependency]] has either 'file' or 'id'"},
        {"[[dependency]]\nid = \"abc\"", "4:6",
         "'abc' is not a bundle id; write the 64 hexadecimal digits that 'fardel id' prints"},
        {"[[dependency]]\nfile = \"x\"\nname = \"..\"", "5:8", "bundle name '..': "},
        // Text that is not TOML.
        {"version = 1.0.0", "3:", "write text in \"quotes\""},
        {"version = mygame", "3:", "write text in \"quotes\""},
        {"name = \"again\"", "3:", "write text in \"quotes\""},
        {"exclude = [\"a\"", "3:", "a list in [ ]"},
    };
    for (const Mistake& mistake : mistakes) {
        check_mistake(kStart + mistake.text + "\n", mistake.position, mistake.words);
    }
}

TEST_CASE("project: missing keys that are required are reported") {
    const auto message = [](std::string_view text) {
        const auto project = parse(text);
        REQUIRE_FALSE(project);
        return project.error().message();
    };
    CHECK(message("sources = [\"a\"]") ==
          "fardel.toml:1:1: the bundle has no name; write name = \"mygame\" at the top of the file");
    CHECK(message("name = \"a\"").find("there is nothing to pack; write sources = [\"assets\"]") != std::string::npos);
    CHECK(message("name = \"a\"\nsources = []").find("fardel.toml:2:1: 'sources' is empty") != std::string::npos);
    CHECK(message("name = \"..\"\nsources = [\"a\"]").find("fardel.toml:1:8: bundle name '..'") != std::string::npos);
    CHECK(message("").find("(and 1 more mistake in this file)") != std::string::npos);
}

TEST_CASE("project: of several mistakes the first one in the text is reported, with the number of others") {
    const auto project = parse(kStart + "[[rule]]\nmatch = \"a\"\npublish = 1\n[metadata]\na = []\nb = []\n");
    REQUIRE_FALSE(project);
    CHECK(project.error().message().starts_with("fardel.toml:5:11: 'publish' is an integer"));
    CHECK(project.error().message().find("(and 2 more mistakes in this file)") != std::string::npos);
}

TEST_CASE("project: text, lists and nesting have limits") {
    const auto code = [](const std::string& text) {
        const auto project = parse(text);
        REQUIRE_FALSE(project);
        return project.error().code();
    };
    CHECK(code(kStart + "#" + std::string(kProjectBytesMax, 'x')) == ErrorCode::limit);
    std::string list = "exclude = [";
    for (std::size_t i = 0; i <= kProjectItemsMax; ++i)
        list += "\"x" + std::to_string(i) + "\",\n";
    CHECK(code(kStart + list + "]") == ErrorCode::limit);
    std::string rules = kStart;
    for (std::size_t i = 0; i <= kProjectItemsMax; ++i)
        rules += "[[rule]]\nmatch = \"a\"\npublish = true\n";
    CHECK(code(rules) == ErrorCode::limit);
    std::string dots = kStart + "a";
    for (int i = 0; i < 100'000; ++i)
        dots += ".a";
    CHECK(code(dots + " = 1") == ErrorCode::limit);
    CHECK(code(kStart + "a = " + std::string(100'000, '[')) == ErrorCode::malformed);
}

TEST_CASE("project: raw bytes of a hostile text are never shown") {
    for (const std::string& text :
         {kStart + "\"\x1b[31m\" = 1", kStart + "\"\\u001b[31m\" = 1", kStart + "\xff\xfe", std::string("\0\0\0", 3)}) {
        const auto project = parse(text);
        REQUIRE_FALSE(project);
        CHECK(project.error().message().find_first_of("\x1b\xff\n") == std::string::npos);
    }
}

TEST_CASE("project: the starter project parses, and so does everything in its comments") {
    const std::string starter = starter_project("studio/my game");
    CHECK(parse_well(starter).name == "studio/my game");
    std::string all;
    std::string_view rest = starter;
    while (!rest.empty()) {
        const std::size_t end = rest.find('\n');
        std::string_view line = rest.substr(0, end);
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
        if (line.starts_with("# ") && (line.find(" = ") != std::string_view::npos || line.starts_with("# [[")))
            line.remove_prefix(2);
        all += std::string(line) + "\n";
    }
    const Project project = parse_well(all);
    CHECK(project.rules.size() == 2);
    CHECK(project.consumes.size() == 1);
    CHECK(project.dependencies.size() == 1);
    CHECK(project.tombstones.size() == 1);
    CHECK(project.metadata.size() == 2);
}

TEST_CASE("project: the starter project of content that is there parses, with odd names of archives") {
    const Project project = parse_well(starter_project("game", {.sources = {"a \"b\".pk3", "c\\d.pk3", "."},
                                                                .excludes = {"build/**", "*.key"},
                                                                .output = "build/game.fardel",
                                                                .profile = "quake3",
                                                                .why = "maps/dm01.bsp (a map)"}));
    CHECK(project.sources == std::vector<std::string>{"a \"b\".pk3", "c\\d.pk3", "."});
    CHECK(project.excludes == std::vector<std::string>{"build/**", "*.key"});
    CHECK(project.output == "build/game.fardel");
    REQUIRE(project.references);
}

TEST_CASE("project: the example of the manual parses, and every key is in the manual") {
    const std::string manual = read_file(FARDEL_SOURCE_DIR "/docs/project-file.md");
    const Project project = parse_well(document_block(FARDEL_SOURCE_DIR "/docs/project-file.md", "toml"));
    CHECK(project.rules.size() >= 4);
    CHECK_FALSE(project.dependencies.empty());
    for (const std::string_view key :
         {"name", "version", "output", "key", "sources", "exclude", "tombstones", "metadata", "match", "publish",
          "extends", "strip", "content_type", "tags", "optional", "file", "id", "static"}) {
        CAPTURE(key);
        CHECK(manual.find("`" + std::string(key) + "`") != std::string::npos);
    }
}

TEST_CASE("project: texts that toml++ does not stand are refused before it sees them") {
    const auto message = [](std::string_view text) {
        const auto parsed = parse_project(text, "fardel.toml");
        REQUIRE_FALSE(parsed);
        CHECK(parsed.error().code() == ErrorCode::malformed);
        return parsed.error().message();
    };
    CHECK(message("a.\xcd\x9e = 1\n").find("fardel.toml:1:3: a character beyond ASCII") == 0);
    CHECK(message("\xc3\xa4 = 1").find("beyond ASCII") != std::string::npos);
    CHECK(message(std::string_view("[\0]\n", 4)).find("fardel.toml:1:2: a control character") == 0);
    CHECK(message(std::string_view("# \0\n", 4)).find("a control character") != std::string::npos);
    CHECK(message("x = [1,}\n").find("fardel.toml:1:8: '}' closes nothing") == 0);
    CHECK(message("x = [1, [2\n").find("'[' is never closed") != std::string::npos);
    CHECK(message("x = {a = 1\n").find("'{' is never closed") != std::string::npos);
    CHECK(message("x = \"a\ny = 1\n").find("fardel.toml:1:5: a text without its closing quote") == 0);
    CHECK(message("x = \"a\\").find("without its closing quote") != std::string::npos);
    CHECK(message("x = '''a").find("without its closing quote") != std::string::npos);
}

TEST_CASE("project: quotes, comments and brackets in texts are no defects") {
    const auto parsed = parse_project(
        "# \xc3\xa4 [ { \" '\nname = \"b\"\nsources = [\"\xc3\xa4]\", 'c\"', # ]\n"
        "  \"\"\"d\"\"\", '''e''']\n",
        "fardel.toml");
    const std::string message = parsed ? "" : parsed.error().message();
    CHECK_MESSAGE(parsed, message);
}

TEST_CASE("project: a file that does not exist is missing") {
    CHECK(code_of(read_project("/nonexistent/fardel.toml")) == ErrorCode::missing);
}

TEST_CASE("project: [link], [split] and [[scanner]] are read") {
    const Project project = parse_well(kStart + R"(
[link]
roots = ["maps/*.bsp"]
used = ["gfx/**"]
consumed = ["fonts/*"]
references = false
[split]
policy = "per-root"
bytes_max = 1000
[[scanner]]
match = "**/*.fx"
pattern = 'image = "{reference}"'
use = "texture"
form = "relative"
optional = true
[[scanner]]
match = "*.x"
command = ["scan", "-q"]
)");
    REQUIRE(project.references);
    CHECK(project.references->roots == std::vector<std::string>{"maps/*.bsp"});
    CHECK(project.references->used == std::vector<std::string>{"gfx/**"});
    CHECK(project.references->consumed == std::vector<std::string>{"fonts/*"});
    CHECK_FALSE(project.references->link_tables);
    REQUIRE(project.split);
    CHECK(project.split->policy == SplitPolicy::per_root);
    CHECK(project.split->bytes_max == 1000);
    REQUIRE(project.scanners.size() == 2);
    CHECK(project.scanners[0].match == "**/*.fx");
    CHECK(project.scanners[0].pattern == "image = \"{reference}\"");
    CHECK(project.scanners[0].use == ReferenceUse::texture);
    CHECK(project.scanners[0].form == ReferenceForm::relative);
    CHECK(project.scanners[0].optional);
    CHECK(project.scanners[1].program.command == std::vector<std::string>{"scan", "-q"});
}

TEST_CASE("project: mistakes in [link], [split] and [[scanner]] are reported with what to write") {
    const auto check = [](const std::string& text, std::string_view words) {
        const auto project = parse(kStart + text);
        REQUIRE_FALSE(project);
        const std::string message = project.error().message();
        CAPTURE(message);
        CHECK(message.find(words) != std::string::npos);
    };
    check("[link]\nroot = []", "fardel.toml:4:1: there is no key 'root' in [link]; did you mean 'roots'?");
    check("[link]\nroots = [\"a**\"]", "fardel.toml:4:10: 'a**': ");
    check("link = 1", "'link' is an integer; write [link] above its keys");
    check("[link]\nroots = [\"a\"]\n[split]\npolicy = \"map\"",
          "fardel.toml:6:10: there is no policy 'map'; write policy = \"one\", \"per-root\" or \"by-size\"");
    check("[link]\n[split]\nbytes_max = 5", "fardel.toml:4:2: [split] has no 'policy'");
    check("[link]\n[split]\npolicy = \"by-size\"", "write bytes_max = 100_000_000");
    check("[link]\n[split]\npolicy = \"per-root\"", "has no roots; write roots = ");
    check("[link]\n[split]\npolicy = \"by-size\"\nbytes_max = 0", "'bytes_max' is not above 0");
    check("[split]\npolicy = \"one\"", "need [link], and there is none; write [link]");
    check("[link]\n[[scanner]]\nmatch = \"*\"", "a [[scanner]] has either 'pattern' or 'command'");
    check("[link]\n[[scanner]]\npattern = \"a{reference}\"", "this [[scanner]] has no valid 'match'");
    check("[link]\n[[scanner]]\nmatch = \"*\"\npattern = \"a\"", "a pattern contains {reference} once");
    check("[link]\n[[scanner]]\nmatch = \"*\"\npattern = \" {reference}\"", "a pattern needs text before {reference}");
    check("[link]\n[[scanner]]\nmatch = \"*\"\npattern = \"a{reference}\"\nuse = \"image\"", "there is no use 'image'");
    check("[link]\n[[scanner]]\nmatch = \"*\"\npattern = \"a{reference}\"\nform = \"root\"", "there is no form 'root'");
}

TEST_CASE("project: license and licence are one key, in metadata of the bundle and of rules") {
    const Project project = parse_well(kStart +
                                       "[metadata]\nlicense = \"MIT\"\nlicence-token = true\n[[rule]]\nmatch = \"a\"\n"
                                       "metadata = { license = \"CC0-1.0\" }\n");
    REQUIRE(project.metadata.size() == 2);
    CHECK(project.metadata[0].key == "licence");
    CHECK(project.metadata[1].key == "license-token");
    REQUIRE(project.rules.at(0).metadata.size() == 1);
    CHECK(project.rules[0].metadata[0].key == "licence");
    check_mistake(kStart + "[metadata]\nlicence = \"MIT\"\nlicense = \"GPL-2.0\"", "5:1",
                  "'licence' is there twice, once as 'license'; remove one");
}

TEST_CASE("project: 'dynamic' of a rule or a consume is read, and needs [link]") {
    const std::string rule = "[[rule]]\nmatch = \"a\"\ndynamic = true\n";
    const std::string consume = "[[consume]]\nname = \"a*\"\ndynamic = true\n";
    const Project project = parse_well(kStart + "[link]\n" + rule + consume + "[[consume]]\nname = \"b\"\n");
    CHECK(project.rules.at(0).dynamic == true);
    CHECK(project.consumes.at(0).dynamic);
    CHECK_FALSE(project.consumes.at(1).dynamic);
    for (const std::string& text : {rule, consume})
        check_mistake(kStart + text, "", "'dynamic' is about references, and nothing resolves them here; write [link]");
}

}  // namespace fardel::tests::project_test
