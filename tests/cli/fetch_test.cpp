// The program fetches bundles and mends what is damaged, through nginx.
#include "sample.h"

#include "kit/nginx.h"

#include <nlohmann/json.hpp>

#include <filesystem>

using namespace fardel::tests;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

void change_stored_byte(const std::string& path) {
    fs::permissions(path, fs::perms::owner_write, fs::perm_options::add);
    std::string content = read_file(path);
    REQUIRE(content.size() > 20'000);
    content[10'000] = static_cast<char>(content[10'000] ^ 1);
    write_file(path, content);
}

}  // namespace

TEST_CASE("fetch: --repair mends the store, --repair-file a file, and what is right is not fetched") {
    const ScratchFolder scratch;
    const std::string bundle = make_bundle(scratch);
    const std::string id = run_well({"id", bundle}).substr(0, 64);
    const std::string published = read_file(bundle);
    const Nginx nginx(scratch, "nginx", "delivery.md", "/srv/www/mygame");
    run_well({"publish", bundle, nginx.tree()});
    const std::string store = scratch.path("store");
    const auto fetch = [&](std::vector<std::string> more) {
        std::vector<std::string> words{"fetch", nginx.url(), id, "--store", store, "--json"};
        words.insert(words.end(), more.begin(), more.end());
        return json::parse(run_well(words));
    };
    const auto exported = [&] {
        fs::remove(scratch.path("exported.fardel"));
        run_well({"store", "export", id, "-o", scratch.path("exported.fardel"), "--store", store});
        return read_file(scratch.path("exported.fardel"));
    };
    CHECK(fetch({})["received_bytes"] > 0);
    CHECK(exported() == published);
    CHECK(fetch({"--repair"})["plan"]["bundles"].empty());

    for (const auto& pack : fs::directory_iterator(store + "/packs"))
        change_stored_byte(pack.path());
    const json planned = fetch({"--repair", "--plan"});
    CHECK(planned["plan"]["fetch_bytes"] > 0);
    CHECK(planned["plan"]["fetch_bytes"] < published.size() / 2);
    fetch({"--repair"});
    CHECK(exported() == published);

    change_stored_byte(bundle);
    fs::remove_all(store);
    const json mended = fetch({"--repair-file", bundle});
    CHECK(mended["received_bytes"] < published.size() / 2);
    CHECK(read_file(bundle) == published);
    CHECK(exported() == published);

    const auto refused = run({"fetch", nginx.url(), id, id, "--store", store, "--repair-file", bundle});
    CHECK(refused.exit_code != 0);
    CHECK(refused.err.find("one bundle") != std::string::npos);
}

TEST_CASE("fetch: it shows the plan, and at a terminal how much came, how fast, and how long it will take") {
    const ScratchFolder scratch;
    scratch.write("game/sound.ogg", noise_text(600'000, 1));
    const std::string bundle = scratch.path("game.fardel");
    run_well({"pack", scratch.path("game"), "-o", bundle, "--name", "game"});
    const std::string id = run_well({"id", bundle}).substr(0, 64);
    const Nginx nginx(scratch, "nginx", "delivery.md", "/srv/www/mygame");
    run_well({"publish", bundle, nginx.tree()});
    const auto words = [&](const std::string& store) {
        return Arguments{"fetch", nginx.url(), id, "--store", scratch.path(store), "--rate", "200000"};
    };
    const Outcome watched = run_at_terminal(words("watched"));
    CHECK(watched.exit_code == 0);
    CHECK(watched.out.find("fetching [") != std::string::npos);
    CHECK(watched.out.find("/s, ") != std::string::npos);
    CHECK(watched.out.find(" s left") != std::string::npos);
    CHECK(watched.out.find("to fetch: ") < watched.out.find("fetching ["));  // the plan comes before any content
    CHECK(watched.out.find("fetched ") > watched.out.rfind("fetching ["));
    CHECK(run(words("unwatched")).err == "");
}
