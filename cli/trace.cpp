// fardel trace: records which files a program opens in mounted bundles, shows and joins such traces.

#include "bundles/mounts.h"
#include "bundles/variants_option.h"
#include "console/figures.h"
#include "console/json.h"
#include "console/output_file.h"
#include "fuse/fuse_session.h"
#include "verbs.h"

#include <fardel/format/name.h>
#include <fardel/format/trace.h>
#include <fardel/vfs/vfs.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace fardel {
namespace {

// ---- trace record ---------------------------------------------------------------------------------------------------

struct RecordCommand {
    std::vector<std::string> words;    // files, then the folder
    std::vector<std::string> program;  // and its arguments
    MountingOptions mounting;
    VariantPreference preference;
    std::string out;
};

Result<Exit> record(const RecordCommand& command, Console& console) {
    const std::vector<std::string> files(command.words.begin(), command.words.end() - 1);
    VfsOptions options = vfs_options();
    options.records_trace = true;
    Vfs vfs(options);
    FARDEL_TRY(mount_all(vfs, files, command.mounting));
    say_missing_dependencies(vfs, console);
    vfs.prefer(command.preference);
    say_idle_axes(command.preference, vfs, console);
    FuseTree tree{.vfs = vfs, .stored_bytes = 0, .catch_up = {}, .preference = command.preference};
    FARDEL_TRY_ASSIGN(FuseSession session, FuseSession::mount(tree, command.words.back(), false));
    // What the program reads before serve_program() waits in the kernel.
    FARDEL_TRY_ASSIGN(ChildProgram program, ChildProgram::start(command.program));
    FARDEL_TRY_ASSIGN(const auto ended, session.serve_program(std::move(program)));
    FARDEL_TRY_ASSIGN(const std::string trace, vfs.trace());
    FARDEL_TRY(write_file(command.out, trace));
    if (ended && ended->is_success())
        return Exit::fine;
    console.say(fmt::format("fardel: {} {}; the trace of what it had opened is in {}", printable(command.program[0]),
                            !ended          ? "was interrupted"
                            : ended->killed ? fmt::format("was ended by signal {}", ended->code)
                                            : fmt::format("ended with status {}", ended->code),
                            printable(command.out)));
    return Exit::refusal;
}

Result<Exit> run_trace_record(Words words, Console& console) {
    CommandLine line("trace record", "-o TRACE FILE... DIR [--variants AXIS=VALUE,...] -- PROGRAM [ARGUMENT...]",
                     "Mounts bundles at DIR, runs a program, and writes which files it opened there, in which order. "
                     "Needs FUSE: not on Windows.",
                     "  fardel trace record -o level1.trace mygame.fardel /mnt/game -- ./mygame --data /mnt/game\n");
    RecordCommand command;
    line.texts("FILE", "FILE", command.words,
               "The bundles, in the order in which they are mounted; the last word is DIR, an empty folder")
        .required();
    line.text("-o,--output", "TRACE", command.out, "The trace to write; replaces an older one").required();
    add_mounting_options(line, command.mounting);
    std::vector<std::string> variants;
    add_variants_option(line, variants);
    const auto dashes = std::ranges::find(words, "--");
    const auto count = static_cast<std::size_t>(dashes - words.begin());
    if (const auto over = line.parse(words.first(count), console))
        return *over;
    if (const Status possible = FuseSession::verify_system(); !possible)
        return line.mistake(possible.error().message(), console);
    if (dashes != words.end())
        command.program.assign(dashes + 1, words.end());
    auto preference = read_variants(variants);
    if (!preference)
        return line.mistake(preference.error().text(), console);
    command.preference = *std::move(preference);
    if (command.program.empty())
        return line.mistake("name the program to run, after --", console);
    if (command.words.size() < 2)
        return line.mistake("name at least one bundle, and the folder to mount it at", console);
    return record(command, console);
}

// ---- trace show -----------------------------------------------------------------------------------------------------

struct TracedBundle {
    BundleId bundle;
    std::uint64_t assets = 0;
    std::uint64_t bytes = 0;
    std::uint64_t last_ms = 0;  // when the last of them was opened
};

// In the order in which something of them was opened.
std::vector<TracedBundle> bundles_of(const Trace& trace) {
    std::vector<TracedBundle> bundles;
    std::map<BundleId, std::size_t> positions;
    for (const TracedAsset& traced : trace) {
        const auto [found, is_new] = positions.emplace(traced.bundle, bundles.size());
        if (is_new)
            bundles.push_back({.bundle = traced.bundle});
        TracedBundle& bundle = bundles[found->second];
        ++bundle.assets;
        bundle.bytes += traced.size_bytes;  // at most kTracedAssetsMax · kTracedSizeMax
        bundle.last_ms = traced.opened_ms;
    }
    return bundles;
}

std::string format_traced(const TracedAsset& traced) {
    return fmt::format("{:>8} ms  {:>9}  {}\n", traced.opened_ms, format_size(traced.size_bytes),
                       traced.name.empty() ? traced.asset.hex() : printable(traced.name));
}

std::string format_traced_bundle(const TracedBundle& bundle) {
    return fmt::format("{}: {}, {}, within {}\n", bundle.bundle.hex(), format_count(bundle.assets, "asset", "assets"),
                       format_size(bundle.bytes), format_seconds(static_cast<double>(bundle.last_ms) / 1000));
}

Json json_of(const Trace& trace) {
    return Json{{"bundles", json_list(bundles_of(trace),
                                      [](const TracedBundle& bundle) {
                                          return Json{{"bundle", bundle.bundle.hex()},
                                                      {"assets", bundle.assets},
                                                      {"bytes", bundle.bytes},
                                                      {"last_ms", bundle.last_ms}};
                                      })},
                {"assets", json_list(trace, [](const TracedAsset& traced) {
                     return Json{{"opened_ms", traced.opened_ms},
                                 {"bytes", traced.size_bytes},
                                 {"bundle", traced.bundle.hex()},
                                 {"asset", traced.asset.hex()},
                                 {"name", traced.name}};
                 })}};
}

Result<Exit> run_trace_show(Words words, Console& console) {
    CommandLine line("trace show", "TRACE [--assets] [--json]",
                     "Shows how much of each bundle a trace lists, or every asset.",
                     "  fardel trace show level1.trace\n"
                     "  fardel trace show level1.trace --assets\n");
    std::string file;
    bool shows_assets = false;
    bool as_json = false;
    line.text("TRACE", "TRACE", file, "The trace").required();
    line.flag("--assets", shows_assets, "List the assets, in the order in which they were opened");
    line.json(as_json);
    return line.run(words, console, [&]() -> Result<Exit> {
        FARDEL_TRY_ASSIGN(const Trace trace, read_trace(file));
        return print_result(
            console, as_json, [&] { return json_of(trace); },
            [&] {
                return shows_assets ? format_each(trace, format_traced)
                                    : format_each(bundles_of(trace), format_traced_bundle);
            });
    });
}

// ---- trace merge ----------------------------------------------------------------------------------------------------

Result<Exit> run_trace_merge(Words words, Console& console) {
    CommandLine line("trace merge", "TRACE... -o OUT",
                     "Joins traces, such as those of several levels, by the time since the start of each.",
                     "  fardel trace merge level1.trace level2.trace -o game.trace\n");
    std::vector<std::string> files;
    std::string out;
    line.texts("TRACE", "TRACE", files, "The traces; of equal times, earlier ones come first").required();
    line.text("-o,--output", "OUT", out, "The trace to write; replaces an older one").required();
    return line.run(words, console, [&]() -> Result<Exit> {
        std::vector<Trace> traces;
        for (const std::string& file : files) {
            FARDEL_TRY_ASSIGN(Trace trace, read_trace(file));
            traces.push_back(std::move(trace));
        }
        FARDEL_TRY(write_file(out, format_trace(merge_traces(traces))));
        return Exit::fine;
    });
}

constexpr SubVerb kTraceVerbs[] = {{"record", run_trace_record}, {"show", run_trace_show}, {"merge", run_trace_merge}};

constexpr std::string_view kTraceHelp =
    "Traces say what a game opens, in which order. The packer stores bundles in that order, and clients fetch them\n"
    "in it.\n\n"
    "Usage: fardel trace record -o TRACE FILE... DIR -- PROGRAM [ARGUMENT...]\n"
    "       fardel trace show TRACE [--assets] [--json]\n"
    "       fardel trace merge TRACE... -o OUT\n\n"
    "Examples:\n"
    "  fardel trace record -o level1.trace mygame.fardel /mnt/game -- ./mygame --data /mnt/game\n"
    "  fardel trace show level1.trace\n"
    "  fardel pack mygame/ -o mygame.fardel --order level1.trace\n"
    "  fardel publish mygame.fardel --trace level1.trace /srv/www/mygame\n\n"
    "'fardel trace record --help' explains one sub-verb. More: man fardel-trace\n";

}  // namespace

Result<Exit> run_trace(Words words, Console& console) {
    return run_sub_verb("trace", kTraceVerbs, kTraceHelp, words, console);
}

}  // namespace fardel
