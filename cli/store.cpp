// fardel store: adds bundles to a store, lists, exports and checks them. docs/store.md is the manual.

#include "bundles/bundle_file.h"
#include "bundles/store_option.h"
#include "bundles/whole_bundle.h"
#include "console/figures.h"
#include "console/json.h"
#include "console/progress_bar.h"
#include "store_retention.h"
#include "verbs.h"

#include <fardel/base/clock.h>
#include <fardel/base/interrupt.h>
#include <fardel/base/shared_mode.h>
#include <fardel/format/name.h>
#include <fardel/store/bundle_reference.h>
#include <fardel/store/bundle_store.h>
#include <fardel/store/retention.h>
#include <fardel/verifier/finding.h>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace fardel {
namespace {

constexpr std::size_t kFindingsListedMax = 20;  // --json lists all

StoreWork work_with(ProgressBar& bar, const Interrupt& interrupt) {
    return {.progress = [&bar](const StoreProgress& at) { bar.show_bytes(at.done_bytes, at.total_bytes); },
            .stop = interrupt.token()};
}

// ---- store add ------------------------------------------------------------------------------------------------------

struct AddCommand {
    std::vector<std::string> files;
    std::string store;
    bool refers = false;
    bool shares = false;
    bool json = false;
};

struct AddedFile {
    std::string file;
    StoreAddition addition;
    bool is_referred = false;
};

std::string format_added(const AddedFile& added) {
    const StoreAddition& addition = added.addition;
    const std::string how = addition.was_there ? "is there already"
                            : added.is_referred
                                ? "the store refers to this file"
                                : fmt::format("{} written, {} shared with other bundles",
                                              format_size(addition.written_bytes), format_size(addition.shared_bytes));
    return fmt::format("{}  {}: {}\n", addition.bundle.hex(), printable(added.file), how);
}

Json json_of(const AddedFile& added) {
    return Json{{"file", added.file},
                {"bundle", added.addition.bundle.hex()},
                {"was_there", added.addition.was_there},
                {"file_bytes", added.addition.file_bytes},
                {"written_bytes", added.addition.written_bytes},
                {"shared_bytes", added.addition.shared_bytes},
                {"referred", added.is_referred}};
}

Result<StoreAddition> add_file(const BundleStore& store, const std::string& file, bool refers,
                               const Interrupt& interrupt, Console& console) {
    FARDEL_TRY_ASSIGN(const auto source, open_bundle_file(file));
    FARDEL_TRY(verify_whole_bundle(source, printable(file), "nothing was added", {.stop = interrupt.token()}, console));
    ProgressBar bar(console, "adding");
    auto added =
        refers ? add_reference(store, file, work_with(bar, interrupt)) : store.add(source, work_with(bar, interrupt));
    return added ? std::move(added) : std::move(added).error().with_context(printable(file));
}

Result<Exit> add(const AddCommand& command, Console& console) {
    FARDEL_TRY_ASSIGN(const BundleStore store, open_store(command.store, true));
    if (command.shares)
        FARDEL_TRY(share_with_group(store.path()));
    const Interrupt interrupt;
    std::vector<AddedFile> added;
    for (const std::string& file : command.files) {
        FARDEL_TRY_ASSIGN(const StoreAddition addition, add_file(store, file, command.refers, interrupt, console));
        added.push_back({.file = file, .addition = addition, .is_referred = command.refers && !addition.was_there});
    }
    return print_result(
        console, command.json,
        [&] {
            return Json{{"store", store.path()},
                        {"added", json_list(added, [](const AddedFile& one) { return json_of(one); })}};
        },
        [&] { return format_each(added, format_added); });
}

Result<Exit> run_store_add(Words words, Console& console) {
    CommandLine line("store add", "FILE... [--store DIR] [--ref] [--shared] [--json]",
                     "Verifies bundles and adds them to a store, which is created if it does not exist.",
                     "  fardel store add mygame.fardel --store ~/.local/share/fardel\n"
                     "  fardel store add --shared --store /srv/games/store   # makes it one of its group\n");
    AddCommand command;
    line.texts("FILE", "FILE", command.files, "The bundles; none is needed with --shared");
    add_shared_option(line, "store", command.shares);
    line.flag("--ref", command.refers,
              "Do not copy the files: note where they are. They must stay there, unchanged; fsck says which did not");
    add_store_option(line, command.store);
    line.json(command.json);
    if (const auto over = line.parse(words, console))
        return *over;
    if (command.files.empty() && !command.shares)
        return line.mistake("name at least one bundle", console);
    return add(command, console);
}

// ---- store ls -------------------------------------------------------------------------------------------------------

struct ListCommand {
    std::string store;
    bool json = false;
};

struct ListedBundle {
    StoredBundle stored;
    bool is_readable = false;
    std::string name;
    std::string version;
    RetainedBundle retained;
};

ListedBundle describe_stored(const BundleStore& store, const StoredBundle& stored, RetainedBundle retained) {
    ListedBundle listed{.stored = stored, .name = {}, .version = {}, .retained = std::move(retained)};
    // A list is no use of the bundles: `gc --unused` would otherwise keep all of them.
    auto source = store.peek_bundle(stored.bundle);
    if (!source)
        return listed;
    const auto bundle = Bundle::open(*std::move(source), {});
    if (!bundle)
        return listed;
    listed.is_readable = true;
    if (auto name = bundle_text(**bundle, "name"))
        listed.name = *std::move(name);
    if (auto version = bundle_text(**bundle, "version"))
        listed.version = *std::move(version);
    return listed;
}

std::string format_listed(const ListedBundle& listed) {
    const StoredBundle& stored = listed.stored;
    std::string text =
        fmt::format("{}  {:>9}  {}", stored.bundle.hex(), format_size(stored.file_bytes),
                    listed.is_readable ? printable(format_title(listed.name, listed.version)) : "(cannot be read)");
    if (stored.held_bytes < stored.file_bytes)
        text += fmt::format(", incomplete: {} here", format_size(stored.held_bytes));
    if (stored.references != 0)
        text += fmt::format(", {} in {} elsewhere", format_size(stored.referred_bytes),
                            format_count(stored.references, "file", "files"));
    const RetainedBundle& retained = listed.retained;
    text += fmt::format(", used {}", format_date(retained.used));
    for (const std::string& pin : retained.pins)
        text += ", pinned: " + pin;
    if (retained.condemned)
        text += ", condemned";
    return text + "\n";
}

Json json_of(const ListedBundle& listed) {
    Json json{{"bundle", listed.stored.bundle.hex()},
              {"name", listed.name},
              {"version", listed.version},
              {"file_bytes", listed.stored.file_bytes},
              {"held_bytes", listed.stored.held_bytes},
              {"packs", listed.stored.packs},
              {"references", listed.stored.references},
              {"referred_bytes", listed.stored.referred_bytes},
              {"stale_references", listed.stored.stale_references},
              {"own_bytes", listed.retained.own_bytes},
              {"used", listed.retained.used.seconds},
              {"pins", listed.retained.pins},
              {"source", listed.retained.source}};
    if (listed.retained.condemned)
        json.set("condemned", listed.retained.condemned->seconds);
    return json;
}

Result<Exit> list(const ListCommand& command, Console& console) {
    FARDEL_TRY_ASSIGN(const BundleStore store, open_store(command.store, false));
    FARDEL_TRY_ASSIGN(const auto bundles, store.list());
    FARDEL_TRY_ASSIGN(auto retained, store.retained(system_now()));
    std::vector<ListedBundle> listed;
    for (const StoredBundle& stored : bundles) {
        const auto known = std::ranges::lower_bound(retained, stored.bundle, {}, &RetainedBundle::bundle);
        const bool is_known = known != retained.end() && known->bundle == stored.bundle;
        listed.push_back(describe_stored(store, stored, is_known ? std::move(*known) : RetainedBundle()));
    }
    std::ranges::stable_sort(listed, {}, [](const ListedBundle& one) { return std::pair(one.name, one.version); });
    return print_result(
        console, command.json,
        [&] {
            return Json{{"store", store.path()},
                        {"bundles", json_list(listed, [](const ListedBundle& one) { return json_of(one); })}};
        },
        [&] { return listed.empty() ? std::string("no bundles\n") : format_each(listed, format_listed); });
}

Result<Exit> run_store_ls(Words words, Console& console) {
    CommandLine line("store ls", "[--store DIR] [--json]", "Lists the bundles in a store, by name.",
                     "  fardel store ls --store ~/.local/share/fardel\n");
    ListCommand command;
    add_store_option(line, command.store);
    line.json(command.json);
    return line.run(words, console, [&] { return list(command, console); });
}

// ---- store export ---------------------------------------------------------------------------------------------------

struct ExportCommand {
    std::string id;
    std::string store;
    std::string out;
};

Result<Exit> export_file(const ExportCommand& command, Console& console) {
    FARDEL_TRY_ASSIGN(const BundleStore store, open_store(command.store, false));
    FARDEL_TRY_ASSIGN(const BundleId id, store.find(command.id));
    const Interrupt interrupt;
    FARDEL_TRY_ASSIGN(const auto source, store.open_bundle(id));  // keeps it from being removed
    FARDEL_TRY(verify_whole_bundle(source, short_id(id), "nothing was exported", {.stop = interrupt.token()}, console));
    ProgressBar bar(console, "exporting");
    FARDEL_TRY(store.export_bundle(id, command.out, work_with(bar, interrupt)));
    return Exit::fine;
}

Result<Exit> run_store_export(Words words, Console& console) {
    CommandLine line("store export", "ID -o FILE [--store DIR]",
                     "Writes a bundle of a store as the file that was added, byte for byte.",
                     "  fardel store export 6f0c1d2a -o mygame.fardel --store ~/.local/share/fardel\n");
    ExportCommand command;
    line.text("ID", "ID", command.id, "The bundle id, or at least its first 8 digits").required();
    line.text("-o,--output", "FILE", command.out, "The file to write").required();
    add_store_option(line, command.store);
    return line.run(words, console, [&] { return export_file(command, console); });
}

// ---- store fsck -----------------------------------------------------------------------------------------------------

struct CheckStoreCommand {
    std::string store;
    bool quick = false;
    bool json = false;
};

std::string format_report(const StoreCheckReport& report, const std::string& path, const Console& console) {
    std::string text =
        fmt::format("{}\n  bundles     {}{}\n  packs       {}, {}\n", printable(path), format_count(report.bundles),
                    report.incomplete == 0 ? "" : fmt::format(", {} incomplete", report.incomplete),
                    format_count(report.packs), format_size(report.pack_bytes));
    if (report.unused_packs != 0)
        text += fmt::format("  unused      {}, {}\n", format_count(report.unused_packs, "pack", "packs"),
                            format_size(report.unused_bytes));
    if (report.incoming != 0)
        text += fmt::format("  incoming    {}, {}\n", format_count(report.incoming, "bundle", "bundles"),
                            format_size(report.incoming_bytes));
    if (report.abandoned_files != 0)
        text += fmt::format("  abandoned   {}, {}\n", format_count(report.abandoned_files, "file", "files"),
                            format_size(report.abandoned_bytes));
    if (report.findings.empty())
        return text + fmt::format("  {}\n", console.paint(Colour::green, "everything is intact"));
    text += fmt::format("  {}     {}\n", console.paint(Colour::red, "damaged"),
                        format_count(report.damaged.size(), "bundle", "bundles"));
    return text + format_items(report.findings, kFindingsListedMax, "    ",
                               [](const std::string& finding) { return printable(finding, 2000); });
}

Result<Exit> check_store(const CheckStoreCommand& command, Console& console) {
    FARDEL_TRY_ASSIGN(const BundleStore store, open_store(command.store, false));
    const Interrupt interrupt;
    ProgressBar bar(console, "checking");
    FARDEL_TRY_ASSIGN(const StoreCheckReport report, store.check(!command.quick, work_with(bar, interrupt)));
    return print_result(
        console, command.json,
        [&] {
            return Json{{"store", store.path()},
                        {"bundles", report.bundles},
                        {"incomplete", report.incomplete},
                        {"packs", report.packs},
                        {"pack_bytes", report.pack_bytes},
                        {"unused_packs", report.unused_packs},
                        {"unused_bytes", report.unused_bytes},
                        {"incoming", report.incoming},
                        {"incoming_bytes", report.incoming_bytes},
                        {"abandoned_files", report.abandoned_files},
                        {"abandoned_bytes", report.abandoned_bytes},
                        {"damaged", json_list(report.damaged, [](const BundleId& id) { return Json(id.hex()); })},
                        {"findings", report.findings}};
        },
        [&] { return format_report(report, store.path(), console); },
        report.findings.empty() ? Exit::fine : Exit::refusal);
}

Result<Exit> run_store_fsck(Words words, Console& console) {
    CommandLine line("store fsck", "[--store DIR] [--quick] [--json]",
                     "Reads every byte of a store and lists what is damaged. Nothing is changed.",
                     "  fardel store fsck --store ~/.local/share/fardel\n");
    CheckStoreCommand command;
    line.flag("--quick", command.quick, "Do not read the packs; only look whether they are there");
    add_store_option(line, command.store);
    line.json(command.json);
    return line.run(words, console, [&] { return check_store(command, console); });
}

constexpr std::string_view kStoreHelp =
    "Usage: fardel store add|ls|export|fsck|pin|unpin|rm|gc|stats ...\n"
    "\n"
    "Keeps bundles in a folder, where blocks that several of them share are on disk once.\n"
    "\n"
    "  add FILE...      verify bundles and add them\n"
    "  ls               list the bundles\n"
    "  export ID -o F   write a bundle as the file that was added\n"
    "  fsck             read everything and list what is damaged\n"
    "  pin ID...        keep bundles, and what they need; list the pins\n"
    "  unpin ID...      remove pins\n"
    "  rm ID...         have the next collections remove bundles\n"
    "  gc               remove what nothing keeps, by the rules given\n"
    "  stats            show how much is there\n"
    "\n"
    "The store is the folder given with --store, otherwise that of the variable FARDEL_STORE, "
    "or else\n~/.local/share/fardel.\n\n"
    "Examples:\n"
    "  fardel store add mygame.fardel --store ~/.local/share/fardel\n"
    "  fardel store gc --unused 90d\n\n"
    "'fardel store add --help' explains one sub-verb. More: man fardel-store\n";

}  // namespace

Result<Exit> run_store(Words words, Console& console) {
    static constexpr SubVerb kVerbs[] = {{"add", run_store_add},   {"ls", run_store_ls},   {"export", run_store_export},
                                         {"fsck", run_store_fsck}, {"pin", run_store_pin}, {"unpin", run_store_unpin},
                                         {"rm", run_store_rm},     {"gc", run_store_gc},   {"stats", run_store_stats}};
    return run_sub_verb("store", kVerbs, kStoreHelp, words, console);
}

}  // namespace fardel
