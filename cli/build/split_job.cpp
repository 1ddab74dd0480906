#include "split_job.h"

#include "pack_target.h"

#include <fardel/format/bundle.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/name.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

namespace fardel {
namespace {

std::string in_one_part(std::string text) {
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

}  // namespace

std::string part_file(const std::string& out, const std::string& part) {
    const std::filesystem::path path(out);
    return part.empty()
               ? out
               : (path.parent_path() / (path.stem().string() + "-" + in_one_part(part) + path.extension().string()))
                     .string();
}

std::string part_name(const std::string& name, const std::string& part) {
    return part.empty() ? name : name + "-" + in_one_part(part);
}

Result<std::vector<std::string>> run_parts(const PackJob& job, std::vector<SplitPart> parts,
                                           const std::function<Status(const PackJob&, const BundlePlan&)>& write_one) {
    std::vector<std::string> files;
    for (const SplitPart& part : parts) {  // before anything is written
        files.push_back(part_file(job.out, part.name));
        FARDEL_TRY(verify_pack_target(files.back(), job.sources));
        FARDEL_TRY(verify_name(part_name(job.name, part.name)));
    }
    std::vector<std::shared_ptr<const Bundle>> written(parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
        PackJob one = job;
        one.out = files[i];
        one.name = part_name(job.name, parts[i].name);
        set_name(parts[i].plan, one.name);
        FARDEL_TRY(fill_needs(parts[i], written));
        FARDEL_TRY(write_one(one, parts[i].plan));
        FARDEL_TRY_ASSIGN(written[i], open_written(one.out));
        parts[i].plan = {};
    }
    return files;
}

}  // namespace fardel
