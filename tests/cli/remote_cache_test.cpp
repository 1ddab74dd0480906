// Builds and editors with a cache on a server, nginx alone or `fardel serve`: the same results, in fewer requests.
#include "sample.h"

#include "kit/nginx.h"
#include "kit/raw_connection.h"
#include "kit/serve_program.h"

#include <fardel/cache/cache_queue.h>

#include <nlohmann/json.hpp>

#include <sys/stat.h>

namespace fardel::tests::remote_cache_test {

using nlohmann::json;

constexpr int kJobs = 12;
constexpr const char* kToken = "correct-horse-battery-staple";

std::string make_machine(const ScratchFolder& scratch, const std::string& name, const std::string& url) {
    for (int i = 0; i < kJobs; ++i)
        scratch.write(name + "/assets/" + std::to_string(i) + ".txt", "text " + std::to_string(i));
    REQUIRE(::chmod(scratch.write(name + "/token", kToken).c_str(), 0600) == 0);
    scratch.write(name + "/fardel.toml", std::string(kCapitalsProject) + R"(
[[cache]]
url = ")" + url + R"("
token_file = "token"
)");
    return scratch.path(name);
}

// One server with an empty cache, which logs its requests.
struct CacheServer {
    CacheServer(const ScratchFolder& scratch, const std::string& kind) : log(scratch.path(kind + ".log")) {
        if (kind == "nginx") {
            tree = scratch.path("nginx/tree");
            nginx = std::make_unique<Nginx>(scratch, "nginx", Nginx::Site{.text = R"(
log_format plain "$request_method";
server {
    listen 8080;
    root )" + tree + R"(;
    client_body_temp_path /srv/fardel/incoming;
    access_log )" + log + R"( plain;
    location ~ "^/(records|objects)/[0-9a-f][0-9a-f]/[0-9a-f]{64}$" {
        dav_methods PUT;
        create_full_put_path on;
    }
    location / { return 404; }
})"});
            url = nginx->url();
            return;
        }
        tree = scratch.path("cache");
        run_well({"cache", "init", tree});
        const std::string hash = run_shell("printf %s '" + std::string(kToken) + "' | b3sum --no-names").out;
        const std::string tokens = scratch.write("tokens", hash.substr(0, 64) + " farm\n");
        REQUIRE(::chmod(tokens.c_str(), 0600) == 0);
        serve = std::make_unique<ServeProgram>(
            Arguments{"--cache", tree, "--upload-tokens", tokens, "--access-log", log, "--log-form", "json"});
        url = serve->url();
    }
    // Ends the server; returns how many requests it has logged.
    std::int64_t requests() {
        if (nginx) {
            // It logs a request after its answer, and before it reads another one: this one, which does not count.
            RawConnection connection(nginx->port());
            CHECK(connection.ask("DELETE / HTTP/1.1\r\nHost: h\r\n\r\n").status == 404);
            nginx->stop();
        }
        if (serve)
            serve->stop();
        const std::string text = read_file(log);
        return std::count(text.begin(), text.end(), '\n') - (text.ends_with("DELETE\n") ? 1 : 0);
    }

    std::string log;
    std::string tree;
    std::string url;
    std::unique_ptr<Nginx> nginx;
    std::unique_ptr<ServeProgram> serve;
};

struct Built {
    std::string bundle;
    std::string second_bundle;  // of another machine
    std::int64_t requests = 0;
    std::string files;  // records and objects
};

Built build_on_two_machines(const std::string& kind) {
    const ScratchFolder scratch;
    CacheServer server(scratch, kind);
    const std::string first = make_machine(scratch, "first", server.url);
    check_has(run_well({"build", first}), "jobs: 12 of 12 run, 0 from the cache\n");
    const std::string second = make_machine(scratch, "second", server.url);
    check_has(run_well({"build", second}), "jobs: 0 of 12 run, 12 from the cache\n");
    Built built{.bundle = read_file(first + "/game.fardel"), .second_bundle = read_file(second + "/game.fardel")};
    built.requests = server.requests();
    std::filesystem::remove(server.tree + "/CACHEDIR.TAG");
    built.files = list_folder(server.tree);
    return built;
}

TEST_CASE("build: with a cache on nginx or on fardel serve it gives the same, and serve is asked less") {
    const Built nginx = build_on_two_machines("nginx");
    const Built serve = build_on_two_machines("serve");
    CHECK(nginx.bundle == nginx.second_bundle);
    CHECK(serve.bundle == nginx.bundle);
    CHECK(serve.second_bundle == nginx.bundle);
    CHECK(serve.files == nginx.files);
    // First machine: a question; of each job the record and the object are looked for, and both are sent. Second
    // machine: a question, and both are fetched.
    CHECK(nginx.requests == 1 + 4 * kJobs + 1 + 2 * kJobs);
    CHECK(serve.requests == 1 + 2 * kJobs + 1 + 2 * kJobs);
}

TEST_CASE("build: a server finds what an editor has packed in its folder meanwhile") {
    const ScratchFolder scratch;
    CacheServer server(scratch, "serve");
    check_has(run_well({"build", make_machine(scratch, "first", server.url)}), "jobs: 12 of 12 run");
    {
        const auto queue = value_of(CacheQueue::open({.folder = server.tree, .memory_bytes_max = 0}));
        for (int i = 0; i < 130; ++i)
            require_good(queue->put({.plugin = "noise", .version = std::to_string(i)}, noise(300, 1000 + i)));
        require_good(queue->close());
    }
    CHECK(paths_below(server.tree + "/records").empty());
    CHECK(paths_below(server.tree + "/objects").empty());
    CHECK(paths_below(server.tree + "/packs").size() == 1);
    check_has(run_well({"build", make_machine(scratch, "second", server.url)}),
              "jobs: 0 of 12 run, 12 from the cache\n");
    CHECK(server.requests() == 1 + 2 * kJobs + 1 + 2 * kJobs);
}

TEST_CASE("build: figures of a cache are those after the last write") {
    const ScratchFolder scratch;
    const CacheServer server(scratch, "serve");
    const std::string machine = make_machine(scratch, "first", server.url);
    const json layers = json::parse(run_well({"build", machine, "--json"}))["cache"]["layers"];
    CHECK(layers[1]["records_written"] == kJobs);
    CHECK(layers[1]["objects_written"] == kJobs);
}

TEST_CASE("build: a cache that does not answer is left out, and that is said") {
    const ScratchFolder scratch;
    std::string dead;
    {
        CacheServer server(scratch, "serve");
        dead = server.url;
        server.requests();
    }
    const std::string machine = make_machine(scratch, "first", dead);
    const std::string text = run_well({"build", machine});
    check_has(text, "cache left out: server " + dead);
    check_has(text, "jobs: 12 of 12 run");
    // One job is too few to leave it out.
    scratch.write("first/assets/0.txt", "another text");
    check_has(run_well({"build", machine}), "cache errors: server " + dead + ": 2 errors, the last: unreachable: ");
}

TEST_CASE("build: a cache whose token file others may read is left out, and not asked") {  // A151
    const ScratchFolder scratch;
    CacheServer server(scratch, "serve");
    const std::string machine = make_machine(scratch, "first", server.url);
    REQUIRE(::chmod((machine + "/token").c_str(), 0644) == 0);
    const std::string text = run_well({"build", machine});
    check_has(text, "cache left out: ");
    check_has(text, "token: others than its owner may use this token file");
    check_has(text, "jobs: 12 of 12 run");
    CHECK(server.requests() == 0);
}

TEST_CASE("cache queue: editors share a server, which is asked once for all keys that wait") {
    const ScratchFolder scratch;
    CacheServer server(scratch, "serve");
    const auto open = [&] { return value_of(CacheQueue::open({.url = server.url, .token = kToken, .threads = 1})); };
    const int keys = 40;
    std::vector<Bytes> parameters;
    for (int i = 0; i < keys; ++i)
        parameters.push_back(bytes_of("asset " + std::to_string(i)));
    const auto key = [&](int i) {
        return CacheKeyParts{.plugin = "shaders", .version = "1", .parameters = parameters[std::size_t(i)]};
    };
    const auto count_found = [&](CacheQueue& queue) {
        std::vector<CacheLookup> lookups;
        for (int i = 0; i < keys; ++i)
            lookups.push_back(value_of(queue.get(key(i))));
        int found = 0;
        for (int i = 0; i < keys; ++i) {
            REQUIRE(lookups[std::size_t(i)].poll(std::chrono::minutes(1)));
            const auto bytes = lookups[std::size_t(i)].result();
            found += bytes && **bytes == noise(1000, std::size_t(i)) ? 1 : 0;
        }
        return found;
    };
    const auto first = open();
    CHECK(count_found(*first) == 0);
    {
        const auto second = open();
        for (int i = 0; i < keys; ++i)
            require_good(second->put(key(i), noise(1000, std::size_t(i))));
    }
    // What the server lacked then, it has now.
    CHECK(count_found(*first) == keys);
    server.requests();
    const std::string log = read_file(server.log);
    int gets = 0;
    for (std::size_t at = log.find("GET"); at != std::string::npos; at = log.find("GET", at + 1))
        ++gets;
    // Record and object of each that is found; of those that it lacks, what was looked for before the others waited.
    CHECK(gets >= 2 * keys);
    CHECK(gets < 2 * keys + keys / 2);
}

TEST_CASE("serve --cache: files are read by anybody, written with a token, and right") {
    const ScratchFolder scratch;
    CacheServer server(scratch, "serve");
    const int port = server.serve->port();
    const std::string object = "an object";
    scratch.write("object", object);
    const std::string id = b3sum(scratch.path("object"));
    const std::string target = "/objects/" + id.substr(0, 2) + "/" + id;
    const auto put = [&](const std::string& path, std::string_view body, const std::string& more = "") {
        RawConnection client(port);
        return client
            .ask("PUT " + path + " HTTP/1.1\r\nHost: h\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
                 more + "\r\n" + std::string(body))
            .status;
    };
    const auto get = [&](const std::string& path, const std::string& more = "") {
        RawConnection client(port);
        return client.ask(get_request(path, more));
    };
    const std::string token = "Authorization: Bearer " + std::string(kToken) + "\r\n";
    CHECK(get(target).status == 404);
    CHECK(put(target, object) == 403);
    CHECK(put(target, object, "Authorization: Bearer another token of some length\r\n") == 403);
    CHECK(put(target, "another object", token) == 422);
    CHECK(get(target).status == 404);
    CHECK(put(target, object, token) == 201);
    CHECK(put(target, object, token) == 201);  // replaces it, if it was broken
    CHECK(put(target, object, token + "If-None-Match: *\r\n") == 412);
    const auto found = get(target);
    CHECK(found.body == object);
    CHECK(found.field("cache-control") == "public, max-age=31536000, immutable");
    CHECK(get(target, "If-None-Match: " + found.field("etag") + "\r\n").status == 304);
    CHECK(get(target, "Range: bytes=3-8\r\n").body == "object");
    const std::string record = "/records/" + id.substr(0, 2) + "/" + id;
    CHECK(put(record, "no record", token) == 422);
    CHECK(get(record).status == 404);
    for (const std::string& wrong :
         {"/objects/00/" + id, "/objects/" + id, "/objects/" + id.substr(0, 2) + "/" + id + "x",
          std::string("/CACHEDIR.TAG"), "/objects/../" + target, "/bundles/" + id + ".fardel"}) {
        CHECK(get(wrong).status == 404);
        CHECK(put(wrong, object, token) >= 404);
    }
    // Questions.
    const auto ask = [&](const std::string& body) {
        RawConnection client(port);
        return client
            .ask("POST /lacking HTTP/1.1\r\nHost: h\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
                 body)
            .status;
    };
    CHECK(get("/lacking").status == 405);
    CHECK(ask("") == 400);
    CHECK(ask("FARDELCQ") == 400);
    CHECK(ask(std::string("FARDELCQ\1\0\0\0\xff\xff\xff\xff\0\0\0\0", 20)) == 413);
    CHECK(ask(std::string("FARDELCQ\1\0\0\0\1\0\0\0\0\0\0\0", 20) + std::string(32, 'a')) == 200);
    // Questions that do not end take the places of questions, and not those of who may write.
    std::vector<RawConnection> slow;
    for (int i = 0; i < 100; ++i) {
        slow.emplace_back(port);
        CHECK(slow.back().send("POST /lacking HTTP/1.1\r\nHost: h\r\nContent-Length: 52\r\n\r\nFARDEL"));
    }
    const std::string question = std::string("FARDELCQ\1\0\0\0\1\0\0\0\0\0\0\0", 20) + std::string(32, 'a');
    server.serve->wait_until_none_waits();
    CHECK(ask(question) == 503);
    CHECK(put(target, object, token) == 201);
    slow.clear();
    RawConnection large(port);
    CHECK(large.ask("POST /lacking HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 3000000\r\n\r\n")
              .status == 413);
}

}  // namespace fardel::tests::remote_cache_test
