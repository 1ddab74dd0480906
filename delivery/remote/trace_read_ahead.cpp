#include <fardel/delivery/remote_bundle.h>

#include "fetch/trace_fetch.h"

#include <system_error>
#include <utility>

namespace fardel {

TraceReadAhead::TraceReadAhead(std::jthread thread) : thread_(std::move(thread)) {}
TraceReadAhead::TraceReadAhead(TraceReadAhead&&) noexcept = default;
TraceReadAhead::~TraceReadAhead() = default;

Result<TraceReadAhead> TraceReadAhead::start(const RemoteServers& servers,
                                             std::vector<std::shared_ptr<const RemoteBundle>> bundles) {
    RangeClientOptions connections = *servers.connections_;
    connections.connections = 1;
    FARDEL_TRY_ASSIGN(RangeClient client, RangeClient::open(connections));
    const auto work = [client = std::make_shared<RangeClient>(std::move(client)), trees = servers.trees_,
                       bundles = std::move(bundles)](const std::stop_token& stop) {
        for (const auto& bundle : bundles) {
            if (bundle->why_not_kept())
                continue;
            const auto trace = fetch_trace(*client, trees, bundle->id(), stop);
            // What could not be requested is requested when it is read, and the reader gets the error.
            if (trace)
                static_cast<void>(bundle->follow(*trace, stop));
        }
    };
    try {
        return TraceReadAhead(std::jthread(work));
    } catch (const std::system_error& failure) {
        return Error(ErrorCode::busy, std::string("the system gives no thread: ") + failure.what());
    }
}

void TraceReadAhead::wait() {
    if (thread_.joinable())
        thread_.join();
}

}  // namespace fardel
