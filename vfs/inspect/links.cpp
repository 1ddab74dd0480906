#include "links.h"

#include "lookup/resolve.h"

#include <fardel/format/name.h>
#include <fardel/vfs/vfs_path.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace fardel {
namespace {

// Of a glob, the text before its first special character: what it matches begins with that.
std::string_view literal_prefix(std::string_view pattern) { return pattern.substr(0, pattern.find_first_of("*?[{\\")); }

class LinkChecker {
public:
    LinkChecker(const MountSet& set, std::size_t missing_max) : set_(set), missing_max_(missing_max) {}

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

    LinkReport report;

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

    // Whether a visible name of the tree matches.
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
        const std::string place = mount.place.empty() ? std::string() : mount.place + "/";
        const std::string_view prefix = literal_prefix(pattern);
        if (!prefix.starts_with(place) && !std::string_view(place).starts_with(prefix))
            return false;
        const std::string_view inside = prefix.size() > place.size() ? prefix.substr(place.size()) : std::string_view();
        FARDEL_TRY_ASSIGN(const NameIndex first, bundle.lower_bound_name(inside));
        for (auto i = static_cast<std::uint32_t>(first); i < bundle.name_count(); ++i) {
            FARDEL_TRY_ASSIGN(const std::string_view text, bundle.name_text(NameIndex{i}));
            if (!text.starts_with(inside))
                break;
            FARDEL_TRY_ASSIGN(const NameRecord record, bundle.name(NameIndex{i}));
            const std::string name = place + std::string(text);
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
        if (report.names.size() + report.bundles.size() < missing_max_)
            return ok();
        return Error(ErrorCode::limit, "more than " + std::to_string(missing_max_) + " names and bundles are missing");
    }

    const MountSet& set_;
    std::size_t missing_max_;
};

}  // namespace

bool LinkReport::complete() const noexcept {
    return std::ranges::all_of(names, &MissingName::optional) &&
           std::ranges::none_of(bundles, &MissingBundle::is_static);
}

Result<LinkReport> find_missing_links(const MountSet& set, std::size_t missing_max) {
    LinkChecker checker(set, missing_max);
    for (const Mount& mount : set.mounts())
        FARDEL_TRY(checker.check(mount));
    return std::move(checker.report);
}

}  // namespace fardel
