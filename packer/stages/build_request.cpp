#include "build_request.h"

#include "plan/plan_requirements.h"
#include "project/plan_metadata.h"

#include <fardel/base/folder.h>
#include <fardel/base/path_text.h>
#include <fardel/format/hash.h>
#include <fardel/format/name.h>
#include <fardel/packer/budget.h>
#include <fardel/packer/project_cache.h>
#include <fardel/packer/project_path.h>
#include <fardel/packer/project_plan.h>

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

namespace fardel {
namespace {

constexpr std::size_t kMissingShownMax = 3;

std::string text_of(const MetadataValue& value) {
    if (const auto* const text = std::get_if<std::string>(&value))
        return *text;
    if (const auto* const number = std::get_if<double>(&value))
        return std::to_string(std::bit_cast<std::uint64_t>(*number));
    const auto* const integer = std::get_if<std::int64_t>(&value);
    return integer != nullptr ? std::to_string(*integer) : std::get<bool>(value) ? "true" : "false";
}

// Returns a hash of everything besides the sources that determines the output.
Hash options_digest(const RequestedProject& requested, const BuildRequest& request) {
    const BundleOutput& output = requested.output;
    std::string all = FARDEL_VERSION;
    for (const std::string& part :
         {requested.project.digest.hex(), output.path, output.name, output.version, requested.key_path,
          request.signing.program, std::string(purpose_name(output.purpose)), std::to_string(output.level),
          format_trace(requested.order), request.policy ? request.policy->format() : std::string()})
        all += '\0' + std::to_string(part.size()) + ':' + part;
    for (const std::string& root : requested.project.pack.follow_links)
        all += '\0' + std::to_string(root.size()) + ':' + root;
    all += '\0' + requested.project.pack.names;
    if (requested.project.target)
        all += '\0' + requested.project.target->name;
    for (const Requirement& requirement : requested.project.requirements)
        all += '\0' + requirement.text();
    for (const PlannedMetadata& item : request.metadata)
        all += '\0' + item.key + '=' + text_of(item.value);
    return blake3(std::as_bytes(std::span(all)));
}

Status forget_earlier_builds(const std::string& folder) {
    const Status removed = remove_tree(joined_path(folder, kBuildFolder));
    return removed ? ok()
                   : Status(Error(ErrorCode::io,
                                  "the folder of earlier builds cannot be removed: " + removed.error().message()));
}

const std::string& either(const std::string& first, const std::string& second) {
    return first.empty() ? second : first;
}

Status verify_references(const Project& project, const PackPlan& planned) {
    if (!planned.resolved || !project.references || !project.references->missing_fails)
        return ok();
    const ReferenceAudit& audit = planned.resolved->audit;
    if (is_complete(audit))
        return ok();
    const auto& missing = audit.missing;
    if (missing.empty()) {
        const auto broken = std::ranges::find_if(audit.broken, &std::string::empty, &BrokenAsset::why_soft);
        return Error(ErrorCode::unresolved, printable(project.file) + ": " + printable(broken->name) +
                                                " could not be looked into (" + printable(broken->reason) +
                                                "), so that its references may be missing, which [link] has as an "
                                                "error; 'fardel audit' lists all such files");
    }
    std::string shown;
    for (std::size_t i = 0; i < std::min(missing.size(), kMissingShownMax); ++i)
        shown += (shown.empty() ? "" : ", ") + describe(missing[i]);
    if (missing.size() > kMissingShownMax)
        shown += " and " + std::to_string(missing.size() - kMissingShownMax) + " more";
    return Error(ErrorCode::unresolved, printable(project.file) + ": " + std::to_string(missing.size()) +
                                            (missing.size() == 1 ? " reference is" : " references are") +
                                            " missing, which [link] has as an error: " + shown +
                                            "; 'fardel audit' shows which names were tried");
}

}  // namespace

Result<Trace> read_order(const std::string& path) { return path.empty() ? Result<Trace>(Trace()) : read_trace(path); }

Result<RequestedProject> read_requested_project(const BuildRequest& request) {
    FARDEL_TRY_ASSIGN(Project project, read_project(request.project_file));
    FARDEL_TRY_ASSIGN(project, project_for(std::move(project), request.target));
    const std::string folder(folder_part(request.project_file));
    project.name = either(request.name, project.name);
    if (!request.version.empty()) {
        FARDEL_TRY_ASSIGN(project.version, BundleVersion::parse(request.version));
    }
    FARDEL_TRY(add_requirements(project.requirements, request.requirements));
    for (const PlannedMetadata& item : request.metadata)
        set_metadata(project.metadata, item);
    project.excludes.insert(project.excludes.end(), request.excludes.begin(), request.excludes.end());
    project.allowed_secrets.insert(project.allowed_secrets.end(), request.allowed_secrets.begin(),
                                   request.allowed_secrets.end());
    project.pack.follow_links.insert(project.pack.follow_links.end(), request.follow_links.begin(),
                                     request.follow_links.end());
    project.pack.names = either(request.names, project.pack.names);
    RequestedProject requested{.folder = folder, .key_path = request.signing.key_path};
    if (requested.key_path.empty() && !project.key.empty())
        requested.key_path = path_in_project(folder, project.key);
    BundleOutput& output = requested.output;
    output.path = request.output.empty() ? path_in_project(folder, output_of(project)) : request.output;
    output.makes_folder = request.output.empty();
    output.sources = sources_of(project, folder);
    output.excludes = project.excludes;
    output.name = project.name;
    output.version = project.version.text();
    output.purpose = request.purpose.value_or(project.pack.purpose);
    output.level = request.level;
    output.jobs = request.jobs;
    output.created = request.signing.created;
    output.stop = request.stop;
    requested.order_path = request.order;
    if (requested.order_path.empty() && !project.order.empty())
        requested.order_path = path_in_project(folder, project.order);
    FARDEL_TRY_ASSIGN(requested.order, read_order(requested.order_path));
    requested.project = std::move(project);
    return requested;
}

Result<ProjectBuild> open_build(const RequestedProject& requested, const BuildRequest& request) {
    const Hash digest = options_digest(requested, request);
    if (request.from_scratch) {
        // First, so that a mistake in a setting does not cost the earlier builds.
        FARDEL_TRY_ASSIGN(const CacheSettings settings, read_cache_settings(request.caches));
        FARDEL_TRY(find_project_caches(requested.project.caches, requested.folder, settings));
        FARDEL_TRY(forget_earlier_builds(requested.folder));
    }
    BuildOptions options{.target = requested.output.path,
                         .build_folder = request.build_folder,
                         .options = digest,
                         .image_program = request.image_program,
                         .checksum = request.checksum,
                         .from_scratch = request.from_scratch,
                         .farm = request.farm,
                         .all_jobs = !request.log.empty() || !request.provenance.empty(),
                         .jobs = request.jobs,
                         .memory_bytes = request.memory_bytes,
                         .verify_per_1000 = request.verify_per_1000,
                         .verify_seed = request.verify_seed,
                         .own_cache = {.bytes_max = request.cache_bytes_max, .unused_days = request.cache_unused_days},
                         .caches = request.caches,
                         .progress = request.progress,
                         .running = request.running,
                         .stop = request.stop};
    options.order = requested.order;
    if (!requested.order_path.empty())
        options.watched.push_back(requested.order_path);
    options.secrets = request.signing.secret_files;
    if (!request.cache_signing.key_path.empty()) {
        options.open_cache_signer = [signing = request.cache_signing] {
            return open_signer(signing, signing.key_path);
        };
        options.secrets.push_back(request.cache_signing.key_path);
    }
    if (!requested.key_path.empty()) {
        options.watched.push_back(requested.key_path);
        options.secrets.push_back(requested.key_path);
    }
    return ProjectBuild::open(requested.project, requested.folder, std::move(options));
}

Result<std::unique_ptr<Signer>> open_signer(const BuildSigning& signing, const std::string& key_path) {
    if (key_path.empty() && signing.program.empty())
        return std::unique_ptr<Signer>();
    if (!signing.open)
        return Error(ErrorCode::malformed, printable(key_path) + ": the project names a key, and nothing opens it");
    return signing.open(key_path);
}

Status verify_scanned(const ScanReport& report, bool left_out_fails, const BuildRequest& request) {
    if (request.scanned)
        request.scanned(report);
    const std::size_t lost = count_lost(report);
    if (lost == 0 || !(left_out_fails || request.strict))
        return ok();
    return Error(ErrorCode::unresolved,
                 std::to_string(lost) + (lost == 1 ? " file of the sources is" : " files of the sources are") +
                     " left out, which --strict or [pack] has as an error; the first: " + first_lost(report));
}

Error nothing_to_pack(const ScanReport& report, std::string_view hint) {
    std::string text = "the sources have nothing that can be packed";
    if (const std::size_t lost = count_lost(report); lost != 0)
        text += ": " + std::to_string(lost) + (lost == 1 ? " file is" : " files are") +
                " left out; the first: " + first_lost(report);
    else
        text += "; check " + std::string(hint);
    return Error(ErrorCode::unresolved, std::move(text));
}

Status verify_planned(const Project& project, const PackPlan& planned) {
    if (planned.plan.assets.empty() && planned.plan.names.empty() && !planned.names_not_chosen.empty())
        return Error(ErrorCode::unresolved, printable(project.file) +
                                                ": the target has no variant of any name; the first is " +
                                                planned.names_not_chosen.front() +
                                                ". Check the values of its axes, at " + project.target->at.text());
    if (planned.plan.assets.empty() && planned.plan.names.empty())
        return nothing_to_pack(planned.report, "'sources' and 'exclude'").with_context(project.file);
    FARDEL_TRY(verify_budgets(project, planned));
    return verify_references(project, planned);
}

}  // namespace fardel
