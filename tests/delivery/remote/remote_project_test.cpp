// RemoteProject: a device follows a project whose files are edited, through a real server.
#include <fardel/delivery/delta_tables.h>
#include "delivery/served_bundle.h"

#include "kit/bundles.h"
#include "kit/odd_server.h"

#include <fardel/delivery/fardel_fetch.h>
#include <fardel/delivery/remote_bundle.h>
#include <fardel/format/c_interface.h>
#include <fardel/format/unpacked_bundle.h>
#include <fardel/hosting/server.h>
#include <fardel/vfs/fardel.h>
#include <fardel/vfs/inspect.h>
#include <fardel/vfs/vfs.h>

#include <atomic>
#include <map>
#include <mutex>
#include <stop_token>

namespace fardel::tests::remote_project_test {

using ProjectTexts = std::map<std::string, std::string>;

// The bytes of a root, as a server of a project makes them.
std::shared_ptr<const ByteSource> root_of_texts(const ProjectTexts& texts, const std::vector<BundleId>& needs = {}) {
    BundlePlan plan;
    for (const BundleId& bundle : needs)
        plan.dependencies.push_back({.bundle = bundle});
    for (const auto& [name, text] : texts)
        add(plan, name, text);
    return value_of(make_unpacked_source(plan));
}

BundleId id_of_source(const std::shared_ptr<const ByteSource>& source) {
    return value_of(Bundle::open(source, {}))->id();
}

class EditedProject final : public LiveBundle {
public:
    BundleId show(const ProjectTexts& texts, const std::vector<BundleId>& needs = {}) {
        auto source = root_of_texts(texts, needs);
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

std::unique_ptr<Server> serve_project(const LiveBundle& project, const BundleStore* store = nullptr) {
    ServerOptions options;
    options.project = &project;
    options.store = store;
    options.addresses.push_back(value_of(parse_listen_address("127.0.0.1:0")));
    return value_of(Server::start(std::move(options)));
}

RemoteServers connect_to_urls(const std::vector<std::string>& urls) {
    RemoteOptions options;
    options.servers = urls;
    options.attempts_max = 1;
    return value_of(RemoteServers::open(options));
}
RemoteServers connect_to_url(const std::string& url) { return connect_to_urls({url}); }

// A device that mounts what the server shows, and follows it.
class Device {
public:
    Device(const ScratchFolder& scratch, const std::string& url) : Device(scratch, std::vector{url}) {}
    Device(const ScratchFolder& scratch, const std::vector<std::string>& urls, RemoteProjectOptions options = {})
        : store_(make_store(scratch)),
          servers_(connect_to_urls(urls)),
          project_(value_of(RemoteProject::open(store_, servers_, std::move(options)))) {
        follow();
        REQUIRE(!bundles_.empty());
    }

    // The paths that changed; empty: still the same root.
    std::vector<std::string> follow() {
        auto bundles = value_of(project_.poll());
        std::vector<std::string> paths;
        if (bundles.empty())
            return paths;
        bundles_ = std::move(bundles);
        std::vector<MountRequest> requests;
        for (const RemoteMount& bundle : bundles_)
            requests.push_back({.subject = bundle.source, .options = {.allow_unsigned = true}});
        for (const AssetChange& change : value_of(vfs_.replace(group_, requests)))
            paths.push_back(change.path);
        return paths;
    }

    std::string read(const std::string& name) const { return text_of(value_of(value_of(vfs_.open(name)).read_all())); }
    void check(const ProjectTexts& texts) const {
        for (const auto& [name, text] : texts)
            CHECK(read(name) == text);
    }
    std::uint64_t received() const { return servers_.counts().received_bytes + project_.received_bytes(); }

    const RemoteBundle& root() const { return *bundles_.back().remote; }
    const std::vector<RemoteMount>& bundles() const { return bundles_; }
    const Vfs& vfs() const { return vfs_; }
    RemoteProject& project() { return project_; }

private:
    const BundleStore store_;
    RemoteServers servers_;
    RemoteProject project_;
    std::vector<RemoteMount> bundles_;
    Vfs vfs_{VfsOptions{.cache_bytes = 0}};
    std::vector<MountId> group_;
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

// Heads, manifest and layout of a root, as one row of bytes.
Bytes image_of_root(const std::shared_ptr<const ByteSource>& source) {
    const TableImage image = new_tables_of(*value_of(Bundle::open(source, {})));
    Bytes bytes(static_cast<std::size_t>(image.size_bytes()));
    REQUIRE(image.read(*source, 0, bytes));
    return bytes;
}

// A delta that gives this image, right or wrong, against another one.
std::string answer_of(const Bundle& root, const Bytes& image, const Bytes& held = {}, const BundleId& held_id = {}) {
    const Bytes frame = encode_with_prefix(held, image, 1);
    const DeltaDirectory directory{.tables = {{.frame_bytes = static_cast<std::uint32_t>(frame.size()),
                                               .raw_bytes = static_cast<std::uint32_t>(image.size()),
                                               .prefix_bytes = static_cast<std::uint32_t>(held.size())}}};
    const Bytes entries = encode_delta_directory(directory);
    const DeltaHead head{.old_bundle = held_id,
                         .new_bundle = root.id(),
                         .new_layout = root.layout_id(),
                         .file_bytes = root.source()->size_bytes(),
                         .directory_bytes = entries.size(),
                         .tables_bytes = frame.size(),
                         .table_segments = 1};
    return text_of(encode_delta_head(head)) + text_of(entries) + text_of(frame);
}

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
    const std::uint64_t tables_bytes = image_of_root(source).size();
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
    const auto root = value_of(Bundle::open(source, {}));
    Bytes image = image_of_root(source);
    std::string tables;
    bool is_used = false;
    SUBCASE("right ones") {
        tables = answer_of(*root, image);
        is_used = true;
    }
    SUBCASE("a page of the tables is wrong") {
        for (std::size_t at = 8192; at < image.size(); at += 512)
            image[at] ^= std::byte{1};
        tables = answer_of(*root, image);
    }
    SUBCASE("the layout is wrong") {
        image[5000] ^= std::byte{1};
        tables = answer_of(*root, image);
    }
    SUBCASE("those of another bundle") {
        const auto other = root_of_texts({{"a", "other"}});
        tables = answer_of(*value_of(Bundle::open(other, {})), image_of_root(other));
        SUBCASE("as they are") {}
        SUBCASE("under the id of the root") { tables.replace(80, 32, answer_of(*root, image), 80, 32); }
    }
    SUBCASE("a frame against tables that the device has not") {
        tables = answer_of(*root, image, image);
        SUBCASE("of no bundle") {}
        SUBCASE("of the same root") { tables = answer_of(*root, image, image, root->id()); }
    }
    SUBCASE("an endless size") {
        tables = answer_of(*root, image);
        tables.replace(192 + 4, 4, "\xff\xff\xff\xff");
    }
    SUBCASE("an earlier form") {
        tables = answer_of(*root, image);
        tables[8] = 3;
    }
    SUBCASE("nothing") {}
    std::atomic<int> of_tables = 0;
    const OddServer server([&](OddServer::Guest& guest) {
        const std::string& head = guest.head();
        if (head.starts_with("GET /project/head "))
            guest.send(http_answer("200 OK", id + "\n"));
        else if (head.starts_with("POST /project/tables "))
            guest.send(http_answer("200 OK", tables));
        else if (const auto range = head.find("ange: bytes="); range != std::string::npos) {
            const std::uint64_t from = std::stoull(head.substr(range + 12));
            const std::uint64_t to = std::stoull(head.substr(head.find('-', range + 12) + 1));
            const std::uint64_t blocks = root->layout_head().blocks_offset;
            of_tables += from < blocks || from >= blocks + root->layout_head().blocks_bytes ? 1 : 0;
            guest.send(partial_answer(std::string_view(file).substr(from, to + 1 - from), from, file.size()));
        }
    });
    Device device(scratch, server.url());
    device.check(texts);
    CHECK((of_tables == 0) == is_used);
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

// ---- Dependencies ---------------------------------------------------------------------------------------------------

// A bundle file with one text, which may need others.
Bytes bundle_of_text(const std::string& name, const std::string& text, const std::vector<BundleId>& needs = {}) {
    return all_bytes(*root_of_texts({{name, text}}, needs));
}

BundleId add_to(const BundleStore& store, const Bytes& bundle) {
    value_of(store.add(make_memory_source(bundle)));
    return bundle_id_of(bundle);
}

// Lists a folder all the time, in which root and dependency each have a file of the same number.
struct PairReader {
    const Vfs& vfs;
    std::atomic<int> reads{0};
    std::atomic<int> torn{0};
    void run(const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            const auto entries = vfs.list("pair");
            if (!entries || entries->size() != 2 || entries->front().name.substr(4) != entries->back().name.substr(4))
                ++torn;
            ++reads;
        }
    }
};

TEST_CASE("remote project: what a root needs comes from the same server, and is replaced with it in one step") {
    const ScratchFolder scratch;
    const BundleStore shelf = make_store(scratch, "shelf");
    const BundleId fonts = add_to(shelf, bundle_of_text("font.txt", prose(3000, 5)));
    const BundleId base = add_to(shelf, bundle_of_text("pair/base0", "base", {fonts}));
    EditedProject project;
    project.show({{"pair/root0", "root"}}, {base});
    const auto server = serve_project(project, &shelf);
    Device device(scratch, url_of(*server));
    REQUIRE(device.bundles().size() == 3);
    CHECK(device.bundles()[0].bundle == fonts);
    CHECK(device.bundles()[1].bundle == base);
    CHECK(device.read("pair/root0") == "root");
    CHECK(device.read("pair/base0") == "base");
    CHECK(device.read("font.txt") == prose(3000, 5));
    CHECK(device.vfs().mounts().front().missing_dependencies.empty());

    PairReader reader{device.vfs()};
    std::jthread thread([&](const std::stop_token& stop) { reader.run(stop); });
    for (int edit = 1; edit <= 20; ++edit) {
        const std::string number = std::to_string(edit);
        project.show({{"pair/root" + number, "root"}},
                     {add_to(shelf, bundle_of_text("pair/base" + number, number, {fonts}))});
        const auto fonts_before = device.bundles()[0].remote;
        CHECK(device.follow().size() == 4);  // two came, two are gone
        CHECK(device.bundles()[0].remote == fonts_before);
        CHECK(device.read("pair/base" + number) == number);
    }
    while (reader.reads.load() == 0)
        std::this_thread::yield();
    thread.request_stop();
    thread.join();
    CHECK(reader.torn.load() == 0);
    CHECK(device.vfs().mounts().size() == 3);

    project.show({{"alone", "alone"}});
    CHECK(device.follow() == std::vector<std::string>{"/alone", "/font.txt", "/pair/base20", "/pair/root20"});
    CHECK(device.vfs().mounts().size() == 1);
}

TEST_CASE("remote project: what a root needs comes from the store, from other servers, or is mounted already") {
    const ScratchFolder scratch;
    const Bytes base = bundle_of_text("base.txt", "base");
    EditedProject project;
    project.show({{"root.txt", "root"}}, {bundle_id_of(base)});
    const auto server = serve_project(project);
    SUBCASE("the store") {
        add_to(make_store(scratch), base);
        const Device device(scratch, url_of(*server));
        CHECK(device.read("base.txt") == "base");
        CHECK_FALSE(device.bundles().front().remote);
    }
    SUBCASE("another server") {
        const TreeServer tree({base});
        const Device device(scratch, {url_of(*server), tree.url()});
        CHECK(device.read("base.txt") == "base");
    }
    SUBCASE("mounted already") {
        const Device device(scratch, {url_of(*server)}, {.mounted = {bundle_id_of(base)}});
        CHECK(device.bundles().size() == 1);
    }
}

TEST_CASE("remote project: a root whose dependency is nowhere is refused, and comes when the dependency is there") {
    const ScratchFolder scratch;
    const BundleStore shelf = make_store(scratch, "shelf");
    EditedProject project;
    project.show({{"root.txt", "first"}});
    const auto server = serve_project(project, &shelf);
    Device device(scratch, url_of(*server));
    const Bytes base = bundle_of_text("base.txt", "base");
    project.show({{"root.txt", "second"}}, {bundle_id_of(base)});
    for (int times = 0; times < 2; ++times) {
        const auto refused = device.project().poll();
        CHECK(code_of(refused) == ErrorCode::unresolved);
        CHECK(refused.error().message().find(bundle_id_of(base).hex()) != std::string::npos);
    }
    CHECK(device.read("root.txt") == "first");
    add_to(shelf, base);
    CHECK(device.follow() == std::vector<std::string>{"/base.txt", "/root.txt"});
    CHECK(device.read("root.txt") == "second");
}

TEST_CASE("remote project: roots are unsigned, so a policy accepts them only in development mode") {
    const ScratchFolder scratch;
    EditedProject project;
    project.show({{"root.txt", "root"}});
    const auto server = serve_project(project);
    const BundleStore store = make_store(scratch);
    const RemoteServers servers = connect_to_url(url_of(*server));
    const TrustPolicy strict = value_of(TrustPolicy::parse("fardel-trust 1\n"));
    auto refused = value_of(RemoteProject::open(store, servers, {.policy = &strict}));
    CHECK(code_of(refused.poll()) == ErrorCode::untrusted);
    CHECK(code_of(refused.poll()) == ErrorCode::untrusted);

    const TrustPolicy development = value_of(TrustPolicy::parse("fardel-trust 1\nunsigned allow\n"));
    auto accepted = value_of(RemoteProject::open(store, servers, {.policy = &development}));
    const auto bundles = value_of(accepted.poll());
    REQUIRE(bundles.size() == 1);
    Vfs vfs;
    CHECK(code_of(vfs.mount(bundles[0].source, {.policy = &strict})) == ErrorCode::untrusted);
    value_of(vfs.mount(bundles[0].source, {.policy = &development}));
    CHECK(vfs.tainted());
}

// ---- In C -----------------------------------------------------------------------------------------------------------

// An engine in C that follows a project.
struct CDevice {
    fardel_store* store = nullptr;
    fardel_servers* servers = nullptr;
    fardel_project* project = nullptr;
    fardel_vfs* vfs = nullptr;
    std::vector<fardel_mount_id> mounts;
    std::string changed;

    CDevice(const ScratchFolder& scratch, const std::string& url, const fardel_project_options* options) {
        const char* const text = url.c_str();
        fardel_server_options where = FARDEL_SERVER_OPTIONS_INIT;
        where.urls = &text;
        where.url_count = 1;
        REQUIRE(fardel_store_open(scratch.path("store").c_str(), 1, &store, nullptr) == FARDEL_OK);
        REQUIRE(fardel_servers_open(&where, &servers, nullptr) == FARDEL_OK);
        REQUIRE(fardel_vfs_create(nullptr, &vfs, nullptr) == FARDEL_OK);
        REQUIRE(fardel_project_open(store, servers, options, &project, nullptr) == FARDEL_OK);
    }
    ~CDevice() {
        fardel_project_close(project);
        fardel_vfs_destroy(vfs);
        fardel_servers_close(servers);
        fardel_store_close(store);
    }
    CDevice(const CDevice&) = delete;
    CDevice& operator=(const CDevice&) = delete;

    // What a game does when fardel_project_poll says that the root has changed.
    fardel_code show() {
        changed.clear();
        std::size_t count = 0;
        REQUIRE(fardel_project_bundles(project, nullptr, nullptr, &count, nullptr) == FARDEL_OK);
        std::vector<fardel_reader> readers(count, FARDEL_READER_INIT);
        REQUIRE(fardel_project_readers(project, readers.data(), count, nullptr) == FARDEL_OK);
        fardel_mount_options options = FARDEL_MOUNT_OPTIONS_INIT;
        options.flags = FARDEL_MOUNT_ALLOW_UNSIGNED;
        std::vector<fardel_mount_id> shown(count);
        const auto note = [](void* context, const fardel_change* change) {
            *static_cast<std::string*>(context) += std::string(change->path) + " ";
        };
        const fardel_code code = fardel_replace_readers(vfs, mounts.data(), mounts.size(), readers.data(), count,
                                                        &options, shown.data(), note, &changed, nullptr);
        if (code == FARDEL_OK)
            mounts = shown;
        return code;
    }
    std::string read(const char* path) const {
        fardel_file* file = nullptr;
        if (fardel_open(vfs, path, &file, nullptr) != FARDEL_OK)
            return "missing";
        std::string text(fardel_file_size(file), '\0');
        CHECK(fardel_read_all(file, text.data(), text.size(), nullptr) == FARDEL_OK);
        fardel_close(file);
        return text;
    }
};

TEST_CASE("C project: a root and what it needs are followed in one step") {
    const ScratchFolder scratch;
    const BundleStore shelf = make_store(scratch, "shelf");
    EditedProject project;
    const auto server = serve_project(project, &shelf);
    CDevice device(scratch, url_of(*server), nullptr);
    std::int32_t has_changed = 1;
    CHECK(fardel_project_poll(device.project, &has_changed, nullptr) == FARDEL_ERROR_BUSY);
    CHECK(has_changed == 0);
    fardel_id root{};
    CHECK(fardel_project_root(device.project, &root, nullptr) == FARDEL_ERROR_MISSING);

    const BundleId first = project.show({{"root.txt", "1"}}, {add_to(shelf, bundle_of_text("base.txt", "1"))});
    CHECK(fardel_project_poll(device.project, &has_changed, nullptr) == FARDEL_OK);
    CHECK(has_changed == 1);
    CHECK(fardel_project_root(device.project, &root, nullptr) == FARDEL_OK);
    CHECK(c::id_of<BundleId>(root) == first);
    fardel_reader one = FARDEL_READER_INIT;
    CHECK(fardel_project_readers(device.project, &one, 1, nullptr) == FARDEL_ERROR_LIMIT);
    CHECK(device.show() == FARDEL_OK);
    CHECK(device.changed.empty());
    CHECK(fardel_is_tainted(device.vfs) == 1);
    CHECK(device.read("root.txt") + device.read("base.txt") == "11");
    CHECK(fardel_project_poll(device.project, &has_changed, nullptr) == FARDEL_OK);
    CHECK(has_changed == 0);

    project.show({{"root.txt", "2"}}, {add_to(shelf, bundle_of_text("base.txt", "2"))});
    CHECK(fardel_project_poll(device.project, &has_changed, nullptr) == FARDEL_OK);
    CHECK(has_changed == 1);
    const fardel_mount_id top = device.mounts.back();
    CHECK(device.show() == FARDEL_OK);
    CHECK(device.mounts.back() == top);
    CHECK(device.changed == "/base.txt /root.txt ");
    CHECK(device.read("root.txt") + device.read("base.txt") == "22");

    fardel_project_stop(device.project);
    CHECK(fardel_project_poll(device.project, &has_changed, nullptr) == FARDEL_ERROR_CANCELLED);
    CHECK(device.read("root.txt") == "2");
}

TEST_CASE("C project: a policy that requires signatures refuses roots, and mistakes are argument errors") {
    const ScratchFolder scratch;
    EditedProject project;
    project.show({{"root.txt", "1"}});
    const auto server = serve_project(project);
    fardel_trust_options trust = FARDEL_TRUST_OPTIONS_INIT;
    trust.policy_text = "fardel-trust 1\n";
    fardel_project_options options = FARDEL_PROJECT_OPTIONS_INIT;
    options.trust = &trust;
    const CDevice device(scratch, url_of(*server), &options);
    fardel_error error = FARDEL_ERROR_INIT;
    CHECK(fardel_project_poll(device.project, nullptr, &error) == FARDEL_ERROR_UNTRUSTED);

    fardel_project* other = nullptr;
    options.mounted_count = 1;
    CHECK(fardel_project_open(device.store, device.servers, &options, &other, &error) == FARDEL_ERROR_ARGUMENT);
    options.mounted_count = 0;
    options.struct_size = 8;
    CHECK(fardel_project_open(device.store, device.servers, &options, &other, &error) == FARDEL_ERROR_ARGUMENT);
    CHECK(other == nullptr);
    CHECK(fardel_project_open(nullptr, device.servers, nullptr, &other, &error) == FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_project_poll(nullptr, nullptr, &error) == FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_project_root(device.project, nullptr, &error) == FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_project_bundles(nullptr, nullptr, nullptr, nullptr, &error) == FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_project_readers(device.project, nullptr, 0, &error) == FARDEL_ERROR_ARGUMENT);
    fardel_reader bad = FARDEL_READER_INIT;
    CHECK(fardel_replace_readers(device.vfs, nullptr, 0, &bad, 1, nullptr, nullptr, nullptr, nullptr, &error) ==
          FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_replace_readers(device.vfs, nullptr, 0, nullptr, 0, nullptr, nullptr, nullptr, nullptr, &error) ==
          FARDEL_ERROR_ARGUMENT);
    fardel_project_stop(nullptr);
    fardel_project_close(nullptr);
    if constexpr (sizeof(void*) == 8)
        CHECK(sizeof(fardel_project_options) == 32);
}

}  // namespace fardel::tests::remote_project_test
