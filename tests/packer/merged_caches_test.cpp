// Who says which layers there are: the settings of projects, machines, users, variables and options, as tables.
#include "parsed_project.h"

#include <fardel/packer/project_cache.h>

#include <map>

namespace fardel::tests::merged_caches_test {

using enum CacheAuthor;

constexpr std::string_view kHead = "name = \"game\"\nsources = [\"assets\"]\n";
constexpr std::string_view kKey = "03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8";

struct Said {
    std::string project;  // behind kHead
    std::string machine = {};
    std::string user = {};
    std::vector<std::pair<std::string, std::string>> environment = {};  // layer, value
    std::vector<std::pair<std::string, std::string>> options = {};
    std::string graph = {};  // --cache-graph
};

Result<MergedCaches> merge(const Said& said) {
    const Project project = parse_well(std::string(kHead) + said.project);
    CacheSettings all;
    for (const auto& [text, file, author] : {std::tuple(said.machine, "/etc/fardel/config.toml", machine),
                                             {said.user, "/home/ann/.config/fardel/config.toml", user}}) {
        CacheSettings more = value_of(parse_cache_settings(text, file, author));
        all.layers.insert(all.layers.end(), more.layers.begin(), more.layers.end());
        if (!more.graph.empty())
            all.graph = more.graph, all.graph_author = author, all.graph_origin = more.graph_origin;
    }
    for (const auto& [name, value] : said.environment)
        all.layers.push_back(value_of(parse_cache_setting(name, value, environment, "FARDEL_CACHE_X")));
    for (const auto& [name, value] : said.options)
        all.layers.push_back(value_of(parse_cache_setting(name, value, command_line, "--cache")));
    if (!said.graph.empty())
        all.graph = said.graph, all.graph_author = command_line, all.graph_origin = "--cache-graph";
    const std::map<std::string, std::string> variables{{"HOME", "/home/ann"}, {"DISK", "/mnt/fast"}};
    return merge_caches(project.caches, "game", all, "/home/ann", [variables](const std::string& name) {
        const auto found = variables.find(name);
        return found != variables.end() ? found->second : "";
    });
}

std::string location_of(const CacheSetting& setting) { return setting.folder + setting.url + setting.bundle; }

// "farm=http://farm/c read-only", in the order of the layers; what is not used is in brackets.
std::string summary(const Said& said) {
    const auto merged = merge(said);
    if (!merged)
        return merged.error().message();
    std::string text;
    for (const MergedCache& layer : merged->layers) {
        std::string one = layer.setting.name + "=" + location_of(layer.setting);
        if (!layer.setting.write.value_or(true))
            one += " read-only";
        if (!layer.setting.token_file.empty())
            one += " token " + layer.setting.token_file;
        if (!layer.setting.signed_by.empty())
            one += " signed";
        text += (text.empty() ? "" : ", ") + (layer.unused.empty() ? one : "[" + one + ": " + layer.unused + "]");
    }
    return text;
}

constexpr const char* kFarm = "[[cache]]\nname = \"farm\"\nurl = \"http://farm/c\"\n";
constexpr const char* kUserFarm =
    "[[cache]]\nname = \"farm\"\nurl = \"https://mine/c\"\ntoken_file = \"farm.token\"\nwrite = false\n";

TEST_CASE("merged caches: each author adds, replaces, switches off, makes read-only and orders layers by name") {
    struct Row {
        std::string what;
        Said said;
        std::string merged;
    };
    const std::string three =
        "[[cache]]\nfolder = \"../f\"\n[[cache]]\nurl = \"http://a/\"\n[[cache]]\nfolder = \"g\"\n";
    const Row rows[] = {
        {"default names are those of kinds", {three}, "folder=game/../f, server=http://a/, folder-2=game/g"},
        {"a default name avoids one that was given",
         {"[[cache]]\nfolder = \"f\"\n[[cache]]\nname = \"folder\"\nfolder = \"g\"\n"},
         "folder-2=game/f, folder=game/g"},
        {"~ and variables of a path",
         {"[[cache]]\nfolder = \"~/c\"\n[[cache]]\nbundle = \"${HOME}/b.fardel\"\n[[cache]]\nfolder = \"./~\"\n"},
         "folder=/home/ann/c, bundle=/home/ann/b.fardel, folder-2=game/./~"},
        {"machine, then user, behind the project",
         {kFarm, "[[cache]]\nname = \"site\"\nfolder = \"/srv/c\"\n",
          "[[cache]]\nname = \"fast\"\nfolder = \"${DISK}/c\"\n"},
         "farm=http://farm/c, site=/srv/c, fast=/mnt/fast/c"},
        {"paths are relative to their file",
         {"", "[[cache]]\nname = \"site\"\nfolder = \"c\"\n"},
         "site=/etc/fardel/c"},
        {"a location of the user replaces the project's layer",
         {std::string(kFarm) + "token_file = \"t\"\nsigned_by = [\"" + std::string(kKey) + "\"]\n", "", kUserFarm},
         "farm=https://mine/c read-only token /home/ann/.config/fardel/farm.token"},
        {"the user's file changes the machine's layer",
         {"", kUserFarm, "[[cache]]\nname = \"farm\"\nsigned_by = [\"" + std::string(kKey) + "\"]\n"},
         "farm=https://mine/c read-only token /etc/fardel/farm.token signed"},
        {"a variable changes the location alone, and the token stays here",
         {kFarm, "", kUserFarm, {{"farm", "http://else/c"}}},
         "farm=http://else/c read-only"},
        {"an option counts more than a variable",
         {kFarm, "", "", {{"farm", "/a"}}, {{"farm", "b.fardel"}}},
         "farm=b.fardel"},
        {"off by a file, on by an option",
         {kFarm, "", "[[cache]]\nname = \"farm\"\noff = true\n", {}, {{"farm", "on"}}},
         "farm=http://farm/c"},
        {"off by a variable", {kFarm, "", "", {{"farm", "off"}}}, "[farm=http://farm/c: off]"},
        {"read-only by an option", {kFarm, "", "", {}, {{"farm", "read-only"}}}, "farm=http://farm/c read-only"},
        {"a new layer by an option", {kFarm, "", "", {}, {{"near", "/n"}}}, "farm=http://farm/c, near=/n"},
        {"an order",
         {kFarm, "", "[[cache]]\nname = \"fast\"\nfolder = \"/f\"\nbefore = \"farm\"\n"},
         "fast=/f, farm=http://farm/c"},
        {"an order of a layer that is before already",
         {kFarm, "",
          "[[cache]]\nname = \"farm\"\nbefore = \"b\"\n[[cache]]\nname = \"a\"\nfolder = \"/a\"\n"
          "[[cache]]\nname = \"b\"\nfolder = \"/b\"\n"},
         "a=/a, farm=http://farm/c, b=/b"},
        {"a layer of another graph",
         {std::string(kFarm) + "graphs = [\"farm\"]\n"},
         "[farm=http://farm/c: not in the graph 'desk']"},
        {"the graph of the user",
         {std::string(kFarm) + "graphs = [\"farm\"]\n", "", "cache_graph = \"farm\"\n"},
         "farm=http://farm/c"},
        {"the graph of an option",
         {std::string(kFarm) + "graphs = [\"farm\"]\n", "cache_graph = \"farm\"\n", "", {}, {}, "desk"},
         "[farm=http://farm/c: not in the graph 'desk']"},
        {"an option switches a layer on in every graph",
         {std::string(kFarm) + "graphs = [\"farm\"]\n", "", "", {}, {{"farm", "on"}}},
         "farm=http://farm/c"},
        {"variables of a layer that is not used need not be set",
         {"", "[[cache]]\nname = \"farm\"\nfolder = \"${NONE}/c\"\ngraphs = [\"farm\"]\n"},
         "[farm=${NONE}/c: not in the graph 'desk']"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.what);
        CHECK(summary(row.said) == row.merged);
    }
}

TEST_CASE("merged caches: a name or a variable that nothing defines is an error with the nearest, or a note") {
    struct Row {
        Said said;
        std::string message;
    };
    const Row rows[] = {
        {{kFarm, "", "", {}, {{"fram", "off"}}}, "--cache: there is no layer 'fram' here; did you mean 'farm'?"},
        {{"", "", "", {}, {{"fram", "off"}}}, "--cache: there is no layer 'fram' here"},
        {{std::string(kFarm) + "graphs = [\"night\"]\n", "", "", {}, {}, "nigth"},
         "--cache-graph: there is no graph 'nigth' here; did you mean 'night'?"},
        {{std::string(kFarm) + "before = \"fast\"\n"}, "fardel.toml:3: 'before': there is no layer 'fast' here"},
        {{"", "\n[[cache]]\nname = \"a\"\nfolder = \"${NONE}/c\"\n"},
         "/etc/fardel/config.toml:2: 'folder': the variable NONE is not set; set it, or switch the layer off"},
        {{"", "", "[[cache]]\nname = \"a\"\nurl = \"http://a/\"\ntoken_file = \"${NONE}\"\n"},
         "/home/ann/.config/fardel/config.toml:1: 'token_file': the variable NONE is not set"},
    };
    for (const Row& row : rows) {
        const auto merged = merge(row.said);
        REQUIRE_FALSE(merged);
        CHECK(merged.error().code() == ErrorCode::missing);
        CAPTURE(merged.error().message());
        CHECK(merged.error().message().starts_with(row.message));
    }
    // A file or a variable may speak of the layers of another project.
    const auto merged = merge({kFarm, "cache_graph = \"dsk\"\n", "[[cache]]\nname = \"frm\"\noff = true\n"});
    REQUIRE(merged);
    REQUIRE(merged->notes.size() == 2);
    CHECK(merged->notes[0] ==
          "/home/ann/.config/fardel/config.toml:1: there is no layer 'frm' here; did you mean 'farm'?");
    CHECK(merged->notes[1] == "/etc/fardel/config.toml:1: there is no graph 'dsk' here; did you mean 'desk'?");
}

TEST_CASE("merged caches: each key of a layer has its origin") {
    const auto merged = merge({"\n\n[[cache]]\nname = \"farm\"\nfolder = \"f\"\nbytes_max = 5\nslow_ms = 10\n",
                               "",
                               "[[cache]]\nname = \"farm\"\nslow_ms = 30\n",
                               {},
                               {{"farm", "read-only"}}});
    REQUIRE(merged);
    std::string text;
    for (const CacheKeyOrigin& origin : merged->layers[0].origins)
        text += std::string(origin.key) + " " + origin.text + "\n";
    CHECK(text ==
          "folder fardel.toml:5\nbytes_max fardel.toml:5\n"
          "slow_ms /home/ann/.config/fardel/config.toml:1\nwrite --cache\nfill --cache\n");
    CHECK(merged->layers[0].setting.slow == std::chrono::milliseconds(30));
}

TEST_CASE("merged caches: a project weakens no layer of the machine or its user") {  // A158
    // Switched off, unsigned, slow, of no graph, with another server: nothing of it counts.
    const std::string hostile =
        "[[cache]]\nname = \"farm\"\nurl = \"http://evil/\"\noff = true\nread = false\nslow_ms = 1\n"
        "graphs = [\"none\"]\nsigned_by = [\"" +
        std::string(kKey) + "\"]\n";
    const auto merged = merge({hostile, "", kUserFarm});
    REQUIRE(merged);
    REQUIRE(merged->layers.size() == 1);
    const CacheSetting& farm = merged->layers[0].setting;
    CHECK(summary({hostile, "", kUserFarm}) ==
          "farm=https://mine/c read-only token /home/ann/.config/fardel/farm.token");
    CHECK_FALSE(farm.off.has_value());
    CHECK_FALSE(farm.read.has_value());
    CHECK_FALSE(farm.slow.has_value());
    CHECK(farm.graphs.empty());
    CHECK(farm.signed_by.empty());
    CHECK_FALSE(merged->layers[0].is_of_project());

    // A rule of the user for a name counts for a layer of the project, and so it counts as the user's only with keys.
    CHECK(summary({kFarm, "", "[[cache]]\nname = \"farm\"\noff = true\n"}) == "[farm=http://farm/c: off]");
    CHECK(merge({kFarm, "", "[[cache]]\nname = \"farm\"\nslow_ms = 5\n"})->layers[0].is_of_project());
    CHECK_FALSE(merge({kFarm, "", "[[cache]]\nname = \"farm\"\nsigned_by = [\"" + std::string(kKey) + "\"]\n"})
                    ->layers[0]
                    .is_of_project());
}

TEST_CASE("project: a cache of a project sends no variable and no file of the user's anywhere") {  // A158
    const auto refused = [](const std::string& table, std::string_view words) {
        check_mistake(std::string(kHead) + "[[cache]]\n" + table, "3:", words);
    };
    refused("url = \"http://evil/${SECRET}\"", "'url' has the variable 'SECRET', which a project may not read there");
    refused("url = \"http://evil/${HOME}\"", "name the layer in your own file, ~/.config/fardel/config.toml");
    refused("url = \"${FARM}\"", "'url' has the variable 'FARM'");
    refused("folder = \"//evil/share/${SECRET}\"", "'folder' has the variable 'SECRET'");
    refused("bundle = \"${SECRET}\"", "'bundle' has the variable 'SECRET'");
    refused("url = \"http://evil/\"\ntoken_file = \"~/.netrc\"", "'token_file' of a project is a file of its folder");
    refused("url = \"http://evil/\"\ntoken_file = \"${HOME}/t\"", "'token_file' has the variable 'HOME'");
}

TEST_CASE("project: mistakes in the names and variables of caches have their positions") {
    const std::string a = std::string(kHead) + "[[cache]]\nfolder = \"a\"\n";
    check_mistake(a + "name = \"Farm\"", "5:8", "a name has 1 to 32 lower-case letters, digits and '-'");
    check_mistake(a + "name = \"own\"", "5:8", "'own' has a meaning already");
    check_mistake(a + "name = \"x\"\n[[cache]]\nname = \"x\"\nfolder = \"b\"", "6:", "with the name 'x' already");
    check_mistake(a + "graphs = []", "5:10", "'graphs' is empty");
    check_mistake(a + "befor = \"x\"", "5:1", "did you mean 'before'?");
    check_mistake(std::string(kHead) + "[[cache]]\nfolder = \"${HOME\"", "4:10", "begins with no variable");
    check_mistake(std::string(kHead) + "[[cache]]\nname = \"x\"", "3:", "one of 'folder', 'url' and 'bundle'");

    const auto mistake = [](std::string_view text) {
        const auto settings = parse_cache_settings(text, "c.toml", user);
        REQUIRE_FALSE(settings);
        return settings.error().message();
    };
    CHECK(mistake("[[cache]]\nfolder = \"a\"").starts_with("c.toml:1:1: a [[cache]] of this file has a name; write"));
    CHECK(mistake("cache_grap = \"x\"").ends_with("did you mean 'cache_graph'?"));
    CHECK(mistake("[[cache]]\nname = \"a\"\ntoken_file = \"t\"").find("for the url beside it") != std::string::npos);

    const auto value = [](std::string_view name, std::string_view text) {
        const auto setting = parse_cache_setting(name, text, command_line, "--cache");
        return setting ? location_of(*setting) : setting.error().message();
    };
    CHECK(value("farm", "ftp://x/") == "--cache: 'ftp://x/' begins with neither http:// nor https://");
    CHECK(value("Farm", "/x").starts_with("--cache: 'Farm' is no name of a layer"));
    CHECK(value("graph", "/x").starts_with("--cache: 'graph' is no name of a layer"));
    CHECK(value("farm", "") == "--cache: there is no value; write a path, a URL, off, on or read-only");
    CHECK(value("farm", "./off") == "./off");
}

}  // namespace fardel::tests::merged_caches_test
