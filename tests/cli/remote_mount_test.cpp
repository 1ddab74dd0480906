// The program mounts bundles from a server: through nginx, the kernel's FUSE and the program.
#include "mounted_folder.h"
#include "sample.h"

#include "kit/nginx.h"
#include "kit/odd_server.h"
#include "kit/serve_program.h"

#include <nlohmann/json.hpp>

#include <atomic>
#include <csignal>
#include <iterator>

namespace fardel::tests::remote_mount_test {

using nlohmann::json;

TEST_CASE_FIXTURE(PackedGame, "mount --from: a published bundle is read through nginx, and again without it") {
    const std::string id = run_well({"id", bundle}).substr(0, 64);
    const std::string store = scratch.path("store");
    std::string url;
    {
        const Nginx nginx(scratch, "nginx", "delivery.md", "/srv/www/mygame");
        url = nginx.url();
        run_well({"publish", bundle, nginx.tree()});
        MountedFolder mount(scratch, {id, "--store", store, "--from", url});
        CHECK(contents_of(mount.path("default.cfg")) == kConfig);
        mount.unmount();
    }
    MountedFolder mount(scratch, {id, "--store", store, "--from", url});
    CHECK(contents_of(mount.path("default.cfg")) == kConfig);
    CHECK(contents_of(mount.path("maps/dm01.bsp")).empty());
    mount.unmount();
    CHECK(run({"mount", id, scratch.path("mnt"), "--from", url}).err.find("--store") != std::string::npos);
    CHECK(run({"mount", "0123456789", scratch.path("mnt"), "--from", url, "--store", store}).err.find("64 digits") !=
          std::string::npos);
}

TEST_CASE_FIXTURE(PackedGame, "mount --from: signatures that came after a bundle was published count") {
    const std::string id = run_well({"id", bundle}).substr(0, 64);
    const Nginx nginx(scratch, "nginx", "delivery.md", "/srv/www/mygame");
    run_well({"publish", bundle, nginx.tree()});
    const std::string key = make_key(scratch, "author");
    const std::string policy = make_policy(scratch, "p.trust", {"--author", key + ".pub"});
    sign(bundle, key, "author");
    run_well({"publish", bundle, nginx.tree()});
    MountedFolder mount(scratch, {id, "--store", scratch.path("store"), "--from", nginx.url(), "--trust", policy});
    CHECK(contents_of(mount.path("default.cfg")) == kConfig);
    mount.unmount();
}

TEST_CASE_FIXTURE(PackedGame, "mount: a bundle that is named by its URL is read from its tree, like one of --from") {
    const std::string id = run_well({"id", bundle}).substr(0, 64);
    const std::string store = scratch.path("store");
    const Nginx nginx(scratch, "nginx", "delivery.md", "/srv/www/mygame");
    run_well({"publish", bundle, nginx.tree()});
    const std::string url = nginx.url() + "/bundles/" + id + ".fardel";
    {
        MountedFolder mount(scratch, {url, "--store", store, "--ids"});
        CHECK(contents_of(mount.path("default.cfg")) == kConfig);
        CHECK(contents_of(mount.path("bundles/" + id + "/default.cfg")) == kConfig);
        mount.unmount();
    }
    {
        MountedFolder mount(scratch, {url, "--store", store, "--from", nginx.url()});
        CHECK(contents_of(mount.path("default.cfg")) == kConfig);
        mount.unmount();
    }
    const auto refused = [&](const Arguments& words, const std::string& reason) {
        Arguments all{"mount"};
        all.insert(all.end(), words.begin(), words.end());
        all.insert(all.end(), {scratch.path("mnt"), "--store", store});
        const Outcome outcome = run(all);
        CAPTURE(outcome.err);
        CHECK(outcome.exit_code == 2);
        CHECK(outcome.err.find(reason) != std::string::npos);
    };
    refused({nginx.url()}, "URL/bundles/ID.fardel");
    refused({nginx.url() + "/bundles/" + id.substr(1) + ".fardel"}, "URL/bundles/ID.fardel");
    refused({nginx.url() + "/bundles/" + id + ".tables"}, "URL/bundles/ID.fardel");
    refused({nginx.url() + "/" + id + ".fardel"}, "URL/bundles/ID.fardel");
    refused({url, "--from", "http://127.0.0.1:1/other"}, "two trees");
    refused({url, "http://127.0.0.1:1/other/bundles/" + id + ".fardel"}, "two trees");
    const Outcome denied = run({"mount", url, scratch.path("mnt"), "--store", scratch.path("new"), "--public-only"});
    CHECK(is_one_clear_line(denied, "denied"));
}

TEST_CASE("mount --from: content of a class that its signer may not bring is listed and not opened") {  // A137
    const ScratchFolder scratch;
    const std::string key = make_key(scratch, "painter");
    const std::string policy = make_policy(scratch, "p.trust", {"--author", key + ".pub", "--classes", "data"});
    const Nginx nginx(scratch, "nginx", "delivery.md", "/srv/www/mygame");
    const auto publish = [&](const std::string& name, const std::string& file, const std::string& as) {
        fs::create_directories(scratch.path(name));
        scratch.write(name + "/notes.txt", "a skin\n");
        fs::copy_file(file, scratch.path(name + "/" + as));
        run_well({"pack", scratch.path(name), "-o", scratch.path(name + ".fardel"), "--name", name, "--key", key});
        run_well({"publish", scratch.path(name + ".fardel"), nginx.tree()});
        return run_well({"id", scratch.path(name + ".fardel")}).substr(0, 64);
    };
    const std::string store = scratch.path("store");
    for (const auto& [name, file] : {std::pair("object", "/bin/ls"), std::pair("script", "/usr/bin/ldd")}) {
        const std::string id = publish(name, file, "skull.tga");
        MountedFolder mount(scratch, {id, "--store", store, "--from", nginx.url(), "--trust", policy, "--ids"});
        CHECK(contents_of(mount.path("notes.txt")) == "a skin\n");
        for (const std::string& path : {mount.path("skull.tga"), mount.path("bundles/" + id + "/skull.tga")}) {
            CAPTURE(path);
            CHECK(fs::file_size(path) == fs::file_size(file));
            CHECK(contents_of(path).empty());
        }
        for (const auto& asset : fs::directory_iterator(mount.path("assets")))
            CHECK(contents_of(asset.path().string()) == (asset.file_size() == 7 ? "a skin\n" : ""));
        mount.unmount();
    }
    const std::string id = publish("library", "/bin/ls", "skull.so");
    const Outcome refused =
        run({"mount", id, scratch.path("mnt"), "--store", store, "--from", nginx.url(), "--trust", policy});
    CHECK(refused.exit_code != 0);
    CHECK(is_one_clear_line(refused, "denied"));
    CHECK(refused.err.find("skull.so") != std::string::npos);
}

TEST_CASE_FIXTURE(PackedGame,
                  "fetch and mount --from: --public-only refuses this machine, unless it is allowed by name") {
    const std::string id = run_well({"id", bundle}).substr(0, 64);
    const std::string store = scratch.path("store");
    const Nginx nginx(scratch, "nginx", "delivery.md", "/srv/www/mygame");
    run_well({"publish", bundle, nginx.tree()});
    fs::create_directories(scratch.path("empty"));
    const auto with = [](Arguments words, const Arguments& more) {
        words.insert(words.end(), more.begin(), more.end());
        return words;
    };
    const Arguments mount{"mount", id, scratch.path("empty"), "--store", store, "--from", nginx.url()};
    const Arguments fetch{"fetch", nginx.url(), id, "--store", store};
    for (const Arguments& words : {mount, fetch}) {
        CHECK(is_one_clear_line(run(with(words, {"--public-only"})), "denied"));
        CHECK(is_one_clear_line(run(with(words, {"--public-only", "--allow-host", "example.org"})), "denied"));
        CHECK(run(with(words, {"--allow-host", "127.0.0.1"})).err.find("needs --public-only") != std::string::npos);
        const Outcome malformed = run(with(words, {"--public-only", "--allow-host", "http://127.0.0.1"}));
        CHECK(malformed.exit_code == 2);
        CHECK(malformed.err.find("HOST:PORT") != std::string::npos);
    }
    CHECK(run({"mount", bundle, scratch.path("empty"), "--public-only"}).err.find("needs --from") != std::string::npos);
    run_well(
        {"fetch", nginx.url(), id, "--store", scratch.path("other"), "--public-only", "--allow-host", "127.0.0.1"});
    MountedFolder mounted(scratch, {id, "--store", store, "--from", nginx.url(), "--public-only", "--allow-host",
                                    nginx.url().substr(std::string("http://").size())});
    CHECK(contents_of(mounted.path("default.cfg")) == kConfig);
    mounted.unmount();
}

TEST_CASE_FIXTURE(PackedGame, "mount --from: a read that waits for a server does not delay the end of the mount") {
    const std::string id = run_well({"id", bundle}).substr(0, 64);
    const std::string bytes = read_file(bundle);
    // A server that answers until the blocks of the map are asked for.
    std::atomic<bool> is_asked = false;
    const OddServer server([&](OddServer::Guest& guest) {
        const std::string head = guest.head();
        const std::size_t at = head.find("bytes=");
        REQUIRE(at != std::string::npos);
        const std::size_t first = std::stoul(head.substr(at + 6));
        const std::size_t last = std::stoul(head.substr(head.find('-', at) + 1));
        if (last - first > 20'000 && first < 300'000) {
            is_asked = true;
            guest.hang();
            return;
        }
        guest.send(http_answer("206 Partial Content", bytes.substr(first, last + 1 - first),
                               "Content-Range: bytes " + std::to_string(first) + "-" + std::to_string(last) + "/" +
                                   std::to_string(bytes.size()) + "\r\n"));
    });
    const std::string folder = scratch.path("mnt");
    fs::create_directories(folder);
    Running program({"mount", id, folder, "--foreground", "--store", scratch.path("store"), "--from", server.url()});
    wait_until([&] { return fs::exists(folder + "/maps"); });
    std::string read = "nothing";
    std::jthread reader([&] { read = contents_of(folder + "/maps/dm01.bsp"); });
    wait_until([&] { return is_asked.load(); });
    CHECK(is_asked);
    const auto start = std::chrono::steady_clock::now();
    program.send(SIGTERM);
    CHECK(program.wait().exit_code == 0);
    reader.join();
    CHECK(read.empty());
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(9));  // a server has 10
}

