#include "store_retention.h"

#include "bundles/store_option.h"
#include "console/clock.h"
#include "console/figures.h"
#include "console/json.h"

#include <fardel/format/name.h>
#include <fardel/store/bundle_store.h>
#include <fardel/store/retention.h>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace fardel {
namespace {

constexpr std::size_t kCollectedListedMax = 40;  // --json lists all
constexpr std::string_view kManualPin = "manual";

// A bundle may be pinned before it is there, by all its digits.
Result<BundleId> pinned_id(const BundleStore& store, const std::string& digits) {
    if (auto whole = BundleId::parse(digits))
        return whole;
    return store.find(digits);
}

// ---- store pin, store unpin -----------------------------------------------------------------------------------------

struct PinCommand {
    std::vector<std::string> ids;
    std::string name = std::string(kManualPin);
    std::string until;
    std::string store;
    bool json = false;
};

Json json_of(const BundlePin& pin) {
    Json json{{"bundle", pin.bundle.hex()}, {"name", pin.name}};
    if (pin.until)
        json.set("until", pin.until->seconds);
    return json;
}

std::string format_pin(const BundlePin& pin) {
    return fmt::format("{}  {}{}\n", pin.bundle.hex(), pin.name,
                       pin.until ? " until " + format_date(*pin.until) : std::string());
}

Result<Exit> pin(const PinCommand& command, Console& console) {
    FARDEL_TRY_ASSIGN(const BundleStore store, open_store(command.store, false));
    std::optional<UnixTime> until;
    if (!command.until.empty()) {
        FARDEL_TRY_ASSIGN(until, parse_day(command.until));
    }
    for (const std::string& digits : command.ids) {
        FARDEL_TRY_ASSIGN(const BundleId bundle, pinned_id(store, digits));
        FARDEL_TRY(store.pin({.bundle = bundle, .name = command.name, .until = until}));
    }
    FARDEL_TRY_ASSIGN(const auto pins, store.pins());
    return print_result(
        console, command.json,
        [&] {
            return Json{{"store", store.path()},
                        {"pins", json_list(pins, [](const BundlePin& one) { return json_of(one); })}};
        },
        [&] { return pins.empty() ? std::string("no pins\n") : format_each(pins, format_pin); });
}

Result<Exit> unpin(const PinCommand& command, Console& console) {
    FARDEL_TRY_ASSIGN(const BundleStore store, open_store(command.store, false));
    for (const std::string& digits : command.ids) {
        FARDEL_TRY_ASSIGN(const BundleId bundle, pinned_id(store, digits));
        FARDEL_TRY_ASSIGN(const bool removed, store.unpin(bundle, command.name));
        if (!removed)
            return Error(ErrorCode::missing, fmt::format("bundle {} has no pin named '{}'; "
                                                         "'fardel store pin' lists the pins",
                                                         bundle.hex(), printable(command.name)));
    }
    return console.print("");
}

// ---- store rm -------------------------------------------------------------------------------------------------------

struct RemoveCommand {
    std::vector<std::string> ids;
    std::string store;
};

Result<Exit> remove(const RemoveCommand& command, Console& console) {
    FARDEL_TRY_ASSIGN(const BundleStore store, open_store(command.store, false));
    std::vector<BundleId> bundles;
    for (const std::string& digits : command.ids) {
        FARDEL_TRY_ASSIGN(const BundleId bundle, store.find(digits));
        bundles.push_back(bundle);
    }
    FARDEL_TRY(store.remove_bundles(bundles, system_now()));
    return console.print(fmt::format("{} will be removed by 'fardel store gc'; adding or using one takes it back\n",
                                     format_count(bundles.size(), "bundle", "bundles")));
}

// ---- store gc -------------------------------------------------------------------------------------------------------

struct CollectCommand {
    std::string store;
    RetentionRules rules;
    bool json = false;
};

Json json_of(const CollectedBundle& bundle) {
    return Json{{"bundle", bundle.bundle.hex()},
                {"reason", removal_reason_text(bundle.reason)},
                {"file_bytes", bundle.file_bytes},
                {"condemned", bundle.condemned.seconds},
                {"removed", bundle.removed}};
}

std::string_view kept_reason_word(KeptReason reason) {
    switch (reason) {
        case KeptReason::pinned: return "pinned";
        case KeptReason::needed: return "needed";
        case KeptReason::held: return "held";
        case KeptReason::none: break;
    }
    return "added";
}

Json json_of(const KeptBundle& bundle) {
    return Json{{"bundle", bundle.bundle.hex()},
                {"file_bytes", bundle.file_bytes},
                {"reason", kept_reason_word(bundle.reason)},
                {"pins", bundle.pins}};
}

Json json_of(const CollectionReport& report, bool dry_run) {
    return Json{{"dry_run", dry_run},
                {"bundles", json_list(report.bundles, [](const CollectedBundle& one) { return json_of(one); })},
                {"condemned_packs", report.condemned_packs},
                {"condemned_bytes", report.condemned_bytes},
                {"removed_packs", report.removed_packs},
                {"removed_bytes", report.removed_bytes},
                {"removed_incoming", report.removed_incoming},
                {"removed_incoming_bytes", report.removed_incoming_bytes},
                {"repacked_packs", report.repacked_packs},
                {"repacked_bytes", report.repacked_bytes},
                {"repack_written_bytes", report.repack_written_bytes},
                {"packs", report.packs},
                {"pack_bytes", report.pack_bytes},
                {"kept", json_list(report.kept, [](const KeptBundle& one) { return json_of(one); })},
                {"notes", report.notes}};
}

// "3 bundles with 1.2 MB stay: WHY"; empty if there are none.
template <class IsMeant>
std::string format_kept(const CollectionReport& report, IsMeant is_meant, std::string_view why) {
    std::uint64_t bundles = 0;
    std::uint64_t bytes = 0;
    for (const KeptBundle& one : report.kept)
        if (is_meant(one)) {
            ++bundles;
            bytes += one.file_bytes;
        }
    return bundles == 0 ? std::string()
                        : fmt::format("{} with {} {}: {}\n", format_count(bundles, "bundle", "bundles"),
                                      format_size(bytes), bundles == 1 ? "stays" : "stay", why);
}

std::string format_kept(const CollectionReport& report) {
    const auto is_lock_pin = [](const std::string& name) { return name.starts_with(kLockPinStart); };
    const auto is_installed = [&](const KeptBundle& one) { return std::ranges::any_of(one.pins, is_lock_pin); };
    return format_kept(report, is_installed, "installed; 'fardel remove NAME' ends that") +
           format_kept(
               report, [&](const KeptBundle& one) { return one.reason == KeptReason::pinned && !is_installed(one); },
               "pinned; 'fardel store pin' lists the pins") +
           format_kept(
               report, [](const KeptBundle& one) { return one.reason == KeptReason::needed; },
               "needed by others that stay") +
           format_kept(
               report, [](const KeptBundle& one) { return one.reason == KeptReason::held; },
               "held by another program, or by one that ended less than a day ago") +
           format_kept(
               report, [](const KeptBundle& one) { return one.reason == KeptReason::none; },
               "added or fetched by id; 'fardel store rm ID' removes one, --unused or --size the oldest");
}

// "a day", "3 days", "12 min 0 s"
std::string format_grace(std::int64_t grace_s) {
    constexpr std::int64_t kDay = 24 * 3600;
    if (grace_s % kDay != 0 || grace_s == 0)
        return format_seconds(static_cast<double>(grace_s));
    return grace_s == kDay ? "a day" : std::to_string(grace_s / kDay) + " days";
}

std::string format_report(const CollectionReport& report, const RetentionRules& rules) {
    const std::string_view verb = rules.dry_run ? "would remove" : "removed";
    const auto removed = std::ranges::count(report.bundles, true, &CollectedBundle::removed);
    std::string text = format_items(report.bundles, kCollectedListedMax, "  ", [&](const CollectedBundle& bundle) {
        const std::string what = fmt::format("{}  {:>9}  {}", bundle.bundle.hex(), format_size(bundle.file_bytes),
                                             removal_reason_text(bundle.reason));
        return bundle.removed ? fmt::format("{}, {}", what, verb)
                              : fmt::format("{}, goes after {}", what, format_date(bundle.condemned + rules.grace_s));
    });
    text +=
        fmt::format("{} {}, {} with {}\n", verb, format_count(static_cast<std::uint64_t>(removed), "bundle", "bundles"),
                    format_count(report.removed_packs, "pack", "packs"), format_size(report.removed_bytes));
    if (report.removed_incoming != 0)
        text += fmt::format("{} {} that nobody went on fetching, {}\n", verb,
                            format_count(report.removed_incoming, "bundle", "bundles"),
                            format_size(report.removed_incoming_bytes));
    if (report.repacked_packs != 0)
        text += fmt::format("{} what is needed of {}: {} instead of {}\n",
                            rules.dry_run ? "would write again" : "wrote again",
                            format_count(report.repacked_packs, "pack", "packs"),
                            format_size(report.repack_written_bytes), format_size(report.repacked_bytes));
    if (report.condemned_packs != 0)
        text += fmt::format("condemned until a gc {} later: {} with {}\n", format_grace(rules.grace_s),
                            format_count(report.condemned_packs, "pack", "packs"), format_size(report.condemned_bytes));
    text +=
        fmt::format("{} in {} remain\n", format_size(report.pack_bytes), format_count(report.packs, "pack", "packs"));
    text += format_kept(report);
    return text + format_items(report.notes, kCollectedListedMax,
                               "note: ", [](const std::string& note) { return printable(note, 2000); });
}

Result<Exit> collect_garbage(const CollectCommand& command, Console& console) {
    FARDEL_TRY_ASSIGN(const BundleStore store, open_store(command.store, false));
    FARDEL_TRY_ASSIGN(const CollectionReport report, store.collect(command.rules));
    return print_result(
        console, command.json, [&] { return json_of(report, command.rules.dry_run); },
        [&] { return format_report(report, command.rules); });
}

// ---- store stats ----------------------------------------------------------------------------------------------------

std::string format_usage(const StoreUsage& usage, const std::string& path) {
    std::string text = fmt::format("{}\n  bundles     {}, {} as files\n  packs       {}, {}\n", printable(path),
                                   format_count(usage.bundles), format_size(usage.file_bytes),
                                   format_count(usage.packs), format_size(usage.pack_bytes));
    if (usage.unnamed_packs != 0)
        text += fmt::format("  unused      {}, {}\n", format_count(usage.unnamed_packs, "pack", "packs"),
                            format_size(usage.unnamed_bytes));
    if (usage.references != 0)
        text += fmt::format(
            "  elsewhere   {}, {}{}\n", format_count(usage.references, "file", "files"),
            format_size(usage.referred_bytes),
            usage.stale_references == 0 ? std::string() : fmt::format("; {} gone or changed", usage.stale_references));
    if (usage.condemned_bundles != 0)
        text += fmt::format("  condemned   {}\n", format_count(usage.condemned_bundles, "bundle", "bundles"));
    text += fmt::format("  pins        {}\n", format_count(usage.pins));
    for (const StoreUsage::Source& source : usage.sources)
        text += fmt::format("  from {}: {}, {}\n", printable(source.source, 2000),
                            format_count(source.bundles, "bundle", "bundles"), format_size(source.file_bytes));
    return text;
}

Json json_of(const StoreUsage& usage, const std::string& path) {
    return Json{
        {"store", path},
        {"bundles", usage.bundles},
        {"file_bytes", usage.file_bytes},
        {"packs", usage.packs},
        {"pack_bytes", usage.pack_bytes},
        {"unused_packs", usage.unnamed_packs},
        {"unused_bytes", usage.unnamed_bytes},
        {"references", usage.references},
        {"referred_bytes", usage.referred_bytes},
        {"stale_references", usage.stale_references},
        {"condemned_bundles", usage.condemned_bundles},
        {"pins", usage.pins},
        {"sources", json_list(usage.sources, [](const StoreUsage::Source& source) {
             return Json{{"source", source.source}, {"bundles", source.bundles}, {"file_bytes", source.file_bytes}};
         })}};
}

}  // namespace

