// fardel fetch: brings bundles from a server into a store. docs/delivery.md is the manual.

#include "bundles/server_option.h"
#include "bundles/store_option.h"
#include "console/figures.h"
#include "console/json.h"
#include "console/progress_bar.h"
#include "verbs.h"

#include <fardel/base/interrupt.h>
#include <fardel/delivery/fetch_bundles.h>
#include <fardel/format/name.h>

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace fardel {
namespace {

struct FetchCommand {
    std::string tree;
    std::vector<std::string> ids;
    std::vector<std::string> mirrors;
    std::string store;
    std::vector<std::string> libraries;
    std::string policy;
    std::vector<std::string> names;
    std::vector<std::string> tags;
    std::vector<std::string> closures;
    ServerChoice servers;
    std::uint64_t bytes_max = 0;  // 0: no limit
    std::optional<std::uint64_t> source_bytes_max;
    std::uint64_t rate = 0;  // bytes per second; 0: no limit
    std::uint64_t connections = 6;
    bool plan_only = false;
    bool repairs = false;
    std::string damaged_file;
    bool json = false;
};

std::string format_planned(const PlannedFetch& planned) {
    std::string text =
        fmt::format("  {}  {}: {} of {} in {}", short_id(planned.bundle), format_title(planned.name, planned.version),
                    format_size(planned.fetch_bytes), format_size(planned.file_bytes),
                    format_count(planned.requests, "request", "requests"));
    if (planned.left_bytes != 0)
        text += fmt::format(", {} left out", format_size(planned.left_bytes));
    if (!planned.licence.empty())
        text += fmt::format(", licence {}", planned.licence);
    for (const std::string& signer : planned.signers)
        text += fmt::format(", signed by {}", printable(signer));
    return text + "\n";
}

std::string format_plan(const FetchPlan& plan) {
    if (plan.bundles.empty())
        return "everything is here\n";
    return fmt::format("to fetch: {}\n", format_size(plan.fetch_bytes)) + format_each(plan.bundles, format_planned);
}

Json json_of(const PlannedFetch& planned) {
    return Json{{"bundle", planned.bundle.hex()},       {"name", planned.name},
                {"version", planned.version},           {"licence", planned.licence},
                {"signers", planned.signers},           {"file_bytes", planned.file_bytes},
                {"tables_bytes", planned.tables_bytes}, {"fetch_bytes", planned.fetch_bytes},
                {"left_bytes", planned.left_bytes},     {"requests", planned.requests}};
}

Json json_of(const FetchPlan& plan) {
    return Json{{"fetch_bytes", plan.fetch_bytes},
                {"source_bytes", plan.source_bytes},
                {"requests", plan.requests},
                {"bundles", json_list(plan.bundles, [](const PlannedFetch& one) { return json_of(one); })}};
}

// Shows how much came, how fast, and for how long it will go on.
class FetchBar {
public:
    explicit FetchBar(Console& console) : bar_(console, "fetching") {}

    void show(const FetchProgress& progress) {
        std::string text =
            fmt::format("{} of {}", format_size(progress.received_bytes), format_size(progress.total_bytes));
        if (progress.seconds_left)
            text += fmt::format(", {}/s, {} left", format_size(progress.bytes_per_second),
                                format_seconds(static_cast<double>(*progress.seconds_left)));
        bar_.show(progress.received_bytes, progress.total_bytes, text);
    }

private:
    ProgressBar bar_;
};

// Ends a fetch of which only the plan was wanted.
constexpr std::string_view kPlanOnly = "only the plan was asked for";

Result<Exit> fetch(const FetchCommand& command, Console& console) {
    FARDEL_TRY_ASSIGN(const BundleStore store, open_store(command.store, true));
    FARDEL_TRY_ASSIGN(const auto library, find_library(command.libraries));
    std::vector<BundleId> bundles;
    for (const std::string& id : command.ids) {
        FARDEL_TRY_ASSIGN(const BundleId bundle, BundleId::parse(id));
        bundles.push_back(bundle);
    }
    std::optional<TrustPolicy> policy;
    if (!command.policy.empty()) {
        FARDEL_TRY_ASSIGN(policy, read_trust_policy(command.policy));
    }
    std::shared_ptr<const ByteSource> damaged_file;
    if (!command.damaged_file.empty()) {
        if (bundles.size() != 1)
            return Error(ErrorCode::malformed, "--repair-file needs the id of one bundle");
        FARDEL_TRY_ASSIGN(damaged_file, open_file_source(command.damaged_file));
    }
    const Interrupt interrupt;
    FetchBar bar(console);
    std::optional<FetchPlan> shown;
    FetchOptions options;
    options.trees.push_back(command.tree);
    options.trees.insert(options.trees.end(), command.mirrors.begin(), command.mirrors.end());
    options.policy = policy ? &*policy : nullptr;
    options.library = library ? &*library : nullptr;
    options.selection.names = command.names;
    options.selection.closures = command.closures;
    for (const std::string& text : command.tags) {
        auto tag = parse_tag(text);
        if (!tag)
            return std::move(tag).error().with_context("--tags");
        options.selection.tags.push_back(*std::move(tag));
    }
    options.source_bytes_max = command.source_bytes_max.value_or(0);
    options.stop = interrupt.token();
    options.repairs = command.repairs || damaged_file != nullptr;
    options.damaged_copy = damaged_file;
    options.connections.servers = command.servers.rule();
    options.connections.connections = static_cast<unsigned>(command.connections);
    options.connections.bytes_per_second_max = command.rate;
    options.progress = [&bar](const FetchProgress& progress) { bar.show(progress); };
    options.consent = [&](const FetchPlan& plan) -> Status {
        shown = plan;
        if (command.plan_only)
            return Error(ErrorCode::cancelled, std::string(kPlanOnly));
        if (command.bytes_max != 0 && plan.fetch_bytes > command.bytes_max)
            return Error(ErrorCode::limit, fmt::format("{} are to be fetched, more than --max-bytes allows; nothing "
                                                       "was fetched",
                                                       format_size(plan.fetch_bytes)));
        return ok();
    };
    const auto fetched = fetch_bundles(store, bundles, options);
    if (!fetched && !(shown && command.plan_only))
        return fetched.error();
    if (fetched && damaged_file != nullptr)
        FARDEL_TRY(store.export_bundle(bundles[0], command.damaged_file, {.stop = interrupt.token()}));
    const FetchPlan& plan = fetched ? fetched->plan : *shown;
    return print_result(
        console, command.json,
        [&] {
            Json json{{"store", store.path()}, {"plan", json_of(plan)}};
            if (fetched) {
                json["received_bytes"] = fetched->received_bytes;
                json["requests"] = fetched->requests;
            }
            return json;
        },
        [&] {
            std::string text = format_plan(plan);
            if (fetched && !plan.bundles.empty())
                text += fmt::format("fetched {} in {}\n", format_size(fetched->received_bytes),
                                    format_count(fetched->requests, "request", "requests"));
            return text;
        });
}

}  // namespace

Result<Exit> run_fetch(Words words, Console& console) {
    CommandLine line(
        "fetch", "URL ID... [--store DIR] [--library FOLDER] [options]",
        "Brings bundles from a static tree on a server into a store, with the bundles that they need. Of each bundle, "
        "only what the store does not have is fetched. Everything is verified; what was received stays if the fetch is "
        "stopped, and the next one goes on from there.",
        "  fardel fetch https://example.org/mygame 6f0c...2d1a --store ~/.local/share/fardel\n"
        "  fardel fetch https://example.org/mygame 6f0c...2d1a --plan     # what it would cost\n"
        "  fardel fetch https://example.org/mygame 6f0c...2d1a --repair   # only what is damaged in the store\n"
        "  fardel fetch https://example.org/mygame 6f0c...2d1a --closure maps/dm01.bsp --tags lang=de\n");
    FetchCommand command;
    line.text("URL", "URL", command.tree, "The tree that 'fardel publish' has written")->required();
    line.texts("ID", "ID", command.ids, "The bundle ids, all 64 digits of each")->required();
    add_store_option(line, command.store);
    add_library_option(line, command.libraries);
    line.text("--trust", "POLICY", command.policy, "Fetch only bundles that this policy trusts (default: any bundle)");
    line.texts("--mirror", "URL", command.mirrors, "Another server with the same tree; asked when the first fails");
    add_server_options(line, command.servers);
    line.texts("--only", "GLOB", command.names,
               "Fetch only the content of names that match, for example 'maps/q3dm1*'; may be repeated");
    line.texts("--closure", "NAME", command.closures,
               "Fetch the content of this name with everything that it refers to; may be repeated");
    line.texts("--tags", "AXIS=VALUE", command.tags,
               "Of names with variants, fetch those with this tag, for example lang=de; may be repeated");
    line.flag("--plan", command.plan_only, "Only show what would be fetched, and how much it is");
    line.flag("--repair", command.repairs, "Read what the store has of these bundles, and fetch what is damaged");
    line.text("--repair-file", "FILE", command.damaged_file,
              "Mend this file of the bundle: what is right in it is not fetched. The store has the bundle then, too");
    line.number("--max-bytes", command.bytes_max, 1, UINT64_MAX, "Fetch nothing if it would be more");
    line.size("--source-size", command.source_bytes_max,
              "Fetch nothing if the files of all bundles from this server would be larger in the store");
    line.number("--rate", command.rate, 1024, UINT64_MAX, "Receive at most so many bytes per second");
    line.number("--connections", command.connections, 1, 64, "Transfers at a time (default: 6)");
    line.json(command.json);
    if (const auto over = line.parse(words, console))
        return *over;
    if (const auto mistake = find_mistake(command.servers))
        return line.mistake(*mistake, console);
    return fetch(command, console);
}

}  // namespace fardel
