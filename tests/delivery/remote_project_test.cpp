// RemoteProject: a device follows a project whose files are edited, through a real server.
#include "project_tables.h"
#include "served_bundle.h"

#include "kit/odd_server.h"
#include "kit/opened_bundle.h"

#include <fardel/delivery/remote_bundle.h>
#include <fardel/delivery/server.h>
#include <fardel/format/unpacked_bundle.h>
#include <fardel/vfs/vfs.h>

#include <doctest/doctest.h>

#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace fardel {
namespace {

using namespace fardel::tests;
using ProjectTexts = std::map<std::string, std::string>;

// The bytes of a root, as a server of a project makes them.
std::shared_ptr<const ByteSource> root_of_texts(const ProjectTexts& texts) {
    BundlePlan plan;
    for (const auto& [name, text] : texts)
        add(plan, name, text);
    return value_of(make_unpacked_source(plan));
}

BundleId id_of_source(const std::shared_ptr<const ByteSource>& source) {
    return value_of(Bundle::open(source, {}))->id();
}

class EditedProject final : public LiveBundle {
public:
    BundleId show(const ProjectTexts& texts) {
        auto source = root_of_texts(texts);
        const std::scoped_lock lock(mutex_);
        head_ = id_of_source(source);
        roots_[*head_] = std::move(source);
        return *head_;
    }
    std::optional<BundleId> head() const override {
        const std::scoped_lock lock(mutex_);
        return head_;
    }
    std::shared_ptr<const ByteSource> find(const BundleId& root) const override {
        const std::scoped_lock lock(mutex_);
        const auto found = roots_.find(root);
        return found != roots_.end() ? found->second : nullptr;
    }

private:
    mutable std::mutex mutex_;
    std::optional<BundleId> head_;
    std::map<BundleId, std::shared_ptr<const ByteSource>> roots_;
};

std::unique_ptr<Server> serve_project(const LiveBundle& project) {
    ServerOptions options;
    options.project = &project;
    options.addresses.push_back(value_of(parse_listen_address("127.0.0.1:0")));
    return value_of(Server::start(std::move(options)));
}

RemoteServers connect_to_url(const std::string& url) {
    RemoteOptions options;
    options.trees = {url};
    options.attempts_max = 1;
    return value_of(RemoteServers::open(options));
}

// A device that mounts what the server shows, and follows it.
class Device {
public:
    Device(const ScratchFolder& scratch, const std::string& url)
        : store_(make_store(scratch)),
          servers_(connect_to_url(url)),
          project_(value_of(RemoteProject::open(store_, servers_))) {
        root_ = value_of(project_.poll());
        mount_ = value_of(vfs_.mount(root_->source(), {.allow_unsigned = true}));
    }

    // The paths that changed; empty: still the same root.
    std::vector<std::string> follow() {
        const auto root = value_of(project_.poll());
        std::vector<std::string> paths;
        if (!root)
            return paths;
        root_ = root;
        for (const AssetChange& change :
             value_of(vfs_.replace(mount_, {.subject = root->source(), .options = {.allow_unsigned = true}})))
            paths.push_back(change.path);
        return paths;
    }

    std::string read(const std::string& name) const { return text_of(value_of(value_of(vfs_.open(name)).read_all())); }
    void check(const ProjectTexts& texts) const {
        for (const auto& [name, text] : texts)
            CHECK(read(name) == text);
    }
    std::uint64_t received() const { return servers_.counts().received_bytes + project_.received_bytes(); }

