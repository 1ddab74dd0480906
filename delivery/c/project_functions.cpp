// The functions of fardel_fetch.h about projects that are edited while the game runs.

#include "c_handles.h"

#include <fardel/format/reader_source.h>

#include <utility>
#include <vector>

using namespace fardel;
using namespace fardel::c;

namespace {

constexpr std::size_t kProjectOptionsBytesLeast = offsetof(fardel_project_options, mounted_count) + sizeof(std::size_t);
constexpr std::size_t kMountedMax = 1u << 16;

fardel_code read_project_options(const fardel_project_options* given, TrustChoice& trust, RemoteProjectOptions& out,
                                 const Report& report) {
    if (given == nullptr)
        return FARDEL_OK;
    fardel_project_options taken = FARDEL_PROJECT_OPTIONS_INIT;
    if (const fardel_code bad = read_options(given, kProjectOptionsBytesLeast, taken, report); bad != FARDEL_OK)
        return bad;
    if (taken.mounted_count > kMountedMax || (taken.mounted == nullptr && taken.mounted_count != 0))
        return report.argument("a null pointer for the mounted bundles, or too many of them");
    if (const fardel_code bad = read_trust(taken.trust, trust, report); bad != FARDEL_OK)
        return bad;
    out.policy = trust.policy.get();
    out.time = trust.time;
    for (std::size_t i = 0; i < taken.mounted_count; ++i)
        out.mounted.push_back(id_of<BundleId>(taken.mounted[i]));
    return FARDEL_OK;
}

}  // namespace

fardel_code fardel_project_open(const fardel_store* store, const fardel_servers* servers,
                                const fardel_project_options* options, fardel_project** project, fardel_error* error) {
    if (project != nullptr)
        *project = nullptr;
    return call(error, store != nullptr && servers != nullptr && project != nullptr, [&](const Report& report) {
        TrustChoice trust;
        RemoteProjectOptions how;
        if (const fardel_code bad = read_project_options(options, trust, how, report); bad != FARDEL_OK)
            return bad;
        return report.end(
            RemoteProject::open(store->store, servers->servers, std::move(how)), [&](RemoteProject opened) {
                *project = new fardel_project{
                    .policy = std::move(trust.policy), .project = std::move(opened), .bundles = {}, .stop = {}};
            });
    });
}

fardel_code fardel_project_poll(fardel_project* project, int32_t* has_changed, fardel_error* error) {
    if (has_changed != nullptr)
        *has_changed = 0;
    return call(error, project != nullptr, [&](const Report& report) {
        return report.end(project->project.poll(project->stop.get_token()), [&](std::vector<RemoteMount> bundles) {
            if (bundles.empty())
                return;
            project->bundles = std::move(bundles);
            if (has_changed != nullptr)
                *has_changed = 1;
        });
    });
}

fardel_code fardel_project_root(const fardel_project* project, fardel_id* root, fardel_error* error) {
    return call(error, project != nullptr && root != nullptr, [&](const Report& report) {
        if (project->bundles.empty())
            return report.fail(FARDEL_ERROR_MISSING, "the project has no root yet: fardel_project_poll() comes first");
        *root = plain_id(project->bundles.back().bundle);
        return fardel_code{FARDEL_OK};
    });
}

fardel_code fardel_project_bundles(const fardel_project* project, fardel_bundle_named named, void* context,
                                   size_t* count, fardel_error* error) {
    if (count != nullptr)
        *count = 0;
    return call(error, project != nullptr, [&](const Report&) {
        std::vector<BundleId> bundles;
        for (const RemoteMount& bundle : project->bundles)
            bundles.push_back(bundle.bundle);
        if (named != nullptr)
            report_bundles(bundles, named, context);
        if (count != nullptr)
            *count = bundles.size();
        return fardel_code{FARDEL_OK};
    });
}

fardel_code fardel_project_readers(const fardel_project* project, fardel_reader* readers, size_t reader_count,
                                   fardel_error* error) {
    return call(error, project != nullptr && readers != nullptr, [&](const Report& report) {
        if (reader_count != project->bundles.size())
            return report.fail(FARDEL_ERROR_LIMIT, "the project has another number of bundles");
        for (std::size_t i = 0; i < reader_count; ++i)
            if (!is_size(readers[i].struct_size, kReaderBytesLeast))
                return report.argument("a reader's struct_size is not set");
        for (std::size_t i = 0; i < reader_count; ++i)
            if (const fardel_code bad = give_reader(project->bundles[i].source, &readers[i], report); bad != FARDEL_OK)
                return bad;
        return fardel_code{FARDEL_OK};
    });
}

void fardel_project_stop(fardel_project* project) {
    call(nullptr, project != nullptr, [&](const Report&) {
        project->stop.request_stop();
        return fardel_code{FARDEL_OK};
    });
}

void fardel_project_close(fardel_project* project) { delete project; }
