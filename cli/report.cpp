// fardel report: one HTML page about bundles: sizes, duplicates, what hides what, what is missing, who refers to whom.

#include "figures.h"
#include "report_audit.h"
#include "report_facts.h"
#include "report_page.h"
#include "verbs.h"

#include <fardel/format/name.h>
#include <fardel/format/staged_file.h>

#include <fmt/format.h>

#include <optional>
#include <span>

namespace fardel {
namespace {

struct ReportCommand {
    std::vector<std::string> files;
    std::string out = "report.html";
    std::string audit;
    std::string policy;
};

Status write_page(const std::string& path, const std::string& page) {
    FARDEL_TRY_ASSIGN(const auto staged, stage_file(path));
    FARDEL_TRY(staged->write_at(0, std::as_bytes(std::span(page))));
    return staged->commit();
}

Result<Exit> report(const ReportCommand& command, Console& console) {
    std::optional<ReportAudit> audit;
    if (!command.audit.empty()) {
        FARDEL_TRY_ASSIGN(audit, read_audit(command.audit));
    }
    FARDEL_TRY_ASSIGN(const ReportFacts facts, gather_facts(command.files, command.policy));
    const ReportSelection selection = select_names(facts);
    const std::string page = format_page(page_facts(facts, selection, audit));
    FARDEL_TRY(write_page(command.out, page));
    std::string text = fmt::format("{}: {}, {}\n", printable(command.out, 2000), format_count(facts.bundles.size(), "bundle", "bundles"), format_size(page.size()));
    if (selection.names_left_out > 0)
        text += fmt::format("{} are told as sums by folder and type\n", format_count(selection.names_left_out, "smaller name", "smaller names"));
    FARDEL_TRY(console.write(text));
    return Exit::fine;
}

}  // namespace

Result<Exit> run_report(Words words, Console& console) {
    CommandLine line("report", "BUNDLE... [-o report.html] [--audit FILE.json] [--trust POLICY]",
                     "Writes one HTML page about bundles that are mounted together: sizes, duplicates, what hides what, what is missing, and who refers to whom.",
                     "  fardel report mygame.fardel\n"
                     "  fardel report base.fardel mod.fardel -o both.html\n"
                     "  fardel report mygame.fardel --audit audit.json\n");
    ReportCommand command;
    line.texts("BUNDLE", "BUNDLE", command.files, "The bundles, in the order in which they are mounted; later ones win")->required();
    line.text("-o,--output", "OUT", command.out, "The page to write; report.html when left out");
    line.text("--audit", "FILE", command.audit, "What 'fardel audit --json' printed: missing, unused and broken assets");
    line.text("--trust", "POLICY", command.policy, "Mount only what this policy trusts; anything when left out");
    if (const auto over = line.parse(words, console))
        return *over;
    return report(command, console);
}

}  // namespace fardel
