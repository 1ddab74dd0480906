#include "inspection.h"

#include "lookup/resolve.h"
#include "mounts/missing_dependencies.h"

#include <fardel/format/glob_set.h>
#include <fardel/format/manifest.h>
#include <fardel/format/name.h>
#include <fardel/vfs/vfs_path.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fardel {
namespace {

class NeedChecker {
public:
    NeedChecker(const MountSet& set, std::size_t unresolved_max)
        : set_(set), dependencies_(set), unresolved_max_(unresolved_max) {}

    Status check(const Mount& mount) {
        const Bundle& bundle = mount.bundle();
        FARDEL_TRY_ASSIGN(const std::vector<bool> matched, match_patterns(bundle));
        std::size_t patterns = 0;
        for (std::uint32_t i = 0; i < bundle.table_count(TableKind::consumes); ++i) {
            FARDEL_TRY_ASSIGN(const ConsumeRecord consume, bundle.consume(i));
            const bool pattern = (consume.flags & ConsumeRecord::pattern) != 0;
            if (!pattern || !matched[patterns++])
                FARDEL_TRY(check_name(mount, consume));
        }
        for (std::uint32_t i = 0; i < bundle.table_count(TableKind::dependencies); ++i) {
            FARDEL_TRY_ASSIGN(const DependencyRecord dependency, bundle.dependency(i));
            FARDEL_TRY(check_dependency(mount, dependency));
        }
        return check_requirements(mount);
    }

    UnresolvedNeeds report;

private:
    // Adds what is wrong about a name, or a pattern that matches nothing.
    Status check_name(const Mount& mount, const ConsumeRecord& consume) {
        FARDEL_TRY_ASSIGN(const std::string_view text, mount.bundle().string(consume.text));
        const bool pattern = (consume.flags & ConsumeRecord::pattern) != 0;
        FARDEL_TRY(pattern ? verify_glob(text) : verify_name(text));
        if (!pattern) {
            FARDEL_TRY_ASSIGN(const bool published, is_published(text));
            if (published)
                return ok();
        }
        FARDEL_TRY(count_one());
        report.names.push_back({.mount = mount.id,
                                .name = std::string(text),
                                .pattern = pattern,
                                .optional = (consume.flags & ConsumeRecord::optional) != 0});
        return ok();
    }

    Status check_dependency(const Mount& mount, const DependencyRecord& dependency) {
        if (set_.find_bundle(dependency.bundle) != nullptr)
            return ok();
        FARDEL_TRY_ASSIGN(const std::string_view name, mount.bundle().string(dependency.name));
        FARDEL_TRY_ASSIGN(const std::string_view version, mount.bundle().string(dependency.version));
        FARDEL_TRY(count_one());
        report.bundles.push_back({.mount = mount.id,
                                  .bundle = dependency.bundle,
                                  .name = std::string(name),
                                  .version = std::string(version),
                                  .is_static = (dependency.flags & DependencyRecord::is_static) != 0});
        return ok();
    }

    Status check_requirements(const Mount& mount) {
        FARDEL_TRY_ASSIGN(std::vector<MissingDependency> unmet, dependencies_.unmet_requirements(mount));
        for (MissingDependency& one : unmet) {
            FARDEL_TRY(count_one());
            report.requirements.push_back(std::move(one));
        }
        return ok();
    }

    Result<bool> is_published(std::string_view name) const {
        FARDEL_TRY_ASSIGN(const auto match, find_published(set_, name, name_hash(name)));
        return match.has_value();
    }

