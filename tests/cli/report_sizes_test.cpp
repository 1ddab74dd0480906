// `fardel report --json` and --since: sizes, how they changed, and what several bundles store.

#include "kit/browser.h"
#include "kit/openarena.h"
#include "sample.h"

#include <nlohmann/json.hpp>

#include <array>
#include <functional>

namespace fardel::tests::report_sizes_test {

using nlohmann::json;

constexpr std::array<std::string_view, 2> kBytes{"raw_bytes", "stored_bytes"};

std::int64_t sum_of(const json& list, std::string_view key) {
    std::int64_t sum = 0;
    for (const json& entry : list)
        sum += entry.at(key).get<std::int64_t>();
    return sum;
}

std::int64_t change_of(const json& entry, std::string_view key) {
    const auto side = [&](const char* when) {
        return entry.at(when).is_null() ? 0 : entry.at(when).at(key).get<std::int64_t>();
    };
    return side("after") - side("before");
}

// All lists of --since changed by what the totals changed by.
void check_changes(const json& since) {
    for (const char* list : {"folders", "types", "owners", "assets"}) {
        CAPTURE(list);
        REQUIRE(since[list]["total"] == since[list]["list"].size());
        for (const std::string_view key : kBytes) {
            std::int64_t changed = 0;
            for (const json& entry : since[list]["list"])
                changed += change_of(entry, key);
            CHECK(changed == change_of(since, key));
        }
    }
}

json report_of(Arguments words) {
    words.insert(words.begin(), "report");
    words.push_back("--json");
    return json::parse(run_well(words));
}

// The assets of --since, "<change> <name>", largest change first.
std::vector<std::string> changes_in(const json& report) {
    std::vector<std::string> changes;
    for (const json& entry : report["since"]["assets"]["list"]) {
        const json& asset = entry["after"].is_null() ? entry["before"] : entry["after"];
        changes.push_back(entry["change"].get<std::string>() + " " + asset["name"].get<std::string>());
    }
    return changes;
}

void check_page(const ScratchFolder& scratch, const std::string& page) {
    const std::string text = browse(scratch, "file://" + page + "#selftest");
    const auto verdict = text.find("<pre id=\"selftest\">");
    REQUIRE(verdict != std::string::npos);
    CHECK_MESSAGE(text.find("all good", verdict) != std::string::npos, text.substr(verdict, 3000));
}

TEST_CASE("report --json: sums of a real game by folder, type and owner are the totals, and changes add up") {
    const ScratchFolder scratch;
    const std::string before = scratch.path("before.fardel"), after = scratch.path("after.fardel");
    run_well({"pack", openarena_archive("pak6-misc.pk3"), "-o", before, "--name", "openarena", "--level", "1"});
    const std::string name = json::parse(run_well({"ls", "--json", before}))["names"][5]["name"];
    scratch.write("mod/" + name, noise_text(70'000, 3));
    run_well({"pack", openarena_archive("pak6-misc.pk3"), openarena_archive("pak5-TA.pk3"), scratch.path("mod"), "-o",
              after, "--name", "openarena", "--level", "1"});
    run_well({"report", before, "--json", "-o", scratch.path("before.json")});
    CHECK(read_file(scratch.path("before.json")) == run_well({"report", before, "--json"}));

    const json report = report_of({after, "--since", scratch.path("before.json")});
    for (const char* list : {"folders", "types", "owners", "bundles", "assets"})
        for (const std::string_view key : kBytes) {
            CAPTURE(list);
            CHECK(sum_of(report[list], key) == report["totals"][std::string(key)]);
        }
    check_changes(report["since"]);
    CHECK(report["since"]["after"] == report["totals"]);
    CHECK(report["since"]["before"] == json::parse(read_file(scratch.path("before.json")))["totals"]);
    const std::vector<std::string> changes = changes_in(report);
    CHECK(std::ranges::count(changes, "changed " + name) == 1);
    CHECK(report["since"]["changed"] == 1);
    CHECK(report["since"]["added"].get<int>() > 10);

    // An older bundle says the same as its report.
    json by_bundle = report_of({after, "--since", before});
    by_bundle["since"]["files"] = report["since"]["files"];
    CHECK(by_bundle == report);

    const std::string page = scratch.path("page.html");
    const std::string printed = run_well({"report", after, "--since", before, "-o", page});
    check_has(printed, "since then: stored ");
    check_has(printed, "1 changed");
    check_page(scratch, page);
    const std::string shown = browse(scratch, "file://" + page + "#/since");
    check_has(shown, "<svg class=\"plot\"");
    check_has(shown, ">" + name + "</a>");
}

TEST_CASE("report --since: assets that were added, removed, renamed and changed are told apart") {
    const ScratchFolder scratch;
    const auto pack = [&](const std::string& folder) {
        run_well({"pack", scratch.path(folder), "-o", scratch.path(folder + ".fardel"), "--name", "game"});
        return scratch.path(folder + ".fardel");
    };
    for (const char* folder : {"old", "new"})
        scratch.write(folder + std::string("/same.bin"), noise_text(3'000, 1));
    scratch.write("old/gone.bin", noise_text(50'000, 2));
    scratch.write("old/a.bin", noise_text(4'000, 3));
    scratch.write("old/b.bin", noise_text(9'000, 4));
    scratch.write("new/came.bin", noise_text(20'000, 5));
    scratch.write("new/folder/a.bin", noise_text(4'000, 3));
    scratch.write("new/b.bin", noise_text(5'000, 6));
    const json report = report_of({pack("new"), "--since", pack("old")});
    const std::vector<std::string> changes = changes_in(report);
    REQUIRE(changes.size() >= 4);
    CHECK(changes[0] == "removed gone.bin");
    CHECK(changes[1] == "added came.bin");
    CHECK(changes[2] == "changed b.bin");
    CHECK(std::ranges::count(changes, "renamed folder/a.bin") == 1);
    check_changes(report["since"]);
    const json same = report_of({scratch.path("new.fardel"), "--since", scratch.path("new.fardel")});
    CHECK(same["since"]["assets"]["total"] == 0);
    CHECK(same["since"]["folders"]["total"] == 0);
}

TEST_CASE("report --json: the owner is what metadata says, or else the bundle") {
    const ScratchFolder scratch;
    scratch.write("game/assets/a.txt", "one\n");
    scratch.write("game/assets/art/b.txt", "three\n");
    scratch.write("game/fardel.toml",
                  "name = \"studio/game\"\nsources = [\"assets\"]\n\n[[rule]]\nmatch = \"art/**\"\n"
                  "metadata = { owner = \"art\" }\n");
    run_well({"build", scratch.path("game")});
    const json owners = report_of({scratch.path("game")})["owners"];
    REQUIRE(owners.size() == 2);
    CHECK(owners[0]["owner"] == "art");
    CHECK(owners[0]["raw_bytes"] == 6);
    CHECK(owners[1]["owner"] == "studio/game");
    CHECK(owners[1]["raw_bytes"] == 4);
}

// Two projects with the same sky and step; the mod also has a wall of its own and another config.
struct TwoProjects {
    const ScratchFolder scratch;
    const std::string base = scratch.path("base.fardel");
    const std::string mod = scratch.path("mod.fardel");

    TwoProjects() {
        for (const char* folder : {"base", "mod"}) {
            scratch.write(folder + std::string("/assets/sky.bin"), noise_text(30'000, 1));
            scratch.write(folder + std::string("/assets/sound/step.bin"), noise_text(20'000, 2));
            scratch.write(folder + std::string("/assets/game.cfg"), folder);
        }
        scratch.write("base/assets/first.bin", noise_text(7'000, 4));
        scratch.write("mod/assets/second.bin", noise_text(7'000, 4));
        scratch.write("mod/assets/wall.bin", noise_text(10'000, 3));
        build("base", "");
        build("mod", "");
    }

    void build(const std::string& folder, const std::string& more) const {
        scratch.write(
            folder + "/fardel.toml",
            "name = \"tests/" + folder + "\"\nsources = [\"assets\"]\noutput = \"../" + folder + ".fardel\"\n" + more);
        run_well({"build", scratch.path(folder)});
    }
};

TEST_CASE_FIXTURE(TwoProjects,
                  "report --json: a project that says what the fix says stores nothing twice, and the "
                  "game finds the same") {
    const json report = report_of({base, mod});
    const json& duplicates = report["duplicates"];
    REQUIRE(duplicates["assets"].size() == 3);
    CHECK(duplicates["extra_raw_bytes"] == 57'000);
    CHECK(duplicates["extra_stored_bytes"] == sum_of(duplicates["assets"], "extra_stored_bytes"));
    for (const json& asset : duplicates["assets"]) {
        REQUIRE(asset["copies"].size() == 2);
        CHECK(asset["copies"][0]["keeps"] == true);
        if (asset["raw_bytes"] == 7'000)
            CHECK(asset["copies"][1]["obstacle"] == "the other bundle has no 'second.bin'");
        else
            CHECK(asset["copies"][1]["obstacle"].is_null());
    }
    REQUIRE(duplicates["fixes"].size() == 1);
    const json& fix = duplicates["fixes"][0];
    CHECK(fix["bundle"] == 1);
    CHECK(fix["keeps"] == 0);
    CHECK(fix["raw_bytes"] == 50'000);
    CHECK(fix["exclude"] == json({"sky.bin", "sound/step.bin"}));

    const auto found = [&](const char* name) {
        const json which = json::parse(run_well({"which", "--mount", base, "--mount", mod, name, "--json"}));
        return which["candidates"][which["winner"].get<std::size_t>()]["asset"];
    };
    const json sky = found("sky.bin"), config = found("game.cfg");
    std::string lines = fix["project"];
    const auto file = lines.find("file = \"base.fardel\"");
    REQUIRE(file != std::string::npos);
    lines.replace(file, std::string_view("file = \"base.fardel\"").size(), "file = \"../base.fardel\"");
    const auto old_bytes = std::filesystem::file_size(mod);
    build("mod", lines);
    CHECK(std::filesystem::file_size(mod) + 50'000 * 3 / 5 < old_bytes);
    CHECK(found("sky.bin") == sky);
    CHECK(found("game.cfg") == config);
    const json after = report_of({base, mod});
    CHECK(after["duplicates"]["assets"].size() == 1);
    CHECK(after["duplicates"]["fixes"].empty());

    // A bundle that depends on the other is the one that leaves out, whichever is mounted first.
    const json swapped = report_of({mod, base});
    REQUIRE(swapped["duplicates"]["assets"].size() == 1);
    CHECK(swapped["duplicates"]["assets"][0]["copies"][1]["keeps"] == true);
}

TEST_CASE("report --json: a reference to what a project leaves out leads into the bundle that keeps it") {
    const ScratchFolder scratch;
    const auto build = [&](const std::string& folder, const std::string& more) {
        scratch.write(folder + "/assets/models/shared.mtl", "newmtl a\n" + prose(20'000, 3));
        const std::string output = "output = \"../" + folder + ".fardel\"\n";
        scratch.write(folder + "/fardel.toml",
                      "name = \"tests/" + folder + "\"\nsources = [\"assets\"]\n" + output + more + "\n[link]\n");
        run_well({"build", scratch.path(folder)});
        return scratch.path(folder + ".fardel");
    };
    scratch.write("mod/assets/models/own.obj", "mtllib shared.mtl\nv 0 0 0\n");
    const std::string base = build("base", "");
    std::string mod = build("mod", "");
    std::string lines = report_of({base, mod})["duplicates"]["fixes"][0]["project"];
    const std::string_view file = "file = \"";
    lines.insert(lines.find(file) + file.size(), "../");
    mod = build("mod", lines);
    const json report = report_of({base, mod});
    CHECK(report["duplicates"]["assets"].empty());
    for (const char* list : {"names", "bundles", "references"})
        CHECK(report["missing"][list].empty());
    const json which = json::parse(
        run_well({"which", "--mount", base, "--mount", mod, "shared.mtl", "--from", "models/own.obj", "--json"}));
    CHECK(which["reference"] == "static");
    CHECK(which["candidates"][0]["bundle"] == report["bundles"][0]["bundle"]);
    // Alone, the mod lacks the bundle.
    CHECK(report_of({mod})["missing"]["bundles"].size() == 1);
}

TEST_CASE_FIXTURE(TwoProjects, "report: the page shows what bundles store twice and the lines that change it") {
    const std::string page = scratch.path("page.html");
    check_has(run_well({"report", base, mod, "-o", page}), "3 assets are stored by several of the bundles: ");
    const std::string shown = browse(scratch, "file://" + page + "#/duplicates");
    check_has(shown, "The project of tests/mod leaves out what tests/base has");
    check_has(shown, "    \"sound/step.bin\",\n");
    check_has(shown, "cannot be left out: the other bundle has no 'second.bin'");
    check_page(scratch, page);
}

TEST_CASE_FIXTURE(PackedGame, "report --since: a file that is no report, or a wrong one, is one clear line") {
    const std::string page = scratch.write("report.html", "mine");
    const json good = report_of({bundle});
    const auto refused = [&](const std::string& text, std::string_view code, std::string_view says) {
        const std::string file = scratch.write("since.json", text);
        const Outcome outcome = run({"report", bundle, "--since", file, "-o", page});
        CAPTURE(text.substr(0, 200));
        CHECK(is_one_clear_line(outcome, code));
        check_has(outcome.err, says);
    };
    const auto changed = [&](const std::function<void(json&)>& change) {
        json copy = good;
        change(copy);
        return copy.dump();
    };
    refused("{", "malformed", "neither a bundle nor the output of 'fardel report --json'");
    refused("{}", "malformed", "neither a bundle nor");
    refused(changed([](json& report) { report["version"] = 2; }), "unsupported", "another version");
    refused(changed([](json& report) { report["assets"][1].erase("owner"); }), "malformed", "assets[1]: \"owner\"");
    refused(changed([](json& report) { report["assets"][0]["name"] = 7; }), "malformed", "assets[0]: \"name\"");
    for (const json& bytes : {json(-1), json(1.5), json("1"), json(1ull << 60), json(~0ull)})
        refused(changed([&](json& report) { report["assets"][0]["raw_bytes"] = bytes; }), "malformed",
                "assets[0]: \"raw_bytes\" is not a number of bytes");
    refused(changed([](json& report) {
                for (json& asset : report["assets"])
                    asset["stored_bytes"] = 1ull << 53;
            }),
            "limit", "more than 8 PiB");
    refused(std::string(100'000, '[').insert(0, "{\"a\":"), "malformed", "neither a bundle nor");
    refused("FARDEL", "malformed", "--since takes a bundle or the output of 'fardel report --json'");
    CHECK(is_one_clear_line(run({"report", bundle, "--since", scratch.path("absent"), "-o", page}), "missing"));
    CHECK(read_file(page) == "mine");
}

// A74
TEST_CASE_FIXTURE(PackedGame, "report --since: hostile texts of a report stay text in the page and on the console") {
    json hostile = report_of({bundle});
    const std::string tag = "</script><img src=x onerror=hostile=1>\x1b[31m";
    json asset = hostile["assets"][0];
    for (const char* key : {"name", "tags", "bundle", "owner", "type", "asset"})
        asset[key] = tag;
    hostile["assets"].push_back(asset);
    const std::string page = scratch.path("page.html");
    const std::string printed =
        run_well({"report", bundle, "--since", scratch.write("since.json", hostile.dump()), "-o", page});
    CHECK(printed.find('\x1b') == std::string::npos);
    CHECK(read_file(page).find("<img") == std::string::npos);
    check_page(scratch, page);
    check_has(browse(scratch, "file://" + page + "#/since"), "&lt;/script&gt;&lt;img src=x");
}

}  // namespace fardel::tests::report_sizes_test
