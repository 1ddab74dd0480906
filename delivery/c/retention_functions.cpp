// The functions of fardel_fetch.h that add to a store, export from it and keep it small.

#include "c_handles.h"

#include <fardel/base/clock.h>
#include <fardel/store/retention.h>
#include <fardel/verifier/verify_bundle.h>

#include <algorithm>
#include <functional>
#include <limits>

namespace fardel::c {
namespace {

constexpr std::size_t kAdditionBytesLeast = offsetof(fardel_store_addition, was_there) + sizeof(std::int32_t);
constexpr std::size_t kCollectionBytesLeast = offsetof(fardel_collection_options, is_dry_run) + sizeof(std::int32_t);
constexpr std::size_t kUsageBytesLeast = offsetof(fardel_store_usage, pins) + sizeof(std::uint64_t);
constexpr std::size_t kRemovedMax = 1u << 20;  // in one call; more were never set

// Work that the caller's function watches and may end.
class WatchedWork {
public:
    WatchedWork(fardel_store_progress progress, void* context) noexcept : progress_(progress), context_(context) {}
    StoreWork work() {
        return {.progress = [this](const StoreProgress& now) { show(now.done_bytes, now.total_bytes); },
                .stop = stop_.get_token()};
    }
    VerifyOptions verification() {
        VerifyOptions options;
        options.progress = [this](const VerifyProgress& now) { show(now.stored_bytes_done, now.stored_bytes_total); };
        options.stop = stop_.get_token();
        return options;
    }

private:
    void show(std::uint64_t done, std::uint64_t total) {
        if (progress_ != nullptr && !stop_.stop_requested() && progress_(context_, done, total) != 0)
            stop_.request_stop();
    }

    fardel_store_progress progress_;
    void* context_;
    std::stop_source stop_;
};

// A store trusts nothing, so what is damaged must not get in, nor out as if it were good.
Status verify_whole(const std::shared_ptr<const ByteSource>& source, const VerifyOptions& options,
                    std::string_view consequence) {
    FARDEL_TRY_ASSIGN(const VerifyReport report, verify_bundle(source, options));
    if (report.good())
        return ok();
    const auto first = std::ranges::find(report.findings, FindingSeverity::error, &VerifyFinding::severity);
    return Error(first->code, format_finding(*first) + "; " + std::string(consequence));
}

Result<StoreAddition> add_file(const BundleStore& store, const std::string& path, const TrustChoice& trust,
                               WatchedWork& watched) {
    FARDEL_TRY_ASSIGN(const auto source, open_file_source(path));
    VerifyOptions options = watched.verification();
    options.policy = trust.policy.get();
    options.time = trust.time;
    FARDEL_TRY(verify_whole(source, options, "nothing was added"));
    return store.add(source, watched.work());
}

Status export_file(const BundleStore& store, const BundleId& bundle, const std::string& path, WatchedWork& watched) {
    FARDEL_TRY_ASSIGN(const auto source, store.open_whole_bundle(bundle));
    VerifyOptions options = watched.verification();
    options.time = TrustTime::ignored();
    FARDEL_TRY(verify_whole(source, options, "nothing was exported"));
    return store.export_bundle(bundle, path, watched.work());
}

std::int64_t seconds_of(std::uint64_t seconds) noexcept {
    constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
    return static_cast<std::int64_t>(std::min(seconds, kMost));
}

RetentionRules rules_of(const fardel_collection_options& options) {
    RetentionRules rules;
    rules.now = options.now_s != 0 ? UnixTime{options.now_s} : system_now();
    if (options.bytes_max != 0)
        rules.bytes_max = options.bytes_max;
    if (options.unused_for_s != 0)
        rules.unused_for_s = seconds_of(options.unused_for_s);
    if (options.grace_s != 0)
        rules.grace_s = seconds_of(options.grace_s);
    if (options.is_without_grace != 0)
        rules.grace_s = 0;
    rules.dry_run = options.is_dry_run != 0;
    return rules;
}

void report_collected(const CollectionReport& report, fardel_bundle_collected collected, void* context) {
    for (const CollectedBundle& bundle : report.bundles) {
        const std::string reason(removal_reason_text(bundle.reason));
        const fardel_collected_bundle out{.struct_size = sizeof out,
                                          .file_bytes = bundle.file_bytes,
                                          .reason = reason.c_str(),
                                          .bundle = plain_id(bundle.bundle),
                                          .is_removed = bundle.removed ? 1 : 0};
        collected(context, &out);
    }
}

}  // namespace
}  // namespace fardel::c

using namespace fardel;
using namespace fardel::c;

