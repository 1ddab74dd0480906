// The page of `fardel report`, in a real browser.

#include "bundle_forge/bundle_forge.h"
#include "kit/browser.h"
#include "kit/openarena.h"
#include "sample.h"

#include <nlohmann/json.hpp>

namespace fardel::tests::report_test {

using nlohmann::json;

Outcome browse(const ScratchFolder& scratch, const std::string& page, const std::string& view,
               const Arguments& options) {
    std::string address = "file://";
    for (const char c : page)
        address += c == '<' ? "%3C" : c == '>' ? "%3E" : c == ' ' ? "%20" : std::string(1, c);
    return run_browser(scratch, address + view, options);
}

// The document after its scripts have run.
std::string dump(const ScratchFolder& scratch, const std::string& page, const std::string& view) {
    return browse(scratch, page, view, {"--dump-dom"}).out;
}

void check_selftest(const ScratchFolder& scratch, const std::string& page) {
    const std::string text = dump(scratch, page, "#selftest");
    const auto verdict = text.find("<pre id=\"selftest\">");
    REQUIRE(verdict != std::string::npos);
    const std::string verdict_text = text.substr(verdict, text.find("</pre>", verdict) - verdict);
    CAPTURE(verdict_text);
    CHECK(verdict_text.find("all good") != std::string::npos);
}

// The number of pixels with that colour.
std::uint64_t count_colour(const std::string& picture, const std::string& colour) {
    const Outcome outcome =
        run_program({"convert", picture, "-alpha", "off", "-fill", "black", "+opaque", colour, "-fill", "white",
                     "-opaque", colour, "-format", "%[fx:round(mean*w*h)]", "info:"});
    REQUIRE_MESSAGE(outcome.exit_code == 0, "setup/install-dependencies installs ImageMagick");
    return std::stoull(outcome.out);
}

std::string take_picture(const ScratchFolder& scratch, const std::string& page, const std::string& view,
                         const Arguments& options = {}) {
    const std::string picture = scratch.path("page.png");
    Arguments words{"--screenshot=" + picture};
    words.insert(words.end(), options.begin(), options.end());
    browse(scratch, page, view, words);
    REQUIRE(std::filesystem::exists(picture));
    return picture;
}

constexpr std::string_view kTag = "<img src=x onerror=hostile=1>";
constexpr std::string_view kEnd = "</script><script>hostile=1</script>";

// A bundle in which every text is as hostile as the format allows.
std::string hostile_bundle(const ScratchFolder& scratch, const std::string& file) {
    forge::Recipe recipe;
    const std::string tag(kTag), end(kEnd);
    recipe.assets = {
        {.bytes = forge::noise(9000, 1),
         .content_type = tag,
         .references = {{end, forge::Reference::Internal{1}}, {tag, forge::Reference::Dynamic{"no/such.name"}}},
         .metadata = {{"licence", end}}},
        {.bytes = forge::noise(5000, 2), .content_type = end},
        {.bytes = forge::noise(700, 3), .content_type = "__proto__/constructor"},
    };
    for (const char* name :
         {"&lt;img src=x onerror=hostile=1&gt;", "'a' & `b`.txt", "${hostile}", "100%25 of %2F.txt", "#selftest",
          "__proto__/toString", "constructor", "javascript;hostile=1", "@facts@", "(1 smaller name, x)",
          "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d.txt", "\xc4\xb0stanbul.png", "hasOwnProperty/a/b/c/d/e/f/g"})
        recipe.names.push_back({name, {{static_cast<std::uint32_t>(recipe.names.size() % 3), {}}}});
    recipe.names.push_back({"variants", {{0, {{"texture", tag}}}, {1, {{"lang", end}}}}});
    recipe.consumes = {{"wanted/**", true, false}};
    recipe.dependencies = {{BundleId{}, tag, end, true}};
    recipe.dependencies[0].bundle.bytes.fill(0x42);
    recipe.metadata = {{"name", "tests/hostile"}, {"build", end}, {tag, tag}};
    return scratch.write(file, forge::forge(recipe).bytes);
}

// A74
TEST_CASE("report: hostile texts of a bundle stay text in the page") {
    const ScratchFolder scratch;
    const std::string bundle = hostile_bundle(scratch, std::string(kTag) + ".fardel");
    scratch.write("mod/constructor", "mine\n");
    scratch.write("mod/big.bin", noise_text(40'000, 5));
    run_well({"pack", scratch.path("mod"), "-o", scratch.path("mod.fardel"), "--name", "mods/one"});
    const json audit{{"missing", {{{"from", kTag}, {"spelling", kEnd}, {"use", kTag}, {"line", 7}, {"tried", {kEnd}}}}},
                     {"unused", {{{"name", kTag}, {"bytes", 5}}}},
                     {"broken", {{{"name", kEnd}, {"reason", kTag}}}},
                     {"roots", {{{"root", kEnd}, {"names", 3}, {"bytes", 9}, {"missing", 1}}}}};
    const std::string audit_file = scratch.write("audit.json", audit.dump());
    const std::string page = scratch.path("report.html");
    CHECK(run_well({"report", bundle, scratch.path("mod.fardel"), "--audit", audit_file, "-o", page})
              .find("report.html: 2 bundles, ") != std::string::npos);

    const std::string text = read_file(page);
    CHECK(text.find("<img") == std::string::npos);
    CHECK(text.find("onerror=hostile=1>") == std::string::npos);
    const auto facts = text.find("application/json");
    CHECK(text.find('<', facts) ==
          text.find("</script>\n<script nonce=", facts));  // nothing in the facts ends the element
    CHECK(text.find("http") == text.find("http-equiv"));
    check_selftest(scratch, page);

    const std::string missing = dump(scratch, page, "#/missing");
    CHECK(missing.find("&lt;img src=x onerror=hostile=1&gt;") != std::string::npos);
    CHECK(missing.find("<img") == std::string::npos);
}

TEST_CASE("report: the page of a real game passes its own checks, and each view can be opened by its address") {
    const ScratchFolder scratch;
    const std::string base = scratch.path("base.fardel"), mod = scratch.path("mod.fardel"),
                      page = scratch.path("report.html");
    run_well({"pack", openarena_archive("pak5-TA.pk3"), openarena_archive("pak6-misc.pk3"), "-o", base, "--name",
              "openarena", "--level", "1"});
    const std::string name = json::parse(run_well({"ls", "--json", base}))["names"][5]["name"];
    scratch.write("mod/" + name, "another\n");
    run_well({"pack", scratch.path("mod"), "-o", mod, "--name", "mods/one"});
    run_well({"report", base, mod, "-o", page});
    const std::string first = read_file(page);
    run_well({"report", base, mod, "-o", page});
    CHECK(read_file(page) == first);  // the same bytes each time
    check_selftest(scratch, page);

    CHECK(dump(scratch, page, "#/conflicts").find(">" + name + "</a>") != std::string::npos);
    CHECK(
        dump(scratch, page, "#/treemap/openarena?by=folder&size=stored").find("aria-current=\"page\">openarena</a>") !=
        std::string::npos);
    CHECK(dump(scratch, page, "#/asset/" + name).find("<h1>" + name + "</h1>") != std::string::npos);
}

TEST_CASE("report: the treemap has the colours of its types, and the page is dark if the browser prefers that") {
    const ScratchFolder scratch;
    const std::string base = scratch.path("base.fardel"), page = scratch.path("report.html");
    run_well({"pack", openarena_archive("pak6-misc.pk3"), "-o", base, "--name", "openarena", "--level", "1"});
    run_well({"report", base, "-o", page});
    const std::string light = take_picture(scratch, page, "#/treemap");
    CHECK(count_colour(light, "#b3303b") > 20'000);  // levels
    CHECK(count_colour(light, "#f5f6f8") > 20'000);  // the background
    CHECK(count_colour(light, "#0f1318") == 0);
    const std::string dark = take_picture(scratch, page, "#/treemap", {"--blink-settings=preferredColorScheme=0"});
    CHECK(count_colour(dark, "#0f1318") > 20'000);
    CHECK(count_colour(dark, "#b3303b") > 20'000);
}

TEST_CASE("report: a hundred thousand assets make a page of bounded size that adds up") {
    const ScratchFolder scratch;
    const std::string page = scratch.path("report.html");
    const std::string bundle = scratch.write("wide.fardel", forge::forge(forge::wide_recipe(100'000)).bytes);
    const std::string printed = run_well({"report", bundle, "-o", page});
    CHECK(printed.find("80,000 smaller names are summed up by folder and type\n") != std::string::npos);
    CHECK(std::filesystem::file_size(page) < 8'000'000);
    check_selftest(scratch, page);
    check_has(dump(scratch, page, "#/treemap"), "The 80,000 smallest names are not listed one by one.");
}

TEST_CASE("report: a file that cannot be read is one clear line, and an existing page is unchanged") {
    const ScratchFolder scratch;
    const std::string page = scratch.write("report.html", "mine");
    CHECK(is_one_clear_line(run({"report", scratch.path("absent"), "-o", page}), "missing"));
    const std::string bundle = make_bundle(scratch);
    CHECK(
        is_one_clear_line(run({"report", bundle, "--audit", scratch.write("a.json", "[]"), "-o", page}), "malformed"));
    CHECK(is_one_clear_line(
        run({"report", bundle, "--trust",
             make_policy(scratch, "p.trust", {"--author", make_key(scratch, "author") + ".pub"}), "-o", page}),
        "untrusted"));
    CHECK(read_file(page) == "mine");
}

TEST_CASE("report: references lead to the assets that 'fardel which' names") {
    const ScratchFolder scratch;
    forge::Recipe base, mod;
    base.assets = {{.bytes = forge::noise(70, 1)}, {.bytes = forge::noise(71, 2)}, {.bytes = forge::noise(72, 3)}};
    for (const char* name : {"sky.png", "old.cfg", "own.png"})
        base.assets[0].references.push_back({name, forge::Reference::Dynamic{name}});
    base.names = {{"maps/one.bsp", {{0, {}}}}, {"sky.png", {{1, {}}}}, {"old.cfg", {{2, {}}}}, {"own.png", {{2, {}}}}};
    mod.assets = {{.bytes = forge::noise(73, 4)}};
    mod.names = {{"sky.png", {{0, {}}}}, {"old.cfg", {}}};
    const std::string first = scratch.write("base.fardel", forge::forge(base).bytes);
    const std::string second = scratch.write("mod.fardel", forge::forge(mod).bytes);
    const std::string page = scratch.path("report.html");
    run_well({"report", first, second, "-o", page});

    const std::string text = read_file(page);
    const auto start = text.find('{', text.find("application/json"));
    const json facts = json::parse(text.substr(start, text.find("</script>", start) - start));
    REQUIRE(facts["references"]["list"].size() == 3);
    for (const json& reference : facts["references"]["list"]) {
        const std::string name = reference[2];
        CAPTURE(name);
        const json which = json::parse(run({"which", "--mount", first, "--mount", second, name, "--json"}).out);
        CHECK(reference[1].is_null() == which["winner"].is_null());
        if (!reference[1].is_null() && !which["winner"].is_null())
            CHECK(facts["assets"][reference[1].get<std::size_t>()][4] ==
                  which["candidates"][which["winner"].get<std::size_t>()]["asset"]);
    }
}

TEST_CASE("report: what a project's sources have and no bundle can have is on the page, and so is a requirement") {
    const ScratchFolder scratch;
    scratch.write("mod/assets/a.cfg", "x\n");
    scratch.write("mod/assets/aux.cfg", "x\n");
    scratch.write("mod/assets/a.cfg~", "x\n");
    scratch.write("mod/fardel.toml", "name = \"mod\"\nsources = [\"assets\"]\nrequires = [\"studio/base >= 2.0\"]\n");
    run_well({"build", scratch.path("mod")});
    const std::string page = scratch.path("page.html");
    run_well({"report", scratch.path("mod"), "-o", page});
    const std::string left_out = dump(scratch, page, "#/left-out");
    check_has(left_out, "assets/aux.cfg");
    check_has(left_out, "not packed");
    check_has(left_out, "assets/a.cfg~");
    check_has(dump(scratch, page, "#/links"), "'studio/base &gt;= 2.0' is met by none of the bundles");
    check_has(dump(scratch, page, "#/"), "files of the sources are left out, and nobody meant that");
    check_selftest(scratch, page);
}

}  // namespace fardel::tests::report_test
