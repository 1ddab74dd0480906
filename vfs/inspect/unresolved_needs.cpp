#include "inspection.h"

#include "lookup/resolve.h"

#include <fardel/format/manifest.h>
#include <fardel/format/name.h>
#include <fardel/vfs/vfs_path.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace fardel {
namespace {

// The text of a glob before its first special character: every match begins with it.
std::string_view literal_prefix(std::string_view pattern) { return pattern.substr(0, pattern.find_first_of("*?[{\\")); }

class NeedChecker {
public:
    NeedChecker(const MountSet& set, std::size_t unresolved_max) : set_(set), unresolved_max_(unresolved_max) {}

    Status check(const Mount& mount) {
        const Bundle& bundle = *mount.bundle;
        for (std::uint32_t i = 0; i < bundle.table_count(TableKind::consumes); ++i) {
            FARDEL_TRY_ASSIGN(const ConsumeRecord consume, bundle.consume(i));
            FARDEL_TRY(check_name(mount, consume));
        }
        for (std::uint32_t i = 0; i < bundle.table_count(TableKind::dependencies); ++i) {
            FARDEL_TRY_ASSIGN(const DependencyRecord dependency, bundle.dependency(i));
            FARDEL_TRY(check_dependency(mount, dependency));
        }
        return ok();
    }

    UnresolvedNeeds report;

private:
    Status check_name(const Mount& mount, const ConsumeRecord& consume) {
        FARDEL_TRY_ASSIGN(const std::string_view text, mount.bundle->string(consume.text));
        const bool pattern = (consume.flags & ConsumeRecord::pattern) != 0;
        FARDEL_TRY(pattern ? verify_glob(text) : verify_name(text));
        FARDEL_TRY_ASSIGN(const bool published, pattern ? any_matches(text) : is_published(text));
        if (published)
            return ok();
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
        FARDEL_TRY_ASSIGN(const std::string_view name, mount.bundle->string(dependency.name));
        FARDEL_TRY_ASSIGN(const std::string_view version, mount.bundle->string(dependency.version));
        FARDEL_TRY(count_one());
        report.bundles.push_back({.mount = mount.id,
                                  .bundle = dependency.bundle,
                                  .name = std::string(name),
                                  .version = std::string(version),
                                  .is_static = (dependency.flags & DependencyRecord::is_static) != 0});
        return ok();
    }

    Result<bool> is_published(std::string_view name) const {
        FARDEL_TRY_ASSIGN(const auto match, find_published(set_, name, name_hash(name)));
        return match.has_value();
    }

    // Whether a visible name matches the pattern.
    Result<bool> any_matches(std::string_view pattern) const {
        for (const Mount& mount : set_.mounts()) {
            FARDEL_TRY_ASSIGN(const bool found, any_of_mount_matches(mount, pattern));
            if (found)
                return true;
        }
        return false;
    }

    Result<bool> any_of_mount_matches(const Mount& mount, std::string_view pattern) const {
        const Bundle& bundle = *mount.bundle;
        const std::string folder = mount.mount_point.empty() ? std::string() : mount.mount_point + "/";
        const std::string_view prefix = literal_prefix(pattern);
        if (!prefix.starts_with(folder) && !std::string_view(folder).starts_with(prefix))
            return false;
        const std::string_view inside =
            prefix.size() > folder.size() ? prefix.substr(folder.size()) : std::string_view();
        FARDEL_TRY_ASSIGN(const NameIndex first, bundle.lower_bound_name(inside));
        for (auto i = static_cast<std::uint32_t>(first); i < bundle.name_count(); ++i) {
            FARDEL_TRY_ASSIGN(const std::string_view text, bundle.name_text(NameIndex{i}));
            if (!text.starts_with(inside))
                break;
            FARDEL_TRY_ASSIGN(const NameRecord record, bundle.name(NameIndex{i}));
            const std::string name = folder + std::string(text);
            if (!record.is(NameRecord::published) || record.is(NameRecord::tombstone) || !verify_name(name) ||
                !glob_matches(pattern, name))
                continue;
            FARDEL_TRY_ASSIGN(const bool visible, is_published(name));
            if (visible)
                return true;
        }
        return false;
    }

    Status count_one() const {
        if (report.names.size() + report.bundles.size() < unresolved_max_)
            return ok();
        return Error(ErrorCode::limit,
                     "more than " + std::to_string(unresolved_max_) + " names and bundles are unresolved");
    }

    const MountSet& set_;
    std::size_t unresolved_max_;
};

}  // namespace

bool UnresolvedNeeds::complete() const noexcept {
    return std::ranges::all_of(names, &UnresolvedName::optional) &&
           std::ranges::none_of(bundles, &UnresolvedBundle::is_static);
}

Result<UnresolvedNeeds> find_unresolved_needs(const MountSet& set, std::size_t unresolved_max) {
    NeedChecker checker(set, unresolved_max);
    for (const Mount& mount : set.mounts())
        FARDEL_TRY(checker.check(mount));
    return std::move(checker.report);
}

}  // namespace fardel