    const RemoteBundle& root() const { return *root_; }
    const Vfs& vfs() const { return vfs_; }
    RemoteProject& project() { return project_; }

private:
    const BundleStore store_;
    RemoteServers servers_;
    RemoteProject project_;
    std::shared_ptr<const RemoteBundle> root_;
    Vfs vfs_{VfsOptions{.cache_bytes = 0}};
    MountId mount_{};
};

// Many small files, and one that is larger than all of them together.
ProjectTexts project_texts() {
    ProjectTexts texts;
    for (std::uint32_t i = 0; i < 1000; ++i)
        texts["scripts/" + std::to_string(1000 + i) + ".txt"] = prose(100 + i * 53 % 400, i);
    texts["textures/wall.tga"] = noise_text(700'000, 1);
    return texts;
}

std::string url_of(const Server& server) { return "http://" + format_listen_address(server.addresses().front()); }

}  // namespace

TEST_CASE("remote project: an edit costs its file and a difference of the tables, and nothing else comes again") {
    const ScratchFolder scratch;
    EditedProject project;
    ProjectTexts texts = project_texts();
    project.show(texts);
    const auto server = serve_project(project);
    Device device(scratch, url_of(*server));
    device.check(texts);
    CHECK(device.follow().empty());

    const std::string before = texts["scripts/1500.txt"];
    const File open = value_of(device.vfs().open("scripts/1500.txt"));
    texts["scripts/1500.txt"] = prose(3000, 77);
    const auto source = root_of_texts(texts);
    const std::uint64_t tables_bytes = value_of(read_project_image(*source)).size();
    project.show(texts);
    const std::uint64_t received = device.received();
    CHECK(device.follow() == std::vector<std::string>{"/scripts/1500.txt"});
    CHECK(device.read("scripts/1500.txt") == prose(3000, 77));
    device.check(texts);
    const std::uint64_t cost = device.received() - received;
    MESSAGE("tables of ", tables_bytes, " bytes; an edit of 3,000 bytes cost ", cost);
    CHECK(cost < tables_bytes + 3000);
    CHECK(cost < 30'000);
    CHECK(text_of(value_of(open.read_all())) == before);

    // What is not asked for does not come.
    texts["textures/wall.tga"] = noise_text(700'000, 2);
    project.show(texts);
    const std::uint64_t then = device.received();
    CHECK(device.follow() == std::vector<std::string>{"/textures/wall.tga"});
    CHECK(device.read("scripts/1001.txt") == texts["scripts/1001.txt"]);
    CHECK(device.received() - then < 30'000);
    CHECK(device.read("textures/wall.tga") == noise_text(700'000, 2));
}

TEST_CASE("remote project: after any edits the device has the files of the project") {
    const ScratchFolder scratch;
    EditedProject project;
    ProjectTexts texts;
    for (std::uint32_t i = 0; i < 40; ++i)
        texts["a/" + std::to_string(i)] = prose(2000 + 37 * i, i);
    project.show(texts);
    const auto server = serve_project(project);
    Device device(scratch, url_of(*server));
    device.check(texts);
    const ProjectTexts first = texts;
    for (std::uint32_t edit = 0; edit < 6; ++edit) {
        texts["a/" + std::to_string(edit * 7 % 40)] = prose(1000 + edit, 100 + edit);
        texts.erase("a/" + std::to_string(39 - edit));
        texts["b/" + std::to_string(edit)] = prose(500, 200 + edit);
        project.show(texts);
        const std::uint64_t before = device.received();
        CHECK(device.follow().size() == 3);
        const std::uint64_t tables = device.received() - before;
        INFO("edit ", edit, ": ", tables, " bytes before content");
        device.check(texts);
        CHECK(device.received() - before < 20'000);
        CHECK_FALSE(device.root().why_not_kept());
        CHECK(code_of(device.vfs().open("a/" + std::to_string(39 - edit))) == ErrorCode::missing);
    }
    // Back to a root that was there before: all of it is here.
    project.show(first);
    const std::uint64_t before = device.received();
    CHECK_FALSE(device.follow().empty());
    device.check(first);
    CHECK(device.received() - before < 20'000);
}

TEST_CASE("remote project: a device that starts again has what it had, also without the server") {
    const ScratchFolder scratch;
    EditedProject project;
    const ProjectTexts texts = project_texts();
    project.show(texts);
    const auto server = serve_project(project);
    { Device(scratch, url_of(*server)).check(texts); }
    Device again(scratch, url_of(*server));
    again.check(texts);
    CHECK(again.received() < 200'000);  // the tables once more, compressed
}

TEST_CASE("remote project: tables that are wrong cost pages and give no wrong bytes") {
    const ScratchFolder scratch;
    const ProjectTexts texts{{"a", prose(5000, 1)}, {"b", prose(5000, 2)}};
    const auto source = root_of_texts(texts);
    const std::string id = id_of_source(source).hex();
    std::string file(source->size_bytes(), '\0');
    REQUIRE(source->read_at(0, std::as_writable_bytes(std::span(file))));
    Bytes image = value_of(read_project_image(*source));
    std::string tables;
    SUBCASE("a page of the tables is wrong") {
        for (std::size_t at = 8192; at < image.size(); at += 512)
            image[at] ^= std::byte{1};
        tables = text_of(encode_project_tables({}, image));
    }
    SUBCASE("the layout is wrong") {
        image[5000] ^= std::byte{1};
        tables = text_of(encode_project_tables({}, image));
    }
    SUBCASE("those of another bundle") {
        tables = text_of(encode_project_tables({}, value_of(read_project_image(*root_of_texts({{"a", "other"}})))));
    }
    SUBCASE("a frame against tables that the device has not") { tables = text_of(encode_project_tables(image, image)); }
    SUBCASE("an endless size") { tables = std::string("\0\xff\xff\xff\xff\xff\xff\xff\xff", 9); }
    SUBCASE("nothing") {}
    const OddServer server([&](OddServer::Guest& guest) {
        const std::string& head = guest.head();
        if (head.starts_with("GET /project/head "))
            guest.send(http_answer("200 OK", id + "\n"));
        else if (head.starts_with("POST /project/tables "))
            guest.send(http_answer("200 OK", tables));
        else if (const auto range = head.find("ange: bytes="); range != std::string::npos) {
            const std::uint64_t from = std::stoull(head.substr(range + 12));
            const std::uint64_t to = std::stoull(head.substr(head.find('-', range + 12) + 1));
            guest.send(partial_answer(std::string_view(file).substr(from, to + 1 - from), from, file.size()));
        }
    });
    Device device(scratch, server.url());
    device.check(texts);
}

TEST_CASE("remote project: a server that serves none, or is gone, is an error, and the mount stays") {
    const ScratchFolder scratch;
    const BundleStore store = make_store(scratch, "other");
    {
        const OddServer tree([](OddServer::Guest& guest) { guest.send(http_answer("404 Not Found", "no")); });
        const RemoteServers servers = connect_to_url(tree.url());
        auto project = value_of(RemoteProject::open(store, servers));
        CHECK(code_of(project.poll()) == ErrorCode::missing);
    }
    EditedProject edited;
    const ProjectTexts texts{{"a", prose(5000, 1)}};
    auto server = serve_project(edited);
    const std::string url = url_of(*server);
    {
        const RemoteServers servers = connect_to_url(url);
        auto project = value_of(RemoteProject::open(store, servers));
        CHECK(code_of(project.poll()) == ErrorCode::busy);
    }
    edited.show(texts);
    Device device(scratch, url);
    device.check(texts);
    server.reset();
    CHECK(code_of(device.project().poll()) == ErrorCode::unreachable);
    device.check(texts);
}

}  // namespace fardel
