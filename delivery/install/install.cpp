#include <fardel/delivery/install.h>

#include "fetch/polled_work.h"

#include <fardel/delivery/author_changes.h>
#include <fardel/delivery/fetch_bundles.h>
#include <fardel/delivery/install_bundles.h>

#include <utility>

namespace fardel {

struct Install::Impl {
    Impl(BundleStore opened, InstallWork wanted, InstallCallbacks called)
        : store(std::move(opened)), work(std::move(wanted)), polled(std::move(called)) {}

    Result<InstallSummary> run() {
        return install_bundles(store, work,
                               {.followed = nullptr,
                                .conflicts = [this](const std::vector<std::string>& found) { conflicts = found; },
                                .author_consent =
                                    [this](const std::vector<AuthorChange>& changes) {
                                        author_changes = changes;
                                        return refuse_author_changes(changes, "accept them by name and key");
                                    },
                                .consent = polled.consent(),
                                .progress = polled.progress(),
                                .stop = polled.token()});
    }

    const BundleStore store;
    const InstallWork work;
    std::vector<std::string> conflicts;                                // of the thread until there is an outcome
    std::vector<AuthorChange> author_changes;                          // the same
    PolledWork<InstallPlan, InstallSummary, InstallCallbacks> polled;  // last: its thread uses the others
};

Install::Install(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Install::~Install() = default;
Install::Install(Install&&) noexcept = default;
Install& Install::operator=(Install&&) noexcept = default;

Result<Install> Install::start(const BundleStore& store, InstallWork work, InstallCallbacks callbacks) {
    if (work.lock.empty())
        return Error(ErrorCode::malformed, "no lock file is named");
    if (!work.time.now())
        return Error(ErrorCode::malformed, "channels need a time: their dates cannot be ignored");
    ServerList servers = work.servers;
    for (const std::string& mirror : work.mirrors)
        servers.add(mirror);
    if (!servers.empty())  // otherwise the lock file names them
        FARDEL_TRY(verify_servers(servers));
    FARDEL_TRY_ASSIGN(BundleStore opened, BundleStore::open(store.path(), true));
    auto impl = std::make_unique<Impl>(std::move(opened), std::move(work), std::move(callbacks));
    FARDEL_TRY(impl->polled.start([&install = *impl] { return install.run(); }, "installing"));
    return Install(std::move(impl));
}

bool Install::poll(std::chrono::milliseconds wait_max) { return impl_->polled.poll(wait_max); }
const Result<InstallSummary>& Install::wait() { return impl_->polled.wait(); }
void Install::accept() { impl_->polled.reply(ok()); }
void Install::refuse(Error reason) { impl_->polled.reply(std::move(reason)); }
void Install::cancel() noexcept { impl_->polled.cancel(); }
const Result<InstallSummary>* Install::outcome() const noexcept { return impl_->polled.outcome(); }

const std::vector<std::string>& Install::conflicts() const noexcept {
    static const std::vector<std::string> kNone;
    return outcome() != nullptr ? impl_->conflicts : kNone;
}

const std::vector<AuthorChange>& Install::author_changes() const noexcept {
    static const std::vector<AuthorChange> kNone;
    return outcome() != nullptr ? impl_->author_changes : kNone;
}

}  // namespace fardel
