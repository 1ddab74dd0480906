// Hostile deltas, lock files, channel texts and published files, damaged stores, and requests to servers.
#include "faces.h"
#include "files.h"
#include "hostile.h"

#include <fardel/format/hash.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <thread>

namespace fardel::sweep {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr const char* kToken = "a token of the sweep with more than twenty characters";

Ran run_verb(const InputCase& input, Words words, Findings& findings) {
    constexpr double kPatienceSeconds = 60.0 * kCost;  // a pipe in place of a file must not be waited for
    return run_fardel(input, std::move(words), findings, kPatienceSeconds);
}

std::string id_of_bundle(const fs::path& file) {
    const Bytes bytes = read_bytes(file);
    return blake3(std::span(bytes).first(std::min<std::size_t>(bytes.size(), 4096))).hex();
}

// A bundle that was written is the one that was asked for, or none is written.
void judge_bundle(const InputCase& input, const Ran& ran, const fs::path& out, const fs::path& wanted,
                  Findings& findings) {
    std::error_code error;
    const bool exists = fs::exists(out, error);
    if (exists != (ran.status == 0))
        findings.add(ran.what, exists ? "failed, and left a bundle" : "wrote no bundle");
    if (exists && read_text(out) != read_text(wanted) &&
        run_verb(input, {"verify", out.string()}, findings).status != 0)
        findings.add(ran.what, "wrote a bundle with errors");
    if (exists && id_of_bundle(out) != id_of_bundle(wanted))
        findings.add(ran.what, "wrote another bundle");
    fs::remove(out, error);
}

void copy_all(const fs::path& from, const fs::path& to) {
    std::error_code error;
    fs::copy(from, to, fs::copy_options::recursive, error);
}

bool is_text(const fs::path& file) {
    const std::string text = read_text(file);
    return !text.empty() && std::ranges::none_of(text, [](char c) { return c == '\0'; });
}

void damage_one(const fs::path& file, Random& random) {
    std::error_code error;
    fs::permissions(file, fs::perms::owner_write, fs::perm_options::add, error);
    damage_file(file, random, is_text(file) && !random.once_in(4));
}

// ---- Servers --------------------------------------------------------------------------------------------------------

class Socket {
public:
    Socket() : descriptor_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        // A server that waits for more ends the connection later than this.
        const timeval patience{.tv_sec = kCost, .tv_usec = 0};
        ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        ::setsockopt(descriptor_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    }
    ~Socket() { ::close(descriptor_); }
    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;

