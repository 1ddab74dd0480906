// fardel which: mounts bundles as a game would, and explains which asset a path leads to.

#include "bundles/left_out.h"
#include "bundles/metadata_text.h"
#include "bundles/mounts.h"
#include "bundles/variants_option.h"
#include "console/figures.h"
#include "console/json.h"
#include "verbs.h"

#include <fardel/format/name.h>
#include <fardel/vfs/inspect.h>
#include <fardel/vfs/vfs.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace fardel {
namespace {

struct WhichCommand {
    std::vector<std::string> mounts;
    std::string path;
    std::string from;  // the asset whose reference `path` is; empty: `path` is one
    MountingOptions mounting;
    VariantPreference preference;
    NameExtensions extensions;
    bool json = false;
};

// ---- Text -----------------------------------------------------------------------------------------------------------

std::string_view kind_text(PathKind kind) {
    switch (kind) {
        case PathKind::root: return "root";
        case PathKind::assets: return "assets";
        case PathKind::asset: return "asset";
        case PathKind::bundles: return "bundles";
        case PathKind::bundle: return "bundle";
        case PathKind::bundle_name: return "bundle-name";
        case PathKind::published: return "published";
        case PathKind::nowhere: return "nowhere";
    }
    return "nowhere";
}

std::string signed_by(const MountDescription& mount) {
    if (mount.tainted)
        return "no trusted signature";
    return fmt::format("signed by {}", fmt::join(mount.signers, ", "));
}

std::string format_variant(const PathCandidate& candidate) {
    if (candidate.variants <= 1 && candidate.variant.empty())
        return "";
    return fmt::format(
        ", {} of {}",
        candidate.variant.empty() ? "the variant without tags" : "variant " + printable(candidate.variant),
        format_count(candidate.variants));
}

std::string format_candidate(const PathCandidate& candidate) {
    const MountDescription& mount = candidate.mount;
    std::string text = fmt::format("  {}: {}\n", printable(mount.label), candidate_outcome_text(candidate.outcome));
    text += fmt::format("    bundle {}, {}\n", mount.bundle.hex(), signed_by(mount));
    if (!candidate.name.empty())
        text += fmt::format("    name {}{}\n", printable(candidate.name, 2000), format_variant(candidate));
    if (candidate.asset)
        text += fmt::format("    asset {}, {} bytes\n", candidate.asset->hex(), format_count(candidate.size_bytes));
    if (candidate.error)
        text += fmt::format("    {}\n", printable(candidate.error->text(), 2000));
    return text;
}

std::string format_verdict(const Explanation& explanation) {
    if (explanation.winner)
        return fmt::format("{} → /assets/{}\n", printable(explanation.path, 2000),
                           explanation.candidates[*explanation.winner].asset->hex());
    const std::string near = explanation.other_case.empty()
                                 ? ""
                                 : fmt::format("; did you mean '{}'? Only the case differs, and --fold ignores it",
                                               printable(explanation.other_case, 2000));
    return fmt::format("{}: {}{}\n", printable(explanation.path, 2000),
                       explanation.folder ? "a folder" : "no such name", near);
}

std::string_view route_text(ReferenceRoute route) {
    switch (route) {
        case ReferenceRoute::none: break;
        case ReferenceRoute::fixed: return "static: its link table decides, whatever is mounted above";
        case ReferenceRoute::dynamic: return "dynamic: a mount above may replace what it leads to";
        case ReferenceRoute::unlisted:
            return "in no link table: its own bundle comes first, then its dependencies, then the tree";
    }
    return "";
}

// What a person asks about an asset: not that its bundle has a name.
std::string format_stated(const Metadata& metadata) {
    std::string text;
    for (const MetadataEntry& entry : metadata.entries)
        text += fmt::format("  {} {}{}\n", printable(entry.key, 1000), format_metadata(entry.key, entry.value),
                            entry.of_bundle && metadata.asset ? " (of its bundle)" : "");
    return text;
}

std::string format_tried(const std::string& path) { return fmt::format("  {}: no such name\n", printable(path, 2000)); }

std::string format_explanation(const Explanation& explanation) {
    const std::string tried = format_each(explanation.tried, format_tried);
    const std::string route =
        explanation.route == ReferenceRoute::none ? "" : fmt::format("  {}\n", route_text(explanation.route));
    return format_verdict(explanation) + route + tried + format_each(explanation.candidates, format_candidate);
}

// ---- JSON -----------------------------------------------------------------------------------------------------------

Json json_of(const PathCandidate& candidate) {
    const MountDescription& mount = candidate.mount;
    return Json{
        {"file", mount.label},
        {"mounted", mount_kind_text(mount.kind)},
        {"bundle", mount.bundle.hex()},
        {"layout", mount.layout.hex()},
        {"tainted", mount.tainted},
        {"signers", mount.signers},
        {"outcome", candidate_outcome_text(candidate.outcome)},
        {"name", candidate.name},
        {"asset", json_id(candidate.asset)},
        {"size", candidate.size_bytes},
        {"variants", candidate.variants},
        {"variant", candidate.variant},
        {"error", candidate.error ? Json(candidate.error->text()) : Json()},
    };
}

Json json_of(const Explanation& explanation) {
    return Json{
        {"path", explanation.path},
        {"kind", kind_text(explanation.kind)},
        {"folder", explanation.folder},
        {"reference",
         explanation.route == ReferenceRoute::none ? Json() : Json(reference_route_text(explanation.route))},
        {"winner", explanation.winner ? Json(*explanation.winner) : Json()},
        {"tried", explanation.tried},
        {"other_case", explanation.other_case.empty() ? Json() : Json(explanation.other_case)},
        {"candidates", json_list(explanation.candidates, [](const PathCandidate& one) { return json_of(one); })},
    };
}

// What is stated about the asset; each entry says whose it is. Null: no asset is there.
Json json_of(const std::optional<Metadata>& metadata) {
    if (!metadata)
        return {};
    Json json = Json::object();
    for (const MetadataEntry& entry : metadata->entries)
        json.set(entry.key, Json{{"value", metadata_json(entry.value)}, {"of", entry.of_bundle ? "bundle" : "asset"}});
    return json;
}

// ---- The verb -------------------------------------------------------------------------------------------------------

Result<Exit> which(const WhichCommand& command, Console& console) {
    Vfs vfs(vfs_options());
    FARDEL_TRY(mount_all(vfs, command.mounts, command.mounting));
    say_missing_dependencies(vfs, console);
    say_incomplete_bundles(vfs, command.mounting, console);
    say_left_out(vfs, console);
    vfs.prefer(command.preference);
    std::optional<File> from;
    if (!command.from.empty()) {
        FARDEL_TRY_ASSIGN(from, vfs.open(command.from));
    }
    say_idle_axes(command.preference, vfs, console);
    const Result<Explanation> explained = vfs.explain({command.path, &command.extensions, from ? &*from : nullptr});
    if (!explained) {
        // A name that no tree can have may be one that was refused.
        if (const auto reason = find_left_out(vfs, command.path))
            console.say(fmt::format("fardel: left out: {}", printable(*reason, 2000)));
        return explained.error();
    }
    const Explanation& explanation = *explained;
    // Another mount may have the path, or a folder of that name.
    const auto left_out = explanation.winner || explanation.folder ? std::nullopt : find_left_out(vfs, command.path);
    // Also of an asset that cannot be opened, such as one that has expired.
    std::optional<Metadata> metadata;
    if (auto found = vfs.metadata(explanation.path))
        metadata = *std::move(found);
    return print_result(
        console, command.json,
        [&] {
            Json json = json_of(explanation);
            json.set("metadata", json_of(metadata));
            json.set("left_out_here", left_out ? Json(*left_out) : Json());
            set_left_out(json, vfs);
            return json;
        },
        [&] {
            return format_explanation(explanation) + (metadata ? format_stated(*metadata) : "") +
                   (left_out ? fmt::format("  left out: {}\n", printable(*left_out, 2000)) : "");
        },
        explanation.winner || explanation.folder ? Exit::fine : Exit::refusal);
}

}  // namespace

