#include "install/installation.h"

#include "bundles/author_consent.h"
#include "bundles/fetch_report.h"
#include "bundles/mounts.h"
#include "bundles/near_names.h"
#include "bundles/store_option.h"
#include "channel/first_root.h"
#include "console/clock.h"
#include "console/figures.h"
#include "install/lock_option.h"

#include <fardel/base/interrupt.h>
#include <fardel/delivery/install_bundles.h>
#include <fardel/delivery/lock_file.h>
#include <fardel/delivery/refused_bundles.h>
#include <fardel/format/name.h>
#include <fardel/format/requirement.h>
#include <fardel/format/signer.h>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace fardel {
namespace {

// ---- What is wanted -------------------------------------------------------------------------------------------------

Result<InstallWork> work_of(const InstallCommand& command, InstallChange change) {
    InstallWork work;
    work.lock = command.lock;
    work.change = change;
    work.names = command.names;
    FARDEL_TRY_ASSIGN(auto own, find_policy(command.policy));
    FARDEL_TRY_ASSIGN(work.channel, subject_of(command.channel, std::move(own)));
    work.servers = command.from.empty() ? command.servers.list({}) : command.servers.list({command.from});
    work.mirrors = command.mirrors;
    FARDEL_TRY_ASSIGN(work.accepted_authors, parse_accepted_authors(command.authors));
    return work;
}

// The channel, and its root the first time, from the tree that the user has named.
Status find_channel(const InstallCommand& command, const std::optional<LockFile>& before, const BundleStore& store,
                    const Interrupt& interrupt, InstallWork& work, Console& console) {
    std::string& name = work.channel.name;
    if (name.empty() && before)
        name = before->channel;
    if (name.empty()) {
        FARDEL_TRY_ASSIGN(name, find_only_channel(work.servers, interrupt.token()));
    }
    const bool may_ask = !command.consent.yes && !command.consent.json;
    return meet_channel(store, work.servers, command.fingerprint, may_ask, work.channel, interrupt.token(), console);
}

void say_recalled(const std::optional<LockFile>& before, const ChannelState& state, Console& console) {
    if (!before)
        return;
    for (const ResolvedBundle& one : before->resolution.bundles)
        if (const auto reason = find_recall(state, one.bundle))
            console.say(fmt::format("fardel: {} {} is installed and has been recalled: {}", printable(one.name),
                                    one.version.text(), printable(*reason)));
}

// ---- Outcomes -------------------------------------------------------------------------------------------------------

// What happened besides the result.
struct Events {
    std::optional<ChannelState> followed;
    std::optional<Error> not_followed;
    std::vector<std::string> conflicts;
    std::optional<InstallPlan> plan;
};

void say_near_names(const InstallCommand& command, const ChannelState& state, Console& console) {
    const std::vector<std::string> offered = names_of(state.bundles);
    for (const std::string& text : command.names) {
        const auto wanted = Requirement::parse(text);
        if (!wanted || std::ranges::find(offered, wanted->name) != offered.end())
            continue;
        if (const std::string suggestion = suggest_bundle(wanted->name, offered); !suggestion.empty())
            console.say(fmt::format("fardel: there is no {}{}", printable(wanted->name), suggestion));
    }
}

// What is installed and recalled, and stands in the way: an update goes on without it.
void say_ways_out(const std::optional<LockFile>& before, const ChannelState& state, Console& console) {
    if (!before)
        return;
    const InstalledRoots roots(before->resolution);
    for (const ResolvedBundle& one : before->resolution.bundles)
        if (const auto reason = find_recall(state, one.bundle))
            console.say(fmt::format(
                "fardel: {} {}: {}", printable(one.name), one.version.text(),
                way_out(roots,
                        {.bundle = one.bundle, .reason = Error(ErrorCode::revoked, *reason), .may_be_replaced = false},
                        state.bundles)));
}

Result<Exit> report_conflicts(const InstallCommand& command, const Events& events,
                              const std::optional<LockFile>& before, Console& console) {
    if (command.consent.json)
        FARDEL_TRY(console.write(format_json(Json{{"conflicts", events.conflicts}}) + "\n"));
    for (const std::string& conflict : events.conflicts)
        console.say("fardel: " + conflict);
    say_near_names(command, *events.followed, console);
    say_ways_out(before, *events.followed, console);
    console.say(fmt::format("fardel: {} in release {} of channel {}; what is installed stays as it is",
                            format_count(events.conflicts.size(), "conflict", "conflicts"),
                            events.followed->release_version, printable(events.followed->name)));
    return Exit::refusal;
}

std::string format_plan(const InstallPlan& plan) {
    const std::string changes =
        format_bundles("+", plan.added) + format_bundles("-", plan.removed) + format_changes(plan.author_changes);
    return (changes.empty() ? "nothing changes\n" : changes) + format_plan(plan.fetch);
}

// `summary`: nothing: only the plan was wanted.
Result<Exit> report(const InstallCommand& command, const BundleStore& store, const InstallPlan& plan,
                    const InstallSummary* summary, Console& console) {
    return print_result(
        console, command.consent.json,
        [&] {
            Json json{{"lock", command.lock},
                      {"store", store.path()},
                      {"release", plan.release},
                      {"bundles", json_of(plan.bundles)},
                      {"added", json_of(plan.added)},
                      {"removed", json_of(plan.removed)},
                      {"author_changes", json_of(plan.author_changes)},
                      {"plan", json_of(plan.fetch)}};
            if (summary != nullptr) {
                json.set("received_bytes", summary->received_bytes);
                json.set("without_ranges", summary->without_ranges);
            }
            return json;
        },
        [&] {
            if (summary == nullptr)
                return format_plan(plan);
            std::string text;  // the plan has been shown
            if (!plan.fetch.bundles.empty())
                text = fmt::format("fetched {}\n", format_size(summary->received_bytes));
            return text + fmt::format("{}: {}\n", printable(command.lock),
                                      format_count(plan.bundles.size(), "bundle", "bundles"));
        });
}

}  // namespace