TEST_CASE_FIXTURE(
    PackedGame, "fetch --only: a part of a bundle is listed, mounted and checked as incomplete, and completed later") {
    const std::string id = run_well({"id", bundle}).substr(0, 64);
    const std::string store = scratch.path("store");
    const Nginx nginx(scratch, "nginx", "delivery.md", "/srv/www/mygame");
    run_well({"publish", bundle, nginx.tree()});
    const json plan = json::parse(
        run_well({"fetch", nginx.url(), id, "--store", store, "--only", "*.cfg", "--plan", "--json"}))["plan"];
    CHECK(plan["bundles"][0]["left_bytes"] > 290'000);
    CHECK(plan["bundles"][0]["space_bytes"] >= plan["bundles"][0]["fetch_bytes"]);
    const json fetched =
        json::parse(run_well({"fetch", nginx.url(), id, "--store", store, "--only", "*.cfg", "--json"}));
    CHECK(fetched["received_bytes"] == plan["fetch_bytes"]);
    CHECK(run_well({"store", "ls", "--store", store}).find("incomplete") != std::string::npos);
    CHECK(run_well({"store", "fsck", "--store", store}).find("intact") != std::string::npos);
    const Outcome which = run({"which", "maps/dm01.bsp", "--mount", id, "--store", store});
    CHECK(which.exit_code == 0);
    CHECK(which.err.find("incomplete: ") != std::string::npos);
    const Outcome exported = run({"store", "export", id, "-o", scratch.path("out"), "--store", store});
    CHECK(exported.exit_code != 0);
    {
        MountedFolder mount(scratch, {id, "--store", store});
        CHECK(contents_of(mount.path("default.cfg")) == kConfig);
        CHECK(fs::exists(mount.path("maps/dm01.bsp")));
        CHECK(errno_of_reading(mount.path("maps/dm01.bsp")) == EIO);  // ENOENT would have a game take another file
        mount.unmount();
    }
    CHECK(run({"fetch", nginx.url(), id, "--store", store, "--tags", "german"}).err.find("AXIS=VALUE") !=
          std::string::npos);
    run_well({"fetch", nginx.url(), id, "--store", store});
    run_well({"store", "export", id, "-o", scratch.path("out"), "--store", store});
    CHECK(read_file(scratch.path("out")) == read_file(bundle));
}

TEST_CASE(
    "mount --follow: an edit of a project that is served is seen through the mount, open files stay as they are") {
    const ScratchFolder scratch;
    const ServeProgram server({"--project", make_game(scratch)});
    const std::string store = scratch.path("store");
    MountedFolder mount(scratch, {"--store", store, "--from", server.url(), "--follow"});
    CHECK(contents_of(mount.path("default.cfg")) == kConfig);
    std::ifstream open(mount.path("default.cfg"), std::ios::binary);
    std::string first(3, '\0');
    open.read(first.data(), 3);
    CHECK_FALSE(fs::exists(mount.path("new.cfg")));

    scratch.write("game/default.cfg", "set name \"edited\"\n");
    scratch.write("game/new.cfg", "new");
    fs::remove(scratch.path("game/docs/readme.txt"));
    wait_until([&] { return !fs::exists(mount.path("docs/readme.txt")); });
    CHECK_FALSE(fs::exists(mount.path("docs/readme.txt")));
    CHECK(contents_of(mount.path("default.cfg")) == "set name \"edited\"\n");
    CHECK(contents_of(mount.path("new.cfg")) == "new");
    CHECK(contents_of(mount.path("maps/dm01.bsp")) == scratch.read("game/maps/dm01.bsp"));
    CHECK(first + std::string(std::istreambuf_iterator<char>(open), {}) == kConfig);
    open.close();
    mount.unmount();

    CHECK(run({"mount", scratch.path("mnt"), "--follow"}).exit_code == 2);
}

TEST_CASE("mount --follow: a project that needs a bundle file is seen with it, and both change together") {
    const ScratchFolder scratch;
    scratch.write("base/shared.txt", "shared 1");
    const auto pack_base = [&] {
        run_well({"pack", scratch.path("base"), "-o", scratch.path("new.fardel")});
        fs::rename(scratch.path("new.fardel"), scratch.path("mod/base.fardel"));
    };
    scratch.write("mod/files/own.txt", "own");
    pack_base();
    scratch.write("mod/fardel.toml", "name = \"mod\"\nsources = [\"files\"]\n[[dependency]]\nfile = \"base.fardel\"\n");
    const ServeProgram server({"--project", scratch.path("mod")});
    MountedFolder mount(scratch, {"--store", scratch.path("store"), "--from", server.url(), "--follow"});
    CHECK(contents_of(mount.path("own.txt")) == "own");
    CHECK(contents_of(mount.path("shared.txt")) == "shared 1");
    scratch.write("base/shared.txt", "shared 2");
    pack_base();
    wait_until([&] { return contents_of(mount.path("shared.txt")) == "shared 2"; });
    CHECK(contents_of(mount.path("shared.txt")) == "shared 2");
    CHECK(contents_of(mount.path("own.txt")) == "own");
    mount.unmount();
}

TEST_CASE("mount --follow: a policy mounts a project only in development mode, and says that it is tainted") {
    const ScratchFolder scratch;
    const ServeProgram server({"--project", make_game(scratch)});
    scratch.write("strict.trust", "fardel-trust 1\n");
    scratch.write("open.trust", "fardel-trust 1\nunsigned allow\n");
    fs::create_directories(scratch.path("mnt"));
    const auto follow = [&](const char* policy) {
        return Arguments{
            "mount",   scratch.path("mnt"), "--follow", "--from", server.url(), "--store", scratch.path("store"),
            "--trust", scratch.path(policy)};
    };
    CHECK(is_one_clear_line(run(follow("strict.trust")), "untrusted"));
    const Outcome opened = run(follow("open.trust"));
    CHECK(opened.exit_code == 0);
    CHECK(opened.err.find("tainted") != std::string::npos);
    CHECK(contents_of(scratch.path("mnt/default.cfg")) == kConfig);
    run_well({"mount", "--unmount", scratch.path("mnt")});
}

}  // namespace fardel::tests::remote_mount_test
