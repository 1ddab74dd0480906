// The handles of fardel_fetch.h, and what its functions share: options of callers as values.
#pragma once

#include <fardel/delivery/channel_follow.h>
#include <fardel/delivery/fardel_fetch.h>
#include <fardel/delivery/fetch.h>
#include <fardel/delivery/remote_bundle.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/c_interface.h>
#include <fardel/store/bundle_store.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

struct fardel_store {
    fardel::BundleStore store;
};
struct fardel_servers {
    fardel::RemoteServers servers;
};
struct fardel_remote {
    std::shared_ptr<const fardel::RemoteBundle> bundle;
};
struct fardel_project {
    std::shared_ptr<const fardel::TrustPolicy> policy;  // of `project`; nullptr: none
    fardel::RemoteProject project;
    std::vector<fardel::RemoteMount> bundles;  // the root is the last; empty: none yet
    std::stop_source stop;
};
struct fardel_read_ahead {
    fardel::TraceReadAhead ahead;
};

namespace fardel::c {

// What a fardel_server_options says.
struct ServerChoice {
    ServerList list;
    std::uint64_t bytes_per_second_max = 0;
    unsigned connections = 6;
};
fardel_code read_servers(const fardel_server_options* given, ServerChoice& out, const Report& report);

// What a fardel_trust_options says; of a null pointer: no policy.
struct TrustChoice {
    std::shared_ptr<const TrustPolicy> policy;
    TrustTime time;
};
fardel_code read_trust(const fardel_trust_options* given, TrustChoice& out, const Report& report);

// Fills in the members of a channel's options that both need. `name` may be null if `is_named_elsewhere`.
constexpr std::size_t kChannelOptionsBytesLeast = offsetof(fardel_channel_options, now_s) + sizeof(std::uint64_t);
fardel_code read_subject(const fardel_channel_options* given, bool is_named_elsewhere, fardel_channel_options& options,
                         ChannelSubject& subject, const Report& report);

// A plan, for as long as this exists, which borrows its texts.
class PlainPlan {
public:
    explicit PlainPlan(const FetchPlan& plan);
    PlainPlan(const PlainPlan&) = delete;
    PlainPlan& operator=(const PlainPlan&) = delete;
    const fardel_fetch_plan& get() const noexcept { return plan_; }

private:
    std::vector<std::vector<const char*>> signers_;
    std::vector<fardel_planned_fetch> bundles_;
    std::vector<const fardel_planned_fetch*> pointers_;
    fardel_fetch_plan plan_{};
};
fardel_fetch_progress plain_progress(const FetchProgress& progress);

void report_bundles(const std::vector<BundleId>& bundles, fardel_bundle_named named, void* context);

}  // namespace fardel::c
