#include <fardel/delivery/fetch.h>

#include "fetch/polled_work.h"

#include <fardel/delivery/fetch_bundles.h>
#include <fardel/format/name.h>

#include <utility>

namespace fardel {

namespace {

constexpr std::size_t kSourceBytesMax = 2048;  // what the store keeps

}  // namespace

struct Fetch::Impl {
    Impl(BundleStore opened, FetchWork wanted, FetchCallbacks called)
        : store(std::move(opened)), work(std::move(wanted)), polled(std::move(called)) {}

    Result<FetchSummary> run() {
        return fetch_bundles(store, {.work = work,
                                     .consent = polled.consent(),
                                     .progress = polled.progress(),
                                     .fault = polled.fault(),
                                     .stop = polled.token(),
                                     .damaged_copy = nullptr,
                                     .times = {}});
    }

    const BundleStore store;
    const FetchWork work;
    PolledWork<FetchPlan, FetchSummary, FetchCallbacks> polled;  // last: its thread uses the others
};

Fetch::Fetch(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Fetch::~Fetch() = default;
Fetch::Fetch(Fetch&&) noexcept = default;
Fetch& Fetch::operator=(Fetch&&) noexcept = default;

Result<Fetch> Fetch::start(const BundleStore& store, FetchWork work, FetchCallbacks callbacks) {
    FARDEL_TRY(verify_servers(work.servers));
    if (printable(work.source, kSourceBytesMax) != work.source)
        return Error(ErrorCode::malformed,
                     "the source of a fetch is plain text of at most " + std::to_string(kSourceBytesMax) + " bytes");
    FARDEL_TRY_ASSIGN(BundleStore opened, BundleStore::open(store.path(), true));
    auto impl = std::make_unique<Impl>(std::move(opened), std::move(work), std::move(callbacks));
    FARDEL_TRY(impl->polled.start([&fetch = *impl] { return fetch.run(); }, "fetching"));
    return Fetch(std::move(impl));
}

bool Fetch::poll(std::chrono::milliseconds wait_max) { return impl_->polled.poll(wait_max); }
const Result<FetchSummary>& Fetch::wait() { return impl_->polled.wait(); }
void Fetch::accept() { impl_->polled.reply(ok()); }
void Fetch::refuse(Error reason) { impl_->polled.reply(std::move(reason)); }
void Fetch::cancel() noexcept { impl_->polled.cancel(); }
const Result<FetchSummary>* Fetch::outcome() const noexcept { return impl_->polled.outcome(); }

}  // namespace fardel