Result<Exit> run_store_pin(Words words, Console& console) {
    CommandLine line("store pin", "[ID...] [--name NAME] [--until DAY] [--store DIR] [--json]",
                     "Pins bundles, so that no collection removes them and what they need; then lists all pins.",
                     "  fardel store pin 6f0c1d2a --store ~/.local/share/fardel\n"
                     "  fardel store pin 6f0c1d2a --name tournament --until 2027-12-31\n");
    PinCommand command;
    line.texts("ID", "ID", command.ids, "Bundle ids, or at least their first 8 digits; all 64 for one not yet there");
    line.text("--name", "NAME", command.name, "The name of the pin (default: manual); several names pin independently");
    line.text("--until", "DAY", command.until, "The day from whose start the pin has no effect, such as 2027-12-31");
    add_store_option(line, command.store);
    line.json(command.json);
    return line.run(words, console, [&] { return pin(command, console); });
}

Result<Exit> run_store_unpin(Words words, Console& console) {
    CommandLine line("store unpin", "ID... [--name NAME] [--store DIR]", "Removes pins.",
                     "  fardel store unpin 6f0c1d2a --name tournament\n");
    PinCommand command;
    line.texts("ID", "ID", command.ids, "Bundle ids, or at least their first 8 digits").required();
    line.text("--name", "NAME", command.name, "The name of the pin (default: manual)");
    add_store_option(line, command.store);
    return line.run(words, console, [&] { return unpin(command, console); });
}