// ---- What the verbs share -------------------------------------------------------------------------------------------

std::string format_bundles(std::string_view sign, const std::vector<InstalledBundle>& bundles) {
    return format_each(bundles, [&](const InstalledBundle& one) {
        return fmt::format("  {} {}  {} {}{}\n", sign, short_id(one.bundle), printable(one.name), one.version,
                           one.author ? "  by " + key_id(*one.author) : "");
    });
}

Json json_of(const std::vector<InstalledBundle>& bundles) {
    return json_list(bundles, [](const InstalledBundle& one) {
        return Json{{"bundle", one.bundle.hex()},
                    {"name", one.name},
                    {"version", one.version},
                    {"author", one.author ? Json(one.author->hex()) : Json()}};
    });
}

void add_install_options(CommandLine& line, InstallCommand& command) {
    line.text("--lock", "FILE", command.lock, "The lock file, which says what is installed (default: fardel.lock)");
    line.text("--store", "DIR", command.store, fmt::format("The store for the bundles {}", kStoreDefault));
    add_channel_options(line, command.channel);
    line.text("--from", "URL", command.from,
              "The tree with the channel and its bundles (default: the sources in the lock file, for which "
              "--public-only holds)");
    line.text("--fingerprint", "HASH", command.fingerprint,
              "With --from, the first time: the channel's root there is right if it has this fingerprint, which its "
              "owner publishes; instead of --root (default: ask, if a person is at a terminal)");
    line.texts("--mirror", "URL", command.mirrors, "Another server with the same tree; asked when the first fails");
    line.text("--trust", "POLICY", command.policy,
              "Install only bundles that this policy trusts, too (default: what the channel demands)");
    add_author_option(line, command.authors);
    add_server_options(line, command.servers);
    add_consent_options(line, command.consent, "Only show what would be installed and fetched, and how much it is");
}

Result<Exit> install(const InstallCommand& command, InstallChange change, Console& console) {
    const Interrupt interrupt;
    FARDEL_TRY_ASSIGN(const BundleStore store, open_store(command.store, true));
    FARDEL_TRY_ASSIGN(const auto before, find_lock_file(command.lock));
    FARDEL_TRY_ASSIGN(InstallWork work, work_of(command, change));
    if (!command.from.empty())
        FARDEL_TRY(find_channel(command, before, store, interrupt, work, console));
    Events events;
    FetchBar bar(console);
    FetchConsent consent(command.consent, bar, console);
    AuthorConsent authors(command.consent, work.accepted_authors, console);
    InstallSteps steps;
    steps.stop = interrupt.token();
    steps.received_bytes_max = received_bytes_max(command.consent);
    steps.progress = [&bar](const FetchProgress& progress) { bar.show(progress); };
    steps.followed = [&](const ChannelOutcome& outcome) {
        events.followed = outcome.state;
        events.not_followed = outcome.failure;
        say_recalled(before, outcome.state, console);
    };
    steps.conflicts = [&](const std::vector<std::string>& conflicts) { events.conflicts = conflicts; };
    steps.author_consent = [&](const std::vector<AuthorChange>& changes) {
        bar.hide();
        return authors.give(changes);
    };
    steps.consent = [&](const InstallPlan& plan) -> Status {
        events.plan = plan;
        return consent.give(plan.fetch, format_plan(plan));
    };
    // An error says only that nothing was installed; the steps above noted what had been found out before it.
    const auto installed = install_bundles(store, work, steps);
    if (installed)
        say_without_ranges(installed->without_ranges, console);
    if (installed)
        return report(command, store, installed->plan, &*installed, console);
    // With --plan, consent is refused, so the work ends with an error that is none.
    if (events.plan && command.consent.plan_only)
        return report(command, store, *events.plan, nullptr, console);
    if (!events.conflicts.empty())
        return report_conflicts(command, events, before, console);
    if (events.not_followed) {
        const bool is_named_by_lock = events.not_followed->code() == ErrorCode::denied && command.from.empty();
        return Error(events.not_followed->code(),
                     fmt::format("{}; {}{}; what is installed stays as it is", events.not_followed->message(),
                                 is_named_by_lock ? "the lock file names it: --allow-host HOST allows it, --from URL "
                                                    "names another server; "
                                                  : "",
                                 describe_age(*events.followed, system_now())));
    }
    Error failed = fetch_error(command.consent, installed.error(), interrupt.token().stop_requested());
    if (change == InstallChange::update)
        failed = suggest_installed(std::move(failed), command.lock, command.names);
    return authors.report(failed);
}

}  // namespace fardel
