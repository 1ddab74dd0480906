// fardel pack: folders and archives, or a project file, → a bundle.

#include "build/build_command.h"
#include "build/build_report.h"
#include "build/metadata_option.h"
#include "bundles/bundle_file.h"
#include "bundles/mounts.h"
#include "console/temporary_folder.h"
#include "verbs.h"

#include <fardel/base/extension.h>
#include <fardel/base/interrupt.h>
#include <fardel/base/path_text.h>
#include <fardel/format/bundle_version.h>
#include <fardel/format/name.h>
#include <fardel/packer/build.h>
#include <fardel/packer/bundle_target.h>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace fardel {
namespace {

struct PackCommand {
    std::vector<std::string> sources;
    std::string target;  // of a project
    std::string out;
    std::string name;
    std::string version;
    std::vector<std::string> excludes;
    std::vector<std::string> allowed_secrets;
    std::vector<std::string> requirements;
    MetadataOptions metadata;
    std::vector<PlannedMetadata> stated;  // parsed
    std::string order;
    SigningKey key;
    std::string policy;
    SigningKey cache_key;
    OutputOptions output;
    SourceOptions source_options;
    CacheRequest caches{.reads_configuration = true};  // of a project
};

bool is_project(const std::string& source) { return extension_of(file_name_of_path(source)) == "toml"; }

// A project is built from scratch in a separate build folder, so that earlier builds of it have no effect.
Result<BuildOutcome> build(const PackCommand& command, std::stop_token stop,
                           const std::function<void(const BuildProgress&)>& progress, ScanReport& left_out) {
    BuildRequest request{.output = command.out,
                         .name = command.name,
                         .version = command.version,
                         .excludes = command.excludes,
                         .allowed_secrets = command.allowed_secrets,
                         .requirements = command.requirements,
                         .metadata = command.stated,
                         .order = command.order,
                         .purpose = command.output.find_purpose(),
                         .level = command.output.zstd_level(),
                         .jobs = static_cast<unsigned>(command.output.jobs),
                         .progress = progress,
                         .stop = std::move(stop)};
    set_source_options(request, command.source_options, left_out);
    FARDEL_TRY_ASSIGN(request.signing, signing_with(command.key));
    FARDEL_TRY_ASSIGN(request.policy, find_policy(command.policy));
    FARDEL_TRY_ASSIGN(request.cache_signing, signing_with(command.cache_key));
    if (!is_project(command.sources.front())) {
        FARDEL_TRY_ASSIGN(BuildSummary summary, build_sources(command.sources, request));
        return BuildOutcome{.summary = std::move(summary)};
    }
    request.project_file = command.sources.front();
    request.target = command.target;
    FARDEL_TRY_ASSIGN(const TemporaryFolder build_folder, TemporaryFolder::make());
    request.build_folder = build_folder.path();
    request.caches = command.caches;
    return build_project(request);
}

// The name and version of a bundle file; nothing if there is none that states both.
std::optional<std::pair<std::string, BundleVersion>> find_title(const std::string& path) {
    const auto bundle = open_bundle(path);
    const auto name = bundle ? bundle_text(**bundle, "name") : bundle.error();
    const auto text = bundle ? bundle_text(**bundle, "version") : bundle.error();
    const auto version = BundleVersion::parse(text ? *text : "");
    if (!name || name->empty() || !version || version->empty())
        return std::nullopt;
    return std::pair(*name, *version);
}

Result<Exit> pack(const PackCommand& command, Console& console) {
    ScanReport left_out;
    const auto replaced = find_title(command.out);
    Result<BuildOutcome> outcome = [&] {
        const Interrupt interrupt;
        StageProgress bars(console);
        const auto progress = [&](const BuildProgress& at) { bars.show(at); };
        return build(command, interrupt.token(), progress, left_out);
    }();
    if (!outcome) {
        FARDEL_TRY(print_left_out(outcome.error(), left_out, command.output.json, console));
        return std::move(outcome).error();
    }
    if (const auto made = replaced ? find_title(command.out) : std::nullopt; made && made->first == replaced->first)
        if (const auto older =
                describe_older(made->first, made->second, replaced->second, "the file that it replaces was"))
            console.say("fardel: " + *older);
    return print_result(
        console, command.output.json,
        [&] {
            Json json = json_of(outcome->summary);
            if (!outcome->unconfined.empty())
                json.set("unconfined", outcome->unconfined);
            return json;
        },
        [&] { return format_unconfined(outcome->unconfined, console) + format_report(outcome->summary, console); });
}

}  // namespace

