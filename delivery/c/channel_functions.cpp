// The functions of fardel_fetch.h about channels.

#include "c_handles.h"

#include <fardel/delivery/channel_follow.h>

#include <chrono>
#include <string>

struct fardel_channel_follow {
    fardel::ChannelFollow follow;
    bool reported = false;
};

namespace fardel::c {
namespace {

// Without rules of the channel: everything that is not recalled.
std::string policy_text_of(const ChannelState& state) {
    return state.channel_policy ? state.channel_policy->format() : state.policy->format();
}

void report_state(const ChannelState& state, const ChannelOutcome* outcome, fardel_channel_reported reported,
                  void* context) {
    std::vector<fardel_channel_bundle> bundles;
    for (const ChannelBundle& one : state.bundles)
        bundles.push_back({.struct_size = sizeof(fardel_channel_bundle),
                           .bundle = plain_id(one.bundle),
                           .name = one.name.c_str(),
                           .version = one.version.c_str(),
                           .recall = one.recall ? one.recall->c_str() : nullptr,
                           .file_bytes = one.file_bytes});
    std::vector<const fardel_channel_bundle*> pointers;
    for (const fardel_channel_bundle& one : bundles)
        pointers.push_back(&one);
    const std::string policy = policy_text_of(state);
    const bool failed = outcome != nullptr && outcome->failure;
    const fardel_channel_state out{.struct_size = sizeof out,
                                   .root_version = state.root_version,
                                   .release_version = state.release_version,
                                   .head_version = state.head_version,
                                   .fresh_until_s = state.fresh_until ? state.fresh_until->seconds : 0,
                                   .bundles = pointers.data(),
                                   .bundle_count = pointers.size(),
                                   .policy_text = policy.c_str(),
                                   .failure_text = failed ? outcome->failure->message().c_str() : "",
                                   .failure = failed ? code_of(outcome->failure->code()) : fardel_code{FARDEL_OK},
                                   .has_new_recalls = outcome != nullptr && outcome->has_new_recalls ? 1 : 0};
    reported(context, &out);
}

}  // namespace
}  // namespace fardel::c

using namespace fardel;
using namespace fardel::c;

fardel_code fardel_channel_accepted(const fardel_store* store, const fardel_channel_options* options,
                                    fardel_channel_reported reported, void* context, fardel_error* error) {
    return call(error, store != nullptr && options != nullptr && reported != nullptr, [&](const Report& report) {
        fardel_channel_options taken = FARDEL_CHANNEL_OPTIONS_INIT;
        ChannelSubject subject;
        if (const fardel_code bad = read_subject(options, false, taken, subject, report); bad != FARDEL_OK)
            return bad;
        return report.end(accepted_channel(store->store, subject),
                          [&](const ChannelState& state) { report_state(state, nullptr, reported, context); });
    });
}

fardel_code fardel_channel_follow_start(const fardel_store* store, const fardel_channel_options* options,
                                        fardel_channel_follow** follow, fardel_error* error) {
    if (follow != nullptr)
        *follow = nullptr;
    return call(error, store != nullptr && options != nullptr && follow != nullptr, [&](const Report& report) {
        fardel_channel_options taken = FARDEL_CHANNEL_OPTIONS_INIT;
        ChannelWork work;
        if (const fardel_code bad = read_subject(options, false, taken, work.subject, report); bad != FARDEL_OK)
            return bad;
        if (taken.servers == nullptr)
            return report.argument("no servers are given");
        ServerChoice servers;
        if (const fardel_code bad = read_servers(taken.servers, servers, report); bad != FARDEL_OK)
            return bad;
        work.servers = std::move(servers.list);
        work.time = time_of(taken.now_s);
        return report.end(ChannelFollow::start(store->store, std::move(work)), [&](ChannelFollow started) {
            *follow = new fardel_channel_follow{.follow = std::move(started)};
        });
    });
}

fardel_code fardel_channel_follow_poll(fardel_channel_follow* follow, uint32_t wait_max_ms,
                                       fardel_channel_reported reported, void* context, int32_t* has_ended,
                                       fardel_error* error) {
    if (has_ended != nullptr)
        *has_ended = 0;
    return call(error, follow != nullptr, [&](const Report& report) {
        if (!follow->follow.poll(std::chrono::milliseconds(wait_max_ms)))
            return fardel_code{FARDEL_OK};
        if (has_ended != nullptr)
            *has_ended = 1;
        const Result<ChannelOutcome>& outcome = *follow->follow.outcome();
        if (!outcome)
            return report.fail(outcome.error());
        if (reported != nullptr && !std::exchange(follow->reported, true))
            report_state(outcome->state, &*outcome, reported, context);
        return fardel_code{FARDEL_OK};
    });
}

void fardel_channel_follow_cancel(fardel_channel_follow* follow) {
    if (follow != nullptr)
        follow->follow.cancel();
}

void fardel_channel_follow_close(fardel_channel_follow* follow) { delete follow; }
