// fardel report: writes an HTML page, or JSON, about bundles: sizes, duplicates, conflicts, missing files, references,
// and what is different since an earlier report.

#include "build/reference_report.h"
#include "build/resolved_project.h"
#include "bundles/left_out.h"
#include "bundles/mounts.h"
#include "bundles/unlinked.h"
#include "console/figures.h"
#include "console/json.h"
#include "console/output_file.h"
#include "report/report_audit.h"
#include "report/report_facts.h"
#include "report/report_json.h"
#include "report/report_page.h"
#include "report/report_since.h"
#include "report/report_sizes.h"
#include "verbs.h"

#include <fardel/base/file.h>
#include <fardel/format/name.h>
#include <fardel/packer/bundle_output.h>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace fardel {
namespace {

struct ReportCommand {
    std::vector<std::string> files;
    std::string out;  // empty: report.html, or with `json` the console
    std::string audit;
    std::vector<std::string> since;
    bool json = false;
    MountingOptions mounting;
};

// The files of the bundles that the project builds.
std::vector<std::string> bundles_of(const ResolvedProject& resolved) {
    if (resolved.packed.parts.empty())
        return {resolved.target};
    std::vector<std::string> files;
    for (const SplitPart& part : resolved.packed.parts)
        files.push_back(part_path(resolved.target, part.name));
    return files;
}

// The number of names whose assets would change if the project was built now.
std::uint64_t count_stale(const PackPlan& packed, const ReportFacts& facts) {
    std::set<std::pair<std::string_view, AssetId>> built;
    std::size_t names = 0;
    for (const ReportBundle& bundle : facts.bundles)
        for (const ContentName& name : bundle.contents.names) {
            ++names;
            for (const ContentVariant& variant : name.variants)
                built.emplace(name.text, bundle.contents.assets[variant.asset].id);
        }
    std::uint64_t stale = names > packed.plan.names.size() ? names - packed.plan.names.size() : 0;
    for (const PlannedName& name : packed.plan.names)
        stale += std::ranges::any_of(name.variants, [&](const PlannedVariant& variant) {
            const auto& known = packed.plan.assets[variant.asset].known;
            return known && !built.contains({name.name.view(), known->asset});
        });
    return stale;
}

// A project's bundles, with what resolving its references finds.
Status read_project_facts(const ResolvedProject& resolved, ReportCommand& command, std::optional<ReportAudit>& audit) {
    command.files = bundles_of(resolved);
    for (const std::string& file : command.files)
        if (!file_exists(file))
            return Error(ErrorCode::missing, printable(file) + " does not exist; run 'fardel build' first");
    FARDEL_TRY_ASSIGN(audit, parse_audit(format_json(json_of(resolved.packed.resolved->audit, resolved.packed.plan))));
    return ok();
}

// What a report is about.
struct ReportSubject {
    ReportFacts facts;
    std::optional<ReportAudit> audit;
    std::optional<ResolvedProject> project;
    std::vector<SizedAsset> assets;  // for JSON, and to compare
    std::optional<ReportSince> since;
};

Result<ReportSubject> read_subject(ReportCommand& command, Console& console) {
    ReportSubject subject;
    // A project: its bundle as it was built last, with what an audit of its sources finds now.
    if (command.files.size() == 1 && !find_project_file(command.files.front()).empty()) {
        FARDEL_TRY_ASSIGN(subject.project,
                          resolve_project(find_project_file(command.files.front()), command.mounting.project_target));
        say_unconfined(*subject.project, console);
        FARDEL_TRY(read_project_facts(*subject.project, command, subject.audit));
    }
    if (!command.audit.empty()) {
        FARDEL_TRY_ASSIGN(subject.audit, read_audit(command.audit));
    }
    Vfs vfs(vfs_options());
    FARDEL_TRY(mount_all(vfs, command.files, command.mounting));
    say_missing_dependencies(vfs, console);
    say_left_out(vfs, console);
    FARDEL_TRY_ASSIGN(subject.facts, gather_facts(vfs, command.files));
    FARDEL_TRY_ASSIGN(const std::vector<UnlinkedBundle> unlinked, find_unlinked(vfs, command.mounting));
    for (const UnlinkedBundle& one : unlinked)
        subject.facts.unlinked.push_back(describe(one));
    if (subject.project)
        subject.facts.left_out = left_out_files(subject.project->packed.report);
    if (command.json || !command.since.empty())
        subject.assets = sized_assets(subject.facts.bundles);
    if (!command.since.empty()) {
        FARDEL_TRY_ASSIGN(const std::vector<SizedAsset> earlier, read_sizes(command.since));
        subject.since = compare_sizes(earlier, subject.assets);
        subject.since->files = command.since;
    }
    return subject;
}

Result<Exit> write_json(const ReportCommand& command, const ReportSubject& subject, Console& console) {
    const std::string text =
        format_json(report_json(subject.facts, subject.assets, subject.audit, subject.since)) + "\n";
    if (command.out.empty())
        return console.print(text);
    FARDEL_TRY(write_file(command.out, text));
    return Exit::fine;
}

// What the page says of a project, in a few lines.
std::string format_project(const ResolvedProject& project, const ReportFacts& facts, const Console& console) {
    std::string text = format_left_out(project.packed.report, console, "; 'fardel audit --json' lists all");
    const ReferenceAudit& found = project.packed.resolved->audit;
    text += fmt::format("{}: {} missing, {} unused{}\n", printable(project.file),
                        format_count(found.missing.size(), "reference", "references"),
                        format_count(found.unused.size(), "name", "names"),
                        is_complete(found) || !found.missing.empty()
                            ? ""
                            : "; files could not be looked into: 'fardel audit' lists them");
    if (const std::uint64_t stale = count_stale(project.packed, facts); stale != 0)
        text +=
            fmt::format("{}: {} from the sources; run 'fardel build' again\n", console.paint(Colour::yellow, "stale"),
                        format_count(stale, "name differs", "names differ"));
    return text;
}

Result<Exit> write_page(const ReportCommand& command, const ReportSubject& subject, Console& console) {
    const ReportFacts& facts = subject.facts;
    const ReportSelection selection = select_names(facts);
    const std::string page = format_page(page_facts(facts, selection, subject.audit, subject.since));
    const std::string out = command.out.empty() ? "report.html" : command.out;
    FARDEL_TRY(write_file(out, page));
    std::string text = fmt::format("{}: {}, {}\n", printable(out, 2000),
                                   format_count(facts.bundles.size(), "bundle", "bundles"), format_size(page.size()));
    if (selection.names_left_out > 0)
        text += fmt::format("{} summed up by folder and type\n",
                            format_count(selection.names_left_out, "smaller name is", "smaller names are"));
    if (!facts.sharing.assets.empty())
        text += fmt::format("{} stored by several of the bundles: {} more than once; the page says how to share them\n",
                            format_count(facts.sharing.assets.size(), "asset is", "assets are"),
                            format_size(facts.sharing.extra_stored_bytes));
    if (subject.since)
        text += format_since(*subject.since);
    if (subject.project)
        text += format_project(*subject.project, facts, console);
    return console.print(text);
}

}  // namespace

