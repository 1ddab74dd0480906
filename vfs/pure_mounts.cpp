#include <fardel/vfs/pure_mounts.h>

#include <fardel/base/path_text.h>
#include <fardel/format/appended_record.h>
#include <fardel/format/bundle.h>
#include <fardel/format/byte_source.h>
#include <fardel/sources/source_scan.h>
#include <fardel/vfs/pure_check.h>
#include <fardel/vfs/vfs.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

namespace fardel {
namespace {

Result<MountId> mount_file(Vfs& vfs, const PurePolicy& policy, const std::string& file, MountOptions options) {
    const auto kind = find_source_kind(file);
    if (kind && (*kind == SourceKind::folder || *kind == SourceKind::archive)) {
        options.allow_unsigned = true;
        return vfs.mount(file, options);
    }
    FARDEL_TRY_ASSIGN(const auto source, open_bundle_source(file));
    FARDEL_TRY_ASSIGN(const auto bundle, open_pure_bundle(source, options.label));
    place_for_pure(policy, bundle->id(), options);
    return vfs.mount(source, options);
}

}  // namespace

Result<PurePolicy> read_pure_policy(const std::string& path) {
    FARDEL_TRY_ASSIGN(const auto source, open_file_source(path));
    if (source->size_bytes() > PurePolicy::kBytesMax)
        return Error(ErrorCode::limit, path + ": " + std::to_string(source->size_bytes()) + " bytes; at most " +
                                           std::to_string(PurePolicy::kBytesMax) + " were expected");
    std::string text(static_cast<std::size_t>(source->size_bytes()), '\0');
    FARDEL_TRY(source->read_at(0, std::as_writable_bytes(std::span(text))));
    auto policy = PurePolicy::parse(text);
    if (!policy)
        return std::move(policy).error().with_context(path);
    return policy;
}

PureFault pure_fault_of(ErrorCode code) {
    switch (code) {
        case ErrorCode::untrusted: return PureFault::unsigned_;
        case ErrorCode::revoked:
        case ErrorCode::expired: return PureFault::revoked;
        default: return PureFault::wrong;
    }
}

void place_for_pure(const PurePolicy& policy, const BundleId& bundle, MountOptions& options) {
    const auto& wanted = policy.rules().bundles;
    const auto at = std::ranges::find(wanted, bundle, &PureBundle::bundle);
    if (at == wanted.end())
        return;
    options.mount_point = at->mount_point;
    options.case_rule = at->case_rule;
}

std::optional<PureProblem> mount_pure_file(Vfs& vfs, const PurePolicy& policy, const std::string& file,
                                           MountOptions options) {
    const std::string name(file_name_of_path(file));
    options.label = name;
    const auto mounted = mount_file(vfs, policy, file, std::move(options));
    if (mounted)
        return std::nullopt;
    return make_pure_problem(pure_fault_of(mounted.error().code()), {}, name, mounted.error().text());
}

}  // namespace fardel
