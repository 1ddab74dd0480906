// fardel delta: makes what turns one bundle into another, and applies it. docs/deltas.md is the manual.

#include "bundles/bundle_file.h"
#include "bundles/whole_bundle.h"
#include "console/figures.h"
#include "console/json.h"
#include "console/progress_bar.h"
#include "verbs.h"

#include <fardel/base/folder.h>
#include <fardel/base/free_space.h>
#include <fardel/base/interrupt.h>
#include <fardel/delivery/delta.h>
#include <fardel/format/name.h>
#include <fardel/hosting/make_delta.h>

#include <fmt/format.h>

#include <utility>

namespace fardel {
namespace {

struct DeltaCommand {
    std::string old_file;
    std::string new_file;  // when making a delta
    std::string delta;     // when applying one
    std::string shown;
    std::string out;
    std::uint64_t effort = kDeltaEffortDefault;
    bool json = false;
};

// ---- The work -------------------------------------------------------------------------------------------------------

Result<DeltaSummary> make(const DeltaCommand& command, const Interrupt& interrupt, Console& console) {
    // A delta from or to a damaged file would fail at every client, and only after it has been fetched.
    for (const std::string& file : {command.old_file, command.new_file}) {
        FARDEL_TRY_ASSIGN(const auto source, open_file_source(file));
        FARDEL_TRY(
            verify_whole_bundle(source, printable(file), "no delta was made", {.stop = interrupt.token()}, console));
    }
    FARDEL_TRY_ASSIGN(auto old, open_bundle(command.old_file));
    FARDEL_TRY_ASSIGN(const auto target, open_bundle(command.new_file));
    FARDEL_TRY_ASSIGN(const auto staged, stage_file(command.out));
    ProgressBar bar(console, "describing blocks");
    FARDEL_TRY_ASSIGN(DeltaSummary summary, make_delta(std::move(old), *target, *staged,
                                                       {.effort = static_cast<int>(command.effort),
                                                        .progress =
                                                            [&bar](std::uint64_t done, std::uint64_t total) {
                                                                bar.show(done, total,
                                                                         format_count(done, "block", "blocks"));
                                                            },
                                                        .stop = interrupt.token()}));
    FARDEL_TRY(staged->commit());
    return summary;
}

Result<DeltaSummary> apply(const DeltaCommand& command, const Interrupt& interrupt, Console& console) {
    FARDEL_TRY_ASSIGN(auto old, open_bundle(command.old_file));
    FARDEL_TRY_ASSIGN(const auto delta, open_file_source(command.delta));
    FARDEL_TRY_ASSIGN(const auto staged, stage_file(command.out));
    if (const auto summary = describe_delta(*delta))
        FARDEL_TRY(verify_free_space(folder_of_path(command.out), summary->file_bytes,
                                     "applying to " + printable(command.out)));
    ProgressBar bar(console, "applying");
    auto applied = apply_delta(
        std::move(old), *delta, *staged,
        {.progress = [&bar](std::uint64_t done, std::uint64_t total) { bar.show(done, total, format_size(done)); },
         .stop = interrupt.token()});
    if (!applied)
        return std::move(applied).error().with_context(printable(command.delta));
    FARDEL_TRY(staged->commit());
    return applied;
}

Result<DeltaSummary> describe(const DeltaCommand& command) {
    FARDEL_TRY_ASSIGN(const auto delta, open_file_source(command.shown));
    auto summary = describe_delta(*delta);
    if (!summary)
        return std::move(summary).error().with_context(printable(command.shown));
    return summary;
}

// ---- Text and JSON --------------------------------------------------------------------------------------------------

// What a delta says about itself.
Json json_of_description(const DeltaSummary& summary) {
    return Json{{"old", summary.old_bundle.hex()},    {"new", summary.new_bundle.hex()},
                {"delta_bytes", summary.delta_bytes}, {"tables_bytes", summary.tables_bytes},
                {"file_bytes", summary.file_bytes},   {"level", summary.level},
                {"blocks", summary.blocks},           {"stored_blocks", summary.stored_blocks}};
}

Json json_of(const DeltaSummary& summary) {
    Json json = json_of_description(summary);
    json.set("shared_blocks", summary.shared_blocks);
    return json;
}

std::string format_summary(const DeltaSummary& summary) {
    std::string text =
        fmt::format("{}  from {}: {} for a bundle of {}; {} described, {} shared\n", summary.new_bundle.hex(),
                    short_id(summary.old_bundle), format_size(summary.delta_bytes), format_size(summary.file_bytes),
                    format_count(summary.blocks, "block", "blocks"), format_count(summary.shared_blocks));
    if (summary.stored_blocks != 0)
        text += fmt::format("{} in stored form, because encoding again gives other bytes here\n",
                            format_count(summary.stored_blocks, "block", "blocks"));
    return text;
}

// What a delta says about itself.
std::string format_description(const DeltaSummary& summary) {
    return fmt::format(
        "from    {}\nto      {}, {}\ndelta   {}, of which {} give tables\n"
        "blocks  {}, {} in stored form\nlevel   {}\n",
        summary.old_bundle.hex(), summary.new_bundle.hex(), format_size(summary.file_bytes),
        format_size(summary.delta_bytes), format_size(summary.tables_bytes), format_count(summary.blocks),
        format_count(summary.stored_blocks), summary.level);
}

// ---- The verb -------------------------------------------------------------------------------------------------------

Result<Exit> show(const DeltaCommand& command, Console& console) {
    FARDEL_TRY_ASSIGN(const DeltaSummary summary, describe(command));
    return print_result(
        console, command.json, [&] { return json_of_description(summary); },
        [&] { return format_description(summary); });
}

Result<Exit> delta(const DeltaCommand& command, Console& console) {
    const Interrupt interrupt;
    FARDEL_TRY_ASSIGN(const DeltaSummary summary,
                      command.delta.empty() ? make(command, interrupt, console) : apply(command, interrupt, console));
    return print_result(
        console, command.json, [&] { return json_of(summary); }, [&] { return format_summary(summary); });
}

}  // namespace

Result<Exit> run_delta(Words words, Console& console) {
    CommandLine line("delta", "OLD NEW -o FILE | OLD --apply DELTA -o NEW | --show DELTA",
                     "Makes a file that turns the bundle OLD into the bundle NEW, byte for byte, or applies one. "
                     "What comes out is compared with the hashes of NEW, so a wrong delta gives an error and no file.",
                     "  fardel delta game-1.0.fardel game-1.1.fardel -o game.fardel-delta\n"
                     "  fardel delta game-1.0.fardel --apply game.fardel-delta -o game-1.1.fardel\n"
                     "  fardel delta --show game.fardel-delta\n");
    DeltaCommand command;
    line.text("OLD", "OLD", command.old_file, "The bundle that clients have");
    line.text("NEW", "NEW", command.new_file, "The bundle that they are to have; not with --apply");
    line.text("-o,--output", "FILE", command.out, "The file to write");
    line.text("--apply", "DELTA", command.delta, "Apply this delta to OLD");
    line.text("--show", "DELTA", command.shown, "Print which bundles this delta is for, and what it contains");
    line.number("--effort", command.effort, 1, 22, "Of compression, 1 (fast) to 22 (small; default)");
    line.json(command.json);
    if (const auto over = line.parse(words, console))
        return *over;
    if (!command.shown.empty())
        return command.old_file.empty() && command.out.empty() && command.delta.empty()
                   ? show(command, console)
                   : line.mistake("--show takes nothing but the delta", console);
    if (command.old_file.empty() || command.out.empty())
        return line.mistake("name the old bundle, and with -o the file to write", console);
    if (command.delta.empty() == command.new_file.empty())
        return line.mistake("name either the new bundle or, with --apply, a delta", console);
    return delta(command, console);
}

}  // namespace fardel
