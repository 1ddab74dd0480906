#include <fardel/hosting/registry_check.h>

#include "publish/condemned_list.h"
#include "registry/pages.h"
#include "registry/registry_folder.h"

#include <fardel/base/folder.h>
#include <fardel/base/text_fields.h>
#include <fardel/delivery/first_contact.h>
#include <fardel/delivery/tree_paths.h>
#include <fardel/format/hash.h>
#include <fardel/format/name.h>
#include <fardel/hosting/publish.h>
#include <fardel/hosting/published_signatures.h>
#include <fardel/verifier/verify_bundle.h>

#include <algorithm>
#include <utility>

namespace fardel {
namespace {

class RegistryChecker {
public:
    RegistryChecker(const std::string& folder, const RegistryCheckOptions& options)
        : folder_(folder), options_(options) {}

    Result<RegistryCheck> check() {
        // No server changes the folder meanwhile.
        FARDEL_TRY_ASSIGN(const Descriptor lock, folder_.lock());
        FARDEL_TRY(folder_.read_for_check(options_.now));
        for (const CatalogueProblem& problem : folder_.problems())
            add(problem.path, problem.code, problem.text);
        check_head();
        check_release();
        check_owners();
        FARDEL_TRY(check_bundles());
        // A list without what the disk did not give would be wrong; the one that is there stays.
        if (std::ranges::none_of(folder_.problems(), &CatalogueProblem::is_unread))
            FARDEL_TRY(folder_.write_pages({}));
        check_files();
        std::ranges::stable_sort(check_.problems, {}, &RegistryProblem::path);
        return std::move(check_);
    }

private:
    void add(const std::string& path, ErrorCode code, std::string text) {
        problem_paths_.insert(path);
        check_.problems.push_back({printable(path, 400), code, printable(text, 4000)});
    }

    const RegistryState& state() const { return *folder_.state(); }

    void check_head() {
        const std::optional<UnixTime> expires = folder_.head_expires();
        const std::string path = channel_head_path(state().rules.channel);
        if (!expires)
            add(path, ErrorCode::missing, "there is no head that the keys of the newest root have signed");
        else if (has_passed(expires, options_.now))
            add(path, ErrorCode::expired, "the head has expired; the server renews it when it starts");
    }

    void check_release() {
        check_.bundles = state().catalogue.entries().size();
        for (const BundleId& id : state().unreleased)
            add(tree_path_of(id), ErrorCode::unresolved,
                "is neither in the newest release nor recalled; the server adds it when it starts");
        check_.set_aside = state().set_aside.size();
        for (const auto& [id, reason] : state().set_aside)
            add(tree_path_of(id), ErrorCode::limit,
                "is set aside, and in no release: " + reason.text + " [" + reason.reason + "]");
        if (!state().release)
            return;
        check_.released = state().release->bundles.size();
        check_.recalled = state().release->recalled_bundles.size();
        for (const ReleasedBundle& listed : state().release->bundles) {
            const CatalogueEntry* const entry = state().catalogue.find(listed.bundle);
            const std::string path = tree_path_of(listed.bundle);
            if (entry == nullptr && !has_problem(path))
                add(path, ErrorCode::missing, "the newest release names it; copy it from a backup, or recall it");
            else if (entry != nullptr && released_bundle_of(*entry) != listed)
                add(path, ErrorCode::corrupt, "the newest release gives it another name, version or size");
        }
    }

    bool has_problem(const std::string& path) const { return problem_paths_.contains(path); }

    void check_owners() {
        if (!folder_.has_recorded_names())
            add(std::string(kRegistryNamesFile), ErrorCode::unresolved,
                "it lacks names of the newest release; the server adds them when it starts");
        for (const auto& [id, entry] : state().catalogue.entries()) {
            if (!state().catalogue.has_owned(entry.author, entry.name, state().rules))
                add(tree_path_of(id), ErrorCode::untrusted,
                    printable(entry.name) + " belongs to another key than that of its author");
        }
    }