    // 0: any free port, which is returned.
    std::uint16_t bind_free() {
        sockaddr_in address = loopback(0);
        socklen_t size = sizeof address;
        const bool bound = ::bind(descriptor_, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                           ::getsockname(descriptor_, reinterpret_cast<sockaddr*>(&address), &size) == 0;
        return bound ? ntohs(address.sin_port) : std::uint16_t{0};
    }
    bool connect(std::uint16_t port) {
        const sockaddr_in address = loopback(port);
        return ::connect(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    }
    // Returns whether all of it was sent; a server may end the connection before.
    bool send(std::string_view bytes) {
        while (!bytes.empty()) {
            const ssize_t count = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (count <= 0)
                return false;
            bytes.remove_prefix(static_cast<std::size_t>(count));
        }
        return true;
    }
    void end_sending() { ::shutdown(descriptor_, SHUT_WR); }
    std::string receive(std::size_t bytes_max) {
        std::string text;
        char chunk[16384];
        for (ssize_t count; text.size() < bytes_max && (count = ::recv(descriptor_, chunk, sizeof chunk, 0)) > 0;)
            text.append(chunk, static_cast<std::size_t>(count));
        return text;
    }

private:
    static sockaddr_in loopback(std::uint16_t port) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        return address;
    }
    int descriptor_;
};

// `fardel serve` with these words, until this ends.
class Serving {
public:
    static std::uint16_t find_port() { return Socket().bind_free(); }
    Serving(const InputCase& input, Words words, std::uint16_t port = find_port()) : port_(port) {
        words.insert(words.begin(), {input.program, "serve"});
        words.insert(words.end(), {"--listen", "127.0.0.1:" + std::to_string(port_), "--grace", "1"});
        server_.emplace(words, input.surroundings());
        bounds_ = input.surroundings().bounds;
        bounds_.processor_s *= 3;
        for (int i = 0; i < 2000 && !Socket().connect(port_) && server_->is_running(); ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    bool is_running() { return server_->is_running(); }
    std::uint16_t port() const { return port_; }
    std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
    // Ends it as an administrator does.
    Ran stop() {
        Ran ran = server_->stop(true);
        server_.reset();
        return ran;
    }
    const Bounds& bounds() const { return bounds_; }

private:
    std::uint16_t port_;
    Bounds bounds_;
    std::optional<Background> server_;
};

// ---- Requests -------------------------------------------------------------------------------------------------------

struct Known {
    std::string bundle;  // id
    std::string other;
    std::string bytes;   // of the bundle
    std::string upload;  // of a bundle that the server lacks
};

std::string digits(Random& random, std::size_t count) {
    std::string text;
    while (text.size() < count)
        text.push_back("0123456789abcdef"[random.below(16)]);
    return text;
}

std::string target_of(Random& random, const Known& known) {
    const std::string id = random.once_in(6) ? digits(random, 64) : random.once_in(2) ? known.bundle : known.other;
    const auto suffix =
        random.pick(std::to_array<const char*>({".fardel", ".tables", ".frames", ".slices", ".trace", ".html", ""}));
    switch (random.below(12)) {
        case 0:
        case 1: return "/bundles/" + id + suffix;
        case 2: return "/deltas/" + id + "/" + known.bundle + ".delta";
        case 3: return "/deltas/" + id + "/list";
        case 4: return "/uploads/" + id;
        case 5:
            return "/channels/hub/stable/" +
                   std::string(random.pick(std::to_array<const char*>({"head", "root", "release"})));
        case 6: return std::string(random.once_in(2) ? "/objects/" : "/records/") + id.substr(0, 2) + "/" + id;
        case 7: return "/registry/recalls/" + id;
        case 8:
            return random.pick(std::to_array<const char*>(
                {"/", "/index.html", "/metrics", "/project/head", "/registry.rules", "/feed.xml"}));
        case 9: return "/names/" + hostile_text(random) + ".html";
        case 10: return "/bundles/../" + id + "%2e%2e//./" + suffix;
        default: return "/" + hostile_text(random);
    }
}

std::string authority_of(Random& random) {
    switch (random.below(6)) {
        case 0: return "Authorization: Bearer x\r\n";
        case 1: return "Authorization: Fardel " + digits(random, 64) + " 1 " + digits(random, 128) + "\r\n";
        case 2: return "Authorization: " + std::string(random.below(9000), 'a') + "\r\n";
        default: return std::string("Authorization: Bearer ") + kToken + "\r\n";
    }
}

std::string question(Random& random, const Known& known) {
    const auto number = [](std::uint64_t value) {
        std::string text;
        for (int i = 0; i < 4; ++i)
            text.push_back(static_cast<char>(value >> 8 * i));
        return text;
    };
    const std::size_t count = random.below(40);
    std::string text = std::string(random.once_in(2) ? "FARDELCQ" : "FARDELPQ") + number(1 + random.below(3)) +
                       number(random.once_in(4) ? hostile_number(random, count, count) : count) + number(0);
    for (std::size_t i = 0; i < count; ++i)
        text += i == 0 ? known.bundle.substr(0, 32) : digits(random, 32);
    return text;
}

std::string make_request(Random& random, const Known& known) {
    std::string method = random.pick(
        std::to_array<const char*>({"GET", "GET", "GET", "HEAD", "PUT", "POST", "DELETE", "OPTIONS", "TRACE"}));
    std::string target = target_of(random, known);
    std::string fields = random.once_in(2) ? authority_of(random) : "";
    std::string body;
    if (method == "PUT") {
        target = "/bundles/" + id_of_bundle(known.upload) + ".fardel";
        Bytes bytes = read_bytes(known.upload);
        if (random.once_in(2))
            damage(bytes, random);
        const std::size_t from = random.once_in(3) ? random.below(bytes.size()) : 0;
        body = tests::text_of(std::span(bytes).subspan(std::min(from, bytes.size())));
        if (from != 0)
            fields += "Content-Range: bytes " + std::to_string(from) + "-" + std::to_string(bytes.size() - 1) + "/" +
                      std::to_string(bytes.size()) + "\r\n";
    } else if (method == "POST") {
        target = random.pick(std::to_array<const char*>({"/lacking", "/tables", "/project/tables", "/project/blocks"}));
        body = question(random, known);
    }
    if (random.once_in(3))
        fields += "Range: bytes=" +
                  std::string(random.pick(std::to_array<const char*>(
                      {"0-", "-5", "5-1", "99999999999-", ",", "0-0,1-1", "a-b", "-", "0-18446744073709551615"}))) +
                  "\r\nIf-Range: x\r\n";
    if (random.once_in(4))
        fields +=
            "If-None-Match: " + std::string(random.pick(std::to_array<const char*>({"*", "a", "W/", ""}))) + "\r\n";
    if (!body.empty() || random.once_in(8))
        fields +=
            "Content-Length: " + std::to_string(random.once_in(5) ? random.below(2 * body.size() + 9) : body.size()) +
            "\r\n";
    if (random.once_in(12))
        fields += "Transfer-Encoding: chunked\r\n";
    if (random.once_in(12))
        fields += "X-Forwarded-For: " + hostile_text(random) + "\r\n";
    std::string head =
        method + " " + target + " HTTP/1." + std::to_string(random.below(3)) + "\r\nHost: x\r\n" + fields + "\r\n";
    if (random.once_in(4))
        damage_text(head, random);
    return head + body;
}

void send_requests(Serving& server, Random& random, const Known& known) {
    Socket connection;
    if (!connection.connect(server.port()))
        return;
    std::string bytes;
    for (std::size_t i = 1 + random.below(3); i > 0; --i)
        bytes += make_request(random, known);
    if (random.once_in(8))
        bytes.resize(random.below(bytes.size()));
    const bool sent = connection.send(bytes);
    if (sent && random.once_in(3))
        return;  // without the answer
    connection.end_sending();
    connection.receive(1u << 20);
}

// What a client gets that asks as usual.
void check_good_request(Serving& server, const Known& known, Findings& findings) {
    Socket connection;
    if (!server.is_running() || !connection.connect(server.port()))
        return findings.add("serve", "it does not answer any more");
    connection.send("GET /bundles/" + known.bundle + ".fardel HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    const std::string answer = connection.receive(known.bytes.size() + 65536);
    if (answer.find(" 200 ") != 8 || !answer.ends_with("\r\n\r\n" + known.bytes))
        findings.add("serve", "a usual request gets another answer: " + answer.substr(0, 200));
}

// An author sends bundles that are wrong, and one that is right, which is served from then on as it was countersigned.
void publish_to_registry(const InputCase& input, Serving& server, Random& random, Known& known, Findings& findings) {
    const fs::path file = input.folder / "map.fardel";
    const std::string key = (input.bases / "key").string();
    std::error_code error;
    for (std::size_t i = 0; i < 3; ++i) {
        fs::copy_file(known.upload, file, fs::copy_options::overwrite_existing, error);
        damage_one(file, random);
        run_verb(input, {"publish", file.string(), server.url(), "--key", key}, findings);
    }
    const Ran published = run_verb(input, {"publish", known.upload, server.url(), "--key", key}, findings);
    if (published.status != 0)
        findings.add(published.what, "the registry refuses a good bundle: " + published.err);
    known.bytes = read_text(input.folder / "tree/bundles" / (known.bundle + ".fardel"));
}

}  // namespace

void sweep_transfer(const InputCase& input, Random& random, Findings& findings) {
    const auto base = [&](const char* name) { return (input.bases / name).string(); };
    const auto own = [&](const char* name) { return (input.folder / name).string(); };
    const fs::path out = input.folder / "out.fardel";
    std::error_code error;
    switch (random.below(5)) {
        case 0: {
            fs::copy_file(base("1to2.delta"), own("delta"), error);
            damage_one(own("delta"), random);
            const Ran applied =
                run_verb(input, {"delta", base("v1.fardel"), "--apply", own("delta"), "-o", out.string()}, findings);
            judge_bundle(input, applied, out, base("v2.fardel"), findings);
            run_verb(input, {"delta", "--show", own("delta")}, findings);
            break;
        }
        case 1: {
            fs::copy_file(base("lock"), own("lock"), error);
            damage_one(own("lock"), random);
            copy_all(base("store"), own("store"));
            run_verb(input, {"list", "--lock", own("lock"), "--store", own("store")}, findings);
            run_verb(input, {"list", "--json", "--lock", own("lock"), "--store", own("store")}, findings);
            run_verb(input, {"update", "--yes", "--lock", own("lock"), "--store", own("store")}, findings);
            run_verb(input, {"remove", "m/g", "--lock", own("lock"), "--store", own("store")}, findings);
            break;
        }
        case 2: {
            fs::copy_file(base("1.root"), own("root"), error);
            damage_one(own("root"), random);
            copy_all(base("tree"), own("tree"));
            run_verb(input, {"channel", "sign", own("root"), "--key", base("key")}, findings);
            run_verb(input, {"channel", "publish", own("root"), own("tree")}, findings);
            run_verb(input, {"channel", "status", own("tree")}, findings);
            break;
        }
        default: {  // a hostile mirror
            copy_all(base("tree"), own("tree"));
            copy_all(base("store1"), own("store"));
            std::vector<fs::path> files = files_below(own("tree"));
            for (std::size_t i = 1 + random.below(4); i > 0; --i)
                damage_one(random.pick(files), random);
            const std::string id = id_of_bundle(base("v2.fardel"));
            {
                Serving server(input, {own("tree")});
                const Ran fetched =
                    run_verb(input, {"fetch", server.url(), id, "--store", own("store"), "--yes"}, findings);
                const Ran given =
                    run_verb(input, {"store", "export", id, "--store", own("store"), "-o", out.string()}, findings);
                judge_bundle(input, given, out, base("v2.fardel"), findings);
                if (fetched.status == 0 && given.status != 0)
                    findings.add(fetched.what, "nothing that can be exported was fetched");
                findings.judge(server.stop(), server.bounds());
            }
            run_verb(input, {"publish", base("v2.fardel"), own("tree"), "--delta-from", base("v1.fardel")}, findings);
            run_verb(input, {"channel", "status", own("tree")}, findings);
        }
    }
    for (const char* name : {"delta", "lock", "root", "tree", "store"})
        fs::remove_all(own(name), error);
}

void sweep_store(const InputCase& input, Random& random, Findings& findings) {
    const fs::path store = input.folder / "store";
    const fs::path victim = input.folder / "victim";
    copy_all(input.bases / "store", store);
    write_text(victim / "file", "what belongs to the reader\n");
    write_text(victim / "folder/inside", "and this\n");
    const auto state_of_victim = [&] {
        std::string state;
        for (const fs::path& file : files_below(victim)) {
            struct stat entry {};
            ::stat(file.c_str(), &entry);
            state += file.string() + " " + std::to_string(entry.st_mode) + " " + read_text(file);
        }
        return state;
    };
    const std::string before = state_of_victim();
    std::string changes;
    std::error_code error;
    std::vector<fs::path> places;
    for (const auto& entry : fs::recursive_directory_iterator(store, error))
        places.push_back(entry.path());
    std::ranges::sort(places);
    for (std::size_t i = 1 + random.below(2); i > 0; --i) {
        const fs::path& place = random.pick(places);
        if (!fs::exists(place, error) || fs::is_symlink(place, error))
            continue;
        if (fs::is_regular_file(place, error) && !random.once_in(3)) {
            damage_one(place, random);
            continue;
        }
        // Another user puts a link or a pipe there. Only root can play both.
        if (::geteuid() != 0)
            continue;
        changes += " " + fs::relative(place, store, error).string();
        const bool is_folder = fs::is_directory(place, error);
        fs::remove_all(place, error);
        if (random.once_in(4))
            ::mkfifo(place.c_str(), 0666);
        else
            fs::create_symlink(random.once_in(4) ? victim / "created" : victim / (is_folder ? "folder" : "file"), place,
                               error);
        constexpr uid_t kNobody = 65534;
        (void)!::lchown(place.c_str(), kNobody, kNobody);
    }
    const std::string where = store.string();
    const std::string id = id_of_bundle(input.bases / (random.once_in(2) ? "v1.fardel" : "v2.fardel"));
    const fs::path wanted = input.bases / (id == id_of_bundle(input.bases / "v1.fardel") ? "v1.fardel" : "v2.fardel");
    const fs::path out = input.folder / "out.fardel";
    const std::array<Words, 9> kVerbs{
        Words{"store", "ls", "--store", where},
        Words{"store", "fsck", "--store", where},
        Words{"store", "stats", "--store", where},
        Words{"store", "gc", "--store", where, "--grace", "0s", "--unused", "1s"},
        Words{"store", "gc", "--store", where, "--dry-run"},
        Words{"store", "pin", id, "--store", where, "--name", "p"},
        Words{"store", "rm", id, "--store", where},
        Words{"store", "add", (input.bases / "good.fardel").string(), "--store", where},
        Words{"store", "add", wanted.string(), "--store", where},
    };
    for (std::size_t i = 0; i < 4; ++i) {
        run_verb(input, random.pick(kVerbs), findings);
        const Ran given = run_verb(input, {"store", "export", id, "--store", where, "-o", out.string()}, findings);
        judge_bundle(input, given, out, wanted, findings);
    }
    if (const std::string after = state_of_victim(); after != before)
        findings.add("store", "something outside of it was changed (" + changes + "): " + after);
    fs::remove_all(store, error);
    fs::remove_all(victim, error);
}

void sweep_request(const InputCase& input, Random& random, Findings& findings) {
    const fs::path tree = input.folder / "tree";
    const auto base = [&](const char* name) { return (input.bases / name).string(); };
    Known known{.bundle = id_of_bundle(base("v1.fardel")),
                .other = id_of_bundle(base("v2.fardel")),
                .bytes = read_text(base("v1.fardel")),
                .upload = base("good.fardel")};
    Words words;
    const std::uint16_t port = Serving::find_port();
    const std::size_t kind = random.below(3);
    if (kind == 0) {
        copy_all(base("store"), input.folder / "store");
        words = {"--store", (input.folder / "store").string()};
    } else if (kind == 1) {
        copy_all(base("tree"), tree);
        copy_all(base("cache"), input.folder / "cache");
        const std::string token(kToken);
        write_text(input.folder / "tokens", blake3(std::as_bytes(std::span(token))).hex() + " sweep\n");
        fs::permissions(input.folder / "tokens", fs::perms::owner_read | fs::perms::owner_write);
        words = {tree.string(), "--upload-tokens", (input.folder / "tokens").string(), "--upload-quota",
                 "1M",          "--cache",         (input.folder / "cache").string(),  "--delta-budget",
                 "1M"};
    } else {
        copy_all(base("hub"), tree);
        // Authors sign for the address that the rules say.
        std::string rules = read_text(tree / "registry.rules");
        const std::string_view url = "http://127.0.0.1:1\n";
        if (const auto at = rules.find(url); at != std::string::npos)
            rules.replace(at, url.size(), "http://127.0.0.1:" + std::to_string(port) + "\n");
        write_text(tree / "registry.rules", rules);
        words = {tree.string(),    "--registry",         "--signer",       base("signer"),
                 "--registry-key", base("registry.pub"), "--release-key",  base("release.pub"),
                 "--head-key",     base("head.pub"),     "--upload-quota", "1M"};
        known.bundle = id_of_bundle(base("map.fardel"));
        known.upload = base("map.fardel");
    }
    const auto end = [&](Serving& server) {
        const Bounds bounds = server.bounds();
        const Ran ended = server.stop();
        findings.judge(ended, bounds);
        if (ended.status != 0)
            findings.add(ended.what, "ends with exit status " + std::to_string(ended.status) + ": " + ended.err);
    };
    {
        Serving server(input, words, port);
        for (std::size_t i = 0; i < 20 && server.is_running(); ++i)
            send_requests(server, random, known);
        if (kind == 2)
            publish_to_registry(input, server, random, known, findings);
        check_good_request(server, known, findings);
        end(server);
    }
    if (kind == 2) {  // whatever was sent, it starts again
        Serving again(input, words, port);
        check_good_request(again, known, findings);
        end(again);
    }
    // What is published is what its name says, and good.
    for (const fs::path& file : files_below(tree / "bundles"))
        if (file.extension() == ".fardel" &&
            (file.stem() != id_of_bundle(file) || run_verb(input, {"verify", file.string()}, findings).status != 0))
            findings.add("serve", "it has published " + file.string());
    std::error_code error;
    for (const char* name : {"tree", "store", "cache", "tokens", "map.fardel"})
        fs::remove_all(input.folder / name, error);
}

}  // namespace fardel::sweep
