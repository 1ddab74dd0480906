// Folders of bundle files as libraries, for the verbs that name bundles by their ids.
#include "sample.h"

#include <nlohmann/json.hpp>

namespace fardel::tests::library_test {

using nlohmann::json;

std::string library_id(const std::string& bundle) { return json::parse(facts_of(bundle))["bundle"]; }

Surroundings with_cache(const ScratchFolder& scratch, const std::string& library = "") {
    Surroundings surroundings{.variables = {{"XDG_CACHE_HOME", scratch.path("cache")}}};
    if (!library.empty())
        surroundings.variables.emplace_back("FARDEL_LIBRARY", library);
    return surroundings;
}

TEST_CASE("library: which, links and conflicts find bundles by id in folders that --library or the variable names") {
    const ScratchFolder scratch;
    const Surroundings plain = with_cache(scratch);
    std::filesystem::create_directories(scratch.path("mods"));
    std::filesystem::create_directories(scratch.path("empty"));
    const std::string bundle = make_bundle(scratch);
    const std::string id = library_id(bundle);
    std::filesystem::rename(bundle, scratch.path("mods/game.fardel"));
    const std::string mods = scratch.path("mods");
    const std::string which = run_well(
        {"which", "--mount", id, "--library", scratch.path("empty"), "--library", mods, "/default.cfg"}, plain);
    CHECK(which.find(id.substr(0, 8)) != std::string::npos);
    check_has(run({"links", id.substr(0, 8), "--library", mods}, plain).out, "0 names missing, 0 bundles missing\n");
    CHECK(run({"conflicts", id.substr(0, 8), "--library", mods}, plain).exit_code == 0);
    CHECK(is_one_clear_line(run({"links", "00000000", "--library", mods}, plain), "missing"));
    CHECK(is_one_clear_line(run({"links", id, "--library", scratch.path("none")}, plain), "missing"));
    CHECK(is_one_clear_line(run({"links", id, "--library", scratch.path("mods/game.fardel")}, plain), "missing"));
    const Surroundings named = with_cache(scratch, scratch.path("empty") + ":" + mods);
    check_has(run({"links", id}, named).out, "0 names missing, 0 bundles missing\n");
    CHECK(run({"links", id}, plain).exit_code == 3);  // a file of that name
    // The option replaces the variable.
    CHECK(is_one_clear_line(run({"links", id, "--library", scratch.path("empty")}, named), "missing"));
    CHECK(list_folder(scratch.path("cache")).find(".index") != std::string::npos);
}

TEST_CASE("library: a bundle that is named by its file takes its static dependencies from a library") {
    const ScratchFolder scratch;
    const Surroundings plain = with_cache(scratch);
    const std::string base = make_bundle(scratch);
    scratch.write("mod/fardel.toml",
                  "name = \"mod\"\nversion = \"1\"\nsources = [\"src\"]\n[[dependency]]\nfile = \"" + base + "\"\n");
    scratch.write("mod/src/mod.cfg", "mod");
    const std::string mod = scratch.path("mod.fardel");
    run_well({"pack", scratch.path("mod/fardel.toml"), "-o", mod});
    std::filesystem::create_directories(scratch.path("mods"));
    std::filesystem::rename(base, scratch.path("mods/base.fardel"));
    CHECK(run({"which", "--mount", mod, "/default.cfg"}).exit_code == 1);
    CHECK(run({"which", "--mount", mod, "--library", scratch.path("mods"), "/default.cfg"}, plain).exit_code == 0);
    CHECK(run({"which", "--mount", mod, "--require-dependencies", "--library", scratch.path("mods"), "/mod.cfg"}, plain)
              .exit_code == 0);
}

}  // namespace fardel::tests::library_test
