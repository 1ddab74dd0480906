// The functions of fardel.h about what is mounted and why a path leads where it does.

#include "c_handles.h"

#include <fardel/format/c_interface.h>
#include <fardel/sources/scan_report.h>
#include <fardel/vfs/inspect.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fardel::c {
namespace {

constexpr std::size_t kFiguresBytesLeast = offsetof(fardel_figures, stalls) + sizeof(std::uint64_t);

std::uint32_t flag_if(bool is_set, std::uint32_t flag) noexcept { return is_set ? flag : 0; }

std::vector<const char*> pointers_to(const std::vector<std::string>& texts) {
    std::vector<const char*> pointers;
    for (const std::string& text : texts)
        pointers.push_back(text.c_str());
    return pointers;
}

// A description, for as long as this exists, which borrows texts of `mount`.
class PlainMount {
public:
    explicit PlainMount(const MountDescription& mount)
        : signers_(pointers_to(mount.signers)), left_out_(mount.left_out ? first_lost(*mount.left_out) : "") {
        plain_.struct_size = sizeof plain_;
        plain_.label = mount.label.c_str();
        plain_.place = mount.mount_point.c_str();
        plain_.recall = mount.recall ? mount.recall->message().c_str() : nullptr;
        plain_.signers = signers_.data();
        plain_.signer_count = signers_.size();
        plain_.missing_count = mount.missing_dependencies.size();
        plain_.left_out_count = mount.left_out ? count_lost(*mount.left_out) : 0;
        plain_.left_out = left_out_.empty() ? nullptr : left_out_.c_str();
        plain_.bundle = plain_id(mount.bundle);
        plain_.layout = plain_id(mount.layout);
        plain_.mount = static_cast<fardel_mount_id>(mount.id);
        plain_.priority = mount.priority;
        plain_.kind = static_cast<fardel_mount_kind>(mount.kind);
        plain_.flags = flag_if(mount.tainted, FARDEL_MOUNTED_TAINTED) | flag_if(mount.hidden, FARDEL_MOUNTED_HIDDEN) |
                       flag_if(mount.case_rule == CaseRule::fold, FARDEL_MOUNTED_FOLDS_CASE);
    }
    PlainMount(const PlainMount&) = delete;
    PlainMount& operator=(const PlainMount&) = delete;
    const fardel_mount_description& get() const noexcept { return plain_; }

private:
    std::vector<const char*> signers_;
    std::string left_out_;
    fardel_mount_description plain_{};
};
static_assert(static_cast<int>(MountKind::bundle) == FARDEL_MOUNTED_BUNDLE &&
              static_cast<int>(MountKind::folder) == FARDEL_MOUNTED_FOLDER &&
              static_cast<int>(MountKind::archive) == FARDEL_MOUNTED_ARCHIVE &&
              static_cast<int>(MountKind::plan) == FARDEL_MOUNTED_PLAN &&
              static_cast<int>(MountKind::project) == FARDEL_MOUNTED_PROJECT);

class PlainCandidate {
public:
    explicit PlainCandidate(const PathCandidate& candidate)
        : mount_(candidate.mount), outcome_(candidate_outcome_text(candidate.outcome)) {
        plain_.struct_size = sizeof plain_;
        plain_.mount = &mount_.get();
        plain_.outcome = outcome_.c_str();
        plain_.name = candidate.name.c_str();
        plain_.variant = candidate.variant.c_str();
        plain_.damage = candidate.error ? candidate.error->message().c_str() : nullptr;
        plain_.size_bytes = candidate.size_bytes;
        if (candidate.asset)
            plain_.asset = plain_id(*candidate.asset);
        plain_.has_asset = candidate.asset ? 1 : 0;
        plain_.variants = candidate.variants;
    }
    PlainCandidate(const PlainCandidate&) = delete;
    PlainCandidate& operator=(const PlainCandidate&) = delete;
    const fardel_candidate& get() const noexcept { return plain_; }

private:
    PlainMount mount_;
    std::string outcome_;
    fardel_candidate plain_{};
};

void report_explanation(const Explanation& explanation, fardel_explained explained, void* context) {
    std::vector<std::unique_ptr<const PlainCandidate>> owned;
    std::vector<const fardel_candidate*> candidates;
    for (const PathCandidate& candidate : explanation.candidates) {
        owned.push_back(std::make_unique<const PlainCandidate>(candidate));
        candidates.push_back(&owned.back()->get());
    }
    const std::vector<const char*> tried = pointers_to(explanation.tried);
    fardel_explanation out{};
    out.struct_size = sizeof out;
    out.path = explanation.path.c_str();
    out.candidates = candidates.data();
    out.candidate_count = candidates.size();
    out.winner = explanation.winner ? candidates[*explanation.winner] : nullptr;
    out.other_case = explanation.other_case.c_str();
    out.tried = tried.data();
    out.tried_count = tried.size();
    out.is_folder = explanation.folder ? 1 : 0;
    explained(context, &out);
}

fardel_conflict_side plain_side(const ConflictSide& side) {
    fardel_conflict_side plain{};
    plain.mount = static_cast<fardel_mount_id>(side.mount);
    plain.has_asset = side.asset ? 1 : 0;
    if (side.asset)
        plain.asset = plain_id(*side.asset);
    return plain;
}

void report_conflict(const PathConflict& conflict, fardel_conflict_found found, void* context) {
    std::vector<fardel_conflict_side> sides{plain_side(conflict.winner)};
    for (const ConflictSide& side : conflict.hidden)
        sides.push_back(plain_side(side));
    fardel_conflict out{};
    out.struct_size = sizeof out;
    out.path = conflict.path.c_str();
    out.sides = sides.data();
    out.side_count = sides.size();
    out.is_harmless = conflict.harmless() ? 1 : 0;
    found(context, &out);
}

fardel_unresolved_need need_of(MountId mount, fardel_need_kind kind, const std::string& name) {
    fardel_unresolved_need need{};
    need.struct_size = sizeof need;
    need.name = name.c_str();
    need.version = "";
    need.reason = "";
    need.mount = static_cast<fardel_mount_id>(mount);
    need.kind = kind;
    return need;
}

void report_needs(const UnresolvedNeeds& needs, fardel_unresolved found, void* context) {
    for (const UnresolvedName& name : needs.names) {
        fardel_unresolved_need out = need_of(name.mount, FARDEL_NEED_NAME, name.name);
        out.flags = flag_if(name.pattern, FARDEL_NEED_PATTERN) | flag_if(name.optional, FARDEL_NEED_OPTIONAL);
        found(context, &out);
    }
    for (const UnresolvedBundle& bundle : needs.bundles) {
        fardel_unresolved_need out = need_of(bundle.mount, FARDEL_NEED_BUNDLE, bundle.name);
        out.version = bundle.version.c_str();
        out.bundle = plain_id(bundle.bundle);
        out.flags = flag_if(bundle.is_static, FARDEL_NEED_STATIC);
        found(context, &out);
    }
    for (const MissingDependency& missing : needs.requirements) {
        fardel_unresolved_need out = need_of(missing.mount, FARDEL_NEED_REQUIREMENT, missing.requirement);
        out.reason = missing.reason.c_str();
        found(context, &out);
    }
}

}  // namespace
}  // namespace fardel::c

