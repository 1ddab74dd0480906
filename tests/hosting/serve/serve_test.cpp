// fardel serve over real connections: what it answers to whom, and how it ends.
#include "delivery/served_bundle.h"

#include "kit/bundles.h"
#include "kit/files.h"
#include "kit/raw_connection.h"
#include "kit/serve_program.h"

#include <fardel/delivery/tree_paths.h>
#include <fardel/hosting/publish.h>
#include <fardel/store/bundle_reference.h>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

namespace fardel::tests::serve_test {

std::string publish_game(const ScratchFolder& scratch, const Bytes& bytes) {
    value_of(publish_bundle(make_memory_source(bytes), scratch.path("tree")));
    return scratch.path("tree");
}

TEST_CASE("serve: whole files, ranges, tags and conditions are answered as RFC 9110 demands") {
    const ScratchFolder scratch;
    const Bytes bytes = game_version("1");
    const std::string whole = text_of(bytes);
    const ServeProgram server({publish_game(scratch, bytes)});
    const std::string target = "/" + tree_path_of(bundle_id_of(bytes));
    RawConnection client(server.port());  // all requests over one connection

    const auto all = client.ask(get_request(target));
    CHECK(all.status == 200);
    CHECK(all.body == whole);
    CHECK(all.field("accept-ranges") == "bytes");
    CHECK(all.field("cache-control") == "public, max-age=31536000, immutable");
    CHECK(all.field("connection").empty());
    const std::string tag = all.field("etag");
    CHECK(tag.starts_with("\"" + bundle_id_of(bytes).hex()));

    const auto part = client.ask(get_request(target, "Range: bytes=100-299\r\n"));
    CHECK(part.status == 206);
    CHECK(part.body == whole.substr(100, 200));
    CHECK(part.field("content-range") == "bytes 100-299/" + std::to_string(whole.size()));
    CHECK(client.ask(get_request(target, "Range: bytes=-5\r\n")).body == whole.substr(whole.size() - 5));
    CHECK(client.ask(get_request(target, "Range: bytes=0-1\r\nIf-Range: " + tag + "\r\n")).status == 206);
    CHECK(client.ask(get_request(target, "Range: bytes=0-1\r\nIf-Range: \"x\"\r\n")).body == whole);
    const auto behind = client.ask(get_request(target, "Range: bytes=99999999-\r\n"));
    CHECK(behind.status == 416);
    CHECK(behind.field("content-range") == "bytes */" + std::to_string(whole.size()));
    const auto same = client.ask(get_request(target, "If-None-Match: " + tag + "\r\n"));
    CHECK(same.status == 304);
    CHECK(same.field("etag") == tag);

    const std::string head = "HEAD " + target + " HTTP/1.1\r\nHost: h\r\n\r\n";
    const auto only_head = client.ask(head, false);
    CHECK(only_head.status == 200);
    CHECK(only_head.field("content-length") == std::to_string(whole.size()));
    CHECK(client.ask(get_request("/" + tables_path_of(bundle_id_of(bytes)))).status == 200);
    CHECK(client.ask(get_request("/none")).status == 404);
    CHECK(client.ask(get_request(target, "Range: bytes=7-7\r\n")).body == whole.substr(7, 1));
    CHECK(server.metric("fardel_connections_accepted_total") == 2);
}

TEST_CASE("serve: nothing but files of the tree exists, wherever links and names lead") {  // A82
    const ScratchFolder scratch;
    const Bytes bytes = game_version("1");
    const std::string tree = publish_game(scratch, bytes);
    const std::string linked = filled_id<BundleId>(1).hex();
    const std::string fifo = filled_id<BundleId>(2).hex();
    const std::string folder = filled_id<BundleId>(3).hex();
    scratch.write("secret", "secret");
    scratch.write("tree/secret", "secret");
    scratch.write("tree/bundles/secret.fardel", "secret");
    std::filesystem::create_symlink(scratch.path("secret"), tree + "/bundles/" + linked + ".fardel");
    std::filesystem::create_directory(tree + "/bundles/" + folder + ".fardel");
    REQUIRE(::mkfifo((tree + "/bundles/" + fifo + ".fardel").c_str(), 0600) == 0);
    const ServeProgram server({tree});
    const std::string id = bundle_id_of(bytes).hex();
    RawConnection client(server.port());
    for (const std::string& target :
         {std::string("/"), std::string("/secret"), std::string("/bundles"), std::string("/bundles/"),
          std::string("/bundles/secret.fardel"), std::string("/bundles/../secret"), std::string("/../secret"),
          std::string("/..%2fsecret"), "/bundles/%2e%2e/bundles/" + id + ".fardel", "/bundles/" + id + ".fardel%00x",
          "/bundles/" + id + ".fardel?x=1", "/bundles//" + id + ".fardel", "/bundles/" + linked + ".fardel",
          "/bundles/" + fifo + ".fardel", "/bundles/" + folder + ".fardel", std::string("/metrics")}) {
        CAPTURE(target);
        const auto answer = client.ask(get_request(target));
        CHECK(answer.status == 404);
        CHECK(answer.body.find("secret") == std::string::npos);
    }
    for (const char* const method : {"POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PROPFIND"}) {
        CAPTURE(method);
        RawConnection other(server.port());
        const auto answer = other.ask(std::string(method) + " /bundles/" + id +
                                      ".fardel HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc");
        CHECK(answer.status == 405);
        CHECK(answer.field("allow") == "GET, HEAD");
    }
    // The folder is replaced while it is served: what was opened stays.
    std::filesystem::rename(tree + "/bundles", tree + "/old");
    std::filesystem::create_directory_symlink(tree + "/old", tree + "/bundles");
    CHECK(client.ask(get_request("/bundles/" + id + ".fardel")).status == 404);
}

TEST_CASE("serve: a store's bundles are sent as the files that were added, and others are missing") {
    const ScratchFolder scratch;
    const Bytes first = game_version("1");
    const Bytes second = game_version("2");  // shares its blocks with the first, in another pack
    const BundleStore store = make_store(scratch);
    for (const Bytes& bytes : {first, second})
        value_of(store.add(make_memory_source(bytes)));
    const ServeProgram server({"--store", scratch.path("store")});
    RawConnection client(server.port());
    for (const Bytes& bytes : {first, second}) {
        const std::string target = "/" + tree_path_of(bundle_id_of(bytes));
        CHECK(client.ask(get_request(target)).body == text_of(bytes));
        CHECK(client.ask(get_request(target, "Range: bytes=299000-301000\r\n")).body ==
              text_of(bytes).substr(299'000, 2001));
    }
    const auto none = client.ask(get_request("/" + tree_path_of(filled_id<BundleId>(9))));
    CHECK(none.status == 404);
}

TEST_CASE("serve: what a store only refers to is sent from the file elsewhere, and not when that has changed") {
    const ScratchFolder scratch;
    const Bytes bytes = game_version("1");
    const std::string path = scratch.write("mods/game.fardel", bytes);
    grow_old();
    value_of(add_reference(make_store(scratch), path));
    const std::string target = "/" + tree_path_of(bundle_id_of(bytes));
    {
        const ServeProgram server({"--store", scratch.path("store")});
        RawConnection client(server.port());
        CHECK(client.ask(get_request(target)).body == text_of(bytes));
        CHECK(client.ask(get_request(target, "Range: bytes=299000-301000\r\n")).body ==
              text_of(bytes).substr(299'000, 2001));
    }
    Bytes changed = bytes;
    changed[changed.size() / 2] ^= std::byte{1};
    write_file(path, changed);
    const ServeProgram server({"--store", scratch.path("store")});
    RawConnection client(server.port());
    CHECK(client.ask(get_request(target)).status != 200);
}

TEST_CASE("serve: a bundle that the store has in part is missing") {
    const ScratchFolder scratch;
    const Bytes bytes = game_version("1");
    const TreeServer origin({bytes});
    const BundleStore store = make_store(scratch);
    FetchOptions options = fetching_from({origin.url()});
    options.consent = [](const FetchPlan&) { return Status(Error(ErrorCode::cancelled, "later")); };
    REQUIRE_FALSE(fetch_one(store, bundle_id_of(bytes), options));
    const ServeProgram server({"--store", scratch.path("store")});
    RawConnection client(server.port());
    CHECK(client.ask(get_request("/" + tree_path_of(bundle_id_of(bytes)))).status == 404);
}

TEST_CASE("serve: SIGTERM lets a running transfer end, and accepts nothing new") {
    const ScratchFolder scratch;
    BundlePlan plan;
    add(plan, "large.bin", random_text(5, 24u << 20), "application/octet-stream");  // more than sockets buffer
    const Bytes bytes = written(plan);
    ServeProgram server({publish_game(scratch, bytes), "--grace", "20"});
    RawConnection idle(server.port());
    RawConnection client(server.port(), 65'536);
    REQUIRE(client.send(get_request("/" + tree_path_of(bundle_id_of(bytes)))));
    std::string received = client.read_some(100'000);
    server.send(SIGTERM);
    CHECK(idle.is_closed_within(std::chrono::seconds(15)));
    CHECK(wait_until([&] { return !RawConnection(server.port()).is_open(); }, std::chrono::seconds(15)));
    for (std::string more; !(more = client.read_some(1u << 20)).empty();)
        received += more;
    CHECK(received.substr(received.find("\r\n\r\n") + 4) == text_of(bytes));
    CHECK(server.wait().exit_code == 0);
}

TEST_CASE("serve: a transfer that does not end in the time of grace is cut, and the server ends") {
    const ScratchFolder scratch;
    const Bytes bytes = BundleMaker().add_data("large.bin", random_text(5, 24u << 20)).write_quickly();
    ServeProgram server({publish_game(scratch, bytes), "--grace", "1"});
    RawConnection client(server.port(), 65'536);
    REQUIRE(client.send(get_request("/" + tree_path_of(bundle_id_of(bytes)))));
    CHECK(client.read_some(1000).size() == 1000);
    const auto start = std::chrono::steady_clock::now();
    CHECK(server.stop().exit_code == 0);
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(60));
}

TEST_CASE("serve: each request is a line of the log, and counts in the metrics") {
    const ScratchFolder scratch;
    const Bytes bytes = game_version("1");
    ServeProgram server({publish_game(scratch, bytes), "--access-log", scratch.path("log")});
    const std::string target = "/" + tree_path_of(bundle_id_of(bytes));
    {
        RawConnection client(server.port());
        CHECK(client.ask(get_request(target, "Range: bytes=0-99\r\n")).status == 206);
        CHECK(client.ask(get_request("/\"red")).status == 404);
        CHECK(client.ask(get_request("/\x1b[31m\"red")).status == 400);
    }
    CHECK(server.metric("fardel_requests_total{status=\"206\"}") == 1);
    CHECK(server.metric("fardel_requests_total{status=\"404\"}") == 1);
    CHECK(server.metric("fardel_sent_bytes_total") >= 100);
    CHECK(server.stop().exit_code == 0);
    const std::string log = scratch.read("log");
    CHECK(log.find("\"GET " + target + " HTTP/1.1\" 206 100\n") != std::string::npos);
    CHECK(log.find("\"GET /\\x22red HTTP/1.1\" 404 ") != std::string::npos);
    CHECK(log.find("\"GET /\\x1b[31m\\x22red HTTP/1.1\" 400 ") != std::string::npos);
}

TEST_CASE("serve: a log that logrotate copies and truncates goes on from its beginning") {
    const ScratchFolder scratch;
    ServeProgram server({publish_game(scratch, game_version("1")), "--access-log", scratch.path("log")});
    const auto ask = [&](const std::string& target) {
        const std::string line = "\"GET " + target + " HTTP/1.1\" 404";
        RawConnection client(server.port());
        CHECK(client.ask(get_request(target)).status == 404);
        wait_until([&] { return scratch.read("log").find(line) != std::string::npos; });
        return scratch.read("log");
    };
    CHECK(ask("/before").starts_with("127.0.0.1 "));
    std::filesystem::resize_file(scratch.path("log"), 0);
    const std::string after = ask("/after");
    CHECK(after.starts_with("127.0.0.1 "));
    CHECK(after.find("/before") == std::string::npos);
}

TEST_CASE("serve: the service manager is notified when the server listens and when it stops") {
    const ScratchFolder scratch;
    const Bytes bytes = game_version("1");
    const std::string tree = publish_game(scratch, bytes);
    const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, scratch.path("notify").c_str(), sizeof address.sun_path - 1);
    REQUIRE(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    const timeval patience{60, 0};
    ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    const auto read_message = [&] {
        char text[256];
        const ssize_t size = ::recv(socket, text, sizeof text, 0);
        return size <= 0 ? std::string() : std::string(text, static_cast<std::size_t>(size));
    };
    Running program({"serve", tree, "--listen", "127.0.0.1:0"},
                    {.variables = {{"NOTIFY_SOCKET", scratch.path("notify")}}});
    CHECK(read_message() == "READY=1");
    // ThreadSanitizer can lose a signal that arrives before the program waits for one.
    std::this_thread::sleep_for(std::chrono::milliseconds(2000));
    program.send(SIGTERM);
    CHECK(read_message() == "STOPPING=1");
    CHECK(program.wait().exit_code == 0);
    ::close(socket);
}

TEST_CASE("serve: a socket that the service manager passes is used instead of one of our own") {
    const ScratchFolder scratch;
    const Bytes bytes = game_version("1");
    const std::string tree = publish_game(scratch, bytes);
    // The shell's process id is the program's, because of exec.
    const std::string line =
        "import os,socket\ns=socket.socket()\ns.bind(('127.0.0.1',0))\ns.listen(9)\n"
        "os.dup2(s.fileno(),3)\nos.set_inheritable(3,True)\nos.environ.update(LISTEN_FDS='1',LISTEN_PID=str(os.getpid()"
        "))\n"
        "p=os.environ['FARDEL']\nos.execv(p,[p,'serve','" +
        tree + "','--json'])\n";
    const std::string script = scratch.write("start.py", line);
    const std::string out = scratch.path("out");
    const Outcome ended = run_shell("python3 " + script + " > " + out +
                                    " & id=$!; for i in $(seq 1200); do "
                                    "[ -s " +
                                    out + " ] && break; sleep 0.05; done; kill -TERM $id; wait $id");
    CHECK(ended.exit_code == 0);
    const std::string said = read_file(out);
    CHECK(said.find("\"urls\":[\"http://127.0.0.1:") != std::string::npos);
    CHECK(said.find(":8080") == std::string::npos);
}

}  // namespace fardel::tests::serve_test