Result<Exit> run_which(Words words, Console& console) {
    CommandLine line(
        "which",
        "--mount FILE [--mount FILE...] PATH [--from ASSET] [--variants AXIS=VALUE,...] [--extensions LIST] "
        "[--trust POLICY] "
        "[--require-dependencies] [--json]",
        "Explains which asset a path leads to when these bundles are mounted in this order, and why; later ones win.",
        "  fardel which --mount mygame.fardel --mount mod.fardel maps/dm01.bsp\n"
        "  fardel which --mount mygame.fardel --trust policy.trust /default.cfg\n"
        "  fardel which --mount mygame.fardel textures/base/water --extensions tga,jpg,png\n"
        "  fardel which --mount mygame.fardel --mount mod.fardel textures/wall.tga --from models/house.obj\n");
    WhichCommand command;
    line.texts("-m,--mount", "FILE", command.mounts,
               "A bundle, folder or archive to mount; may be repeated, later ones win")
        .required();
    line.text("PATH", "PATH", command.path, "A published name, /assets/<asset id> or /bundles/<bundle id>/<name>")
        .required();
    line.text("--from", "ASSET", command.from,
              "PATH is a reference as this asset writes it: says whether it is static or dynamic, and where it leads");
    std::vector<std::string> variants;
    add_variants_option(line, variants);
    std::string extensions;
    add_extensions_option(line, extensions);
    add_mounting_options(line, command.mounting);
    line.json(command.json);
    if (const auto over = line.parse(words, console))
        return *over;
    auto preference = read_variants(variants);
    if (!preference)
        return line.mistake(preference.error().text(), console);
    command.preference = *std::move(preference);
    auto parsed = read_extensions(extensions);
    if (!parsed)
        return line.mistake(parsed.error().text(), console);
    command.extensions = *std::move(parsed);
    if (!command.from.empty() && !extensions.empty())
        return line.mistake("--extensions is for paths; a reference means what it says", console);
    if (!command.path.starts_with('/') && command.from.empty())
        command.path.insert(0, "/");
    return which(command, console);
}

}  // namespace fardel
