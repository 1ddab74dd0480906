// The functions of fardel_fetch.h about fetches.

#include "c_handles.h"

#include <fardel/format/tag.h>

#include <chrono>
#include <optional>

struct fardel_fetch {
    std::optional<fardel::Fetch> fetch;  // its callbacks keep a pointer to this struct
};

namespace fardel::c {
namespace {

constexpr std::size_t kFetchOptionsBytesLeast = offsetof(fardel_fetch_options, ended) + sizeof(void*);
constexpr std::size_t kListedIdsMax = 1u << 20;  // of one list; more were never set

// ---- Callbacks ------------------------------------------------------------------------------------------------------

void report_plan(const fardel_fetch_options& options, fardel_fetch* fetch, const FetchPlan& plan) {
    const PlainPlan plain(plan);
    options.planned(options.context, fetch, &plain.get());
}

void report_progress(const fardel_fetch_options& options, fardel_fetch* fetch, const FetchProgress& progress) {
    const fardel_fetch_progress out = plain_progress(progress);
    options.progress(options.context, fetch, &out);
}

void report_end(const fardel_fetch_options& options, fardel_fetch* fetch, const Result<FetchSummary>& outcome) {
    const fardel_fetch_outcome out{.struct_size = sizeof out,
                                   .text = outcome ? "" : outcome.error().message().c_str(),
                                   .received_bytes = outcome ? outcome->received_bytes : 0,
                                   .requests = outcome ? outcome->requests : 0,
                                   .code = outcome ? fardel_code{FARDEL_OK} : code_of(outcome.error().code())};
    options.ended(options.context, fetch, &out);
}

FetchCallbacks callbacks_of(const fardel_fetch_options& options, fardel_fetch* fetch) {
    FetchCallbacks callbacks;
    if (options.planned != nullptr)
        callbacks.planned = [options, fetch](const FetchPlan& plan) { report_plan(options, fetch, plan); };
    if (options.progress != nullptr)
        callbacks.progress = [options, fetch](const FetchProgress& now) { report_progress(options, fetch, now); };
    if (options.fault != nullptr)
        callbacks.fault = [options, fetch](const Error& fault) {
            options.fault(options.context, fetch, code_of(fault.code()), fault.message().c_str());
        };
    if (options.ended != nullptr)
        callbacks.ended = [options, fetch](const Result<FetchSummary>& outcome) {
            report_end(options, fetch, outcome);
        };
    return callbacks;
}

// ---- What the caller gives ------------------------------------------------------------------------------------------

template <class Id>
bool read_ids(const fardel_id* ids, std::size_t count, std::vector<Id>& out) {
    if (count > kListedIdsMax || (ids == nullptr && count != 0))
        return false;
    for (std::size_t i = 0; i < count; ++i)
        out.push_back(id_of<Id>(ids[i]));
    return true;
}

fardel_code read_selection(const fardel_fetch_options& options, ContentSelection& out, const Report& report) {
    std::vector<std::string> tags;
    if (!read_texts(options.names, options.name_count, out.names) ||
        !read_texts(options.closures, options.closure_count, out.closures) ||
        !read_ids(options.assets, options.asset_count, out.assets) ||
        !read_texts(options.tags, options.tag_count, tags))
        return report.argument("a null pointer in the selection, or too much in it");
    for (const std::string& text : tags) {
        auto tag = parse_tag(text);
        if (!tag)
            return report.fail(tag.error());
        out.tags.push_back(*std::move(tag));
    }
    return FARDEL_OK;
}

fardel_code read_work(const fardel_fetch_options& options, FetchWork& work, const Report& report) {
    if (options.servers == nullptr)
        return report.argument("no servers are given");
    ServerChoice servers;
    if (const fardel_code bad = read_servers(options.servers, servers, report); bad != FARDEL_OK)
        return bad;
    TrustChoice trust;
    if (const fardel_code bad = read_trust(options.trust, trust, report); bad != FARDEL_OK)
        return bad;
    if (!read_ids(options.bundles, options.bundle_count, work.bundles) || work.bundles.empty())
        return report.argument("no bundles are given, or too many");
    work.servers = std::move(servers.list);
    work.bytes_per_second_max = servers.bytes_per_second_max;
    work.connections = servers.connections;
    work.policy = std::move(trust.policy);
    work.time = trust.time;
    work.source = options.source != nullptr ? options.source : "";
    work.source_bytes_max = options.source_bytes_max;
    return read_selection(options, work.selection, report);
}

}  // namespace
}  // namespace fardel::c

// ---- The functions --------------------------------------------------------------------------------------------------

using namespace fardel;
using namespace fardel::c;

fardel_code fardel_fetch_start(const fardel_store* store, const fardel_fetch_options* options, fardel_fetch** fetch,
                               fardel_error* error) {
    if (fetch != nullptr)
        *fetch = nullptr;
    return call(error, store != nullptr && options != nullptr && fetch != nullptr, [&](const Report& report) {
        fardel_fetch_options taken = FARDEL_FETCH_OPTIONS_INIT;
        if (const fardel_code bad = read_options(options, kFetchOptionsBytesLeast, taken, report); bad != FARDEL_OK)
            return bad;
        FetchWork work;
        if (const fardel_code bad = read_work(taken, work, report); bad != FARDEL_OK)
            return bad;
        // Callbacks run only in poll(), that is, when the handle has its fetch and the caller has the handle.
        auto handle = std::make_unique<fardel_fetch>();
        return report.end(Fetch::start(store->store, std::move(work), callbacks_of(taken, handle.get())),
                          [&](Fetch started) {
                              handle->fetch.emplace(std::move(started));
                              *fetch = handle.release();
                          });
    });
}

fardel_code fardel_fetch_poll(fardel_fetch* fetch, uint32_t wait_max_ms, int32_t* has_ended, fardel_error* error) {
    if (has_ended != nullptr)
        *has_ended = 0;
    return call(error, fetch != nullptr, [&](const Report&) {
        const bool ended = fetch->fetch->poll(std::chrono::milliseconds(wait_max_ms));
        if (has_ended != nullptr)
            *has_ended = ended ? 1 : 0;
        return fardel_code{FARDEL_OK};
    });
}

void fardel_fetch_accept(fardel_fetch* fetch) {
    call(nullptr, fetch != nullptr, [&](const Report&) {
        fetch->fetch->accept();
        return fardel_code{FARDEL_OK};
    });
}

void fardel_fetch_refuse(fardel_fetch* fetch, const char* reason) {
    call(nullptr, fetch != nullptr, [&](const Report&) {
        fetch->fetch->refuse(Error(ErrorCode::denied, reason != nullptr ? reason : "the plan was refused"));
        return fardel_code{FARDEL_OK};
    });
}

void fardel_fetch_cancel(fardel_fetch* fetch) {
    if (fetch != nullptr)
        fetch->fetch->cancel();
}

void fardel_fetch_close(fardel_fetch* fetch) { delete fetch; }
