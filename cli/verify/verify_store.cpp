#include "verify/verify_whole.h"

#include "console/figures.h"

#include <fardel/format/name.h>

#include <fmt/format.h>

#include <utility>

namespace fardel {

Result<VerifyOutcome> verify_store(const BundleStore& store, const VerifyOptions& options) {
    VerifyOutcome outcome{.files = {}, .policy = {}, .set = {}, .whole = store.path(), .subject = "the store"};
    FARDEL_TRY_ASSIGN(const StoreCheckReport checked, store.check(true, {.progress = {}, .stop = options.stop}));
    for (const std::string& finding : checked.findings)
        add_finding(outcome.set, "store-damaged", "", Error(ErrorCode::corrupt, printable(finding, 2000)));
    FARDEL_TRY_ASSIGN(const auto bundles, store.list());
    for (const StoredBundle& one : bundles) {
        if (one.held_bytes < one.file_bytes) {
            add_finding(
                outcome.set, "store-incomplete", "bundle " + one.bundle.hex(),
                Error(ErrorCode::missing, fmt::format("{} of {} are here; it was not verified",
                                                      format_size(one.held_bytes), format_size(one.file_bytes))));
            continue;
        }
        auto source = store.peek_bundle(one.bundle);
        if (!source) {
            add_finding(outcome.set, "store-damaged", "bundle " + one.bundle.hex(), source.error());
            continue;
        }
        VerifyOptions alone = options;
        alone.local_layout_allowed = true;  // of a bundle that a delta or a repack stored again
        FARDEL_TRY_ASSIGN(VerifyReport report, verify_bundle(*std::move(source), alone));
        outcome.files.push_back(store.path() + "/" + one.bundle.hex());
        outcome.set.bundles.push_back(std::move(report));
    }
    return outcome;
}

}  // namespace fardel
