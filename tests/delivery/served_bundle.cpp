#include "served_bundle.h"

#include "kit/blobs.h"
#include "kit/bundles.h"
#include "kit/ids.h"

#include <fardel/delivery/tree_paths.h>
#include <fardel/format/hash.h>
#include <fardel/hosting/publish.h>

#include <charconv>

namespace fardel::tests {

std::string random_text(std::uint32_t seed, std::size_t size_bytes) {
    std::string text(size_bytes, '\0');
    for (char& c : text)
        c = static_cast<char>((seed = seed * 1664525u + 1013904223u) >> 24);
    return text;
}

Bytes game_version(std::string_view number, const std::vector<BundleId>& needs) {
    return BundleMaker()
        .add_data("a.bin", random_text(1, 300'000))
        .add_data("b.bin", random_text(2, 300'000))
        .add("version.txt", number)
        .needs(needs, "base", "1")
        .write_quickly();
}

Bytes game_of_maps() {
    BundlePlan plan;
    for (const auto& [name, seed] :
         {std::pair("maps/one.bsp", 1u), {"maps/two.bsp", 2u}, {"textures/wall.tga", 3u}, {"textures/sky.tga", 4u}})
        add(plan, name, random_text(seed, kPartBytes), "application/octet-stream");
    plan.assets[0].references.push_back({.spelling = "textures/wall", .target = PlannedReference::Internal{2}});
    plan.assets[1].references.push_back({.spelling = "textures/sky", .target = PlannedReference::Internal{3}});
    for (const auto& [language, seed] : {std::pair("en", 5u), {"de", 6u}}) {
        plan.assets.push_back({.source = blob_of(random_text(seed, kPartBytes)),
                               .key = std::string("hello.") + language,
                               .content_type = "application/octet-stream"});
    }
    plan.names.push_back(
        {.name = name_of("sound/hello.wav"),
         .variants = {{.tags = {{"lang", "en"}}, .asset = 4}, {.tags = {{"lang", "de"}}, .asset = 5}}});
    return written(plan);
}

BundleStore make_store(const ScratchFolder& scratch, const std::string& name) {
    return value_of(BundleStore::open(scratch.path(name), true));
}

Bytes stored_bytes(const BundleStore& store, const BundleId& bundle) {
    return all_bytes(*value_of(store.open_bundle(bundle)));
}

void check_tidy(const BundleStore& store) {
    const StoreCheckReport report = value_of(store.check(true));
    CHECK(report.findings.empty());
    CHECK(report.incoming == 0);
    CHECK(report.abandoned_files == 0);
}

bool is_whole(const BundleStore& store, const BundleId& bundle) {
    const auto bundles = value_of(store.list());
    return std::ranges::any_of(
        bundles, [&](const StoredBundle& one) { return one.bundle == bundle && one.held_bytes == one.file_bytes; });
}

namespace {

std::string field_of(const std::string& head, std::string_view name) {
    std::string lower = head;
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const auto at = lower.find("\r\n" + std::string(name) + ": ");
    if (at == std::string::npos)
        return {};
    const auto start = at + name.size() + 4;
    return head.substr(start, head.find("\r\n", start) - start);
}

RangeRequest parse_request(const std::string& head) {
    RangeRequest request;
    const auto start = head.find(' ') + 1;
    request.path = head.substr(start + 1, head.find(' ', start) - start - 1);
    const std::string range = field_of(head, "range");
    REQUIRE(range.starts_with("bytes="));
    const auto minus = range.find('-');
    std::from_chars(range.data() + 6, range.data() + minus, request.first);
    std::from_chars(range.data() + minus + 1, range.data() + range.size(), request.last);
    request.bypasses_caches = field_of(head, "cache-control") == "no-cache";
    return request;
}

}  // namespace

std::string partial_answer(std::string_view bytes, std::uint64_t first, std::uint64_t file_bytes,
                           std::string_view more_headers) {
    return http_answer("206 Partial Content", bytes,
                       "Content-Range: bytes " + std::to_string(first) + "-" +
                           std::to_string(first + bytes.size() - 1) + "/" + std::to_string(file_bytes) + "\r\n" +
                           std::string(more_headers));
}

// Publishing verifies a bundle and encodes its assets; tests that serve the same one again and again do it once.
const std::string& published_tables(const Bytes& bytes) {
    static std::mutex mutex;
    static std::map<Hash, std::string> tables;
    const std::scoped_lock lock(mutex);
    const auto [found, is_new] = tables.try_emplace(blake3(bytes));
    if (is_new) {
        const ScratchFolder scratch;
        value_of(publish_bundle(make_memory_source(bytes), scratch.path("tree")));
        const std::string path = "tree/" + tables_path_of(bundle_id_of(bytes));
        if (std::filesystem::exists(scratch.path(path)))
            found->second = scratch.read(path);
    }
    return found->second;
}

TreeServer::TreeServer(const std::vector<Bytes>& bundles, Fault fault, std::map<std::string, std::string> more)
    : files_(std::move(more)), fault_(std::move(fault)), server_([this](OddServer::Guest& guest) { serve(guest); }) {
    for (const Bytes& bytes : bundles) {
        files_.emplace(tree_path_of(bundle_id_of(bytes)), text_of(bytes));
        if (const std::string& tables = published_tables(bytes); !tables.empty())
            files_.emplace(tables_path_of(bundle_id_of(bytes)), tables);
    }
}

void TreeServer::serve(OddServer::Guest& guest) {
    RangeRequest request = parse_request(guest.head());
    {
        const std::scoped_lock lock(mutex_);
        request.number = requests_.size();
        requests_.push_back(request);
    }
    const auto file = files_.find(request.path);
    if (file == files_.end()) {
        guest.send(http_answer("404 Not Found", "<html>no</html>"));
        return;
    }
    const std::string_view whole = file->second;
    if (request.first >= whole.size()) {
        guest.send(http_answer("416 Range Not Satisfiable", ""));
        return;
    }
    const auto bytes = whole.substr(request.first, request.last + 1 - request.first);
    if (fault_ && fault_(guest, request, bytes, whole.size()))
        return;
    {
        // Before the client has them: it may compare the count as soon as it has the last byte.
        const std::scoped_lock lock(mutex_);
        sent_bytes_ += bytes.size();
    }
    guest.send(partial_answer(bytes, request.first, whole.size()));
}

std::vector<RangeRequest> TreeServer::requests() const {
    const std::scoped_lock lock(mutex_);
    return requests_;
}

std::uint64_t TreeServer::sent_bytes() const {
    const std::scoped_lock lock(mutex_);
    return sent_bytes_;
}

FetchOptions fetching_from(const std::vector<std::string>& trees, std::chrono::seconds stall_timeout) {
    FetchOptions options;
    options.work.servers = trees;
    options.work.connections = 3;
    options.times = {.connect_timeout = std::chrono::milliseconds(20'000),
                     .stall_timeout = stall_timeout,
                     .retry_after_max = std::chrono::seconds(0)};
    options.attempts_max = 3;
    return options;
}

RemoteServers connect_to(const std::vector<std::string>& trees, std::chrono::seconds stall_timeout,
                         unsigned connections) {
    return value_of(RemoteServers::open({.servers = trees,
                                         .connections = connections,
                                         .connect_timeout = std::chrono::milliseconds(20'000),
                                         .stall_timeout = stall_timeout,
                                         .attempts_max = 2}));
}

Result<FetchSummary> fetch_one(const BundleStore& store, const BundleId& bundle, FetchOptions options) {
    options.work.bundles = {bundle};
    return fetch_bundles(store, options);
}

}  // namespace fardel::tests
