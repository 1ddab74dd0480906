// fardel serve: serves a static tree, or the bundles of a store, over HTTP. docs/serving.md is the manual.

#include "build/served_project.h"
#include "bundles/store_option.h"
#include "console/clock.h"
#include "console/figures.h"
#include "console/json.h"
#include "registry/registry_signers.h"
#include "verbs.h"

#include <fardel/base/file.h>
#include <fardel/base/interrupt.h>
#include <fardel/base/invocation.h>
#include <fardel/base/network_address.h>
#include <fardel/base/service_supervisor.h>
#include <fardel/hosting/server.h>

#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

namespace fardel {
namespace {

struct ServeCommand {
    std::string tree;
    std::string store;
    std::string project;
    std::string target;  // of the project
    std::string cache;
    std::vector<std::string> addresses;
    std::string metrics_address;
    std::string access_log;
    std::string log_form = "common";
    std::uint64_t connections = 8192;
    std::string per_address;  // a number; empty: left out
    std::vector<std::string> proxies;
    std::string client_header;
    std::uint64_t request_timeout_s = 20;
    std::uint64_t rate_window_s = 30;
    std::uint64_t grace_s = 30;
    std::string tokens;
    std::string policy;
    std::optional<std::uint64_t> quota;
    std::optional<std::uint64_t> delta_budget;
    bool is_registry = false;
    RegistrySignerOptions signers;
    std::uint64_t head_days = 7;
    bool json = false;
};

constexpr std::chrono::milliseconds kProjectTick{100};

Status say_root(const ServedProject& project, bool json, Console& console) {
    const std::string id = project.head()->hex();
    FARDEL_TRY(console.write(json ? format_json(Json{{"root", id}}, -1) + "\n" : fmt::format("root {}\n", id)));
    return console.flush();
}

// Refreshes the project whenever something changes. What cannot be served is reported, and the latest root stays.
Status follow_project(ServedProject& project, bool json, const std::stop_token& stop, Console& console) {
    std::string said;  // the last error
    while (!stop.stop_requested()) {
        std::this_thread::sleep_for(kProjectTick);
        FARDEL_TRY_ASSIGN(const bool changed, project.has_changed());
        if (!changed)
            continue;
        std::this_thread::sleep_for(kProjectTick);  // an editor writes more than once
        // A file that is half written or missing for a moment is no reason to end: clients keep the root that they
        // have.
        const auto refreshed = project.refresh(stop);
        if (refreshed && *refreshed)
            FARDEL_TRY(say_root(project, json, console));
        const std::string error = refreshed ? "" : refreshed.error().text();
        if (!refreshed && !stop.stop_requested() && error != said)
            console.say(refreshed.error());
        said = error;
    }
    return ok();
}

// Returns whether the time is over, and not the server.
bool wait_for(const std::stop_token& stop, std::chrono::seconds longest) {
    std::mutex mutex;
    std::condition_variable_any changed;
    std::unique_lock lock(mutex);
    changed.wait_for(lock, stop, longest, [] { return false; });
    return !stop.stop_requested();
}

// Keeps the head of a registry fresh until the server stops.
void look_after(Registry* registry, const std::stop_token& stop, Console& console) {
    constexpr std::chrono::seconds kHeadTick{60};
    while (wait_for(stop, kHeadTick))
        if (const Status renewed = registry != nullptr ? registry->renew_head() : ok(); !renewed)
            console.say(renewed.error());
}

Result<std::unique_ptr<Registry>> open_registry(const ServeCommand& command, Console& console) {
    RegistryOptions options{.folder = command.tree,
                            .signers = {},
                            .head_life_s = command.head_days * 24 * 3600,
                            .now = system_now,
                            .report = [&console](const std::string& said) { console.say("fardel: " + said); }};
    FARDEL_TRY_ASSIGN(options.signers, open_registry_signers(command.signers));
    return Registry::open(std::move(options));
}

std::vector<std::string> texts_of(const std::vector<ListenAddress>& addresses) {
    std::vector<std::string> texts;
    for (const ListenAddress& address : addresses)
        texts.push_back("http://" + format_listen_address(address));
    return texts;
}

Status announce(const ServeCommand& command, const Server& server, Console& console) {
    const auto& metrics = server.metrics_address();
    std::string served = command.cache;
    for (const std::string* folder : {&command.store, &command.tree, &command.project})
        if (!folder->empty())
            served = *folder;
    if (command.json) {
        Json json{{"serving", served}, {"urls", texts_of(server.addresses())}};
        json.set("metrics", metrics ? Json("http://" + format_listen_address(*metrics) + "/metrics") : Json());
        FARDEL_TRY(console.write(format_json(json, -1) + "\n"));
    } else {
        for (const std::string& url : texts_of(server.addresses()))
            FARDEL_TRY(console.write(fmt::format("serving {} at {}\n", served, url)));
        if (metrics)
            FARDEL_TRY(console.write(fmt::format("metrics at http://{}/metrics\n", format_listen_address(*metrics))));
    }
    return console.flush();
}

// The folder of a game's files is easily taken for a tree.
void say_if_empty(const std::string& tree, Console& console) {
    if (!tree.empty() && !file_exists(tree + "/bundles"))
        console.say(
            fmt::format("fardel: nothing is published in {}; "
                        "'fardel publish' does that, and --project serves the files of a folder",
                        printable(tree)));
}

Result<ServerOptions> options_of(const ServeCommand& command) {
    ServerOptions options;
    options.tree = command.tree;
    options.cache = command.cache;
    options.delta_bytes_max = command.delta_budget.value_or(0);
    options.passed_sockets = take_passed_sockets();
    std::vector<std::string> addresses = command.addresses;
    if (addresses.empty() && options.passed_sockets.empty())
        addresses.push_back("127.0.0.1:8080");
    for (const std::string& address : addresses) {
        FARDEL_TRY_ASSIGN(ListenAddress parsed, parse_listen_address(address));
        options.addresses.push_back(std::move(parsed));
    }
    if (!command.metrics_address.empty()) {
        FARDEL_TRY_ASSIGN(options.metrics_address, parse_listen_address(command.metrics_address));
    }
    options.access_log = command.access_log;
    options.logs_json = command.log_form == "json";
    options.limits.connections_max = static_cast<std::size_t>(command.connections);
    if (!command.per_address.empty())
        options.limits.connections_per_address = static_cast<std::size_t>(find_number(command.per_address).value_or(0));
    for (const std::string& proxy : command.proxies) {
        const auto range = find_address_range(proxy);
        if (!range)
            return Error(ErrorCode::malformed, "--trusted-proxy: \"" + printable(proxy) +
                                                   "\" is no address, and no network such as 10.0.0.0/8");
        options.trusted_proxies.push_back(*range);
    }
    if (!command.client_header.empty())
        options.client_header = command.client_header;
    options.limits.request_timeout = std::chrono::seconds(command.request_timeout_s);
    options.limits.rate_window = std::chrono::seconds(command.rate_window_s);
    return options;
}

Result<Exit> serve(ServeCommand command, Console& console) {
    FARDEL_TRY_ASSIGN(ServerOptions options, options_of(command));
    std::optional<BundleStore> store;
    const Interrupt interrupt;
    std::optional<ServedProject> project;
    if (!command.project.empty()) {
        project.emplace(command.project, command.target, index_folder_of("folders"));
        // Before the server listens: what cannot be served is an error of this command, and no client sees an empty
        // project.
        FARDEL_TRY(project->refresh(interrupt.token()));
        options.project = &*project;
    }
    const bool names_nothing = command.tree.empty() && command.project.empty() && command.cache.empty();
    if (names_nothing || !command.store.empty()) {
        FARDEL_TRY_ASSIGN(store, open_store(command.store, false));
        command.store = store->path();
        options.store = &*store;
    }
    std::optional<TrustPolicy> policy;
    if (!command.policy.empty()) {
        FARDEL_TRY_ASSIGN(policy, read_trust_policy(command.policy));
    }
    const std::uint64_t tree_bytes_max = command.quota.value_or(0);
    if (!command.tokens.empty())
        options.uploads = UploadOptions{
            .tokens_path = command.tokens, .policy = policy ? &*policy : nullptr, .tree_bytes_max = tree_bytes_max};
    std::unique_ptr<Registry> registry;
    if (command.is_registry) {
        FARDEL_TRY_ASSIGN(registry, open_registry(command, console));
        FARDEL_TRY_ASSIGN(const RegistryRules rules, read_registry_rules(command.tree));
        options.registry = registry.get();
        options.uploads =
            UploadOptions{.tokens_path = {}, .tree_bytes_max = tree_bytes_max, .file_bytes_max = rules.file_bytes_max};
    }
    FARDEL_TRY_ASSIGN(const auto server, Server::start(std::move(options)));
    FARDEL_TRY(announce(command, *server, console));
    if (command.tokens.empty() && !command.is_registry)
        say_if_empty(command.tree, console);
    if (project)
        FARDEL_TRY(say_root(*project, command.json, console));
    if (registry)
        if (const auto dates = registry->describe_dates())
            console.say("fardel: " + *dates);
    // After the addresses are printed and the first root is there: whoever waits for readiness connects at once.
    notify_service_supervisor("READY=1");
    if (project)
        FARDEL_TRY(follow_project(*project, command.json, interrupt.token(), console));
    look_after(registry.get(), interrupt.token(), console);
    notify_service_supervisor("STOPPING=1");
    server->drain(std::chrono::seconds(command.grace_s));
    return Exit::fine;
}

}  // namespace

Result<Exit> run_serve(Words words, Console& console) {
    CommandLine line(
        "serve", "TREE | --store DIR | --project FOLDER | --cache DIR [options]",
        "Serves the folder that 'fardel publish' writes, or the bundles of a store, to "
        "'fardel fetch' over HTTP, and the results of jobs to 'fardel build'. "
        "Clients compare every byte with the bundle id, so the server need not be trusted. "
        "It speaks no TLS: put a reverse proxy in front of it. Ctrl-C or SIGTERM lets running transfers end. "
        "Not on Windows.",
        "  fardel serve /srv/www/mygame\n"
        "  fardel serve --store ~/.local/share/fardel --listen 0.0.0.0:8080 --access-log -\n"
        "  fardel serve --project ~/mygame\n"
        "  fardel serve /srv/www/hub --registry --signer hub-signer --registry-key registry.key.pub "
        "--release-key release.key.pub --head-key head.key.pub\n"
        "  fardel serve --project ~/mymod --store ~/.local/share/fardel\n");
    ServeCommand command;
    line.text("TREE", "TREE", command.tree, "The folder of the tree");
    // Not the user's own store without being asked: a server shows what it has to everybody.
    line.text("--store", "DIR", command.store,
              "Serve the bundles of this store (default without a TREE: that of the variable FARDEL_STORE)");
    line.text(
        "--project", "FOLDER", command.project,
        "Serve the files of this project while they are edited, without a copy: those that its fardel.toml takes, "
        "and the bundle files that it needs; without one, all of them. With --store, the bundles of the store, too");
    line.text("--target", "NAME", command.target, "Of a project with several targets, this one");
    line.text("--cache", "DIR", command.cache, "Serve this folder of a derived-data cache, too, or alone");
    line.texts("--listen", "ADDRESS:PORT", command.addresses,
               "Where to listen (default: 127.0.0.1:8080); port 0: any free one, which is printed");
    line.text("--metrics-listen", "ADDRESS:PORT", command.metrics_address, "Serve /metrics for Prometheus there");
    line.text("--access-log", "FILE", command.access_log, "Append a line per request; '-': standard output");
    line.text("--log-form", "FORM", command.log_form, "Of the access log: common or json (default: common)");
    line.number("--connections", command.connections, 16, 1'000'000, "Connections at a time (default: 8192)");
    line.text("--per-address", "N", command.per_address,
              "Connections from one address; 0: no limit (default: 64, and no limit on this machine)");
    line.texts("--trusted-proxy", "ADDRESS[/BITS]", command.proxies,
               "Believe this proxy, or these, which client a request comes from (default: nobody)");
    line.text("--client-header", "NAME", command.client_header,
              "The header in which they say it (default: X-Forwarded-For)");
    line.number("--request-timeout", command.request_timeout_s, 1, 3600,
                "Seconds until a request is complete (default: 20)");
    line.number("--rate-window", command.rate_window_s, 1, 3600,
                "End transfers that move less than 30 kB in so many seconds (default: 30)");
    line.text("--upload-tokens", "FILE", command.tokens,
              "Accept uploads into TREE and the cache from clients with these tokens");
    line.text("--trust", "POLICY", command.policy, "Accept only bundles that this policy trusts (default: any bundle)");
    line.size("--upload-quota", command.quota, "The most that all bundles of TREE may have, such as 50G", 1);
    line.size(
        "--delta-budget", command.delta_budget,
        "Make the deltas of TREE that clients have a use for, in the background: so many bytes at most, such as 2G", 1);
    line.flag(
        "--registry", command.is_registry,
        "TREE is a registry ('fardel registry init'): authors upload and recall with their keys, and pages are shown");
    add_registry_signing_options(line, command.signers);
    line.number("--head-days", command.head_days, 1, 30, "Heads of a registry live so many days (default: 7)");
    line.number("--grace", command.grace_s, 0, 86'400,
                "Seconds that running transfers have when the server stops (default: 30)");
    line.json(command.json, "Print where the server listens as one line of JSON");
    if (const auto over = line.parse(words, console))
        return *over;
    if (const Status possible = Server::verify_system(); !possible)
        return line.mistake(possible.error().message(), console);
    const bool names_nothing = command.tree.empty() && command.project.empty() && command.cache.empty();
    if (names_nothing && command.store.empty() && variable("FARDEL_STORE").empty())
        return Error(ErrorCode::missing, "nothing to serve is named; give a TREE, a --store, a --project or a --cache");
    if (!command.tree.empty() && !command.store.empty())
        return line.mistake("name a TREE or --store, not both", console);
    if (!command.project.empty() && !(command.tree.empty() && command.tokens.empty()))
        return line.mistake("--project is served without a TREE and --upload-tokens", console);
    if (command.is_registry && (command.tree.empty() || !command.tokens.empty() || !command.signers.all()))
        return line.mistake(
            "--registry needs a TREE, --registry-key, --release-key and --head-key, and no --upload-tokens", console);
    if (!command.is_registry && command.signers.any())
        return line.mistake("--registry-key, --release-key, --head-key and --signer belong to --registry", console);
    if (command.is_registry && !command.policy.empty())
        return line.mistake("a registry's rules are in registry.rules and in its channel, not in --trust", console);
    if (command.tokens.empty() && !command.is_registry && (!command.policy.empty() || command.quota))
        return line.mistake("--trust and --upload-quota are about uploads; name --upload-tokens", console);
    if (command.delta_budget && command.tree.empty())
        return line.mistake("--delta-budget is about the deltas of a TREE", console);
    if (command.log_form != "common" && command.log_form != "json")
        return line.mistake("--log-form is common or json", console);
    if (!command.client_header.empty() && command.proxies.empty())
        return line.mistake("--client-header is about proxies; name --trusted-proxy", console);
    if (!command.per_address.empty() && !find_number(command.per_address))
        return line.mistake("--per-address is a number", console);
    return serve(std::move(command), console);
}

}  // namespace fardel
