// Tests the client with servers that fail, hang and lie. tests/cache/cache_layers_test.cpp tests it with a good server.
#include "cache_samples.h"
#include "cache_site.h"
#include "kit/odd_server.h"

#include <fardel/cache/derived_cache.h>
#include <fardel/format/head.h>

#include <atomic>
#include <mutex>

namespace fardel::tests::http_layer_test {

using namespace std::chrono_literals;

const HttpLayerOptions kPatient{.timeout = 60s};
const HttpLayerOptions kQuick{.timeout = 600ms};  // with servers that do not answer

std::unique_ptr<CacheLayer> open_layer(const OddServer& server, HttpLayerOptions options = kPatient) {
    return opened(open_http_layer(server.url(), std::move(options)));
}

// Returns the error of finding a record and of finding an object, which must be the same.
std::optional<ErrorCode> code_for(CacheLayer& layer, const Sample& sample) {
    const auto object = layer.find_object(sample.asset(0), sample.outputs[0].size());
    const auto record = layer.find_record(sample.record.key);
    REQUIRE(object.has_value() == record.has_value());
    if (object) {
        CHECK_FALSE(*object);
        CHECK_FALSE(*record);
        return std::nullopt;
    }
    CHECK(object.error().code() == record.error().code());
    CHECK(object.error().message().find("http://127.0.0.1:") != std::string::npos);
    return object.error().code();
}

template <class Work>
std::chrono::milliseconds time_of(Work work) {
    const auto since = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - since);
}

bool is_for_object(const std::string& head) { return head.find("/objects/") != std::string::npos; }

struct NginxCache {
    const ScratchFolder scratch;
    const Nginx nginx{scratch};
};

TEST_CASE("http layer: a URL is http or https, with a host and without a user, query or fragment") {
    for (const char* url : {"http://127.0.0.1:1", "https://cache.example/fardel/", "HTTP://[::1]:8080/a/b//"}) {
        CAPTURE(std::string(url));
        CHECK(open_http_layer(url));
    }
    for (const char* url :
         {"", "cache.example", "/srv/cache", "file:///etc/passwd", "ftp://cache.example/", "gopher://cache.example/",
          "http://", "http://user@cache.example/", "http://user:word@cache.example/", "http://cache.example/?a=b",
          "http://cache.example/#a", "http://cache example/", "http://cache.example:99999/"}) {
        CAPTURE(std::string(url));
        CHECK(code_of(open_http_layer(url)) == ErrorCode::malformed);
    }
    CHECK(open_http_layer("http://127.0.0.1:1", {.bearer_token = "a\r\nHost: b"}).error().code() ==
          ErrorCode::malformed);
    CHECK(opened(open_http_layer("http://127.0.0.1:1/a//"))->name() == "server http://127.0.0.1:1/a");
    CHECK_FALSE(opened(open_http_layer("http://127.0.0.1:1", {.writable = false}))->is_writable());
}

TEST_CASE("http layer: each refusal has its own error, and none is taken for absence") {  // A87
    const Sample sample = make_sample(1);
    const std::pair<const char*, std::optional<ErrorCode>> cases[] = {
        {"404 Not Found", std::nullopt},
        {"410 Gone", std::nullopt},
        {"401 Unauthorized", ErrorCode::denied},
        {"403 Forbidden", ErrorCode::denied},
        {"429 Too Many Requests", ErrorCode::busy},
        {"503 Service Unavailable", ErrorCode::busy},
        {"500 Internal Server Error", ErrorCode::unreachable},
        {"502 Bad Gateway", ErrorCode::unreachable},
        {"504 Gateway Timeout", ErrorCode::unreachable},
        {"507 Insufficient Storage", ErrorCode::no_space},
        {"400 Bad Request", ErrorCode::io},
        {"204 No Content", ErrorCode::malformed},
        {"206 Partial Content", ErrorCode::malformed},
        {"299 Odd", ErrorCode::malformed},
    };
    for (const auto& pair : cases) {
        const auto& status = pair.first;
        const auto& code = pair.second;
        CAPTURE(std::string(status));
        const std::string answer =
            http_answer(status, std::string_view(status).starts_with("204") ? "" : "a page for people",
                        "Retry-After: 99999999999999999999\r\n");
        const OddServer server([&](OddServer::Guest& guest) { guest.send(answer); });
        CHECK(time_of([&] { CHECK(code_for(*open_layer(server), sample) == code); }) < 20s);
        CHECK(server.heads().size() == 2);  // Retry-After is not waited for
    }
}