fardel_code fardel_store_add(const fardel_store* store, const char* path, const fardel_trust_options* trust,
                             fardel_store_progress progress, void* context, fardel_store_addition* addition,
                             fardel_error* error) {
    return call(error, store != nullptr && path != nullptr, [&](const Report& report) {
        if (addition != nullptr && !is_size(addition->struct_size, kAdditionBytesLeast))
            return report.argument("the addition's struct_size is not set");
        TrustChoice choice;
        if (const fardel_code bad = read_trust(trust, choice, report); bad != FARDEL_OK)
            return bad;
        WatchedWork watched(progress, context);
        return report.end(add_file(store->store, path, choice, watched), [&](const StoreAddition& added) {
            const fardel_store_addition out{.struct_size = sizeof out,
                                            .file_bytes = added.file_bytes,
                                            .written_bytes = added.written_bytes,
                                            .shared_bytes = added.shared_bytes,
                                            .bundle = plain_id(added.bundle),
                                            .was_there = added.was_there ? 1 : 0};
            if (addition != nullptr)
                give(out, addition);
        });
    });
}

fardel_code fardel_store_export(const fardel_store* store, const fardel_id* bundle, const char* path,
                                fardel_store_progress progress, void* context, fardel_error* error) {
    return call(error, store != nullptr && bundle != nullptr && path != nullptr, [&](const Report& report) {
        WatchedWork watched(progress, context);
        return report.end(export_file(store->store, id_of<BundleId>(*bundle), path, watched));
    });
}

fardel_code fardel_store_pin(const fardel_store* store, const fardel_id* bundle, const char* name, uint64_t until_s,
                             fardel_error* error) {
    return call(error, store != nullptr && bundle != nullptr && name != nullptr, [&](const Report& report) {
        BundlePin pin{.bundle = id_of<BundleId>(*bundle), .name = name, .until = {}};
        if (until_s != 0)
            pin.until = UnixTime{until_s};
        return report.end(store->store.pin(pin));
    });
}

fardel_code fardel_store_unpin(const fardel_store* store, const fardel_id* bundle, const char* name,
                               fardel_error* error) {
    return call(error, store != nullptr && bundle != nullptr && name != nullptr, [&](const Report& report) {
        const auto was_there = store->store.unpin(id_of<BundleId>(*bundle), name);
        if (!was_there)
            return report.fail(was_there.error());
        return *was_there ? fardel_code{FARDEL_OK}
                          : report.fail(FARDEL_ERROR_MISSING, "no pin of this name keeps the bundle");
    });
}

fardel_code fardel_store_list_pins(const fardel_store* store, fardel_pin_listed listed, void* context, size_t* count,
                                   fardel_error* error) {
    if (count != nullptr)
        *count = 0;
    return call(error, store != nullptr, [&](const Report& report) {
        return report.end(store->store.pins(), [&](const std::vector<BundlePin>& pins) {
            if (count != nullptr)
                *count = pins.size();
            if (listed == nullptr)
                return;
            for (const BundlePin& pin : pins) {
                const fardel_id bundle = plain_id(pin.bundle);
                listed(context, &bundle, pin.name.c_str(), pin.until ? pin.until->seconds : 0);
            }
        });
    });
}

fardel_code fardel_store_remove(const fardel_store* store, const fardel_id* bundles, size_t bundle_count,
                                fardel_error* error) {
    return call(error, store != nullptr && (bundles != nullptr || bundle_count == 0) && bundle_count <= kRemovedMax,
                [&](const Report& report) {
                    std::vector<BundleId> ids;
                    for (std::size_t i = 0; i < bundle_count; ++i)
                        ids.push_back(id_of<BundleId>(bundles[i]));
                    return report.end(store->store.remove_bundles(ids, system_now()));
                });
}

fardel_code fardel_store_collect(const fardel_store* store, const fardel_collection_options* options,
                                 fardel_bundle_collected collected, void* context, uint64_t* removed_bytes,
                                 fardel_error* error) {
    if (removed_bytes != nullptr)
        *removed_bytes = 0;
    return call(error, store != nullptr, [&](const Report& report) {
        fardel_collection_options given = FARDEL_COLLECTION_OPTIONS_INIT;
        if (const fardel_code bad = read_options(options, kCollectionBytesLeast, given, report); bad != FARDEL_OK)
            return bad;
        return report.end(store->store.collect(rules_of(given)), [&](const CollectionReport& done) {
            if (removed_bytes != nullptr)
                *removed_bytes = done.removed_bytes;
            if (collected != nullptr)
                report_collected(done, collected, context);
        });
    });
}

fardel_code fardel_store_read_usage(const fardel_store* store, fardel_store_usage* usage, fardel_error* error) {
    return call(error, store != nullptr && usage != nullptr, [&](const Report& report) {
        if (!is_size(usage->struct_size, kUsageBytesLeast))
            return report.argument("the struct_size of the usage is not set");
        return report.end(store->store.usage(system_now()), [&](const StoreUsage& now) {
            const fardel_store_usage out{.struct_size = sizeof out,
                                         .bundles = now.bundles,
                                         .file_bytes = now.file_bytes,
                                         .pack_bytes = now.pack_bytes,
                                         .unnamed_bytes = now.unnamed_bytes,
                                         .referred_bytes = now.referred_bytes,
                                         .condemned_bundles = now.condemned_bundles,
                                         .pins = now.pins};
            give(out, usage);
        });
    });
}
