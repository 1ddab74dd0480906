// Fetching from a real nginx over TLS, with certificates that the openssl program makes.
#include "delivery/served_bundle.h"

#include "kit/bundles.h"
#include "kit/nginx.h"

#include <fardel/hosting/publish.h>

#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>

namespace fardel::tests::fetch_tls_test {

constexpr const char* kSystemAuthorities = "/etc/ssl/certs/ca-certificates.crt";

// An authority of its own, and certificates that it has signed.
class Authority {
public:
    explicit Authority(const ScratchFolder& scratch) : folder_(scratch.path("authority")) {
        std::filesystem::create_directory(folder_);
        run("openssl req -x509 " + new_key("ca") + " -out ca.pem -days 10 -subj '/CN=authority of a test'");
    }

    // Returns the site of a server with a certificate for `host`, "IP:127.0.0.1".
    Nginx::Site site(const std::string& name, const std::string& host, int days, const std::string& tree) const {
        write_file(folder_ + "/" + name + ".host", "subjectAltName=" + host + "\n");
        run("openssl req " + new_key(name) + " -out " + name + ".csr -subj /CN=server");
        run("openssl x509 -req -in " + name + ".csr -CA ca.pem -CAkey ca.key -set_serial 1 -days " +
            std::to_string(days) + " -extfile " + name + ".host -out " + name + ".pem");
        return serving(name, tree);
    }
    Nginx::Site self_signed_site(const std::string& tree) const {
        run("openssl req -x509 " + new_key("self") +
            " -out self.pem -days 10 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1");
        return serving("self", tree);
    }
    // Of a server that speaks HTTP/2 and writes the protocol and connection of each request into the log.
    Nginx::Site http2_site(const std::string& tree, const std::string& log) const {
        std::string text = site("http2", "IP:127.0.0.1", 10, tree).text;
        text.replace(text.find("8080 ssl"), 8, "8080 ssl http2");
        text.insert(text.find("    location"), "    access_log " + log + " protocols;\n");
        return {"log_format protocols '$server_protocol $connection';\n" + text};
    }
    std::string certificate() const { return folder_ + "/ca.pem"; }

private:
    static std::string new_key(const std::string& name) {
        return "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout " + name + ".key";
    }
    void run(const std::string& command) const {
        REQUIRE_MESSAGE(std::system(("cd '" + folder_ + "' && " + command + " 2>/dev/null").c_str()) == 0, command);
    }
    Nginx::Site serving(const std::string& name, const std::string& tree) const {
        return {"server {\n    listen 8080 ssl;\n    ssl_certificate " + folder_ + "/" + name +
                ".pem;\n    ssl_certificate_key " + folder_ + "/" + name + ".key;\n    location / { root " + tree +
                "; }\n}\n"};
    }

    std::string folder_;
};

std::string tls_url(const Nginx& server) { return "https://127.0.0.1:" + std::to_string(server.port()); }

// Fetches in a process of its own for which `authority` is the only one that the system trusts. Returns 0, the code of
// the error and one more (254 if its text lacks `said`), or nothing if that needs more permission.
std::optional<int> fetch_trusting(const std::string& authority, const BundleStore& store, const BundleId& id,
                                  const std::string& url, std::string_view said = {}) {
    constexpr int kSaysOtherwise = 254;
    constexpr int kDenied = 255;
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
            ::mount(authority.c_str(), kSystemAuthorities, nullptr, MS_BIND, nullptr) != 0)
            ::_exit(kDenied);
        const auto fetched = fetch_one(store, id, fetching_from({url}));
        if (!fetched && fetched.error().text().find(said) == std::string::npos)
            ::_exit(kSaysOtherwise);
        ::_exit(fetched ? 0 : 1 + static_cast<int>(fetched.error().code()));
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status));
    return WEXITSTATUS(status) == kDenied ? std::nullopt : std::optional(WEXITSTATUS(status));
}

TEST_CASE("fetch over TLS: certificates that are expired, self-signed or for another host are untrusted") {  // A95
    const ScratchFolder scratch;
    const Bytes bytes = game_version("1");
    const BundleId id = bundle_id_of(bytes);
    const std::string tree = scratch.path("published");
    value_of(publish_bundle(make_memory_source(bytes), tree));
    const Authority authority(scratch);
    const Nginx good(scratch, "good", authority.site("good", "IP:127.0.0.1", 10, tree));
    const Nginx expired(scratch, "expired", authority.site("expired", "IP:127.0.0.1", -1, tree));
    const Nginx other(scratch, "other", authority.site("other", "IP:127.0.0.2,DNS:localhost", 10, tree));
    const Nginx self_signed(scratch, "self", authority.self_signed_site(tree));
    const BundleStore store = make_store(scratch);
    for (const Nginx* const server : {&good, &expired, &other, &self_signed}) {
        // By default, the authority of this test is trusted no more than another stranger.
        check_error(fetch_one(store, id, fetching_from({tls_url(*server)})), ErrorCode::untrusted, "127.0.0.1");
        CHECK(value_of(store.list()).empty());
    }
    constexpr int kUntrusted = 1 + static_cast<int>(ErrorCode::untrusted);
    const auto first = fetch_trusting(authority.certificate(), store, id, tls_url(expired), "it is valid from ");
    if (!first) {
        MESSAGE("no permission to replace the authorities that the system trusts");
        return;
    }
    CHECK(*first == kUntrusted);
    CHECK(fetch_trusting(authority.certificate(), store, id, tls_url(other)) == kUntrusted);
    CHECK(fetch_trusting(authority.certificate(), store, id, tls_url(self_signed)) == kUntrusted);
    CHECK(value_of(store.list()).empty());
    CHECK(fetch_trusting(authority.certificate(), store, id, tls_url(good)) == 0);
    CHECK(stored_bytes(store, id) == bytes);
}

TEST_CASE("fetch over TLS: with a server that speaks HTTP/2, all transfers share one connection") {
    const ScratchFolder scratch;
    const Bytes bytes = BundleMaker().add_data("a.bin", random_text(1, 30'000'000)).write_quickly();
    const BundleId id = bundle_id_of(bytes);
    const std::string tree = scratch.path("published");
    value_of(publish_bundle(make_memory_source(bytes), tree));
    const Authority authority(scratch);
    const std::string log = scratch.path("protocols.log");
    const Nginx server(scratch, "http2", authority.http2_site(tree, log));
    const BundleStore store = make_store(scratch);
    const auto fetched = fetch_trusting(authority.certificate(), store, id, tls_url(server));
    if (!fetched) {
        MESSAGE("no permission to replace the authorities that the system trusts");
        return;
    }
    CHECK(*fetched == 0);
    CHECK(stored_bytes(store, id) == bytes);
    const auto logged = [&] {
        std::ifstream lines(log);
        std::map<std::string, int> requests;
        for (std::string line; std::getline(lines, line);)
            ++requests[line];
        return requests;
    };
    std::map<std::string, int> requests = logged();
    wait_until([&] {  // the server logs a request after its answer
        requests = logged();
        return !requests.empty() && requests.begin()->second >= 6;
    });
    REQUIRE(requests.size() == 1);
    CHECK(requests.begin()->first.starts_with("HTTP/2.0 "));
    CHECK(requests.begin()->second >= 6);  // heads, tables, and four parts of the content
}

}  // namespace fardel::tests::fetch_tls_test