TEST_CASE("http layer: refused writes have their errors, too") {  // A79 A87
    const Sample sample = make_sample(1);
    const std::pair<const char*, ErrorCode> cases[] = {
        {"401 Unauthorized", ErrorCode::denied},
        {"403 Forbidden", ErrorCode::denied},
        {"405 Method Not Allowed", ErrorCode::denied},
        {"409 Conflict", ErrorCode::denied},
        {"413 Too Large", ErrorCode::limit},
        {"507 Full", ErrorCode::no_space},
        {"503 Service Unavailable", ErrorCode::busy},
        {"500 Error", ErrorCode::unreachable},
        {"302 Found", ErrorCode::denied},
        {"404 Not Found", ErrorCode::denied},
    };
    for (const auto& pair : cases) {
        const auto& status = pair.first;
        const auto& code = pair.second;
        CAPTURE(std::string(status));
        const std::string answer = http_answer(status, "");
        const OddServer server([&](OddServer::Guest& guest) {
            guest.send(guest.head().starts_with("HEAD") ? http_answer("404 Not Found", "") : answer);
        });
        const auto layer = open_layer(server);
        CHECK(layer->write_record(sample.record.key, encoded(sample.record)).error().code() == code);
        CHECK(layer->write_object(sample.asset(0), sample.outputs[0].size(), *make_memory_blob(sample.outputs[0]))
                  .error()
                  .code() == code);
    }
}

TEST_CASE("http layer: a redirect is denied, wherever it leads, and the token goes nowhere else") {  // A80 A89
    const Sample sample = make_sample(1);
    const OddServer elsewhere([](OddServer::Guest& guest) { guest.send(http_answer("200 OK", "x")); });
    for (const char* status : {"301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"})
        for (const std::string& target :
             {elsewhere.url() + "/", std::string("file:///etc/passwd"), std::string("http://169.254.169.254/latest"),
              std::string("http://localhost:22/"), std::string("/again")}) {
            const OddServer server(
                [&](OddServer::Guest& guest) { guest.send(http_answer(status, "", "Location: " + target + "\r\n")); });
            const auto layer = open_layer(server, {.timeout = 60s, .bearer_token = "secret-token"});
            CHECK(code_for(*layer, sample) == ErrorCode::denied);
            for (const std::string& head : server.heads())
                CHECK(head.find("Authorization: Bearer secret-token\r\n") != std::string::npos);
            CHECK(server.heads().size() == 2);
        }
    CHECK(elsewhere.heads().empty());
}

TEST_CASE("http layer: a wrong response is requested once more without caches on the way") {  // A84 A85 A86
    const Sample sample = make_sample(1);
    const std::string object = text_of(sample.outputs[0]);
    const std::string record = text_of(encoded(sample.record));
    std::string flipped = object;
    flipped[10] ^= 1;
    const std::pair<std::string, std::string> wrong[] = {
        {flipped, ""},
        {object.substr(0, object.size() - 1), ""},
        {object + "x", ""},
        {"", ""},
        {std::string(object.size(), '\0'), ""},
        {"<html>Please log in</html>", "Content-Type: text/html\r\n"},
        {"\x1f\x8b\x08 and so on", "Content-Encoding: gzip\r\n"},
    };
    for (const auto& pair : wrong) {
        const auto& body = pair.first;
        const auto& headers = pair.second;
        // A proxy that has a bad copy, unless the request bypasses it.
        const OddServer proxy([&](OddServer::Guest& guest) {
            const bool past = guest.head().find("Cache-Control: no-cache\r\n") != std::string::npos;
            guest.send(past ? http_answer("200 OK", is_for_object(guest.head()) ? object : record)
                            : http_answer("200 OK", body, headers));
        });
        const auto layer = open_layer(proxy);
        const auto blob = layer->find_object(sample.asset(0), object.size());
        REQUIRE(blob);
        CHECK(read_blob(**blob).value() == sample.outputs[0]);
        CHECK(layer->find_record(sample.record.key).value() == encoded(sample.record));
        CHECK(proxy.heads().size() == 4);

        const OddServer always([&](OddServer::Guest& guest) { guest.send(http_answer("200 OK", body, headers)); });
        CHECK(code_for(*open_layer(always), sample) == ErrorCode::corrupt);
        CHECK(always.heads().size() == 4);
        if (!headers.empty() && headers[8] == 'E') {
            const auto error = open_layer(always)->find_record(sample.record.key).error();
            CHECK(error.message().find("gzip") != std::string::npos);
        }
    }
}

