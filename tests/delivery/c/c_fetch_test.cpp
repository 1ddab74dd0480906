// The functions of fardel_fetch.h: stores, fetches in a game's loop, and bundles that are read from servers.
#include "c_fetch.h"
#include "delivery/served_bundle.h"

#include "kit/bundles.h"
#include "kit/license_tokens.h"

#include <fardel/delivery/fardel_fetch.h>
#include <fardel/delivery/tree_paths.h>
#include <fardel/format/c_interface.h>
#include <fardel/format/trace.h>
#include <fardel/hosting/publish_trace.h>
#include <fardel/vfs/fardel.h>

#include <cstring>

namespace fardel::tests::c_fetch_test {

fardel_id plain(const Bytes& bundle) { return c::plain_id(bundle_id_of(bundle)); }

// What the callbacks of a fetch saw.
struct Seen {
    int plans = 0;
    std::uint64_t planned_bytes = 0;
    std::uint64_t left_bytes = 0;
    std::string first;  // name, version, licence and signers of the first bundle
    std::uint64_t received_bytes = 0;
    int ends = 0;
    fardel_code code = FARDEL_OK;
    std::string text;
    const char* refusal = nullptr;
    bool cancels = false;
};

void on_plan(void* context, fardel_fetch* fetch, const fardel_fetch_plan* plan) {
    Seen& seen = *static_cast<Seen*>(context);
    ++seen.plans;
    seen.planned_bytes = plan->fetch_bytes;
    CHECK(plan->struct_size == sizeof *plan);
    if (plan->bundle_count > 0) {
        const fardel_planned_fetch& first = *plan->bundles[0];
        CHECK(first.struct_size == sizeof first);
        seen.left_bytes = first.left_bytes;
        seen.first = std::string(first.name) + "|" + first.version + "|" + first.licence;
        for (std::size_t i = 0; i < first.signer_count; ++i)
            seen.first += std::string("|") + first.signers[i];
    }
    if (seen.cancels)
        fardel_fetch_cancel(fetch);
    else if (seen.refusal != nullptr)
        fardel_fetch_refuse(fetch, seen.refusal);
    else
        fardel_fetch_accept(fetch);
}

void on_progress(void* context, fardel_fetch*, const fardel_fetch_progress* progress) {
    static_cast<Seen*>(context)->received_bytes = progress->received_bytes;
}

void on_end(void* context, fardel_fetch*, const fardel_fetch_outcome* outcome) {
    Seen& seen = *static_cast<Seen*>(context);
    ++seen.ends;
    seen.code = outcome->code;
    seen.text = outcome->text;
}

fardel_fetch_options fetch_options(const CServers& servers, const fardel_id& bundle, Seen& seen) {
    fardel_fetch_options options = FARDEL_FETCH_OPTIONS_INIT;
    options.servers = &servers.options;
    options.bundles = &bundle;
    options.bundle_count = 1;
    options.context = &seen;
    options.planned = on_plan;
    options.progress = on_progress;
    options.ended = on_end;
    return options;
}

// Returns the code of the outcome.
fardel_code run(const fardel_store* store, const fardel_fetch_options& options, const Seen& seen) {
    run_fetch(store, options);
    CHECK(seen.ends == 1);
    return seen.code;
}

std::string read_name(const fardel_vfs* vfs, const char* path, fardel_error* error) {
    fardel_file* file = nullptr;
    if (fardel_open(vfs, path, &file, error) != FARDEL_OK)
        return "";
    std::string text(fardel_file_size(file), '\0');
    const fardel_code code = fardel_read_all(file, text.data(), text.size(), error);
    fardel_close(file);
    return code == FARDEL_OK ? text : "";
}

// Mounts what the reader gives, reads one file, and unmounts.
std::string read_through(fardel_reader& reader, const char* path, fardel_code* code = nullptr) {
    fardel_vfs* vfs = nullptr;
    REQUIRE(fardel_vfs_create(nullptr, &vfs, nullptr) == FARDEL_OK);
    fardel_mount_options options = FARDEL_MOUNT_OPTIONS_INIT;
    options.flags = FARDEL_MOUNT_ALLOW_UNSIGNED;
    REQUIRE(fardel_mount_reader(vfs, &reader, &options, nullptr, nullptr) == FARDEL_OK);
    fardel_error error = FARDEL_ERROR_INIT;
    std::string text = read_name(vfs, path, &error);
    fardel_vfs_destroy(vfs);
    if (code != nullptr)
        *code = error.code;
    return text;
}

TEST_CASE("C fetch: a game's loop fetches with consent and progress, mounts from the store and reads") {
    const ScratchFolder scratch;
    BundlePlan plan;
    add(plan, "a.bin", random_text(1, 300'000), "application/octet-stream");
    plan.metadata = {{.key = "name", .value = "game"}, {.key = "licence", .value = "CC-BY-4.0"}};
    const Bytes bytes = written(plan);
    const TreeServer server({bytes});
    const CStore store(scratch);
    const CServers servers(server.url());
    const fardel_id id = plain(bytes);
    Seen seen;
    CHECK(run(store, fetch_options(servers, id, seen), seen) == FARDEL_OK);
    CHECK(seen.plans == 1);
    CHECK(seen.first == "game||CC-BY-4.0");
    CHECK(seen.planned_bytes >= 300'000);
    CHECK(seen.received_bytes == seen.planned_bytes);
    CHECK(seen.text.empty());

    fardel_reader reader = FARDEL_READER_INIT;
    REQUIRE(fardel_store_reader(store, &id, &reader, nullptr) == FARDEL_OK);
    CHECK(reader.size_bytes == bytes.size());
    CHECK(read_through(reader, "/a.bin") == random_text(1, 300'000));
}

TEST_CASE("C fetch: a plan that is refused ends with denied and the reason; one that is cancelled says so") {
    const ScratchFolder scratch;
    const Bytes bytes = game_version("1");
    const TreeServer server({bytes});
    const CStore store(scratch);
    const CServers servers(server.url());
    const fardel_id id = plain(bytes);
    Seen refused;
    refused.refusal = "too much for this connection";
    CHECK(run(store, fetch_options(servers, id, refused), refused) == FARDEL_ERROR_DENIED);
    CHECK(refused.text == "too much for this connection");
    Seen cancelled;
    cancelled.cancels = true;
    CHECK(run(store, fetch_options(servers, id, cancelled), cancelled) == FARDEL_ERROR_CANCELLED);
    std::size_t count = 1;
    CHECK(fardel_store_list(store, nullptr, nullptr, &count, nullptr) == FARDEL_OK);
    CHECK(count == 0);
}

TEST_CASE("C fetch: a selection of names, closures, assets and tags fetches that and no more") {
    const ScratchFolder scratch;
    const Bytes bytes = game_version("1");
    const TreeServer server({bytes});
    const CStore store(scratch);
    const CServers servers(server.url());
    const fardel_id id = plain(bytes);
    const fardel_id asset = c::plain_id(asset_id_of(bytes_of(random_text(2, 300'000))));
    Seen seen;
    fardel_fetch_options options = fetch_options(servers, id, seen);
    options.assets = &asset;
    options.asset_count = 1;
    CHECK(run(store, options, seen) == FARDEL_OK);
    CHECK(seen.planned_bytes < 400'000);
    CHECK(seen.left_bytes > 250'000);
    fardel_reader reader = FARDEL_READER_INIT;
    REQUIRE(fardel_store_reader(store, &id, &reader, nullptr) == FARDEL_OK);
    CHECK(reader.holds(reader.context, 0, 8192) == 1);
    CHECK(reader.holds(reader.context, 0, bytes.size()) == 0);
    CHECK(reader.holds(reader.context, bytes.size(), 1) == 0);
    CHECK(read_through(reader, "/b.bin") == random_text(2, 300'000));
    fardel_code code = FARDEL_OK;
    REQUIRE(fardel_store_reader(store, &id, &reader, nullptr) == FARDEL_OK);
    CHECK(read_through(reader, "/a.bin", &code).empty());
    CHECK(code == FARDEL_ERROR_MISSING);

    const char* const name = "a.*";
    const char* const tag = "lang=de";
    const char* const closure = "version.txt";
    Seen more;
    options = fetch_options(servers, id, more);
    options.names = &name;
    options.closures = &closure;
    options.tags = &tag;
    options.name_count = options.closure_count = options.tag_count = 1;
    CHECK(run(store, options, more) == FARDEL_OK);
    CHECK(more.planned_bytes > 250'000);
    CHECK(more.left_bytes == 0);
}

TEST_CASE("C fetch: what cannot begin is an error at once, and leaves no handle") {
    const ScratchFolder scratch;
    const CStore store(scratch);
    const fardel_id id{};
    Seen seen;
    fardel_fetch* fetch = nullptr;
    const auto code = [&](const fardel_fetch_options& options) {
        fetch = reinterpret_cast<fardel_fetch*>(&seen);
        fardel_error error = FARDEL_ERROR_INIT;
        const fardel_code result = fardel_fetch_start(store, &options, &fetch, &error);
        CHECK(fetch == nullptr);
        CHECK(error.code == result);
        CHECK(std::strlen(error.text) > 0);
        return result;
    };
    for (const char* const url : {"", "file:///etc", "http://user:word@127.0.0.1/"}) {
        const CServers servers(url);
        CHECK(code(fetch_options(servers, id, seen)) == FARDEL_ERROR_MALFORMED);
    }
    CServers servers("http://127.0.0.1:1");
    fardel_fetch_options options = fetch_options(servers, id, seen);
    options.bundle_count = 0;
    CHECK(code(options) == FARDEL_ERROR_ARGUMENT);
    options = fetch_options(servers, id, seen);
    options.servers = nullptr;
    CHECK(code(options) == FARDEL_ERROR_ARGUMENT);
    options = fetch_options(servers, id, seen);
    options.struct_size = 0;
    CHECK(code(options) == FARDEL_ERROR_ARGUMENT);
    options = fetch_options(servers, id, seen);
    const char* tag = "lang";
    options.tags = &tag;
    options.tag_count = 1;
    CHECK(code(options) == FARDEL_ERROR_MALFORMED);
    tag = nullptr;
    CHECK(code(options) == FARDEL_ERROR_ARGUMENT);
    options = fetch_options(servers, id, seen);
    fardel_trust_options trust = FARDEL_TRUST_OPTIONS_INIT;
    options.trust = &trust;
    CHECK(code(options) == FARDEL_ERROR_ARGUMENT);  // neither path nor text
    trust.policy_path = "/nonexistent/policy";
    CHECK(code(options) == FARDEL_ERROR_MISSING);
    trust.policy_text = "fardel-trust 1\n";
    CHECK(code(options) == FARDEL_ERROR_ARGUMENT);  // both
    options.trust = nullptr;
    servers.options.flags = 1u << 30;
    CHECK(code(options) == FARDEL_ERROR_UNSUPPORTED);
    servers.options.flags = 0;
    servers.options.connections = 65;
    CHECK(code(options) == FARDEL_ERROR_LIMIT);
    servers.options.connections = 0;
    const char* const host = "http://lan.example.org/";
    servers.options.allowed_hosts = &host;
    servers.options.allowed_host_count = 1;
    CHECK(code(options) == FARDEL_ERROR_MALFORMED);
    CHECK(seen.ends == 0);
}

TEST_CASE("C fetch: a policy that trusts nobody refuses, and so does the rule for servers that others name") {
    const ScratchFolder scratch;
    const Bytes bytes = game_version("1");
    const TreeServer server({bytes});
    const CStore store(scratch);
    CServers servers(server.url());
    const fardel_id id = plain(bytes);
    Seen untrusted;
    fardel_trust_options trust = FARDEL_TRUST_OPTIONS_INIT;
    trust.policy_text = "fardel-trust 1\n";
    fardel_fetch_options options = fetch_options(servers, id, untrusted);
    options.trust = &trust;
    CHECK(run(store, options, untrusted) == FARDEL_ERROR_UNTRUSTED);
    CHECK(untrusted.plans == 0);

    const std::size_t before = server.requests().size();
    servers.options.flags = FARDEL_SERVERS_PUBLIC_ONLY;
    Seen denied;
    CHECK(run(store, fetch_options(servers, id, denied), denied) == FARDEL_ERROR_DENIED);
    CHECK(server.requests().size() == before);
    const char* const host = "127.0.0.1";
    servers.options.allowed_hosts = &host;
    servers.options.allowed_host_count = 1;
    Seen allowed;
    CHECK(run(store, fetch_options(servers, id, allowed), allowed) == FARDEL_OK);
}

TEST_CASE("C fetch: URLs of strangers lead to public servers alone") {  // A152
    const ScratchFolder scratch;
    const Bytes bytes = BundleMaker().add_data("a.bin", random_text(1, 300'000)).write_quickly();
    const TreeServer server({bytes});
    const CStore store(scratch);
    const fardel_id id = plain(bytes);
    fardel_foreign_urls named{};
    (server.url() + "\n").copy(named.lines, sizeof named.lines - 1);
    CServers servers(server.url());
    servers.options.url_count = 0;
    servers.options.foreign_urls = &named;
    Seen denied;
    CHECK(run(store, fetch_options(servers, id, denied), denied) == FARDEL_ERROR_DENIED);
    servers.options.url_count = 1;  // in any company
    Seen both;
    CHECK(run(store, fetch_options(servers, id, both), both) == FARDEL_ERROR_DENIED);
    CHECK(server.requests().empty());
    servers.options.url_count = 0;
    const char* const host = "127.0.0.1";
    servers.options.allowed_hosts = &host;
    servers.options.allowed_host_count = 1;
    Seen allowed;
    CHECK(run(store, fetch_options(servers, id, allowed), allowed) == FARDEL_OK);
    std::ranges::fill(named.lines, 'x');
    fardel_fetch* fetch = nullptr;
    Seen endless;
    const fardel_fetch_options options = fetch_options(servers, id, endless);
    CHECK(fardel_fetch_start(store, &options, &fetch, nullptr) == FARDEL_ERROR_ARGUMENT);
}

TEST_CASE("C stores: bundles are listed, found by the first digits, and named with what they need") {
    const ScratchFolder scratch;
    const Bytes base = game_version("base");
    const Bytes mod = game_version("mod", {bundle_id_of(base)});
    const CStore store(scratch);
    const BundleStore same = make_store(scratch);
    value_of(same.add(make_memory_source(mod)));
    std::vector<std::string> names;
    const auto named = [](void* context, const fardel_id* bundle) {
        static_cast<std::vector<std::string>*>(context)->push_back(c::id_of<BundleId>(*bundle).hex());
    };
    const fardel_id id = plain(mod);
    fardel_error error = FARDEL_ERROR_INIT;
    CHECK(fardel_store_closure(store, &id, named, &names, &error) == FARDEL_ERROR_UNRESOLVED);
    CHECK(std::string(error.text).find(bundle_id_of(base).hex()) != std::string::npos);
    CHECK(names.empty());
    value_of(same.add(make_memory_source(base)));
    CHECK(fardel_store_closure(store, &id, named, &names, nullptr) == FARDEL_OK);
    CHECK(names == std::vector{bundle_id_of(base).hex(), bundle_id_of(mod).hex()});

    std::size_t count = 0;
    std::uint64_t held = 0;
    const auto listed = [](void* context, const fardel_stored_bundle* bundle) {
        CHECK(bundle->struct_size == sizeof *bundle);
        CHECK(bundle->held_bytes == bundle->file_bytes);
        *static_cast<std::uint64_t*>(context) += bundle->held_bytes;
    };
    CHECK(fardel_store_list(store, listed, &held, &count, nullptr) == FARDEL_OK);
    CHECK(count == 2);
    CHECK(held == base.size() + mod.size());

    fardel_id found{};
    CHECK(fardel_store_find(store, names[1].substr(0, 8).c_str(), &found, nullptr) == FARDEL_OK);
    CHECK(std::memcmp(&found, &id, sizeof id) == 0);
    CHECK(fardel_store_find(store, "0123", &found, nullptr) == FARDEL_ERROR_MALFORMED);
    const fardel_id none{};
    fardel_reader reader = FARDEL_READER_INIT;
    CHECK(fardel_store_reader(store, &none, &reader, nullptr) == FARDEL_ERROR_MISSING);
    CHECK((reader.release == nullptr));
    reader.struct_size = 8;
    CHECK(fardel_store_reader(store, &id, &reader, nullptr) == FARDEL_ERROR_ARGUMENT);
    fardel_store* other = nullptr;
    CHECK(fardel_store_open(scratch.path("nothing").c_str(), 0, &other, nullptr) == FARDEL_ERROR_MISSING);
    CHECK(other == nullptr);
}

TEST_CASE("C remote bundles: read while they are used, wanted in advance, and stopped") {
    const ScratchFolder scratch;
    const Bytes base = game_version("base");
    const Bytes mod = game_version("mod", {bundle_id_of(base)});
    const TreeServer server({base, mod});
    const CStore store(scratch);
    const CServers named_servers(server.url());
    fardel_servers* servers = nullptr;
    REQUIRE(fardel_servers_open(&named_servers.options, &servers, nullptr) == FARDEL_OK);
    const fardel_id id = plain(mod);
    fardel_remote* remote = nullptr;
    REQUIRE(fardel_remote_open(store, servers, &id, nullptr, &remote, nullptr) == FARDEL_OK);
    std::string needs;
    const auto named = [](void* context, const fardel_id* bundle) {
        *static_cast<std::string*>(context) += c::id_of<BundleId>(*bundle).hex();
    };
    CHECK(fardel_remote_dependencies(remote, named, &needs, nullptr) == FARDEL_OK);
    CHECK(needs == bundle_id_of(base).hex());

    const fardel_id asset = c::plain_id(asset_id_of(bytes_of(random_text(1, 300'000))));
    std::int32_t here = 1;
    CHECK(fardel_remote_is_here(remote, &asset, &here, nullptr) == FARDEL_OK);
    CHECK(here == 0);
    CHECK(fardel_remote_want(remote, &asset, 1, 5, nullptr) == FARDEL_OK);
    fardel_reader reader = FARDEL_READER_INIT;
    REQUIRE(fardel_remote_reader(remote, &reader, nullptr) == FARDEL_OK);
    CHECK(read_through(reader, "/a.bin") == random_text(1, 300'000));
    CHECK(fardel_remote_is_here(remote, &asset, &here, nullptr) == FARDEL_OK);
    CHECK(here == 1);
    const fardel_id none{};
    CHECK(fardel_remote_want(remote, &none, 1, 5, nullptr) == FARDEL_ERROR_MISSING);
    CHECK(fardel_remote_is_here(remote, &none, &here, nullptr) == FARDEL_ERROR_MISSING);

    REQUIRE(fardel_remote_reader(remote, &reader, nullptr) == FARDEL_OK);
    fardel_remote_close(remote);  // the reader stays valid
    fardel_servers_stop(servers);
    CHECK(read_through(reader, "/a.bin") == random_text(1, 300'000));
    const fardel_id other = plain(base);  // of which nothing is here
    CHECK(fardel_remote_open(store, servers, &other, nullptr, &remote, nullptr) == FARDEL_ERROR_CANCELLED);
    fardel_servers_close(servers);
}

std::string trace_of(const fardel_vfs* vfs) {
    std::size_t needed = 0;
    CHECK(fardel_read_trace(vfs, nullptr, 0, &needed, nullptr) == FARDEL_ERROR_LIMIT);
    std::string text(needed, 'x');
    CHECK(fardel_read_trace(vfs, text.data(), needed - 1, nullptr, nullptr) == FARDEL_ERROR_LIMIT);
    CHECK(text == std::string(needed, 'x'));
    CHECK(fardel_read_trace(vfs, text.data(), text.size(), &needed, nullptr) == FARDEL_OK);
    CHECK(text.back() == '\0');
    text.pop_back();
    return text;
}

TEST_CASE("C traces: what a game opens is recorded, and a mount by URL follows it") {
    const ScratchFolder scratch;
    const Bytes bytes = game_version("7");
    const CStore store(scratch);
    const fardel_id id = plain(bytes);
    fardel_vfs_options options = FARDEL_VFS_OPTIONS_INIT;
    options.flags = FARDEL_VFS_RECORDS_TRACE;
    fardel_vfs* vfs = nullptr;
    REQUIRE(fardel_vfs_create(&options, &vfs, nullptr) == FARDEL_OK);
    fardel_mount_options unsigned_too = FARDEL_MOUNT_OPTIONS_INIT;
    unsigned_too.flags = FARDEL_MOUNT_ALLOW_UNSIGNED;
    REQUIRE(fardel_mount_memory(vfs, bytes.data(), bytes.size(), &unsigned_too, nullptr, nullptr) == FARDEL_OK);
    fardel_file* file = nullptr;
    REQUIRE(fardel_open(vfs, "b.bin", &file, nullptr) == FARDEL_OK);
    fardel_close(file);
    const std::string text = trace_of(vfs);
    fardel_vfs_destroy(vfs);
    const Trace trace = value_of(parse_trace(text));
    REQUIRE(trace.size() == 1);
    CHECK(trace[0].name == "b.bin");
    REQUIRE(fardel_vfs_create(nullptr, &vfs, nullptr) == FARDEL_OK);
    REQUIRE(fardel_mount_memory(vfs, bytes.data(), bytes.size(), &unsigned_too, nullptr, nullptr) == FARDEL_OK);
    CHECK(fardel_read_trace_ahead(vfs, text.data(), text.size(), nullptr) == FARDEL_OK);
    CHECK(fardel_read_trace_ahead(vfs, text.data(), text.size() - 1, nullptr) == FARDEL_ERROR_MALFORMED);
    CHECK(fardel_read_trace_ahead(vfs, nullptr, 1, nullptr) == FARDEL_ERROR_ARGUMENT);
    fardel_vfs_destroy(vfs);
    REQUIRE(fardel_vfs_create(nullptr, &vfs, nullptr) == FARDEL_OK);
    CHECK(fardel_read_trace(vfs, nullptr, 0, nullptr, nullptr) == FARDEL_ERROR_UNSUPPORTED);
    CHECK(fardel_read_trace(nullptr, nullptr, 0, nullptr, nullptr) == FARDEL_ERROR_ARGUMENT);
    fardel_vfs_destroy(vfs);

    const TreeServer server({bytes}, nullptr, {{trace_path_of(bundle_id_of(bytes)), text}});
    const CServers named_servers(server.url());
    fardel_servers* servers = nullptr;
    REQUIRE(fardel_servers_open(&named_servers.options, &servers, nullptr) == FARDEL_OK);
    fardel_remote* remote = nullptr;
    REQUIRE(fardel_remote_open(store, servers, &id, nullptr, &remote, nullptr) == FARDEL_OK);
    fardel_read_ahead* ahead = nullptr;
    REQUIRE(fardel_read_ahead_start(servers, &remote, 1, &ahead, nullptr) == FARDEL_OK);
    fardel_read_ahead_wait(ahead);
    fardel_read_ahead_close(ahead);
    const auto is_here = [&](std::uint32_t seed) {
        const fardel_id asset = c::plain_id(asset_id_of(bytes_of(random_text(seed, 300'000))));
        std::int32_t here = 0;
        CHECK(fardel_remote_is_here(remote, &asset, &here, nullptr) == FARDEL_OK);
        return here == 1;
    };
    CHECK(wait_until([&] { return is_here(2); }));  // what was requested comes later
    CHECK_FALSE(is_here(1));
    const fardel_remote* const null = nullptr;
    CHECK(fardel_read_ahead_start(servers, &null, 1, &ahead, nullptr) == FARDEL_ERROR_ARGUMENT);
    CHECK(ahead == nullptr);
    CHECK(fardel_read_ahead_start(nullptr, nullptr, 0, &ahead, nullptr) == FARDEL_ERROR_ARGUMENT);
    fardel_read_ahead_wait(nullptr);
    fardel_read_ahead_close(nullptr);
    fardel_remote_close(remote);
    fardel_servers_close(servers);
}

TEST_CASE("C fetch: null pointers are an argument error or do nothing") {
    fardel_error error = FARDEL_ERROR_INIT;
    CHECK(fardel_store_open(nullptr, 1, nullptr, &error) == FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_store_list(nullptr, nullptr, nullptr, nullptr, &error) == FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_store_find(nullptr, nullptr, nullptr, &error) == FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_store_closure(nullptr, nullptr, nullptr, nullptr, &error) == FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_store_reader(nullptr, nullptr, nullptr, &error) == FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_fetch_start(nullptr, nullptr, nullptr, &error) == FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_fetch_poll(nullptr, 0, nullptr, &error) == FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_servers_open(nullptr, nullptr, &error) == FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_remote_open(nullptr, nullptr, nullptr, nullptr, nullptr, &error) == FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_remote_reader(nullptr, nullptr, &error) == FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_remote_dependencies(nullptr, nullptr, nullptr, &error) == FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_remote_want(nullptr, nullptr, 0, 0, &error) == FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_remote_is_here(nullptr, nullptr, nullptr, &error) == FARDEL_ERROR_ARGUMENT);
    fardel_fetch_accept(nullptr);
    fardel_fetch_refuse(nullptr, nullptr);
    fardel_fetch_cancel(nullptr);
    fardel_fetch_close(nullptr);
    fardel_servers_stop(nullptr);
    fardel_servers_close(nullptr);
    fardel_remote_close(nullptr);
    fardel_store_close(nullptr);
}

TEST_CASE("C fetch: a client says for whom it fetches, and how much that may be") {
    const ScratchFolder scratch;
    const Bytes bytes = BundleMaker().add_data("a.bin", random_text(1, 300'000)).write_quickly();
    const TreeServer server({bytes});
    const CStore store(scratch);
    const CServers servers(server.url());
    const fardel_id id = plain(bytes);
    Seen seen;
    fardel_fetch_options options = fetch_options(servers, id, seen);
    options.source = "203.0.113.7:27960";
    options.source_bytes_max = 1000;
    CHECK(run(store, options, seen) == FARDEL_ERROR_NO_SPACE);
    CHECK(seen.text.find("203.0.113.7:27960") != std::string::npos);
    Seen again;
    options = fetch_options(servers, id, again);
    options.source = "a\nb";
    fardel_fetch* fetch = nullptr;
    CHECK(fardel_fetch_start(store, &options, &fetch, nullptr) == FARDEL_ERROR_MALFORMED);
}

TEST_CASE("C fetch: structs have the layout of the first version") {
    if constexpr (sizeof(void*) == 8) {
        CHECK(sizeof(fardel_reader) == 56);
        CHECK(sizeof(fardel_stored_bundle) == 56);
        CHECK(offsetof(fardel_server_options, foreign_urls) == 56);  // the size in the first version
        CHECK(sizeof(fardel_trust_options) == 40);
        CHECK(sizeof(fardel_planned_fetch) == 120);
        CHECK(sizeof(fardel_fetch_plan) == 40);
        CHECK(sizeof(fardel_fetch_progress) == 40);
        CHECK(sizeof(fardel_fetch_outcome) == 40);
        CHECK(offsetof(fardel_fetch_options, source) == 136);  // the size in the first version
        CHECK(offsetof(fardel_fetch_options, fault) == 152);   // the size in the second version
        CHECK(sizeof(fardel_fetch_options) == 160);
        CHECK(offsetof(fardel_fetch_options, context) == 104);
        CHECK(offsetof(fardel_planned_fetch, file_bytes) == 80);
    }
}

// The tokens of a store, as a game copies them for its mounts.
struct ListedLicense {
    Bytes token;
    std::string pattern;
    std::uint64_t expires_s = 0;
    fardel_id bundle{};
    Bytes issuer;
};

std::vector<ListedLicense> licenses_of(const fardel_store* store) {
    std::vector<ListedLicense> listed;
    std::size_t count = 0;
    const auto note = [](void* context, const fardel_stored_license* license) {
        CHECK(license->struct_size == sizeof *license);
        CHECK(license->comment != nullptr);
        const auto* const bytes = static_cast<const std::byte*>(license->token.bytes);
        const auto* const key = reinterpret_cast<const std::byte*>(license->issuer);
        static_cast<std::vector<ListedLicense>*>(context)->push_back(
            {.token = Bytes(bytes, bytes + license->token.size_bytes),
             .pattern = license->pattern != nullptr ? license->pattern : "",
             .expires_s = license->expires_s,
             .bundle = license->bundle,
             .issuer = Bytes(key, key + sizeof license->issuer)});
    };
    REQUIRE(fardel_store_list_licenses(store, note, &listed, &count, nullptr) == FARDEL_OK);
    CHECK(count == listed.size());
    std::ranges::sort(listed, {}, &ListedLicense::expires_s);
    return listed;
}

TEST_CASE("C store: tokens that a game got are kept, listed, and mount the bundle that requires one") {  // A76
    constexpr std::uint64_t kEnd = 1'900'000'000;
    const ScratchFolder scratch;
    const CStore store(scratch);
    BundlePlan plan;
    add(plan, "a.txt", "paid for");
    plan.metadata = {{.key = "license-token", .value = "ask shop.example"}, {.key = "name", .value = "packs/one"}};
    const Bytes bytes = written(plan);
    const fardel_id id = plain(bytes);
    const TreeServer server({bytes});
    const CServers servers(server.url());
    Seen seen;
    REQUIRE(run(store, fetch_options(servers, id, seen), seen) == FARDEL_OK);  // before it is paid for

    const Shop shop;
    const auto put = [&](const Bytes& token, fardel_error* error = nullptr) {
        const fardel_license_token given{.bytes = token.data(), .size_bytes = token.size()};
        return fardel_store_add_license(store, &given, error);
    };
    const auto mounts = [&](std::uint64_t now_s) {
        const std::vector<ListedLicense> kept = licenses_of(store);
        std::vector<fardel_license_token> tokens;
        for (const ListedLicense& one : kept)
            tokens.push_back({.bytes = one.token.data(), .size_bytes = one.token.size()});
        const std::string policy = shop.policy(value_of(TrustPolicy::parse("fardel-trust 1\nunsigned allow\n")));
        fardel_mount_options options = FARDEL_MOUNT_OPTIONS_INIT;
        options.policy_text = policy.c_str();
        options.now_s = now_s;
        options.licenses = tokens.data();
        options.license_count = tokens.size();
        fardel_reader reader = FARDEL_READER_INIT;
        REQUIRE(fardel_store_reader(store, &id, &reader, nullptr) == FARDEL_OK);
        fardel_vfs* vfs = nullptr;
        REQUIRE(fardel_vfs_create(nullptr, &vfs, nullptr) == FARDEL_OK);
        const fardel_code code = fardel_mount_reader(vfs, &reader, &options, nullptr, nullptr);
        fardel_vfs_destroy(vfs);
        return code;
    };
    CHECK(licenses_of(store).empty());
    CHECK(mounts(kEnd - 1) == FARDEL_ERROR_MISSING);
    const Bytes token = shop.token(bundle_id_of(bytes), {kEnd});
    CHECK(put(token) == FARDEL_OK);
    CHECK(put(token) == FARDEL_OK);
    CHECK(put(shop.token("maps/*", {kEnd + 1})) == FARDEL_OK);
    CHECK(mounts(kEnd - 1) == FARDEL_OK);
    CHECK(mounts(kEnd) == FARDEL_ERROR_EXPIRED);
    const auto listed = licenses_of(store);
    REQUIRE(listed.size() == 2);
    CHECK(listed[0].token == token);
    CHECK(listed[0].pattern.empty());
    CHECK(listed[0].expires_s == kEnd);
    CHECK(std::memcmp(listed[0].bundle.bytes, id.bytes, sizeof id.bytes) == 0);
    CHECK(std::memcmp(listed[0].issuer.data(), shop.key().bytes.data(), listed[0].issuer.size()) == 0);
    CHECK(listed[1].pattern == "maps/*");

    // What no issuer signed is not kept.
    fardel_error error = FARDEL_ERROR_INIT;
    Bytes changed = token;
    changed[changed.size() - 20] ^= std::byte{1};  // in the signature
    CHECK(put(changed, &error) == FARDEL_ERROR_UNTRUSTED);
    CHECK(put(bytes_of("no token"), &error) == FARDEL_ERROR_MALFORMED);
    CHECK(fardel_store_add_license(store, nullptr, &error) == FARDEL_ERROR_ARGUMENT);
    const fardel_license_token none{.bytes = nullptr, .size_bytes = 0};
    CHECK(fardel_store_add_license(store, &none, &error) == FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_store_list_licenses(nullptr, nullptr, nullptr, nullptr, &error) == FARDEL_ERROR_ARGUMENT);
    CHECK(licenses_of(store).size() == 2);
}

}  // namespace fardel::tests::c_fetch_test