    // One element per pattern that the bundle consumes: whether a visible name matches it. All patterns are compared in
    // one pass over the names.
    Result<std::vector<bool>> match_patterns(const Bundle& consumer) const {
        std::vector<std::string> patterns;
        std::size_t pattern_bytes = 0;
        for (std::uint32_t i = 0; i < consumer.table_count(TableKind::consumes); ++i) {
            FARDEL_TRY_ASSIGN(const ConsumeRecord consume, consumer.consume(i));
            if ((consume.flags & ConsumeRecord::pattern) == 0)
                continue;
            FARDEL_TRY_ASSIGN(const std::string_view text, consumer.string(consume.text));
            FARDEL_TRY(verify_glob(text));
            pattern_bytes += text.size();
            // Patterns of a hostile bundle are run over all names of all mounts (tests/ATTACKS.md, A128).
            if (pattern_bytes > kGlobSetBytesMax)
                return Error(ErrorCode::limit, consumer.label() + ": the patterns that it consumes have more than " +
                                                   std::to_string(kGlobSetBytesMax) + " bytes together");
            patterns.emplace_back(text);
        }
        std::vector<bool> matched(patterns.size());
        if (patterns.empty())
            return matched;
        const GlobSet globs(patterns);
        for (const Mount& mount : set_.mounts())
            FARDEL_TRY(match_names(mount, globs, common_start(patterns), matched));
        return matched;
    }

    // `start`: every match begins with it.
    Status match_names(const Mount& mount, const GlobSet& globs, std::string_view start,
                       std::vector<bool>& matched) const {
        const Bundle& bundle = mount.bundle();
        const std::string folder = mount.mount_point.empty() ? std::string() : mount.mount_point + "/";
        if (!start.starts_with(folder) && !std::string_view(folder).starts_with(start))
            return ok();
        const std::string_view inside = start.size() > folder.size() ? start.substr(folder.size()) : std::string_view();
        FARDEL_TRY_ASSIGN(const NameIndex first, bundle.lower_bound_name(inside));
        std::vector<bool> found(matched.size());
        for (auto i = static_cast<std::uint32_t>(first); i < bundle.name_count(); ++i) {
            FARDEL_TRY_ASSIGN(const std::string_view text, bundle.name_text(NameIndex{i}));
            if (!text.starts_with(inside))
                break;
            const std::string name = folder + std::string(text);
            if (!globs.matches(name) || !verify_name(name))
                continue;
            FARDEL_TRY_ASSIGN(const NameRecord record, bundle.name(NameIndex{i}));
            if (!record.is(NameRecord::published) || record.is(NameRecord::tombstone))
                continue;
            // The look-up that says whether the name is visible is the expensive part, so it runs only for names that
            // would match something new.
            found = matched;
            globs.find_matches(name, found);
            if (found == matched)
                continue;
            FARDEL_TRY_ASSIGN(const bool visible, is_published(name));
            if (visible)
                matched = found;
        }
        return ok();
    }

    Status count_one() const {
        if (report.names.size() + report.bundles.size() + report.requirements.size() < unresolved_max_)
            return ok();
        return Error(ErrorCode::limit,
                     "more than " + std::to_string(unresolved_max_) + " names and bundles are unresolved");
    }

    const MountSet& set_;
    MissingDependencies dependencies_;
    std::size_t unresolved_max_;
};

}  // namespace

bool UnresolvedNeeds::complete() const noexcept {
    return std::ranges::all_of(names, &UnresolvedName::optional) &&
           std::ranges::none_of(bundles, &UnresolvedBundle::is_static) && requirements.empty();
}

std::vector<MissingDependency> find_newly_missing(const MountSet& before, const MountSet& after) {
    std::vector<MissingDependency> out;
    const MissingDependencies judge_before(before);
    const MissingDependencies judge_after(after);
    for (const Mount& mount : after.mounts()) {
        auto missing = judge_after.of(mount);
        if (!missing)
            continue;
        const Mount* const old = before.find(mount.id);
        const bool is_new = old == nullptr || old->content.number != mount.content.number;
        for (MissingDependency& one : *missing)
            // What was missing before the change is not repeated.
            if (is_new || !judge_before.has(one))
                out.push_back(std::move(one));
    }
    return out;
}

Result<UnresolvedNeeds> find_unresolved_needs(const MountSet& set, std::size_t unresolved_max) {
    NeedChecker checker(set, unresolved_max);
    for (const Mount& mount : set.mounts())
        FARDEL_TRY(checker.check(mount));
    return std::move(checker.report);
}

}  // namespace fardel
