#include "sample.h"

#include <nlohmann/json.hpp>

namespace fardel::tests::conflicts_test {

using nlohmann::json;

TEST_CASE("conflicts: lists what a mod hides, counts equal content, and ends with 1 if different content is hidden") {
    const ScratchFolder scratch;
    const auto pack = [&](const std::string& name) {
        run_well({"pack", scratch.path(name), "-o", scratch.path(name + ".fardel")});
        return scratch.path(name + ".fardel");
    };
    scratch.write("base/a.cfg", "base\n");
    scratch.write("base/same.cfg", "same\n");
    scratch.write("base/only.cfg", "only\n");
    scratch.write("mod/a.cfg", "mod\n");
    scratch.write("mod/same.cfg", "same\n");
    const std::string base = pack("base");
    const std::string mod = pack("mod");

    const Outcome listed = run({"conflicts", base, mod});
    CHECK(listed.exit_code == 1);
    CHECK(listed.out.starts_with("/a.cfg\n  " + mod + ": wins, asset "));
    CHECK(listed.out.find(base + ": hidden, asset ") != std::string::npos);
    CHECK(listed.out.find("same.cfg") == std::string::npos);
    CHECK(listed.out.ends_with("1 name hides different content; 1 more hides the same content\n"));
    CHECK(run({"conflicts", base, mod, "--all"}).out.find("/same.cfg (same content)\n") != std::string::npos);
    CHECK(run({"conflicts", mod, base}).out.find(base + ": wins, asset ") != std::string::npos);
    CHECK(run({"conflicts", base}).exit_code == 0);

    const json report = json::parse(run({"conflicts", base, mod, "--json"}).out);
    REQUIRE(report["conflicts"].size() == 1);
    CHECK(report["conflicts"][0]["path"] == "/a.cfg");
    CHECK(report["conflicts"][0]["winner"]["file"] == mod);
    CHECK(report["conflicts"][0]["winner"]["asset"] == b3sum(scratch.path("mod/a.cfg")));
    CHECK(report["conflicts"][0]["hidden"][0]["asset"] == b3sum(scratch.path("base/a.cfg")));
    CHECK(report["harmful"] == 1);
    CHECK(report["harmless"] == 1);
    CHECK(is_one_clear_line(run({"conflicts", scratch.path("absent")}), "missing"));
}

}  // namespace fardel::tests::conflicts_test
