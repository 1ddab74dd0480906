#include "sample.h"

#include "kit/blobs.h"
#include "kit/ids.h"

#include <fardel/cache/cache_layers.h>
#include <fardel/cache/cache_record.h>
#include <fardel/format/hash.h>

#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <sys/stat.h>

namespace fardel::tests::cache_test {

using nlohmann::json;

// Three records with one object each.
std::string make_cache(const ScratchFolder& scratch) {
    const std::string folder = scratch.path("cache");
    const auto layer = open_folder_layer(folder);
    REQUIRE(layer);
    for (const std::string text : {"one", "two", "three"}) {
        CacheRecord record;
        record.key.bytes.fill(static_cast<std::uint8_t>(text[1]));
        record.outputs = {{.name = text, .asset = id_of(text), .size_bytes = text.size()}};
        REQUIRE((*layer)->write_object(id_of(text), text.size(), *blob_of(text)));
        REQUIRE((*layer)->write_record(record.key, *encode_cache_record(record)));
    }
    return folder;
}

std::string object_of(const std::string& folder, const std::string& text) {
    return folder + "/objects/" + id_of(text).hex().substr(0, 2) + "/" + id_of(text).hex();
}

TEST_CASE("cache init: creates a cache folder, and refuses a folder with other content") {
    const ScratchFolder scratch;
    CHECK(run_well({"cache", "init", scratch.path("a/b")}) == scratch.path("a/b") + " can be used as a cache\n");
    run_well({"cache", "init", scratch.path("a/b")});
    CHECK(list_folder(scratch.path("a/b")) == "CACHEDIR.TAG");
    CHECK(read_file(scratch.path("a/b/CACHEDIR.TAG")).starts_with("Signature: 8a477f597d28d172789f06886806bc55\n"));
    scratch.write("home/letter", "dear");
    CHECK(is_one_clear_line(run({"cache", "init", scratch.path("home")}), "malformed"));
    CHECK(list_folder(scratch.path("home")) == "letter");
    for (const char* verb : {"stats", "trim", "verify"}) {
        CHECK(is_one_clear_line(run({"cache", verb, scratch.path("home")}), "malformed"));
        CHECK(is_one_clear_line(run({"cache", verb, scratch.path("none")}), "missing"));
    }
}

TEST_CASE("cache stats: counts files, and with --check also reads them") {
    const ScratchFolder scratch;
    const std::string folder = make_cache(scratch);
    CHECK(run_well({"cache", "stats", folder}).find("  objects     3, 11 B\n") != std::string::npos);
    const json counted = json::parse(run_well({"cache", "stats", "--json", folder}))["folders"];
    REQUIRE(counted.size() == 1);
    CHECK(counted[0]["records"] == 3);
    CHECK(counted[0]["object_bytes"] == 11);
    CHECK_FALSE(counted[0].contains("broken"));
    CHECK(run_well({"cache", "stats", "--check", folder}).find("everything is intact") != std::string::npos);

    scratch.write(fs::path(object_of(folder, "two")).lexically_relative(scratch.root()).string(), "TWO");
    run_well({"cache", "stats", folder});
    const Outcome outcome = run({"cache", "stats", "--check", "--json", folder});
    CHECK(outcome.exit_code == 1);
    CHECK(json::parse(outcome.out)["folders"][0]["broken"].size() == 1);
}

TEST_CASE("cache verify: lists what is broken, and removes it with --remove") {  // A103
    const ScratchFolder scratch;
    const std::string folder = make_cache(scratch);
    run_well({"cache", "verify", folder});
    const std::string object = object_of(folder, "three");
    scratch.write(fs::path(object).lexically_relative(scratch.root()).string(), "THREE");
    const Outcome outcome = run({"cache", "verify", folder});
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.out.find(object.substr(folder.size() + 1)) != std::string::npos);
    CHECK(run_well({"cache", "verify", "--remove", folder}).find("1 file, 1 removed") != std::string::npos);
    CHECK_FALSE(fs::exists(object));
    CHECK(json::parse(run_well({"cache", "verify", "--json", folder}))["folders"][0]["incomplete"] == 1);
}

