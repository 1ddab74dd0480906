// fardel fetch: brings bundles from a server into a store. docs/delivery.md is the manual.

#include "bundles/author_consent.h"
#include "bundles/bundle_word.h"
#include "bundles/fetch_consent.h"
#include "bundles/fetch_report.h"
#include "bundles/mounts.h"
#include "bundles/server_option.h"
#include "bundles/store_option.h"
#include "channel/followed_channel.h"
#include "console/clock.h"
#include "console/exit.h"
#include "console/figures.h"
#include "console/json.h"
#include "verbs.h"

#include <fardel/base/interrupt.h>
#include <fardel/delivery/author_changes.h>
#include <fardel/delivery/fetch_bundles.h>
#include <fardel/delivery/update_channel.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/name.h>

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace fardel {
namespace {

struct FetchCommand {
    std::string tree;
    std::vector<std::string> ids;  // with a channel: names
    ChannelChoice channel;
    std::string from;  // with a channel: the tree
    std::vector<std::string> mirrors;
    std::vector<std::string> authors;  // with a channel: NAME=KEY
    std::string store;
    std::vector<std::string> libraries;
    std::string policy;
    std::vector<std::string> names;
    std::vector<std::string> tags;
    std::vector<std::string> closures;
    ServerChoice servers;
    std::optional<std::uint64_t> source_bytes_max;
    std::string source;
    std::optional<std::uint64_t> rate;  // bytes per second
    std::uint64_t connections = 6;
    ConsentOptions consent;
    bool repairs = false;
    std::string damaged_file;
};

// Best effort: what is not released stays until somebody removes it.
void release_replaced(const BundleStore& store, const std::vector<ChannelBundle>& removed) {
    std::vector<BundleId> bundles;
    for (const ChannelBundle& one : removed)
        bundles.push_back(one.bundle);
    if (!bundles.empty())
        static_cast<void>(store.release_bundles(bundles, system_now()));
}

std::vector<std::string> trees_of(const FetchCommand& command) {
    std::vector<std::string> trees{command.tree};
    trees.insert(trees.end(), command.mirrors.begin(), command.mirrors.end());
    return trees;
}

// ---- Channels -------------------------------------------------------------------------------------------------------

Result<ChannelOutcome> follow(const FetchCommand& command, const BundleStore& store, const ServerList& servers,
                              std::shared_ptr<const TrustPolicy> own, const std::stop_token& stop) {
    FARDEL_TRY_ASSIGN(ChannelSubject subject, subject_of(command.channel, std::move(own)));
    return update_channel(store, {.subject = std::move(subject), .servers = servers, .time = {}}, stop);
}

// No update: what is here stays, and the message says since when the channel is stale.
Result<Exit> report_failure(const ChannelOutcome& outcome, bool json, Console& console) {
    const UnixTime now = system_now();
    FARDEL_TRY(console.write(json ? format_json(Json{{"channel", json_of(outcome, now)}}) + "\n"
                                  : format_outcome(outcome, now)));
    console.say(
        Error(outcome.failure->code(), fmt::format("{}; {}; what is installed stays as it is",
                                                   outcome.failure->message(), describe_age(outcome.state, now))));
    return exit_for(outcome.failure->code());
}

// ---- Fetching -------------------------------------------------------------------------------------------------------

Result<Exit> fetch(const FetchCommand& command, Console& console) {
    FARDEL_TRY_ASSIGN(const BundleStore store, open_store(command.store, true));
    FARDEL_TRY_ASSIGN(const auto library, find_library(command.libraries));
    FARDEL_TRY_ASSIGN(auto policy, find_policy(command.policy));
    const Interrupt interrupt;
    const ServerList servers = command.servers.list(trees_of(command));
    std::vector<BundleId> bundles;
    std::optional<ChannelOutcome> followed;
    if (command.channel.name.empty()) {
        FARDEL_TRY_ASSIGN(bundles, parse_bundle_ids(command.ids));
    } else {
        FARDEL_TRY_ASSIGN(followed, follow(command, store, servers, policy, interrupt.token()));
        if (followed->failure)
            return report_failure(*followed, command.consent.json, console);
        FARDEL_TRY_ASSIGN(bundles, choose_bundles(followed->state, command.ids));
        // The channel's rules and recalls together with the user's policy: a channel can forbid more, never permit
        // more.
        policy = followed->state.policy;
    }
    std::shared_ptr<const ByteSource> damaged_file;
    if (!command.damaged_file.empty()) {
        if (bundles.size() != 1)
            return Error(ErrorCode::malformed, "--repair-file needs the id of one bundle");
        FARDEL_TRY_ASSIGN(damaged_file, open_file_source(command.damaged_file));
    }
    FetchBar bar(console);
    FetchConsent consent(command.consent, bar, console);
    FARDEL_TRY_ASSIGN(const auto accepted, parse_accepted_authors(command.authors));
    AuthorConsent authors(command.consent, accepted, console);
    std::vector<AuthorChange> changes;
    const auto describe_plan = [&](const FetchPlan& plan) {
        return (followed ? format_outcome(*followed, system_now()) : "") + format_changes(changes) + format_plan(plan);
    };
    std::optional<FetchPlan> shown;
    FetchOptions options;
    FetchWork& work = options.work;
    work.servers = servers;
    work.bundles = bundles;
    work.policy = policy;
    work.library = library;
    work.selection.names = command.names;
    work.selection.closures = command.closures;
    for (const std::string& text : command.tags) {
        auto tag = parse_tag(text);
        if (!tag)
            return std::move(tag).error().with_context("--tags");
        work.selection.tags.push_back(*std::move(tag));
    }
    work.source = command.source;
    work.source_bytes_max = command.source_bytes_max.value_or(0);
    work.connections = static_cast<unsigned>(command.connections);
    work.bytes_per_second_max = command.rate.value_or(0);
    options.stop = interrupt.token();
    options.received_bytes_max = received_bytes_max(command.consent);
    options.repairs = command.repairs || damaged_file != nullptr;
    options.damaged_copy = damaged_file;
    options.progress = [&bar](const FetchProgress& progress) { bar.show(progress); };
    options.consent = [&](const FetchPlan& plan) -> Status {
        shown = plan;
        if (followed) {
            FARDEL_TRY_ASSIGN(changes, find_author_changes(store, followed->state, plan));
            bar.hide();
            FARDEL_TRY(authors.give(changes));
        }
        return consent.give(plan, describe_plan(plan));
    };
    const auto fetched = fetch_bundles(store, options);
    if (!fetched && !(shown && command.consent.plan_only))
        return authors.report(fetch_error(command.consent, fetched.error(), interrupt.token().stop_requested()));
    if (fetched)
        say_without_ranges(fetched->without_ranges, console);
    // What the channel has replaced: those who follow it need it no more.
    if (fetched && followed)
        release_replaced(store, followed->removed);
    if (fetched && damaged_file != nullptr)
        FARDEL_TRY(store.export_bundle(bundles[0], command.damaged_file, {.stop = interrupt.token()}));
    const FetchPlan& plan = fetched ? fetched->plan : *shown;
    return print_result(
        console, command.consent.json,
        [&] {
            Json json{{"store", store.path()}, {"plan", json_of(plan)}};
            if (followed) {
                json.set("channel", json_of(*followed, system_now()));
                json.set("author_changes", json_of(changes));
            }
            if (fetched) {
                json.set("received_bytes", fetched->received_bytes);
                json.set("requests", fetched->requests);
                json.set("without_ranges", fetched->without_ranges);
            }
            return json;
        },
        [&] {
            if (!fetched)
                return describe_plan(plan);
            return plan.bundles.empty() ? std::string()
                                        : fmt::format("fetched {} in {}\n", format_size(fetched->received_bytes),
                                                      format_count(fetched->requests, "request", "requests"));
        });
}

}  // namespace

Result<Exit> run_fetch(Words words, Console& console) {
    CommandLine line(
        "fetch",
        "URL ID... [--store DIR] [--library FOLDER] [options]\n"
        "       fardel fetch [BUNDLE-NAME...] --channel NAME --from URL [--root ROOT] [--store DIR] [options]",
        "Brings bundles from a static tree on a server into a store, with the bundles that they need. "
        "Of each bundle, only what the store does not have is fetched. "
        "Everything is verified; what was received stays if the fetch is stopped, and the next one goes on from there.",
        "  fardel fetch https://example.org/mygame 6f0c...2d1a --store ~/.local/share/fardel\n"
        "  fardel fetch https://example.org/mygame 6f0c...2d1a --plan     # what it would cost\n"
        "  fardel fetch https://example.org/mygame 6f0c...2d1a --repair   # only what is damaged in the store\n"
        "  fardel fetch https://example.org/mygame 6f0c...2d1a --closure maps/dm01.bsp --tags lang=de\n"
        "  fardel fetch --channel mygame/stable --root mygame.root --from https://example.org/mygame\n");
    FetchCommand command;
    line.text("URL", "URL", command.tree, "The tree that 'fardel publish' has written");
    line.texts("ID", "ID", command.ids,
               "The bundle ids, all 64 digits of each; with --channel, names of bundles of its release (default: all)");
    add_channel_options(line, command.channel);
    line.text("--from", "URL", command.from, "With --channel: the tree with the channel and its bundles");
    add_store_option(line, command.store);
    add_library_option(line, command.libraries);
    line.text("--trust", "POLICY", command.policy, "Fetch only bundles that this policy trusts (default: any bundle)");
    line.texts("--mirror", "URL", command.mirrors, "Another server with the same tree; asked when the first fails");
    add_author_option(line, command.authors);
    add_server_options(line, command.servers);
    line.texts("--only", "GLOB", command.names,
               "Fetch only the content of names that match, for example 'maps/q3dm1*'; may be repeated");
    line.texts("--closure", "NAME", command.closures,
               "Fetch the content of this name with everything that it refers to; may be repeated");
    line.texts("--tags", "AXIS=VALUE", command.tags,
               "Of names with variants, fetch those with this tag, for example lang=de; may be repeated");
    line.flag("--repair", command.repairs, "Read what the store has of these bundles, and fetch what is damaged");
    line.text("--repair-file", "FILE", command.damaged_file,
              "Mend this file of the bundle: what is right in it is not fetched. The store has the bundle then, too");
    line.size("--source-size", command.source_bytes_max,
              "Fetch nothing if the files of all bundles from this server would be larger in the store");
    line.text("--source", "NAME", command.source,
              "Whom this is fetched for, such as the address of a game server: the store notes it with the bundles "
              "(default: the URL), for --source-size and for 'fardel store gc --source'");
    line.size("--rate", command.rate, "Receive at most so many bytes per second, such as 500K", 1024);
    line.number("--connections", command.connections, 1, 64, "Transfers at a time (default: 6)");
    add_consent_options(line, command.consent, "Only show what would be fetched, and how much it is");
    if (const auto over = line.parse(words, console))
        return *over;
    if (const auto mistake = find_mistake(command.servers))
        return line.mistake(*mistake, console);
    if (command.channel.name.empty()) {
        if (!command.from.empty() || !command.channel.root.empty())
            return line.mistake("--from and --root need --channel", console);
        if (!command.authors.empty())
            return line.mistake("--accept-author needs --channel", console);
        if (command.tree.empty() || command.ids.empty())
            return line.mistake("name the tree, and the ids of the bundles", console);
        return fetch(command, console);
    }
    if (command.from.empty())
        return line.mistake("--channel needs --from, the tree with the channel", console);
    if (!command.tree.empty())
        command.ids.insert(command.ids.begin(), command.tree);
    command.tree = command.from;
    return fetch(command, console);
}

}  // namespace fardel
