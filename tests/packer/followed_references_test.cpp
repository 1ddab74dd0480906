// Builds with processors that follow references, with the program and real converters. The sandbox denies what no
// reference names, so a converter that succeeds was given its inputs.
#include "built_game.h"

#include <algorithm>
#include <string>
#include <vector>

namespace fardel::tests::followed_references_test {

using nlohmann::json;

// A converter of models joins all files that it is given.
constexpr std::string_view kModels = R"(name = "game"
version = "1"
sources = ["assets"]

[processor.mesh]
command = ["sh", "-c", "find in -type f | sort | xargs cat > $0", "${out}"]
outputs = ["{folder}{stem}.mesh"]
follow_references = true

[[rule]]
match = "**/*.obj"
process = "mesh"
)";

class Models : public BuiltGame {
public:
    Models() : BuiltGame(kModels) {
        write("assets/models/house.obj", "mtllib house.mtl\n");
        write("assets/models/house.mtl", "newmtl wall\nmap_Kd wall.png\n");
        write("assets/models/wall.png", "bricks\n");
        write("assets/models/other.png", "nobody names it\n");
        write("assets/models/tree.obj", "o tree\n");
    }

    // The names of the other inputs of the job that makes models/house.mesh.
    std::vector<std::string> others_of_house() const {
        const json jobs = json::parse(run_well({"graph", path(), "--of", "models/house.mesh", "--json"}))["jobs"];
        REQUIRE(jobs.size() == 1);
        return jobs[0]["others"];
    }
};

using Names = std::vector<std::string>;

TEST_CASE("followed references: a job is given what its source names, and runs again when that changes") {
    const Models game;
    CHECK(game.build()["jobs_run"] == 2);
    CHECK(game.cat("models/house.mesh") == "newmtl wall\nmap_Kd wall.png\nmtllib house.mtl\nbricks\n");
    CHECK(game.cat("models/tree.mesh") == "o tree\n");
    CHECK(game.others_of_house() == Names{"models/house.mtl", "models/wall.png"});
    CHECK(run_well({"graph", game.path()}).find("    may read models/house.mtl, models/wall.png\n") !=
          std::string::npos);

    game.write("assets/models/wall.png", "stones\n");
    CHECK(game.build()["jobs_run"] == 1);
    CHECK(game.cat("models/house.mesh") == "newmtl wall\nmap_Kd wall.png\nmtllib house.mtl\nstones\n");
    game.write("assets/models/other.png", "and nobody cares\n");
    CHECK(game.build()["jobs_run"] == 0);
    // The material names another picture.
    game.write("assets/models/house.mtl", "newmtl wall\nmap_Kd other.png\n");
    CHECK(game.build()["jobs_run"] == 1);
    CHECK(game.others_of_house() == Names{"models/house.mtl", "models/other.png"});
    CHECK(game.bundle() == game.clean_bundle());
}

TEST_CASE("followed references: a missing file is no error, and the job runs again when it appears") {
    const Models game;
    game.write("assets/models/house.mtl", "newmtl wall\nmap_Kd late.png\n");
    CHECK(game.build()["jobs_run"] == 2);
    CHECK(game.others_of_house() == Names{"models/house.mtl"});
    game.write("assets/models/late.png", "late\n");
    CHECK(game.build()["jobs_run"] == 1);
    CHECK(game.cat("models/house.mesh").ends_with("late\n"));
    fs::remove(game.path("assets/models/late.png"));
    game.build();
    CHECK(game.others_of_house() == Names{"models/house.mtl"});
    CHECK(game.bundle() == game.clean_bundle());
}

TEST_CASE("followed references: each file is scanned once, and remembered") {
    const Models game;
    CHECK(game.build()["assets_scanned"] == 3);
    game.write("assets/models/tree.obj", "o oak\n");
    const json changed = game.build();
    CHECK(changed["assets_scanned"] == 1);
    CHECK(changed["assets_with_scanner"] == 3);
    // [link] scans what goes into the bundle, which is known already.
    game.write("fardel.toml", std::string(kModels) + "[link]\n");
    CHECK(game.build()["assets_scanned"] == 0);
}

TEST_CASE("followed references: files that name each other, a file that names itself, and a broken one") {
    const Models game;
    game.replace("fardel.toml", "[[rule]]",
                 "[[scanner]]\nmatch = \"**/*.obj\"\npattern = \"# see {reference}\"\n[link]\n[[rule]]");
    game.write("assets/models/house.obj", "# see models/tree.obj\n");
    game.write("assets/models/tree.obj", "# see models/house.obj\n# see models/tree.obj\nmtllib bad.mtl\n");
    game.write("assets/models/bad.mtl", std::string("map_Kd wall.png\0\n", 17));
    CHECK(game.build()["jobs_run"] == 2);
    CHECK(game.others_of_house() == Names{"models/bad.mtl", "models/tree.obj"});
    CHECK(game.bundle() == game.clean_bundle());
}

TEST_CASE("followed references: extensions are those of the profile") {
    const Models game;
    game.write("profile.toml", "[extensions]\ntexture = [\"webp\"]\n");
    game.write("fardel.toml", std::string(kModels) +
                                  "[[scanner]]\nmatch = \"**/*.obj\"\npattern = \"# see "
                                  "{reference}\"\nuse = \"texture\"\n[link]\nprofile = "
                                  "\"profile.toml\"\n");
    game.write("assets/models/house.obj", "# see models/roof\n");
    game.write("assets/models/roof.webp", "tiles\n");
    game.build();
    CHECK(game.others_of_house() == Names{"models/roof.webp"});
}

TEST_CASE("followed references: a [[job]] is given what all of its sources name; outputs of jobs are not followed") {
    const Models game;
    game.write("fardel.toml", std::string(kModels) + R"(
[processor.copy]
builtin = "copy"
outputs = ["{folder}{stem}.obj"]
[[rule]]
match = "**/*.model"
process = "copy"
[[job]]
sources = ["models/*.obj"]
process = "mesh"
outputs = ["all.mesh"]
)");
    game.write("assets/models/made.model", "mtllib made.mtl\n");
    game.write("assets/models/made.mtl", "newmtl made\n");
    game.build();
    const json jobs = json::parse(run_well({"graph", game.path(), "--json"}))["jobs"];
    for (const json& job : jobs) {
        CAPTURE(job.dump());
        if (job["outputs"] == json{"all.mesh"} || job["outputs"] == json{"models/house.mesh"})
            CHECK(job["others"] == json{"models/house.mtl", "models/wall.png"});
        else
            CHECK(job["others"].empty());
    }
    CHECK(game.cat("models/made.mesh") == "mtllib made.mtl\n");
}

}  // namespace fardel::tests::followed_references_test
