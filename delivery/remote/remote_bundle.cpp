#include <fardel/delivery/remote_bundle.h>

#include "fetch/other_bundles.h"
#include "fetch/signature_fetch.h"
#include "fetch/trace_fetch.h"
#include "remote/remote_closure.h"
#include "remote/remote_file.h"
#include "remote/server_queue.h"
#include "transfer/tree_urls.h"

#include <fardel/delivery/tree_paths.h>
#include <fardel/format/bundle.h>
#include <fardel/format/dependencies.h>
#include <fardel/format/manifest.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace fardel {
namespace {

bool is_judged_by_the_user(ErrorCode code) {
    return code == ErrorCode::untrusted || code == ErrorCode::revoked || code == ErrorCode::expired;
}

// Whether bytes are wrong, as opposed to absent.
bool is_wrong(ErrorCode code) {
    return code == ErrorCode::corrupt || code == ErrorCode::malformed || code == ErrorCode::limit ||
           code == ErrorCode::unsupported;
}

// Adds the blocks with the content of an asset.
Status add_blocks_of(const Bundle& bundle, AssetIndex index, std::vector<RemoteFile::Wanted>& blocks) {
    FARDEL_TRY_ASSIGN(const auto records, bundle.blocks_of(index));
    for (const BlockRecord& block : records)
        blocks.push_back({.offset = bundle.layout_head().blocks_offset + block.stored_offset,
                          .length_bytes = block.stored_bytes,
                          .stored_hash = block.stored_hash});
    return ok();
}

Result<std::vector<RemoteFile::Wanted>> blocks_of(const Bundle& bundle, const AssetId& id) {
    FARDEL_TRY_ASSIGN(const auto index, bundle.find_asset(id));
    if (!index)
        return Error(ErrorCode::missing, "bundle " + bundle.id().hex() + " has no asset " + id.hex());
    std::vector<RemoteFile::Wanted> blocks;
    FARDEL_TRY(add_blocks_of(bundle, *index, blocks));
    return blocks;
}

}  // namespace

// ---- Servers --------------------------------------------------------------------------------------------------------

RemoteServers::RemoteServers(std::shared_ptr<ServerQueue> queue, std::vector<std::string> trees,
                             std::shared_ptr<const RangeClientOptions> connections)
    : queue_(std::move(queue)), trees_(std::move(trees)), connections_(std::move(connections)) {}
RemoteServers::~RemoteServers() {
    if (queue_)
        queue_->close();
}
RemoteServers::RemoteServers(RemoteServers&&) noexcept = default;

Result<RemoteServers> RemoteServers::open(const RemoteOptions& options) {
    FARDEL_TRY_ASSIGN(std::vector<std::string> trees, parse_tree_urls(options.servers.urls()));
    const RangeClientOptions connections{
        .connections = options.connections,
        .times = {.connect_timeout = options.connect_timeout, .stall_timeout = options.stall_timeout},
        .bytes_per_second_max = options.bytes_per_second_max,
        .servers = options.servers.rule()};
    FARDEL_TRY_ASSIGN(auto queue, ServerQueue::open(connections, options.attempts_max));
    return RemoteServers(std::move(queue), std::move(trees), std::make_shared<const RangeClientOptions>(connections));
}

void RemoteServers::close() { queue_->close(); }
void RemoteServers::pause() { queue_->pause(); }

RemoteCounts RemoteServers::counts() const {
    const TransferCounts counts = queue_->counts();
    return {.received_bytes = counts.received_bytes, .requests = counts.requests};
}

// ---- Bundle ---------------------------------------------------------------------------------------------------------

RemoteBundle::RemoteBundle(std::shared_ptr<const RemoteFile> file, std::shared_ptr<const Bundle> bundle)
    : file_(std::move(file)), bundle_(std::move(bundle)) {}
RemoteBundle::~RemoteBundle() = default;

const BundleId& RemoteBundle::id() const noexcept { return bundle_->id(); }
std::shared_ptr<const ByteSource> RemoteBundle::source() const { return bundle_->source(); }
std::optional<Error> RemoteBundle::why_not_kept() const { return file_->kept().why_in_memory(); }

Result<std::shared_ptr<const RemoteBundle>> RemoteBundle::open(const BundleStore& store, const RemoteServers& servers,
                                                               const BundleId& id, const TrustPolicy* policy,
                                                               const TrustTime& time,
                                                               const std::shared_ptr<const BundleLibrary>& library) {
    return open_beside(elsewhere_of(store, library), store, servers, id, policy, time);
}

