#include "sample.h"

#include <fardel/format/bundle.h>
#include <fardel/format/bundle_writer.h>
#include <nlohmann/json.hpp>

namespace fardel::tests::links_test {

using nlohmann::json;

// A bundle that consumes names and depends on another one.
void write_mod(const std::string& path) {
    BundlePlan plan;
    plan.assets = {{.source = make_memory_blob({}), .key = "mod.cfg"}};
    plan.names = {{.name = AssetName::parse("mod.cfg").value(), .variants = {{.asset = 0}}}};
    plan.consumes = {
        {.text = "default.cfg"}, {.text = "sounds/*.ogg", .pattern = true}, {.text = "extra", .optional = true}};
    plan.dependencies = {{.bundle = BundleId{{1, 2, 3}}, .name = "base", .version = "1.2"}};
    auto staged = write_bundle(plan, path, {}).value();
    REQUIRE(staged.commit());
}

TEST_CASE("links: lists what is missing, and ends with 1 only if something required is missing") {
    const ScratchFolder scratch;
    const std::string mod = scratch.path("mod.fardel");
    write_mod(mod);
    scratch.write("base/default.cfg", "x\n");
    run_well({"pack", scratch.path("base"), "-o", scratch.path("base.fardel")});

    const fardel::tests::Outcome outcome = run({"links", scratch.path("base.fardel"), mod});
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.out == mod + ": static dependency bundle 010203" + std::string(58, '0') +
                             " (base 1.2) is not mounted\n" + mod + ": no bundle publishes extra (optional)\n" + mod +
                             ": no published name matches sounds/*.ogg\n2 names missing, 1 bundle missing\n");
    CHECK(run({"links", scratch.path("base.fardel")}).exit_code == 0);
    CHECK(run({"links", scratch.path("base")}).out == "0 names missing, 0 bundles missing\n");

    const json report = json::parse(run({"links", mod, "--json"}).out);
    CHECK(report["complete"] == false);
    CHECK(report["missing_names"].size() == 3);
    CHECK(report["missing_bundles"][0]["version"] == "1.2");
    CHECK(is_one_clear_line(run({"links", scratch.path("absent")}), "missing"));
}

TEST_CASE("links, which, conflicts, report: a missing static dependency is said once, and refused on request") {
    const ScratchFolder scratch;
    const std::string mod = scratch.path("mod.fardel");
    write_mod(mod);
    const std::string id = "010203" + std::string(58, '0');
    const std::string page = scratch.path("page.html");
    for (const Arguments& verb : {Arguments{"which", "--mount", mod, "mod.cfg"}, Arguments{"conflicts", mod},
                                  Arguments{"report", mod, "-o", page}}) {
        CAPTURE(verb.front());
        const fardel::tests::Outcome said = run(verb);
        CHECK(said.exit_code == 0);
        CHECK(said.err == "fardel: " + mod +
                              ": dependencies are not mounted, and references into them lead "
                              "nowhere: " +
                              id + "; 'fardel links' lists what is missing\n");
        Arguments strict = verb;
        strict.push_back("--require-dependencies");
        const fardel::tests::Outcome refused = run(strict);
        CHECK(refused.exit_code == 1);
        CHECK(is_one_clear_line(refused, "unresolved"));
        CHECK(refused.err.find(id) != std::string::npos);
    }
    CHECK(run({"links", mod}).err == "");  // its output has the list
    CHECK(is_one_clear_line(run({"links", mod, "--require-dependencies"}), "unresolved"));
    CHECK(is_one_clear_line(run({"mount", mod, scratch.path("mnt"), "--require-dependencies"}), "unresolved"));
    scratch.write("base/default.cfg", "x\n");
    run_well({"pack", scratch.path("base"), "-o", scratch.path("base.fardel")});
    const fardel::tests::Outcome together = run({"verify", mod, scratch.path("base.fardel")});
    CHECK(together.exit_code == 1);
    CHECK(together.out.find("[dependency-missing]") != std::string::npos);
}

TEST_CASE("links, mount, which: a requirement by name that nothing mounted meets is missing") {
    const ScratchFolder scratch;
    scratch.write("mod/mod.cfg", "x\n");
    scratch.write("base/base.cfg", "x\n");
    const std::string mod = scratch.path("mod.fardel");
    const auto pack_base = [&](const std::string& version) {
        const std::string file = scratch.path("base-" + version + ".fardel");
        run_well({"pack", scratch.path("base"), "-o", file, "--name", "studio/base", "--version", version});
        return file;
    };
    run_well({"pack", scratch.path("mod"), "-o", mod, "--require", "studio/base >= 2.0"});
    const fardel::tests::Outcome alone = run({"links", mod});
    CHECK(alone.exit_code == 1);
    CHECK(alone.out == mod +
                           ": requirement 'studio/base >= 2.0' is met by none of the bundles\n"
                           "0 names missing, 1 bundle missing\n");
    const std::string old = pack_base("1.0");
    const json report = json::parse(run({"links", mod, old, "--json"}).out);
    CHECK(report["complete"] == false);
    CHECK(report["unmet_requirements"][0]["requirement"] == "studio/base >= 2.0");
    CHECK(report["unmet_requirements"][0]["reason"].get<std::string>().find("1.0") != std::string::npos);
    CHECK(run({"which", "--mount", mod, "mod.cfg"}).err ==
          "fardel: " + mod +
              ": dependencies are not mounted, and references into them lead nowhere: studio/base >= 2.0; 'fardel "
              "links' lists what is missing\n");
    CHECK(is_one_clear_line(run({"mount", mod, old, scratch.path("mnt"), "--require-dependencies"}), "unresolved"));
    run_well({"links", mod, pack_base("2.0"), "--require-dependencies"});
}

TEST_CASE("links, report: of a bundle that was packed without [link], nothing is known, and that is said") {
    const ScratchFolder scratch;
    scratch.write("game/m.gltf", R"({"asset": {"version": "2.0"}, "images": [{"uri": "wall.png"}]})");
    scratch.write("game/wall.png", "png");
    const std::string plain = scratch.path("plain.fardel");
    run_well({"pack", scratch.path("game"), "-o", plain});
    const std::string text =
        plain + ": the references of 1 file, such as m.gltf, are not known: it was packed without [link]\n";
    const fardel::tests::Outcome outcome = run({"links", plain});
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.out == text + "0 names missing, 0 bundles missing\n");
    const json report = json::parse(run({"links", plain, "--json"}).out);
    CHECK(report["complete"] == false);
    CHECK(report["unlinked"] == json{{{"file", plain}, {"files", 1}, {"first", "m.gltf"}}});
    const std::string page = scratch.path("page.html");
    run_well({"report", plain, "-o", page});
    check_has(read_file(page), "are not known: it was packed without [link]");

    scratch.write("fardel.toml", "name = \"linked\"\nsources = [\"game\"]\n[link]\nprofile = \"gltf\"\n");
    run_well({"build", scratch.path("")});
    const json linked = json::parse(run_well({"links", scratch.path("linked.fardel"), "--json"}));
    CHECK(linked["complete"] == true);
    CHECK(linked["unlinked"].empty());
}

}  // namespace fardel::tests::links_test
