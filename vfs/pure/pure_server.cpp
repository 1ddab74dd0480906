#include <fardel/vfs/pure_check.h>

#include "address_rate.h"
#include "domain_hash.h"
#include "pure_proof.h"

#include <fardel/format/bundle.h>

#include <mutex>
#include <optional>
#include <utility>

namespace fardel {

struct PureServer::State {
    State(PurePolicy server_policy, PureBundles own_bundles, PureServerOptions server_options)
        : policy(std::move(server_policy)),
          bundles(own_bundles.begin(), own_bundles.end()),
          options(std::move(server_options)),
          offers(options.offers_max),
          rate(options.offers_per_minute, options.offers_at_once, options.addresses_max) {}

    const PurePolicy policy;
    const std::vector<std::shared_ptr<const Bundle>> bundles;
    const PureServerOptions options;
    PureOffers offers;
    AddressRate rate;
    std::mutex mutex;  // for the epoch
    std::optional<PureEpoch> epoch;
};

// What the clients have to be careful with.
static std::vector<ForeignUrl> named_by(const PureServerOptions& options) {
    return {options.sources.begin(), options.sources.end()};
}

PureServer::PureServer(std::unique_ptr<State> state) : state_(std::move(state)) {}
PureServer::~PureServer() = default;
PureServer::PureServer(PureServer&&) noexcept = default;
PureServer& PureServer::operator=(PureServer&&) noexcept = default;

Result<PureServer> PureServer::create(PurePolicy policy, PureBundles bundles, PureServerOptions options) {
    FARDEL_TRY(encode_pure_offer({.sources = named_by(options)}));
    FARDEL_TRY(find_all_pure_bundles(policy.content(), bundles));
    return PureServer(std::make_unique<State>(std::move(policy), bundles, std::move(options)));
}

// Pieces are picked and hashed once per epoch, for all clients: with a nonce that picks its own, a server read up to
// 256 pieces for each answer, which is what a flood makes expensive. What is given up: within an epoch all clients
// prove the same, so one accomplice can compute for several; for each alone an accomplice could do so before, too.
Status PureServer::begin_epoch(const Hash& key) {
    FARDEL_TRY_ASSIGN(const PureEpoch epoch, make_pure_epoch(key, state_->policy, state_->bundles));
    const std::scoped_lock lock(state_->mutex);
    state_->epoch = epoch;
    return ok();
}

Result<PureOffer> PureServer::offer(const Hash& nonce, std::string_view address, std::string_view connection,
                                    UnixTime now) {
    std::optional<PureEpoch> epoch;
    {
        const std::scoped_lock lock(state_->mutex);
        epoch = state_->epoch;
    }
    if (!epoch)
        return Error(ErrorCode::missing, "pure offer: no epoch was begun; call begin_epoch() first");
    // Offers are limited, and not answers: an answer costs a few hashes, and refusing it would let others silence a
    // client.
    if (!state_->rate.try_spend(domain_hash("fardel pure address 1", address), now))
        return Error(ErrorCode::busy, "pure offer: this address asks too often; ask again in a minute");
    FARDEL_TRY(state_->offers.open(nonce, *epoch, hash_connection(connection), now, now + state_->options.valid_s));
    return PureOffer{
        .nonce = nonce, .policy = state_->policy.digest(), .epoch = epoch->key, .sources = named_by(state_->options)};
}

PureVerdict PureServer::check(const PureAnswer& answer, std::string_view connection, const PureReport* report,
                              UnixTime now) {
    const PureClaim claim = state_->offers.claim(answer.nonce, hash_connection(connection), now);
    return check_pure_answer(answer, claim, state_->policy, connection, report);
}

}  // namespace fardel