Result<Exit> run_store_rm(Words words, Console& console) {
    CommandLine line("store rm", "ID... [--store DIR]",
                     "Has the next collections remove bundles that no pin and no other bundle keeps.",
                     "  fardel store rm 6f0c1d2a --store ~/.local/share/fardel\n");
    RemoveCommand command;
    line.texts("ID", "ID", command.ids, "Bundle ids, or at least their first 8 digits").required();
    add_store_option(line, command.store);
    return line.run(words, console, [&] { return remove(command, console); });
}

Result<Exit> run_store_gc(Words words, Console& console) {
    CommandLine line(
        "store gc",
        "[--store DIR] [--unused TIME] [--size SIZE] [--source-size SIZE] [--source URL] [--dry-run] [options]",
        "Removes what nothing keeps: packs of no bundle, what killed programs left, "
        "bundles that were removed by hand, are no longer installed or have expired, and those that the options name. "
        "Says what stays, and why. "
        "What is to be removed is condemned first; a later gc removes it, unless a program needed it meanwhile. "
        "Safe beside all other programs.",
        "  fardel store gc --store ~/.local/share/fardel --dry-run\n"
        "  fardel store gc --unused 90d --size 20G\n"
        "  fardel store gc --source https://cdn.example/fort --unused 7d\n");
    CollectCommand command;
    RetentionRules& rules = command.rules;
    rules.now = system_now();
    std::optional<std::int64_t> grace_s;
    std::optional<std::int64_t> incoming_for_s;
    std::uint64_t repack_percent = rules.repack_percent;
    line.time("--unused", rules.unused_for_s, "Remove bundles that nobody used for so long: 90d, 12h");
    line.size("--size", rules.bytes_max, "Remove the least recently used bundles until the packs fit: 500M, 20G");
    line.size("--source-size", rules.source_bytes_max,
              "Remove the least recently used bundles of each server until their files fit");
    line.text("--source", "URL", rules.source,
              "--unused and --source-size count only for bundles from this server, as 'fardel store stats' names it");
    line.time("--grace", grace_s, "How long something stays condemned (default: 1d); 0 removes it at once");
    line.time("--incoming", incoming_for_s,
              "Remove what a fetch received if nobody resumed it for so long (default: 7d)");
    line.number("--repack", repack_percent, 0, 100,
                "Write what is needed of a pack again if that is less than so much of it (default: 50; 0: never)")
        .option_text("PERCENT");
    line.flag("--dry-run", rules.dry_run, "Only show what would be removed, and why");
    add_store_option(line, command.store);
    line.json(command.json);
    if (const auto over = line.parse(words, console))
        return *over;
    if (!rules.source.empty() && !rules.unused_for_s && !rules.source_bytes_max)
        return line.mistake("--source needs --unused or --source-size", console);
    rules.grace_s = grace_s.value_or(rules.grace_s);
    rules.incoming_for_s = incoming_for_s.value_or(rules.incoming_for_s);
    rules.repack_percent = static_cast<unsigned>(repack_percent);
    return collect_garbage(command, console);
}

Result<Exit> run_store_stats(Words words, Console& console) {
    CommandLine line("store stats", "[--store DIR] [--json]",
                     "Shows how much a store contains: bundles, packs, and what came from which server.",
                     "  fardel store stats --store ~/.local/share/fardel\n");
    std::string path;
    bool json = false;
    add_store_option(line, path);
    line.json(json);
    return line.run(words, console, [&]() -> Result<Exit> {
        FARDEL_TRY_ASSIGN(const BundleStore store, open_store(path, false));
        FARDEL_TRY_ASSIGN(const StoreUsage usage, store.usage(system_now()));
        return print_result(
            console, json, [&] { return json_of(usage, store.path()); },
            [&] { return format_usage(usage, store.path()); });
    });
}

}  // namespace fardel
