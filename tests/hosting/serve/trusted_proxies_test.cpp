// Which client a request comes from: only proxies that the operator has named may say so.
#include "serve/trusted_proxies.h"
#include "serve/upload_tokens.h"

#include "kit/bundles.h"
#include "kit/files.h"
#include "kit/raw_connection.h"
#include "kit/serve_program.h"

#include <fardel/delivery/tree_paths.h>
#include <fardel/format/hash.h>

#include <sys/stat.h>

#include <map>

namespace fardel::tests::trusted_proxies_test {

TEST_CASE(
    "trusted proxies: the client is the last address that is no proxy; what is no address is the proxy's") {  // A145
    const TrustedProxies proxies{.ranges = {*find_address_range("10.0.0.0/8"), *find_address_range("::1")}};
    const auto client = [&](std::string_view values) {
        const auto found = proxies.find_client(values);
        return found ? format_network_address(*found) : "-";
    };
    CHECK(client("192.0.2.7") == "192.0.2.7");
    CHECK(client(" \t192.0.2.7 \t") == "192.0.2.7");
    CHECK(client("1.1.1.1, 192.0.2.7") == "192.0.2.7");
    CHECK(client("1.1.1.1,192.0.2.7, 10.1.2.3,::1") == "192.0.2.7");
    CHECK(client("garbage, 192.0.2.7, 10.1.2.3") == "192.0.2.7");
    CHECK(client("10.0.0.1, 10.0.0.2") == "10.0.0.1");
    CHECK(client("2001:db8::1") == "2001:db8::1");
    CHECK(client("::ffff:192.0.2.7") == "192.0.2.7");
    for (const char* const wrong : {"", ",", "192.0.2.7,", "192.0.2.7, garbage", "192.0.2.7, 10.0.0.1:80",
                                    "garbage, 10.0.0.1", "192.0.2.7;10.0.0.1", "for=192.0.2.7"})
        CHECK(client(wrong) == "-");
    CHECK_FALSE(TrustedProxies{}.trusts(*find_network_address("127.0.0.1")));
}

struct ProxiedSite {
    ScratchFolder scratch;
    std::string token = "correct-horse-battery-staple";

    ServeProgram serve(Arguments options) const {
        std::filesystem::create_directories(scratch.path("tree"));
        const std::string tokens =
            scratch.write("tokens", blake3(std::as_bytes(std::span(token))).hex() + " the build farm\n");
        REQUIRE(::chmod(tokens.c_str(), 0600) == 0);
        options.insert(options.begin(),
                       {scratch.path("tree"), "--upload-tokens", tokens, "--access-log", scratch.path("log")});
        return ServeProgram(options);
    }
    // A head whose body does not come.
    std::string put_head(const std::string& headers) const {
        return "PUT /" + tree_path_of(bundle_id_of(game_bytes)) + " HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer " +
               token + "\r\nContent-Length: 100000\r\n" + headers + "\r\n";
    }
    Bytes game_bytes = BundleMaker().add_data("a.txt", "a").write_quickly();
};

// Opens four uploads of one client, and returns whether a fifth request with these headers is refused.
bool is_refused(const ProxiedSite& site, const ServeProgram& server, const std::string& first,
                const std::string& fifth) {
    std::vector<RawConnection> uploads;
    for (int i = 0; i < 4; ++i) {
        uploads.emplace_back(server.port());
        CHECK(uploads.back().send_head(site.put_head(first)));
    }
    RawConnection client(server.port());
    return client.ask(site.put_head(fifth + "Expect: 100-continue\r\n")).status == 503;
}

TEST_CASE(
    "trusted proxies: limits per client and the access log count whom the proxy names, and no name that a client "
    "invents") {  // A145
    const ProxiedSite site;
    {
        ServeProgram server = site.serve({"--trusted-proxy", "127.0.0.0/8"});
        const auto named = [](const std::string& text) { return "X-Forwarded-For: " + text + "\r\n"; };
        CHECK(is_refused(site, server, named("192.0.2.7"), named("192.0.2.7")));
        CHECK(is_refused(site, server, named("192.0.2.8"), named("1.1.1.1, 192.0.2.8")));
        CHECK(is_refused(site, server, named("192.0.2.9"), named("1.1.1.1") + named("192.0.2.9")));
        CHECK(is_refused(site, server, named("2001:db8::1"), named("2001:db8::2")));
        CHECK(is_refused(site, server, named("garbage"), ""));
        CHECK_FALSE(is_refused(site, server, named("192.0.2.10"), named("192.0.2.11")));
        CHECK(server.stop().exit_code == 0);
        CHECK(has(site.scratch.read("log"), "192.0.2.8 - - "));
        CHECK_FALSE(has(site.scratch.read("log"), "1.1.1.1 - - "));
    }
    std::filesystem::remove(site.scratch.path("log"));
    ServeProgram server = site.serve({"--per-address", "64"});
    CHECK(is_refused(site, server, "", "X-Forwarded-For: 192.0.2.7\r\n"));  // nobody is trusted
    CHECK(server.stop().exit_code == 0);
    CHECK_FALSE(has(site.scratch.read("log"), "192.0.2.7"));
}

TEST_CASE("trusted proxies: a proxy has more connections than one address, and a client behind it has not") {  // A82
    const ProxiedSite site;
    const ServeProgram server =
        site.serve({"--trusted-proxy", "127.0.0.1", "--client-header", "X-Real-IP", "--per-address", "3"});
    std::map<int, RawConnection> busy;
    for (int i = 0; i < 10; ++i) {
        const auto added = busy.emplace(i, server.port()).first;
        CHECK(added->second.send_head(site.put_head("X-Real-IP: 192.0.2." + std::to_string(i / 3) + "\r\n")));
    }
    const auto status_of = [&](const std::string& client) {
        return RawConnection(server.port()).ask(get_request("/none", "X-Real-IP: " + client + "\r\n")).status;
    };
    CHECK(status_of("192.0.2.1") == 503);
    CHECK(status_of("192.0.2.3") == 404);
    for (const int i : {3, 4, 5})
        busy.erase(i);
    CHECK(wait_until([&] { return status_of("192.0.2.1") == 404; }));
    CHECK(status_of("192.0.2.1") == 404);
}

TEST_CASE("trusted proxies: what is no address is refused at the start") {
    const ProxiedSite site;
    for (const char* const wrong : {"proxy.example.com", "10.0.0.1/8", "127.0.0.1:80", ""}) {
        CAPTURE(wrong);
        CHECK(run({"serve", site.scratch.path("tree"), "--trusted-proxy", wrong}).exit_code != 0);
    }
    CHECK(run({"serve", site.scratch.path("tree"), "--client-header", "X-Real-IP"}).exit_code != 0);
}

}  // namespace fardel::tests::trusted_proxies_test
