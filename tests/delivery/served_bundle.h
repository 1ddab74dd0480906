// Bundles that a server on loopback serves, with faults that a test decides.
#pragma once

#include "kit/bundles.h"
#include "kit/bytes.h"
#include "kit/files.h"
#include "kit/odd_server.h"

#include <fardel/delivery/fetch_bundles.h>
#include <fardel/delivery/remote_bundle.h>
#include <fardel/store/bundle_store.h>

#include <functional>
#include <map>
#include <mutex>

namespace fardel::tests {

// Bytes that do not compress.
std::string random_text(std::uint32_t seed, std::size_t size_bytes);

// Assets a.bin and b.bin of 300,000 bytes, the same in all versions, and version.txt, which differs.
Bytes game_version(std::string_view number, const std::vector<BundleId>& needs = {});

// maps/one.bsp, which refers to textures/wall.tga; maps/two.bsp, which refers to textures/sky.tga; sound/hello.wav in
// English and German. The contents are random_text(1), 3, 2, 4, 5 and 6, and each is in blocks of its own.
inline constexpr std::size_t kPartBytes = 200'000;
Bytes game_of_maps();

BundleStore make_store(const ScratchFolder& scratch, const std::string& name = "store");
Bytes stored_bytes(const BundleStore& store, const BundleId& bundle);
bool is_whole(const BundleStore& store, const BundleId& bundle);
// Nothing is damaged, and nothing is left of a fetch that broke off.
void check_tidy(const BundleStore& store);

// A request for a range of a bundle.
struct RangeRequest {
    std::string path;
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    std::size_t number = 0;  // of all requests, from 0
    bool bypasses_caches = false;
};

// A static tree with published bundles. Without a fault it behaves as nginx does.
class TreeServer {
public:
    // Answers one request in a wrong way and returns true, or returns false to have it answered rightly.
    using Fault = std::function<bool(OddServer::Guest& guest, const RangeRequest& request, std::string_view right_bytes,
                                     std::uint64_t file_bytes)>;

    // `more`: other files of the tree, by path.
    explicit TreeServer(const std::vector<Bytes>& bundles, Fault fault = nullptr,
                        std::map<std::string, std::string> more = {});

    std::string url() const { return server_.url(); }
    std::vector<RangeRequest> requests() const;
    // The bytes of right answers that were sent.
    std::uint64_t sent_bytes() const;

private:
    void serve(OddServer::Guest& guest);

    std::map<std::string, std::string> files_;
    Fault fault_;
    mutable std::mutex mutex_;
    std::vector<RangeRequest> requests_;
    std::uint64_t sent_bytes_ = 0;
    OddServer server_;
};

// For TEST_CASE_FIXTURE: a game on a server, and a store to fetch it into.
struct ServedGame {
    const ScratchFolder scratch;
    const Bytes bytes = game_version("1");
    const TreeServer server{std::vector<Bytes>{bytes}};
    const BundleStore store = make_store(scratch);
};
struct ServedMaps {
    const ScratchFolder scratch;
    const Bytes bytes = game_of_maps();
    const BundleId id = bundle_id_of(bytes);
    const TreeServer server{std::vector<Bytes>{bytes}};
};

// The compressed tables that publishing the bundle writes; empty if it writes none.
const std::string& published_tables(const Bytes& bytes);

// "HTTP/1.1 206 …" for a part of a file.
std::string partial_answer(std::string_view bytes, std::uint64_t first, std::uint64_t file_bytes,
                           std::string_view more_headers = "");

// A pointer to what outlives the fetch.
template <class Value>
std::shared_ptr<const Value> borrow(const Value& value) {
    return {std::shared_ptr<void>(), &value};
}

// Few attempts, so that tests of failures end soon. `stall_timeout`: short where a server stalls on purpose; a server
// of a test that has no processor for some seconds must not seem to.
FetchOptions fetching_from(const std::vector<std::string>& trees,
                           std::chrono::seconds stall_timeout = std::chrono::seconds(60));
// What reads bundles from servers while they are used; as patient.
RemoteServers connect_to(const std::vector<std::string>& trees,
                         std::chrono::seconds stall_timeout = std::chrono::seconds(60), unsigned connections = 4);
Result<FetchSummary> fetch_one(const BundleStore& store, const BundleId& bundle, FetchOptions options);

}  // namespace fardel::tests