TEST_CASE("http layer: lengths that lie, and an answer cut or reset at any byte, give nothing wrong") {  // A83 A85
    const Sample sample = make_sample(1, {noise(300, 5)});
    const std::string body = text_of(sample.outputs[0]);
    const std::string whole = http_answer("200 OK", body);
    const std::uint64_t size = body.size();
    for (const std::uint64_t length :
         {std::uint64_t(0), std::uint64_t(10), size - 1, size + 1, std::uint64_t(1) << 32, std::uint64_t(1) << 62}) {
        const OddServer server([&](OddServer::Guest& guest) {
            guest.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: " + std::to_string(length) +
                       "\r\n\r\n" + body);
        });
        const auto found = open_layer(server)->find_object(sample.asset(0), body.size());
        CAPTURE(length);
        REQUIRE_FALSE(found);
        CHECK(found.error().code() == ErrorCode::corrupt);
    }
    for (const char* odd : {"-1", "99999999999999999999999", "abc", "300, 200"}) {
        const OddServer server([&](OddServer::Guest& guest) {
            guest.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: " + std::string(odd) + "\r\n\r\n" +
                       body);
        });
        const auto found = open_layer(server)->find_object(sample.asset(0), body.size());
        CHECK((!found || read_blob(**found).value() == sample.outputs[0]));
    }
    std::atomic<std::size_t> cut = 0;
    std::atomic<bool> resets = false;
    const OddServer server([&](OddServer::Guest& guest) {
        guest.send(whole.substr(0, cut));
        if (resets)
            guest.reset();
    });
    const auto layer = open_layer(server);
    for (const bool reset : {false, true})
        for (std::size_t at = 0; at < whole.size(); at += 1 + at / 40) {
            cut = at;
            resets = reset;
            const auto found = layer->find_object(sample.asset(0), body.size());
            CAPTURE(at);
            REQUIRE_FALSE(found);
            CHECK((found.error().code() == ErrorCode::corrupt || found.error().code() == ErrorCode::unreachable));
        }
    cut = whole.size();
    resets = false;
    CHECK(read_blob(**layer->find_object(sample.asset(0), body.size())).value() == sample.outputs[0]);
}

