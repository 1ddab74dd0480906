#include "channel/mounted_channel.h"

#include "bundles/store_option.h"
#include "console/clock.h"

#include <fardel/delivery/update_channel.h>
#include <fardel/format/name.h>

#include <fmt/format.h>

#include <chrono>
#include <thread>

namespace fardel {
namespace {

constexpr std::chrono::milliseconds kStopLookedAt{100};

void sleep_unless_stopped(std::uint64_t seconds, const std::stop_token& stop) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
    while (!stop.stop_requested() && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(kStopLookedAt);
}

// Withdraws and says what the state recalls. Returns what to say about the outcome; empty: nothing.
std::string take_outcome(const ChannelOutcome& outcome, std::uint64_t release_mounted, Vfs& vfs, Console& console) {
    if (outcome.has_new_recalls) {
        const auto recalled = vfs.judge_again(*outcome.state.policy);
        if (!recalled)
            return recalled.error().text();
        for (const RecalledMount& one : *recalled)
            console.say("fardel: " + one.reason.text() + "; its files are not opened any more");
    }
    if (outcome.failure)
        return fmt::format("{}; {}", outcome.failure->text(), describe_age(outcome.state, now_s()));
    if (outcome.state.release_version != release_mounted)
        return fmt::format(
            "channel {}: release {} is there; 'fardel fetch --channel' brings it, and the next mount "
            "shows it",
            printable(outcome.state.name), outcome.state.release_version);
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
    if (state.is_stale(now_s()))
        console.say(fmt::format("fardel: {}; what is here is mounted", describe_age(state, now_s())));
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
    std::string said;
    for (; store && !stop.stop_requested(); sleep_unless_stopped(watch.every_s, stop)) {
        const auto outcome = update_channel(
            *store, {.subject = watch.subject, .servers = watch.servers, .time = {}, .rule = watch.rule}, stop);
        const std::string text = outcome ? take_outcome(*outcome, release, vfs, console) : outcome.error().text();
        if (!text.empty() && text != said && !stop.stop_requested())
            console.say("fardel: " + text);
        said = text;
    }
}

}  // namespace fardel