Result<std::shared_ptr<const RemoteBundle>> RemoteBundle::open_beside(const HeldElsewhere& elsewhere,
                                                                      const BundleStore& store,
                                                                      const RemoteServers& servers, const BundleId& id,
                                                                      const TrustPolicy* policy,
                                                                      const TrustTime& time) {
    const std::vector<std::string> urls = urls_of(servers.trees_, tree_path_of(id));
    FARDEL_TRY_ASSIGN(auto kept, KeptBytes::open(store, id));
    const auto file = std::make_shared<RemoteFile>(id, std::move(kept), servers.queue_, urls, elsewhere);
    const auto opened = [&] { return Bundle::open(file, {.policy = policy, .time = time, .label = id.hex()}); };
    const auto made = [&](std::shared_ptr<const Bundle> bundle) {
        return std::shared_ptr<const RemoteBundle>(new RemoteBundle(file, std::move(bundle)));
    };

    const auto held = file->open_kept();
    if (held && *held) {
        auto bundle = opened();
        if (bundle)
            return made(*std::move(bundle));
        if (!is_wrong(bundle.error().code()) && !is_judged_by_the_user(bundle.error().code()))
            return std::move(bundle).error();
    }
    // What is kept does not begin with this bundle's heads, or its signatures do not count: a server may have others.
    std::optional<Error> failure;
    std::vector<std::size_t> servers_in_order(urls.size());
    std::iota(servers_in_order.begin(), servers_in_order.end(), std::size_t{0});
    // One that hangs would cost its time limit for each bundle.
    std::stable_partition(servers_in_order.begin(), servers_in_order.end(),
                          [&](std::size_t server) { return !servers.queue_->has_failed(urls[server]); });
    for (const std::size_t server : servers_in_order) {
        Status fetched = file->open_from(server);
        if (fetched) {
            FARDEL_TRY(file->keep_heads());
            auto bundle = opened();
            if (!bundle && policy != nullptr && is_judged_by_the_user(bundle.error().code())) {
                FARDEL_TRY_ASSIGN(const auto plain, Bundle::open(file, {.label = id.hex()}));
                FARDEL_TRY_ASSIGN(RangeClient client, RangeClient::open(*servers.connections_));
                FARDEL_TRY_ASSIGN(auto accepted, fetch_signatures(client, servers.trees_, *plain, *policy, time,
                                                                  SignatureFiles::later, {}));
                if (accepted)
                    bundle = std::move(accepted->bundle);
            }
            if (bundle) {
                file->request_top_pages();
                return made(*std::move(bundle));
            }
            FARDEL_TRY(file->forget());
            fetched = std::move(bundle).error();
        }
        failure = std::move(fetched).error();
        if (failure->code() == ErrorCode::cancelled)
            break;
    }
    return *std::move(failure);
}

Status RemoteBundle::leave_to_store() const { return file_->leave_to_store(bundle_->layout_id()); }
Result<std::vector<BundleId>> RemoteBundle::dependencies() const { return static_dependencies(*bundle_); }

Status RemoteBundle::want(std::span<const AssetId> assets, std::int32_t priority) const {
    for (const AssetId& asset : assets) {
        FARDEL_TRY_ASSIGN(auto blocks, blocks_of(*bundle_, asset));
        file_->want(std::move(blocks), priority);
    }
    return ok();
}

// Neighbours are requested together; later ones have lower priorities.
Status RemoteBundle::follow(const Trace& trace, const std::stop_token& stop) const {
    constexpr std::uint64_t kTogetherBytes = 1u << 20;
    std::vector<RemoteFile::Wanted> blocks;
    std::uint64_t bytes = 0;
    std::int32_t priority = 0;
    for (const TracedAsset& traced : trace) {
        if (stop.stop_requested())
            return Error(ErrorCode::cancelled, "reading ahead was stopped");
        FARDEL_TRY_ASSIGN(const auto index, bundle_->find_asset(traced.asset));
        if (!index)
            continue;
        const std::size_t before = blocks.size();
        FARDEL_TRY(add_blocks_of(*bundle_, *index, blocks));
        for (const auto& block : std::span(blocks).subspan(before))
            bytes += block.length_bytes;
        if (bytes < kTogetherBytes)
            continue;
        // In pieces of 1 MiB, each with a lower priority than the one before: what somebody waits for comes first.
        file_->want(std::exchange(blocks, {}), --priority);
        bytes = 0;
    }
    file_->want(std::move(blocks), --priority);
    return ok();
}

Result<bool> RemoteBundle::is_here(const AssetId& asset) const {
    FARDEL_TRY_ASSIGN(const auto blocks, blocks_of(*bundle_, asset));
    for (const RemoteFile::Wanted& block : blocks)
        if (!file_->holds_block(block))
            return false;
    return true;
}

// ---- Closure --------------------------------------------------------------------------------------------------------

Result<std::vector<RemoteMount>> open_remote_bundles(const BundleStore& store, const RemoteServers& servers,
                                                     const BundleId& bundle, const TrustPolicy* policy,
                                                     const TrustTime& time,
                                                     const std::shared_ptr<const BundleLibrary>& library) {
    return RemoteClosure(store, servers, {.policy = policy, .time = time, .library = library}).open(bundle);
}

}  // namespace fardel
