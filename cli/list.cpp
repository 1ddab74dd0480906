// fardel list: what is installed, why, and what of it is recalled. docs/installing.md is the manual.

#include "bundles/store_option.h"
#include "channel/followed_channel.h"
#include "console/clock.h"
#include "console/figures.h"
#include "console/json.h"
#include "install/lock_option.h"
#include "verbs.h"

#include <fardel/delivery/lock_file.h>
#include <fardel/delivery/refused_bundles.h>
#include <fardel/format/name.h>
#include <fardel/format/signer.h>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace fardel {
namespace {

struct ListedInstall {
    const ResolvedBundle* bundle = nullptr;
    const Requirement* root = nullptr;  // nullptr: others require it
    bool is_here = false;               // the store has all of it
    std::optional<std::string> recall;
    std::optional<std::string> refusal;  // why a mount does not take it, and the way out
    bool is_left_out = false;            // for this or another bundle's sake
};

// What was accepted of the channel by this user; nothing, and the reason is said, if that is not known.
std::optional<ChannelState> find_state(const BundleStore& store, const LockFile& lock, Console& console) {
    const ChannelChoice channel{.name = lock.channel, .root = {}};
    const auto subject = subject_of(channel, nullptr);
    auto state = subject ? accepted_channel(store, *subject) : Result<ChannelState>(subject.error());
    if (state && state->id == lock.channel_id)
        return *std::move(state);
    console.say(fmt::format("fardel: whether something is recalled is not known: {}",
                            state ? "another channel of this name is followed here" : state.error().message()));
    return std::nullopt;
}

std::string format_installed(const ListedInstall& one) {
    std::string text =
        fmt::format("{}  {} {}", short_id(one.bundle->bundle), printable(one.bundle->name), one.bundle->version.text());
    if (one.bundle->author)
        text += fmt::format("  by {}", key_id(*one.bundle->author));
    if (one.root != nullptr)
        text += fmt::format("  (installed as {})", printable(one.root->text(), 400));
    if (!one.is_here)
        text += "  INCOMPLETE: 'fardel update' brings it";
    if (one.recall)
        text += fmt::format("  RECALLED: {}", printable(*one.recall));
    if (one.refusal)
        text += (one.recall ? "; " : "  REFUSED: ") + *one.refusal;
    if (one.is_left_out)
        text += "  LEFT OUT by 'fardel mount'";
    return text + "\n";
}

Json json_of(const ListedInstall& one) {
    return Json{{"bundle", one.bundle->bundle.hex()},
                {"name", one.bundle->name},
                {"version", one.bundle->version.text()},
                {"author", one.bundle->author ? Json(one.bundle->author->hex()) : Json()},
                {"root", one.root != nullptr ? Json(one.root->text()) : Json()},
                {"requires",
                 json_list(one.bundle->requirements,
                           [](const ResolvedRequirement& wanted) {
                               return Json{{"requirement", wanted.requirement.text()}, {"bundle", wanted.bundle.hex()}};
                           })},
                {"complete", one.is_here},
                {"recalled", one.recall ? Json(*one.recall) : Json()},
                {"refused", one.refusal ? Json(*one.refusal) : Json()},
                {"left_out", one.is_left_out}};
}

// What a mount would refuse, as `fardel mount --lock` without options judges it.
Status judge(std::vector<ListedInstall>& listed, const BundleStore& store, const LockFile& lock,
             const ChannelState& state) {
    FARDEL_TRY_ASSIGN(const auto licenses, store.licenses());
    const auto refused = find_refused(store, lock.resolution, *state.policy, {}, &licenses);
    const InstalledRoots roots(lock.resolution);
    const auto plan = plan_left_out(roots, refused, {}, state.bundles);
    for (ListedInstall& one : listed) {
        one.recall = find_recall(state, one.bundle->bundle);
        const auto refusal = std::ranges::find(refused, one.bundle->bundle, &RefusedBundle::bundle);
        if (refusal != refused.end())
            one.refusal =
                (one.recall ? "" : refusal->reason.message() + "; ") + way_out(roots, *refusal, state.bundles);
        one.is_left_out = plan && std::ranges::count(plan->left_out, one.bundle->bundle, &LeftOutBundle::bundle) != 0;
    }
    return ok();
}

Result<Exit> list(const std::string& path, const std::string& store_path, bool as_json, Console& console) {
    FARDEL_TRY_ASSIGN(const LockFile lock, open_lock(path));
    FARDEL_TRY_ASSIGN(const BundleStore store, open_store(store_path, false));
    FARDEL_TRY_ASSIGN(const auto stored, store.list());
    std::map<BundleId, bool> complete;
    for (const StoredBundle& one : stored)
        complete[one.bundle] = one.held_bytes == one.file_bytes;
    const auto state = find_state(store, lock, console);
    std::vector<ListedInstall> listed;
    for (const ResolvedBundle& one : lock.resolution.bundles) {
        ListedInstall& item = listed.emplace_back();
        item.bundle = &one;
        for (const ResolvedRequirement& root : lock.resolution.roots)
            if (root.bundle == one.bundle)
                item.root = &root.requirement;
        item.is_here = complete[one.bundle];
    }
    if (state)
        FARDEL_TRY(judge(listed, store, lock, *state));
    const bool is_wrong = std::ranges::any_of(
        listed, [](const ListedInstall& one) { return one.recall || one.refusal || one.is_left_out || !one.is_here; });
    return print_result(
        console, as_json,
        [&] {
            return Json{{"lock", path},
                        {"channel", lock.channel},
                        {"release", lock.release},
                        {"sources", json_list(lock.sources, [](const ForeignUrl& one) { return Json(one.named()); })},
                        {"stale", state ? Json(state->is_stale(system_now())) : Json()},
                        {"bundles", json_list(listed, [](const ListedInstall& one) { return json_of(one); })}};
        },
        [&] {
            const std::string age = state ? describe_age(*state, system_now()) : "channel " + printable(lock.channel);
            return fmt::format("{}\n  release {} is installed\n", age, lock.release) +
                   format_each(listed, format_installed);
        },
        is_wrong ? Exit::refusal : Exit::fine);
}

}  // namespace

Result<Exit> run_list(Words words, Console& console) {
    CommandLine line(
        "list", "[--lock FILE] [--store DIR] [--json]",
        "Lists what is installed, in the order in which it is mounted, and what of it has been recalled, has "
        "expired or lacks a licence, and is therefore left out. Ends with 1 if there is any, or if "
        "something is incomplete. Needs no network.",
        "  fardel list\n"
        "  fardel list --lock mods.lock --store ~/.local/share/fardel --json\n");
    std::string lock = "fardel.lock";
    std::string store;
    bool json = false;
    add_lock_option(line, lock);
    add_store_option(line, store);
    line.json(json);
    if (const auto over = line.parse(words, console))
        return *over;
    return list(lock, store, json, console);
}

}  // namespace fardel
