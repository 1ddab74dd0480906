#include "channel/mounted_channel.h"

#include "bundles/store_option.h"
#include "console/clock.h"

#include <fardel/delivery/update_channel.h>
#include <fardel/format/name.h>

#include <fmt/format.h>

#include <chrono>
#include <set>
#include <thread>
#include <utility>

namespace fardel {
namespace {

constexpr std::chrono::milliseconds kStopLookedAt{100};

void sleep_unless_stopped(std::uint64_t seconds, const std::stop_token& stop) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
    while (!stop.stop_requested() && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(kStopLookedAt);
}

// Withdraws what the state recalls, and says what was not `withdrawn` before.
Status withdraw(const ChannelState& state, Vfs& vfs, std::set<MountId>& withdrawn, Console& console) {
    FARDEL_TRY_ASSIGN(const auto recalled, vfs.judge_again(*state.policy));
    std::set<MountId> now;
    for (const RecalledMount& one : recalled) {
        now.insert(one.mount);
        if (!withdrawn.contains(one.mount))
            console.say("fardel: " + one.reason.text() + "; its files are not opened any more");
    }
    withdrawn = std::move(now);
    return ok();
}

// What to say about an update; empty: nothing.
std::string describe(const ChannelOutcome& outcome, std::uint64_t release_mounted, const std::string& newer_advice) {
    if (outcome.failure)
        return fmt::format("{}; {}", outcome.failure->text(), describe_age(outcome.state, system_now()));
    if (outcome.state.release_version != release_mounted)
        return fmt::format("channel {}: release {} is there; {}", printable(outcome.state.name),
                           outcome.state.release_version, newer_advice);
    return "";
}

}  // namespace

Status plan_channel(const ChannelSubject& subject, std::vector<std::string>& words, MountingOptions& mounting,
                    Console& console) {
    FARDEL_TRY_ASSIGN(const BundleStore store, open_store(mounting.store, false));
    FARDEL_TRY_ASSIGN(const ChannelState state, accepted_channel(store, subject));
    FARDEL_TRY_ASSIGN(const auto bundles, choose_bundles(state, {}));
    for (const BundleId& id : bundles)
        words.push_back(id.hex());
    if (state.is_stale(system_now()))
        console.say(fmt::format("fardel: {}; what is here is mounted", describe_age(state, system_now())));
    for (const ChannelBundle& one : state.bundles)
        if (one.recall)
            console.say(fmt::format("fardel: {} {} is not mounted: it has been recalled: {}", printable(one.name),
                                    one.version, printable(*one.recall)));
    mounting.policy = state.policy;
    return ok();
}

void watch_recalls(const RecallWatch& watch, const std::string& store_path, Vfs& vfs, const std::stop_token& stop,
                   Console& console) {
    const auto store = open_store(store_path, false);
    const auto mounted = store ? accepted_channel(*store, watch.subject) : Result<ChannelState>(store.error());
    const std::uint64_t release = mounted ? mounted->release_version : 0;
    std::set<MountId> withdrawn;
    std::string said;
    for (; store && !stop.stop_requested(); sleep_unless_stopped(watch.every_s, stop)) {
        const auto outcome =
            update_channel(*store, {.subject = watch.subject, .servers = watch.servers, .time = {}}, stop);
        // Each time: another program may have followed the channel, and have taken its recalls into the store.
        const Status judged = outcome ? withdraw(outcome->state, vfs, withdrawn, console) : outcome.error();
        const std::string text = judged ? describe(*outcome, release, watch.newer_advice) : judged.error().text();
        if (!text.empty() && text != said && !stop.stop_requested())
            console.say("fardel: " + text);
        said = text;
    }
}

}  // namespace fardel