    Status check_bundles() {
        for (const auto& [id, entry] : state().catalogue.entries()) {
            std::vector<RegistryRefusal> remarks;
            FARDEL_TRY_ASSIGN(const auto source, folder_.tree().open(tree_path_of(id)));
            if (const auto later = read_published_signatures(folder_.tree(), id); !later)
                add(signatures_path_of(id), later.error().code(), later.error().message());
            if (!options_.reads_bundles)
                continue;
            FARDEL_TRY_ASSIGN(const VerifyReport report,
                              verify_bundle(source, {.time = TrustTime::ignored(), .stop = options_.stop}));
            for (const VerifyFinding& finding : report.findings)
                if (finding.severity == FindingSeverity::error)
                    add(tree_path_of(id), finding.code, format_finding(finding));
            if (!report.good())
                continue;
            // The bundle is in its place; this writes what belongs beside it and is missing.
            FARDEL_TRY(
                publish_bundle(source, folder_.tree(), {.progress = {}, .stop = options_.stop, .now = options_.now}));
            FARDEL_TRY(folder_.write_bundle_page(id, remarks_of(report)));
        }
        return ok();
    }

    // All but what belongs to a registry. Hidden files at the top are Fardel's own.
    void check_files() {
        for (const auto& [page, text] : overview_pages(state()))
            pages_.insert(page);
        for (const auto& [id, entry] : state().catalogue.entries())
            pages_.insert(name_page_path(entry.name));
        for (const auto& [name, holders] : state().catalogue.recorded().names())
            pages_.insert(name_page_path(name));
        const Status visited =
            visit_folder(folder_.path(), [&](const std::string& path, const FileStatus& status) -> Result<bool> {
                if (path.starts_with(".fardel-"))
                    return false;
                // A link is not followed: what it leads to would be readable by everybody, too.
                if (!status.is_folder() && (!status.is_file() || !is_ours(path)))
                    add(path, ErrorCode::unresolved, "does not belong to the registry, and anybody can read it");
                return true;
            });
        if (!visited)
            add(".", ErrorCode::io, "the folder cannot be read whole: " + visited.error().message());
    }

    bool is_ours(const std::string& path) const {
        const std::string channel = std::string(kChannelsFolder) + "/" + state().rules.channel + "/";
        if (path == kRegistryRulesFile || path == kRegistryListFile || path == kRegistryNamesFile ||
            path == kCondemnedListPath || path == kChannelListPath)
            return true;
        if (path.starts_with("bundles/"))
            return is_of_bundle(std::string_view(path).substr(8));
        if (path.starts_with("deltas/"))
            return path.ends_with("/list") || path.ends_with(".delta");
        if (path.starts_with("names/") || path.starts_with("pages/") || path == overview_page_path(1))
            return pages_.contains(path);
        if (!path.starts_with(channel))
            return false;
        std::string_view rest = std::string_view(path).substr(channel.size());
        const std::string_view folder = read_until(rest, '/');
        return (folder == "head" && rest.empty()) || (folder == "root" && parse_decimal(rest, UINT64_MAX)) ||
               ((folder == "release" || folder == "requirements") && Hash::parse(rest));
    }

    bool is_of_bundle(std::string_view file) const {
        const auto id = BundleId::parse(read_until(file, '.'));
        const bool is_known = file == "fardel" || file == "tables" || file == "frames" || file == "slices" ||
                              file == "trace" || file == "signatures" ||
                              (file == "html" && id && state().catalogue.find(*id) != nullptr);
        return id && is_known;
    }

    RegistryFolder folder_;
    const RegistryCheckOptions& options_;
    RegistryCheck check_;
    std::set<std::string> problem_paths_;
    std::set<std::string> pages_;
};

}  // namespace

Result<RegistryCheck> check_registry(const std::string& folder, const RegistryCheckOptions& options) {
    return RegistryChecker(folder, options).check();
}

}  // namespace fardel