using namespace fardel;
using namespace fardel::c;

fardel_code fardel_mounts(const fardel_vfs* vfs, fardel_mount_listed listed, void* context, size_t* count,
                          fardel_error* error) {
    if (count != nullptr)
        *count = 0;
    return call(error, vfs != nullptr, [&](const Report&) {
        const std::vector<MountDescription> mounts = vfs->vfs.mounts();
        if (count != nullptr)
            *count = mounts.size();
        if (listed != nullptr)
            for (const MountDescription& mount : mounts)
                listed(context, &PlainMount(mount).get());
        return fardel_code{FARDEL_OK};
    });
}

fardel_code fardel_explain(const fardel_vfs* vfs, const char* path, const char* extensions, fardel_explained explained,
                           void* context, fardel_error* error) {
    return call(error, vfs != nullptr && path != nullptr && explained != nullptr, [&](const Report& report) {
        NameExtensions tried;
        if (extensions != nullptr) {
            auto parsed = NameExtensions::parse(extensions);
            if (!parsed)
                return report.fail(parsed.error());
            tried = *std::move(parsed);
        }
        return report.end(vfs->vfs.explain({path, extensions != nullptr ? &tried : nullptr}),
                          [&](const Explanation& found) { report_explanation(found, explained, context); });
    });
}

fardel_code fardel_conflicts(const fardel_vfs* vfs, fardel_conflict_found found, void* context, size_t* count,
                             fardel_error* error) {
    if (count != nullptr)
        *count = 0;
    return call(error, vfs != nullptr, [&](const Report& report) {
        return report.end(vfs->vfs.conflicts(), [&](const std::vector<PathConflict>& conflicts) {
            if (count != nullptr)
                *count = conflicts.size();
            if (found != nullptr)
                for (const PathConflict& conflict : conflicts)
                    report_conflict(conflict, found, context);
        });
    });
}

fardel_code fardel_check_links(const fardel_vfs* vfs, fardel_unresolved found, void* context, int32_t* is_complete,
                               fardel_error* error) {
    return call(error, vfs != nullptr, [&](const Report& report) {
        return report.end(vfs->vfs.check_links(), [&](const UnresolvedNeeds& needs) {
            if (is_complete != nullptr)
                *is_complete = needs.complete() ? 1 : 0;
            if (found != nullptr)
                report_needs(needs, found, context);
        });
    });
}

fardel_code fardel_read_figures(const fardel_vfs* vfs, fardel_figures* figures, fardel_error* error) {
    return call(error, vfs != nullptr && figures != nullptr, [&](const Report& report) {
        if (!is_size(figures->struct_size, kFiguresBytesLeast))
            return report.argument("the struct_size of the figures is not set");
        const VfsFigures now = vfs->vfs.figures();
        const fardel_figures out{.struct_size = sizeof out,
                                 .cached_bytes = now.cached_bytes,
                                 .hits = now.hits,
                                 .misses = now.misses,
                                 .decoded_bytes = now.decoded_bytes,
                                 .stalls = now.stalls};
        give(out, figures);
        return fardel_code{FARDEL_OK};
    });
}
