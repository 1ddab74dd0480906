// The functions of fardel_fetch.h about bundles that are read from servers.

#include "c_handles.h"

#include <fardel/format/reader_source.h>

#include <utility>
#include <vector>

using namespace fardel;
using namespace fardel::c;

fardel_code fardel_servers_open(const fardel_server_options* options, fardel_servers** servers, fardel_error* error) {
    if (servers != nullptr)
        *servers = nullptr;
    return call(error, servers != nullptr && options != nullptr, [&](const Report& report) {
        ServerChoice choice;
        if (const fardel_code bad = read_servers(options, choice, report); bad != FARDEL_OK)
            return bad;
        RemoteOptions how;
        how.servers = std::move(choice.list);
        how.connections = choice.connections;
        how.bytes_per_second_max = choice.bytes_per_second_max;
        return report.end(RemoteServers::open(how),
                          [&](RemoteServers opened) { *servers = new fardel_servers{std::move(opened)}; });
    });
}

void fardel_servers_stop(fardel_servers* servers) {
    call(nullptr, servers != nullptr, [&](const Report&) {
        servers->servers.close();
        return fardel_code{FARDEL_OK};
    });
}

void fardel_servers_close(fardel_servers* servers) { delete servers; }

fardel_code fardel_remote_open(const fardel_store* store, const fardel_servers* servers, const fardel_id* bundle,
                               const fardel_trust_options* trust, fardel_remote** remote, fardel_error* error) {
    if (remote != nullptr)
        *remote = nullptr;
    const bool given = store != nullptr && servers != nullptr && bundle != nullptr && remote != nullptr;
    return call(error, given, [&](const Report& report) {
        TrustChoice choice;
        if (const fardel_code bad = read_trust(trust, choice, report); bad != FARDEL_OK)
            return bad;
        return report.end(
            RemoteBundle::open(store->store, servers->servers, id_of<BundleId>(*bundle), choice.policy.get(),
                               choice.time),
            [&](std::shared_ptr<const RemoteBundle> opened) { *remote = new fardel_remote{std::move(opened)}; });
    });
}

void fardel_remote_close(fardel_remote* remote) { delete remote; }

fardel_code fardel_remote_reader(const fardel_remote* remote, fardel_reader* reader, fardel_error* error) {
    return call(error, remote != nullptr && reader != nullptr,
                [&](const Report& report) { return give_reader(remote->bundle->source(), reader, report); });
}

fardel_code fardel_remote_dependencies(const fardel_remote* remote, fardel_bundle_named named, void* context,
                                       fardel_error* error) {
    return call(error, remote != nullptr && named != nullptr, [&](const Report& report) {
        return report.end(remote->bundle->dependencies(),
                          [&](const std::vector<BundleId>& bundles) { report_bundles(bundles, named, context); });
    });
}

fardel_code fardel_remote_want(const fardel_remote* remote, const fardel_id* assets, size_t asset_count,
                               int32_t priority, fardel_error* error) {
    return call(error, remote != nullptr && (assets != nullptr || asset_count == 0), [&](const Report& report) {
        for (std::size_t i = 0; i < asset_count; ++i) {
            const auto asset = id_of<AssetId>(assets[i]);
            if (const Status wanted = remote->bundle->want({&asset, 1}, priority); !wanted)
                return report.fail(wanted.error());
        }
        return fardel_code{FARDEL_OK};
    });
}

fardel_code fardel_remote_is_here(const fardel_remote* remote, const fardel_id* asset, int32_t* is_here,
                                  fardel_error* error) {
    return call(error, remote != nullptr && asset != nullptr && is_here != nullptr, [&](const Report& report) {
        return report.end(remote->bundle->is_here(id_of<AssetId>(*asset)), [&](bool here) { *is_here = here ? 1 : 0; });
    });
}

fardel_code fardel_read_ahead_start(const fardel_servers* servers, const fardel_remote* const* remotes,
                                    size_t remote_count, fardel_read_ahead** ahead, fardel_error* error) {
    if (ahead != nullptr)
        *ahead = nullptr;
    const bool given = servers != nullptr && ahead != nullptr && (remotes != nullptr || remote_count == 0);
    return call(error, given, [&](const Report& report) {
        std::vector<std::shared_ptr<const RemoteBundle>> bundles;
        for (std::size_t i = 0; i < remote_count; ++i) {
            if (remotes[i] == nullptr)
                return report.argument("a remote bundle is null");
            bundles.push_back(remotes[i]->bundle);
        }
        return report.end(TraceReadAhead::start(servers->servers, std::move(bundles)),
                          [&](TraceReadAhead started) { *ahead = new fardel_read_ahead{std::move(started)}; });
    });
}

void fardel_read_ahead_wait(fardel_read_ahead* ahead) {
    call(nullptr, ahead != nullptr, [&](const Report&) {
        ahead->ahead.wait();
        return fardel_code{FARDEL_OK};
    });
}

void fardel_read_ahead_close(fardel_read_ahead* ahead) { delete ahead; }
