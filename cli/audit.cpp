// fardel audit: references of a project's or sources' assets that are missing, and assets without any reference.

#include "build/build_command.h"
#include "build/build_findings.h"
#include "build/reference_report.h"
#include "build/resolved_project.h"
#include "bundles/left_out.h"
#include "bundles/unlinked.h"
#include "console/clock.h"
#include "console/command_line.h"
#include "console/figures.h"
#include "console/json.h"
#include "verbs.h"

#include <fardel/base/path_text.h>
#include <fardel/format/name.h>
#include <fardel/format/printable.h>
#include <fardel/format/shown_date.h>
#include <fardel/packer/budget.h>
#include <fardel/packer/game_profile.h>
#include <fardel/packer/pack.h>
#include <fardel/packer/project.h>
#include <fardel/packer/project_plan.h>
#include <fardel/sources/source_scan.h>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <span>
#include <utility>
#include <variant>

namespace fardel {
namespace {

constexpr std::size_t kExpiredShownMax = 10;
constexpr std::size_t kUnlicensedShownMax = 20;

struct AuditCommand {
    std::vector<std::string> sources;
    std::vector<std::string> bases;
    std::string target;  // of a project
    ProjectReferences references;
    std::vector<std::string> excludes;
    SourceOptions source_options;
    FindingOptions findings;
    bool licences = false;
    bool json = false;
};

// Returns the project file if the sources are one; without sources, the one in the current folder.
std::string project_of(const std::vector<std::string>& sources) {
    if (sources.empty())
        return std::string(kProjectFileName);
    return sources.size() == 1 ? find_project_file(sources.front()) : std::string();
}

// Archives named .pk3 are those of Quake III's engine and its relatives.
std::string profile_of(const AuditCommand& command) {
    const bool has_pk3 = std::ranges::any_of(
        command.sources, [](const std::string& source) { return fold_name(source).ends_with(".pk3"); });
    return command.references.profile.empty() && has_pk3 ? "quake3" : command.references.profile;
}

Result<PackPlan> resolve_sources(const AuditCommand& command) {
    ResolveOptions resolve{.roots = command.references.roots,
                           .used = command.references.used,
                           .consumed = command.references.consumed,
                           .bases = command.references.bases,
                           .fold_case = command.references.fold_case};
    if (const std::string profile = profile_of(command); !profile.empty()) {
        FARDEL_TRY_ASSIGN(resolve.profile, load_game_profile(profile));
    }
    PackOptions options{.name = "audit"};
    options.scan.link_roots = command.source_options.follow_links;
    options.scan.names = command.source_options.names;
    options.scan.excludes.insert(options.scan.excludes.end(), command.excludes.begin(), command.excludes.end());
    FARDEL_TRY_ASSIGN(PackPlan packed, pack_sources(command.sources, options));
    FARDEL_TRY(resolve_packed(packed, resolve, false));
    return packed;
}

Status verify_sources(const std::vector<std::string>& sources) {
    for (const std::string& source : sources)
        if (const auto kind = find_source_kind(source); kind && *kind == SourceKind::bundle)
            return Error(ErrorCode::unsupported,
                         printable(source) + ": a bundle, whose references were looked up when it was packed; " +
                             "'--base " + printable(source) + "' audits other sources against it");
    return ok();
}

// An asset whose own date has passed: no game opens it.
struct ExpiredAsset {
    std::string name;
    UnixTime date;
};

std::vector<ExpiredAsset> find_expired(const BundlePlan& plan, UnixTime now) {
    std::vector<ExpiredAsset> expired;
    for (const PlannedAsset& asset : plan.assets)
        for (const PlannedMetadata& item : asset.metadata)
            if (const auto* const seconds = std::get_if<std::int64_t>(&item.value); item.key == "expires" && seconds) {
                const UnixTime date{static_cast<std::uint64_t>(std::max<std::int64_t>(*seconds, 0))};
                if (has_passed(date, now))
                    expired.push_back({.name = asset.key.text(), .date = date});
            }
    return expired;
}

std::vector<std::pair<std::string, std::string>> dates_of(const std::vector<ExpiredAsset>& expired) {
    std::vector<std::pair<std::string, std::string>> dates;
    for (const ExpiredAsset& one : expired)
        dates.emplace_back(one.name, shown_date(one.date));
    return dates;
}

// The paths of the sources; those of a project are in its file.
Result<std::vector<std::string>> source_paths(const AuditCommand& command, const std::string& project_file) {
    if (project_file.empty())
        return command.sources;
    FARDEL_TRY_ASSIGN(const Project project, read_project(project_file));
    return sources_of(project, std::string(folder_part(project_file)));
}

std::string format_expired(const ExpiredAsset& asset) {
    return fmt::format("{}: since {}", printable(asset.name), shown_date(asset.date));
}

std::string format_excess(const BudgetExcess& excess, const Console& console) {
    return format_cut_list(fmt::format("{}: {} has {}, of {}; the largest", console.paint(Colour::red, "over budget"),
                                       printable(excess.of), format_size(excess.bytes), format_size(excess.bytes_max)),
                           excess.largest, kLargestShownMax, [](const auto& asset) {
                               return fmt::format("{} ({})", printable(asset.first), format_size(asset.second));
                           });
}

Json json_of(const BudgetExcess& excess) {
    return Json{{"of", excess.of},
                {"bytes", excess.bytes},
                {"bytes_max", excess.bytes_max},
                {"largest", json_list(excess.largest, [](const auto& asset) {
                     return Json{{"name", asset.first}, {"bytes", asset.second}};
                 })}};
}

// An asset that nobody may pass on, as far as is known.
struct UnlicensedAsset {
    std::string name;
    std::string licence;  // one that the project does not allow; empty: none
};

std::string licence_of(std::span<const PlannedMetadata> metadata) {
    const auto at = std::ranges::find(metadata, "licence", &PlannedMetadata::key);
    const auto* const text = at != metadata.end() ? std::get_if<std::string>(&at->value) : nullptr;
    return text != nullptr ? *text : std::string();
}

// What an asset states counts before what its bundle does.
std::vector<UnlicensedAsset> find_unlicensed(const Project& project, const BundlePlan& plan) {
    const auto& allowed = project.allowed_licences;
    std::vector<UnlicensedAsset> unlicensed;
    for (const PlannedAsset& asset : plan.assets) {
        std::string licence = licence_of(asset.metadata);
        if (licence.empty())
            licence = licence_of(plan.metadata);
        if (licence.empty() || (!allowed.empty() && std::ranges::find(allowed, licence) == allowed.end()))
            unlicensed.push_back({.name = asset.key.text(), .licence = std::move(licence)});
    }
    std::ranges::sort(unlicensed, {}, &UnlicensedAsset::name);
    return unlicensed;
}

std::string format_unlicensed(const std::vector<UnlicensedAsset>& unlicensed, const Console& console) {
    std::string text;
    for (const bool has_licence : {false, true}) {
        std::vector<UnlicensedAsset> some;
        std::ranges::copy_if(unlicensed, std::back_inserter(some),
                             [&](const UnlicensedAsset& one) { return one.licence.empty() != has_licence; });
        text += format_cut_list(
            console.paint(Colour::red, has_licence ? "under a licence that is not allowed" : "without a licence"), some,
            kUnlicensedShownMax, [](const UnlicensedAsset& one) {
                return printable(one.name) + (one.licence.empty() ? "" : ": " + printable(one.licence));
            });
    }
    return text;
}

Json json_of(const UnlicensedAsset& one) {
    return Json{{"name", one.name}, {"licence", one.licence.empty() ? Json() : Json(one.licence)}};
}

Result<Exit> audit(AuditCommand command, Console& console) {
    FARDEL_TRY(verify_sources(command.sources));
    for (const std::string& base : command.bases) {
        FARDEL_TRY_ASSIGN(command.references.bases.emplace_back(), open_any_bundle(base));
    }
    const std::string project = project_of(command.sources);
    PackPlan packed;
    std::vector<BudgetExcess> over;
    std::vector<UnlicensedAsset> unlicensed;
    if (project.empty() && (!command.target.empty() || command.licences))
        return Error(ErrorCode::malformed, "--target and --licences are about a project, and the SOURCEs are none");
    if (project.empty()) {
        FARDEL_TRY_ASSIGN(packed, resolve_sources(command));
    } else {
        FARDEL_TRY_ASSIGN(ResolvedProject resolved, resolve_project(project, command.target, command.references,
                                                                    command.excludes, command.source_options));
        say_unconfined(resolved, console);
        packed = std::move(resolved.packed);
        over = find_over_budget(resolved.project, packed);
        if (command.licences)
            unlicensed = find_unlicensed(resolved.project, packed.plan);
    }
    const ReferenceAudit& found = packed.resolved->audit;
    Json json = json_of(found, packed.plan);
    set_left_out(json, packed.report);
    const auto expired = find_expired(packed.plan, system_now());
    json.set("expired", json_list(expired, [](const ExpiredAsset& one) {
                 return Json{{"name", one.name}, {"expires", one.date.seconds}};
             }));
    json.set("over_budget", json_list(over, [](const BudgetExcess& one) { return json_of(one); }));
    if (command.licences)
        json.set("unlicensed", json_list(unlicensed, [](const UnlicensedAsset& one) { return json_of(one); }));
    FARDEL_TRY(console.write(
        command.json
            ? format_json(json) + "\n"
            : format_left_out(packed.report, console) +
                  format_cut_list(console.paint(Colour::red, "expired"), expired, kExpiredShownMax, format_expired) +
                  format_each(over, [&](const BudgetExcess& one) { return format_excess(one, console); }) +
                  format_unlicensed(unlicensed, console) + format_report(found, console)));
    if (command.findings.wanted()) {
        FARDEL_TRY_ASSIGN(const auto paths, source_paths(command, project));
        FARDEL_TRY(write_findings(command.findings, findings_of_audit(found, packed.report, dates_of(expired), paths)));
    }
    // What is left out may be what a reference leads to, or have references of its own.
    return is_complete(found) && count_lost(packed.report) == 0 && expired.empty() && over.empty() && unlicensed.empty()
               ? Exit::fine
               : Exit::refusal;
}

}  // namespace

Result<Exit> run_audit(Words words, Console& console) {
    CommandLine line(
        "audit", "[SOURCE...] [options]",
        "Lists missing references, hard and soft, and, from roots such as maps, unused assets. Nothing is packed.",
        "  fardel audit\n"
        "  fardel audit mygame/ --json\n"
        "  fardel audit mygame/ --licences\n"
        "  fardel audit mymod/ --base mygame.fardel\n"
        "  fardel audit baseoa/*.pk3 --root 'maps/*.bsp' --used 'gfx/**' --used 'sound/player/**'\n");
    AuditCommand command;
    line.texts("SOURCE", "SOURCE", command.sources,
               "A project file or its folder; or folders and archives, later ones win. "
               "The project of the current folder when left out");
    add_target_option(line, command.target);
    line.texts("--root", "GLOB", command.references.roots,
               "Names that a game starts from; may be repeated. Without any, nothing counts as unused");
    line.texts("--used", "GLOB", command.references.used, "Names that only the game's code uses; may be repeated");
    line.texts("--consumed", "GLOB", command.references.consumed, "Names that other bundles publish; may be repeated");
    line.texts("--base", "FILE", command.bases,
               "A bundle, folder or archive that the sources extend: what it has is not missing. "
               "May be repeated, later ones win");
    line.flag("--fold", command.references.fold_case,
              "The game, or its mount, ignores case: do not list references of which only the case differs");
    line.text("--profile", "NAME|FILE", command.references.profile,
              "The game's conventions: daemon, darkplaces, gltf, quake3, or a file .toml. "
              "Default: the project's; quake3 for archives named .pk3");
    line.flag("--licences", command.licences,
              "List assets without a licence in their metadata, or under one that [licences] does not allow; "
              "any of them fails");
    line.texts("--exclude", "GLOB", command.excludes, "Names to leave out; may be repeated");
    add_source_options(line, command.source_options);
    add_finding_options(line, command.findings);
    line.json(command.json, "Report as JSON, with complete lists");
    return line.run(words, console, [&] { return audit(command, console); });
}

}  // namespace fardel