TEST_CASE("cache trim: removes old files, and reports how many") {
    const ScratchFolder scratch;
    const std::string folder = make_cache(scratch);
    CHECK(run_well({"cache", "trim", folder, "--size", "0"}).find("removed 0 of 6 files") !=
          std::string::npos);  // all files are recent
    const timespec old[2] = {{.tv_sec = 1'000'000'000, .tv_nsec = 0}, {.tv_sec = 1'000'000'000, .tv_nsec = 0}};
    REQUIRE(::utimensat(AT_FDCWD, object_of(folder, "two").c_str(), old, 0) == 0);
    const json report = json::parse(
        run_well({"cache", "trim", "--json", folder, "--size", "1G", "--unused", "14", "--rate", "10"}))["folders"][0];
    CHECK(report["files_removed"] == 1);
    CHECK(report["bytes_removed"] == 3);
    CHECK_FALSE(fs::exists(object_of(folder, "two")));
}

TEST_CASE(
    "cache trim: results of many small jobs become one file with --pack and after builds, which find them there") {
    const ScratchFolder scratch;
    constexpr int kJobs = 150;
    for (const std::string project : {"first", "second", "third"}) {
        scratch.write(project + "/fardel.toml", kCapitalsProject);
        for (int i = 0; i < kJobs; ++i)
            scratch.write(project + "/assets/" + std::to_string(i) + ".txt", "text " + std::to_string(i));
    }
    const std::string far = scratch.path("far");
    const auto build = [&](const std::string& project) {
        return json::parse(run_well({"build", scratch.path(project), "--json", "--cache", "far=" + far}));
    };
    const auto count = [&](const std::string& folder) {
        return paths_below(folder + "/records").size() + paths_below(folder + "/objects").size();
    };
    CHECK(build("first")["jobs_run"] == kJobs);
    const std::string own = scratch.path("first/.fardel/cache");
    CHECK(count(own) == 0);
    CHECK(paths_below(own + "/packs").size() == 1);
    const std::size_t results = count(far);
    CHECK(results >= 2 * kJobs);
    CHECK(json::parse(run_well({"cache", "trim", far, "--json"}))["folders"][0]["files_packed"] == 0);
    CHECK(run_well({"cache", "trim", far, "--pack"}).find("packed " + std::to_string(results) + " files; ") !=
          std::string::npos);
    CHECK(count(far) == 0);
    const json counted = json::parse(run_well({"cache", "stats", far, "--json"}))["folders"][0];
    CHECK(counted["objects"] == kJobs);
    CHECK(counted["packs"] == 1);
    CHECK(run_well({"cache", "stats", far}).find("  packs       1, ") != std::string::npos);
    CHECK(run_well({"cache", "verify", far}).find("everything is intact") != std::string::npos);

    CHECK(build("second")["jobs_run"] == 0);  // from `far`
    fs::remove_all(far);
    fs::create_directories(scratch.path("third/.fardel"));
    fs::copy(own, scratch.path("third/.fardel/cache"), fs::copy_options::recursive);
    CHECK(build("third")["jobs_run"] == 0);
    CHECK(read_file(scratch.path("first/game.fardel")) == read_file(scratch.path("third/game.fardel")));
}

TEST_CASE("cache export: writes a bundle with the objects, which verifies") {
    const ScratchFolder scratch;
    const std::string folder = make_cache(scratch);
    const std::string bundle = scratch.path("farm.fardel");
    CHECK(run_well({"cache", "export", folder, "-o", bundle}) == "wrote " + bundle + ": 3 records, 3 objects\n");
    run_well({"verify", bundle});
    CHECK(run_well({"cat", bundle, "/assets/" + id_of("three").hex()}) == "three");
    fs::remove(object_of(folder, "two"));
    CHECK(json::parse(run_well({"cache", "export", "--json", folder, "-o", bundle}))["broken"] == 1);
    CHECK(is_one_clear_line(run({"cache", "export", scratch.path("none"), "-o", bundle}), "missing"));
}

}  // namespace fardel::tests::cache_test