TEST_CASE("http layer: an endless response is cut off, within limits of time and memory") {  // A80
    const Sample sample = make_sample(1);
    const std::string line = "X-More: " + std::string(1000, 'x') + "\r\n";
    const std::string chunk = "10000\r\n" + std::string(65'536, 'y') + "\r\n";
    const std::pair<const char*, std::function<void(OddServer::Guest&)>> endless[] = {
        {"headers",
         [&](OddServer::Guest& guest) {
             for (guest.send("HTTP/1.1 200 OK\r\n"); guest.send(line);) {
             }
         }},
        {"a header",
         [](OddServer::Guest& guest) {
             for (guest.send("HTTP/1.1 200 OK\r\nX: "); guest.send(std::string(1000, 'x'));) {
             }
         }},
        {"continues",
         [](OddServer::Guest& guest) {
             while (guest.send("HTTP/1.1 100 Continue\r\n\r\n")) {
             }
         }},
        {"early hints",
         [&](OddServer::Guest& guest) {
             while (guest.send("HTTP/1.1 103 Early Hints\r\n" + line + "\r\n")) {
             }
         }},
        {"a body",
         [](OddServer::Guest& guest) {
             for (guest.send("HTTP/1.1 200 OK\r\n\r\n"); guest.send(std::string(65'536, 'x'));) {
             }
         }},
        {"chunks",
         [&](OddServer::Guest& guest) {
             for (guest.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"); guest.send(chunk);) {
             }
         }},
        {"an error page",
         [](OddServer::Guest& guest) {
             for (guest.send("HTTP/1.1 500 Error\r\n\r\n"); guest.send(std::string(65'536, 'x'));) {
             }
         }},
        {"no status",
         [](OddServer::Guest& guest) {
             while (guest.send(std::string(1000, 'x'))) {
             }
         }},
    };
    for (const auto& pair : endless) {
        const auto& what = pair.first;
        const auto& serve = pair.second;
        CAPTURE(std::string(what));
        const OddServer server(serve);
        const auto layer = open_layer(server, {.timeout = 2s});
        CHECK(time_of([&] {
                  const auto found = layer->find_object(sample.asset(0), sample.outputs[0].size());
                  REQUIRE_FALSE(found);
                  CAPTURE(found.error().text());
                  CHECK((found.error().code() == ErrorCode::corrupt || found.error().code() == ErrorCode::malformed ||
                         found.error().code() == ErrorCode::unreachable));
              }) < 20s);
    }
}

TEST_CASE(
    "http layer: a server that hangs, is very slow or does not exist is unreachable, within the time limit") {  // A81
    const Sample sample = make_sample(1);
    const std::string whole = http_answer("200 OK", text_of(sample.outputs[0]));
    const std::pair<const char*, std::function<void(OddServer::Guest&)>> slow[] = {
        {"hangs", [](OddServer::Guest& guest) { guest.hang(); }},
        {"hangs in the headers",
         [&](OddServer::Guest& guest) {
             guest.send(whole.substr(0, 20));
             guest.hang();
         }},
        {"hangs in the body",
         [&](OddServer::Guest& guest) {
             guest.send(whole.substr(0, whole.size() - 1));
             guest.hang();
         }},
        {"creeps",
         [&](OddServer::Guest& guest) {
             for (const char c : whole)
                 if (!guest.send({&c, 1}) || !guest.sleep(500))
                     return;
         }},
    };
    for (const auto& pair : slow) {
        const auto& what = pair.first;
        const auto& serve = pair.second;
        CAPTURE(std::string(what));
        const OddServer server(serve);
        const auto layer = open_layer(server, kQuick);
        CHECK(time_of([&] {
                  CHECK(layer->find_object(sample.asset(0), sample.outputs[0].size()).error().code() ==
                        ErrorCode::unreachable);
              }) < 20s);
        CHECK(time_of([&] {
                  CHECK(layer->write_record(sample.record.key, encoded(sample.record)).error().code() ==
                        ErrorCode::unreachable);
              }) < 20s);
    }
    const auto dead = opened(open_http_layer("http://127.0.0.1:" + std::to_string(find_free_port()), kQuick));
    CHECK(code_for(*dead, sample) == ErrorCode::unreachable);
    const auto nowhere = opened(open_http_layer("http://fardel.invalid", kQuick));
    CHECK(nowhere->find_record(sample.record.key).error().code() == ErrorCode::unreachable);
}

TEST_CASE("http layer: garbage of any form is an error or absence") {
    FARDEL_RANDOM(random);
    const Sample sample = make_sample(1);
    std::string answer;
    std::mutex mutex;
    const OddServer server([&](OddServer::Guest& guest) {
        std::string bytes;
        {
            const std::scoped_lock lock(mutex);
            bytes = answer;
        }
        guest.send(bytes);
    });
    const auto layer = open_layer(server);
    for (int i = 0; i < 60; ++i) {
        {
            const std::scoped_lock lock(mutex);
            answer = i % 2 == 0 ? "" : "HTTP/1.1 200 OK\r\n";
            for (std::size_t size = random() % 300; size > 0; --size)
                answer += static_cast<char>(random());
        }
        const auto found = layer->find_object(sample.asset(0), sample.outputs[0].size());
        CHECK((!found || !*found));
        const auto record = layer->find_record(sample.record.key);
        CHECK((!record || !*record));
    }
}

TEST_CASE("http layer: objects above the size limit are neither fetched nor sent") {
    const OddServer server([](OddServer::Guest& guest) { guest.send(http_answer("404 Not Found", "")); });
    const auto layer = open_layer(server, {.timeout = 60s, .object_bytes_max = 1000});
    const auto large = noise(1001, 1);
    CHECK_FALSE(layer->find_object(id_of(large), large.size()).value());
    CHECK(layer->write_object(id_of(large), large.size(), *make_memory_blob(large)).error().code() == ErrorCode::limit);
    CHECK(server.heads().empty());
}

TEST_CASE_FIXTURE(NginxCache,
                  "http layer: an existing object is not sent again, except if it was found broken") {  // A94
    const auto layer = open_nginx_layer(nginx);
    const Sample sample = make_sample(1);
    write_sample(*layer, sample);
    const std::string path =
        nginx.tree() + "/objects/" + sample.asset(0).hex().substr(0, 2) + "/" + sample.asset(0).hex();
    std::ofstream(path, std::ios::binary | std::ios::trunc) << std::string(sample.outputs[0].size(), 'x');
    REQUIRE(layer->write_object(sample.asset(0), sample.outputs[0].size(),
                                *make_memory_blob(sample.outputs[0])));  // the size that the server reports is accepted
    CHECK(layer->find_object(sample.asset(0), sample.outputs[0].size()).error().code() == ErrorCode::corrupt);
    layer->drop_object(sample.asset(0));
    REQUIRE(layer->write_object(sample.asset(0), sample.outputs[0].size(), *make_memory_blob(sample.outputs[0])));
    CHECK(read_blob(**layer->find_object(sample.asset(0), sample.outputs[0].size())).value() == sample.outputs[0]);
}

TEST_CASE_FIXTURE(NginxCache,
                  "http layer: a client without a token may read but not write; other names do not exist") {  // A18 A79
    const Sample sample = make_sample(1);
    write_sample(*open_nginx_layer(nginx), sample);
    for (const char* token : {"", "CHANGE-M", "change-me"}) {
        const auto stranger = opened(open_http_layer(nginx.url(), {.bearer_token = token}));
        CHECK(stranger->find_record(sample.record.key).value() == encoded(sample.record));
        CHECK(stranger->write_record(key_of(2), encoded(make_sample(2).record)).error().code() == ErrorCode::denied);
        const auto other = make_sample(2);
        CHECK(stranger->write_object(other.asset(0), other.outputs[0].size(), *make_memory_blob(other.outputs[0]))
                  .error()
                  .code() == ErrorCode::denied);
    }
    CHECK_FALSE(
        std::filesystem::exists(nginx.tree() + "/records/" + key_of(2).hex().substr(0, 2) + "/" + key_of(2).hex()));
    const auto below = opened(open_http_layer(nginx.url() + "/elsewhere", {.bearer_token = Nginx::token()}));
    CHECK_FALSE(below->find_record(sample.record.key).value());
    CHECK(below->write_record(sample.record.key, encoded(sample.record)).error().code() == ErrorCode::denied);
}

TEST_CASE_FIXTURE(NginxCache, "http layer: a large object goes to the server and back by way of the disk") {
    const Sample sample = make_sample(1, {noise(20u << 20, 1), noise(4u << 20, 2), noise((4u << 20) + 1, 3)});
    const auto layer = open_nginx_layer(nginx);
    write_sample(*layer, sample);
    for (std::size_t i = 0; i < 3; ++i) {
        const auto blob = *layer->find_object(sample.asset(i), sample.outputs[i].size());
        REQUIRE(blob);
        CHECK(read_blob(*blob, 1u << 20).value() == sample.outputs[i]);
        CHECK((*blob->open_bytes())->size_bytes() == sample.outputs[i].size());
    }
}

TEST_CASE_FIXTURE(NginxCache, "http layer: an interrupted upload leaves nothing on the server") {  // A94 A100
    struct Breaking final : BlobSource {
        struct Stream final : BlobStream {
            int reads = 0;
            Result<std::size_t> read(std::span<std::byte> out) override {
                if (++reads > 20)
                    return Error(ErrorCode::io, "breaks off on purpose");
                return out.size();
            }
        };
        Result<std::unique_ptr<BlobStream>> open() const override {
            return std::unique_ptr<BlobStream>(std::make_unique<Stream>());
        }
    };
    const auto layer = open_nginx_layer(nginx);
    const AssetId asset = make_sample(1).asset(0);
    CHECK(layer->write_object(asset, 10u << 20, Breaking()).error().code() == ErrorCode::io);
    CHECK_FALSE(layer->find_object(asset, 10u << 20).value());
    for (const auto& entry : std::filesystem::recursive_directory_iterator(nginx.tree()))
        CHECK_FALSE(entry.is_regular_file());
}

TEST_CASE_FIXTURE(NginxCache, "http layer: a hundred clients put one object at once, and all succeed") {  // A94 A117
    const Sample sample = make_sample(1);
    std::vector<int> failed(100);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < 100; ++i)
        threads.emplace_back([&, i] {
            const auto layer = open_http_layer(nginx.url(), {.timeout = 30s, .bearer_token = Nginx::token()});
            failed[i] += !layer;
            for (std::size_t o = 0; layer && o < sample.outputs.size(); ++o)
                failed[i] += !(*layer)->write_object(sample.asset(o), sample.outputs[o].size(),
                                                     *make_memory_blob(sample.outputs[o]));
        });
    for (std::thread& thread : threads)
        thread.join();
    CHECK(failed == std::vector<int>(100));
    const auto layer = open_nginx_layer(nginx);
    for (std::size_t o = 0; o < sample.outputs.size(); ++o)
        CHECK(read_blob(**layer->find_object(sample.asset(o), sample.outputs[o].size())).value() == sample.outputs[o]);
}

TEST_CASE(
    "derived cache: a server that dies or hangs in the middle of a build is left out, and the build goes on") {  // A81
                                                                                                                 // A108
    const ScratchFolder scratch;
    Nginx nginx(scratch);
    std::atomic<bool> hangs = false;
    const OddServer odd([&](OddServer::Guest& guest) {
        if (hangs)
            guest.hang();
        else
            guest.send(http_answer("404 Not Found", ""));
    });
    std::vector<CacheLayerSlot> layers;
    layers.push_back({.layer = opened(open_folder_layer(scratch.path("near")))});
    layers.push_back({.layer = open_nginx_layer(nginx)});
    layers.push_back({.layer = open_layer(odd, {.writable = false, .timeout = 500ms}), .policy = {.slow = 200ms}});
    const auto cache = *DerivedCache::open(std::move(layers));
    const auto took = time_of([&] {
        for (std::uint64_t i = 0; i < 60; ++i) {
            if (i == 20) {
                cache->flush();
                nginx.stop();
                hangs = true;
            }
            const Sample sample = make_sample(i, {noise(100, i)});
            CHECK_FALSE(cache->find(sample.record.key));
            REQUIRE(cache->put(sample.record, sample.blobs()));
            CHECK(cache->find(sample.record.key));
        }
    });
    CHECK(took < 30s);  // asked each time, it would take 40 and more
    const auto statistics = cache->statistics();
    CHECK(statistics.layers[0].left_out == "");
    CHECK(statistics.layers[1].records_written == 20);
    CHECK(statistics.layers[1].left_out.find("unreachable") != std::string::npos);
    CHECK_FALSE(statistics.layers[2].left_out.empty());
}

TEST_CASE_FIXTURE(NginxCache,
                  "derived cache: the results of one machine are found by the next one through the server") {
    const auto desk = [&](const std::string& name, bool writes) {
        std::vector<CacheLayerSlot> layers;
        layers.push_back({.layer = opened(open_folder_layer(scratch.path(name)))});
        layers.push_back({.layer = opened(open_http_layer(
                              nginx.url(), {.writable = writes, .bearer_token = writes ? Nginx::token() : ""}))});
        return *DerivedCache::open(std::move(layers));
    };
    std::vector<Sample> samples;
    for (std::uint64_t i = 0; i < 8; ++i)
        samples.push_back(make_sample(i));
    {
        const auto farm = desk("farm", true);
        for (const Sample& sample : samples)
            REQUIRE(farm->put(sample.record, sample.blobs()));
        farm->flush();
        CHECK(farm->statistics().layers[1].records_written == 8);
    }
    const auto reader = desk("reader", false);
    for (const bool server : {true, false})
        for (const Sample& sample : samples) {
            const auto hit = reader->find(sample.record.key);
            REQUIRE(hit);
            CHECK(hit->layer.starts_with(server ? "server " : "folder "));
            for (std::size_t o = 0; o < sample.outputs.size(); ++o)
                CHECK(read_blob(*hit->outputs[o]).value() == sample.outputs[o]);
        }
    CHECK(reader->statistics().layers[0].filled == 8);
}

}  // namespace fardel::tests::http_layer_test
