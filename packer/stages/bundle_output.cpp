#include <fardel/packer/bundle_output.h>

#include "plan/plan_classes.h"

#include <fardel/base/folder.h>
#include <fardel/base/path_text.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/name.h>
#include <fardel/format/signing_rule.h>
#include <fardel/packer/bundle_target.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace fardel {
namespace {

using Clock = std::chrono::steady_clock;

Status sign(StagedBundle& staged, const BundleOutput& output) {
    Statement statement = statement_about(staged.summary());
    statement.created = output.created;
    FARDEL_TRY_ASSIGN(const Envelope envelope, sign_statement(statement, *output.signer));
    return staged.append(envelope);
}

std::function<void(const BundleWriteProgress&)> packing_progress(
    const std::function<void(const BuildProgress&)>& progress) {
    if (!progress)
        return {};
    return [&progress](const BundleWriteProgress& written) {
        progress({.stage = "packing",
                  .done = written.assets_done,
                  .total = written.assets_total,
                  .raw_bytes = written.raw_bytes});
    };
}

// A signature for what the signer may not bring would only be refused by those who check (tests/ATTACKS.md, A137).
Status verify_signable(const BundlePlan& plan, const std::string& name, const BundleOutput& output) {
    if (output.signer == nullptr || output.policy == nullptr)
        return ok();
    const auto rule = find_signing_rule(*output.policy, name, output.signer->public_key(), SignerRole::author);
    const Status allowed = rule ? verify_plan_classes(plan, rule->brings) : Status(rule.error());
    return allowed ? ok() : Status(Error(allowed.error().code(), allowed.error().message() + "; nothing was written"));
}

// Writes, signs and commits one bundle.
Result<BuiltBundle> write_one(BundlePlan plan, std::string path, std::string name, const BundleOutput& output,
                              Clock::time_point started) {
    BuiltBundle built{.path = std::move(path), .name = std::move(name), .version = output.version};
    FARDEL_TRY(verify_signable(plan, built.name, output));
    if (output.makes_folder)
        FARDEL_TRY(create_folders(folder_of_path(built.path)));
    FARDEL_TRY_ASSIGN(StagedBundle staged,
                      write_bundle(std::move(plan), built.path,
                                   {.purpose = output.purpose,
                                    .level = output.level,
                                    .jobs = output.jobs,
                                    .progress = packing_progress(output.progress),
                                    .stop = output.stop,
                                    .donor = output.find_donor ? output.find_donor(built.path) : BundleDonor()}));
    if (output.signer)
        FARDEL_TRY(sign(staged, output));
    FARDEL_TRY(staged.commit());
    built.written = staged.summary();
    if (output.signer)
        built.signed_by = output.signer->public_key();
    built.seconds = std::chrono::duration<double>(Clock::now() - started).count();
    return built;
}

// ---- Parts ----------------------------------------------------------------------------------------------------------

std::string without_slashes(std::string text) {
    std::ranges::replace(text, '/', '-');
    return text;
}

void set_name(BundlePlan& plan, const std::string& name) {
    const auto at = std::ranges::find(plan.metadata, std::string_view("name"), &PlannedMetadata::key);
    if (at != plan.metadata.end())
        at->value = name;
    else
        plan.metadata.push_back({.key = "name", .value = name});
}

Result<std::shared_ptr<const Bundle>> open_written(const std::string& path) {
    FARDEL_TRY_ASSIGN(auto source, open_file_source(path));
    return Bundle::open(std::move(source), {.label = printable(path)});
}

Result<std::vector<BuiltBundle>> write_parts(std::vector<SplitPart> parts, const BundleOutput& output) {
    for (const SplitPart& part : parts) {  // check all of them before anything is written
        FARDEL_TRY(verify_bundle_target(part_path(output.path, part.name), output.sources, output.excludes));
        FARDEL_TRY(verify_name(part_name(output.name, part.name)));
    }
    std::vector<BuiltBundle> built;
    std::vector<std::shared_ptr<const Bundle>> written(parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const std::string name = part_name(output.name, parts[i].name);
        set_name(parts[i].plan, name);
        FARDEL_TRY(fill_needs(parts[i], written));
        FARDEL_TRY_ASSIGN(BuiltBundle one, write_one(std::move(parts[i].plan), part_path(output.path, parts[i].name),
                                                     name, output, built.empty() ? output.started : Clock::now()));
        FARDEL_TRY_ASSIGN(written[i], open_written(one.path));
        built.push_back(std::move(one));
    }
    return built;
}

}  // namespace

std::string part_path(const std::string& path, const std::string& part) {
    if (part.empty())
        return path;
    const std::string stem(stem_of_path(path));
    const std::string extension(file_name_of_path(path).substr(stem.size()));
    return joined_path(folder_part(path), stem + "-" + without_slashes(part) + extension);
}

std::string part_name(const std::string& name, const std::string& part) {
    return part.empty() ? name : name + "-" + without_slashes(part);
}

Result<std::vector<BuiltBundle>> write_planned(PackPlan& planned, const BundleOutput& output) {
    // What scanners found is in the plan by now, and with many files every list counts.
    planned.assets = std::vector<AssetScan>();
    planned.files = std::vector<AssetFile>();
    if (!planned.parts.empty())
        return write_parts(std::exchange(planned.parts, {}), output);
    FARDEL_TRY_ASSIGN(BuiltBundle built,
                      write_one(std::move(planned.plan), output.path, output.name, output, output.started));
    return std::vector{std::move(built)};
}

}  // namespace fardel