Result<Exit> run_pack(Words words, Console& console) {
    CommandLine line(
        "pack", "SOURCE... -o OUT [options]",
        "Packs folders and game archives (pk3, zip, 7z, ...) into one bundle, or builds what a fardel.toml describes; "
        "of equal names that of the later source is packed.",
        "  fardel pack mygame/ -o mygame.fardel --name mygame --version 1.0 --key author.key\n"
        "  fardel pack baseoa/*.pk3 -o openarena.fardel\n"
        "  fardel pack art/ -o art.fardel --exclude '**/*.psd' --exclude 'wip/**'\n"
        "  fardel pack mod/ -o mod.fardel --name mods/castle --version 1.0 --require 'studio/base >= 1.0, < 2'\n"
        "  fardel pack mod/ -o mod.fardel --license CC-BY-4.0 --metadata origin=https://example.org/castle\n"
        "  fardel pack mygame/fardel.toml -o mygame.fardel --version 1.1\n");
    PackCommand command;
    line.texts("SOURCE", "SOURCE", command.sources, "Folders and archives, later ones win; or one project file, *.toml")
        .required();
    line.text("-o,--output", "OUT", command.out, "The bundle to write; replaces an older one in one step").required();
    add_target_option(line, command.target);
    line.text("--name", "NAME", command.name,
              "The bundle's name; the project's, or OUT without folder and ending, when left out");
    line.text("--version", "VERSION", command.version, "The bundle's version; the project's when left out");
    add_signing_options(line, command.key);
    add_signable_option(line, command.policy);
    add_cache_signing_options(line, command.cache_key);
    add_cache_options(line, command.caches);
    line.texts("--exclude", "GLOB", command.excludes, "Names to leave out; may be repeated");
    line.texts("--allow-secret", "NAME", command.allowed_secrets,
               "A name that is packed though it looks like a key or a password; may be repeated");
    line.texts("--require", "TEXT", command.requirements,
               "What the bundle requires by name, such as 'studio/base >= 1.0, < 2'; "
               "may be repeated ('man fardel-install')");
    add_metadata_options(line, command.metadata);
    line.text(
        "--order", "TRACE", command.order,
        "A trace of what a game opens: what it lists lies together in the bundle, in this order ('fardel trace')");
    add_source_options(line, command.source_options);
    add_output_options(line, command.output);
    if (const auto over = line.parse(words, console))
        return *over;
    if (const auto mistake = find_mistake(command.output))
        return line.mistake(*mistake, console);

    auto stated = parse_metadata(command.metadata);
    if (!stated)
        return line.mistake(stated.error().message(), console);
    command.stated = *std::move(stated);

    const bool has_project = std::ranges::any_of(command.sources, is_project);
    if (has_project && command.sources.size() > 1)
        return line.mistake("a project file is the only SOURCE; write what else is to be packed into its 'sources'",
                            console);
    if (!has_project && !command.target.empty())
        return line.mistake("--target is about a project file, and there is none among the SOURCEs", console);
    if (!has_project && command.name.empty()) {
        command.name = name_of_target(command.out);
        if (!verify_name(command.name))
            return line.mistake(
                fmt::format("'{}' is no valid name for the bundle; give it one with --name", command.name), console);
    }
    return pack(command, console);
}

}  // namespace fardel