Result<Exit> run_report(Words words, Console& console) {
    CommandLine line("report",
                     "BUNDLE...|PROJECT [-o report.html] [--json] [--since OTHER] [--audit FILE.json] [--trust POLICY]",
                     "Writes an HTML page, or JSON, about bundles that are mounted together: sizes and how they "
                     "changed, duplicates, conflicts, missing files, and references.",
                     "  fardel report mygame.fardel\n"
                     "  fardel report base.fardel mod.fardel -o both.html\n"
                     "  fardel report mygame.fardel --audit audit.json\n"
                     "  fardel report mygame/fardel.toml\n"
                     "  fardel report mygame.fardel --json -o monday.json\n"
                     "  fardel report mygame.fardel --since monday.json\n");
    ReportCommand command;
    line.texts("BUNDLE", "BUNDLE", command.files,
               "The bundles, in the order in which they are mounted, later ones win; or a project (its file "
               "or its folder): the bundles that it last built, with what is missing and unused in its sources")
        .required();
    line.text("-o,--output", "OUT", command.out,
              "The file to write, replaced if it exists (default: report.html; with --json: print it)");
    line.json(command.json, "Write the facts of the page as JSON, which --since reads");
    line.texts("--since", "OTHER", command.since,
               "What to compare sizes with: earlier output of --json, or an older bundle; repeat it for several");
    line.text("--audit", "FILE", command.audit,
              "The output of 'fardel audit --json': missing, unused and broken assets");
    add_mounting_options(line, command.mounting);
    if (const auto over = line.parse(words, console))
        return *over;
    if (std::ranges::any_of(command.files, [](const std::string& file) { return !find_project_file(file).empty(); }) &&
        (command.files.size() > 1 || !command.audit.empty()))
        return line.mistake("a project goes with no other bundle and not with --audit: its sources are audited anyway",
                            console);
    FARDEL_TRY_ASSIGN(const ReportSubject subject, read_subject(command, console));
    return command.json ? write_json(command, subject, console) : write_page(command, subject, console);
}

}  // namespace fardel
