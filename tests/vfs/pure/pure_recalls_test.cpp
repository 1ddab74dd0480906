#include "kit/test.h"

#include <fardel/vfs/pure_policy.h>

namespace fardel::tests::pure_recalls_test {

using Bundles = std::vector<Revocation<BundleId>>;
using Keys = std::vector<Revocation<PublicKey>>;

const Hash kChannel = Hash::parse(std::string(64, '1')).value();
const Hash kOtherChannel = Hash::parse(std::string(64, '2')).value();
const Revocation<BundleId> kOwn{BundleId::parse(std::string(64, 'a')).value(), "mine"};
const Revocation<BundleId> kRecalled{BundleId::parse(std::string(64, 'b')).value(), "crashes"};
const Revocation<PublicKey> kStolen{PublicKey::parse(std::string(64, 'c')).value(), "stolen"};

// What the client's rules withdraw on a server whose policy names the channel "game/stable".
TrustRules rules_on_server(const PureChannel& followed) {
    PureRules server;
    server.channels = {{.name = "game/stable", .id = kChannel}};
    const PurePolicy policy = PurePolicy::make(std::move(server)).value();
    TrustRules own;
    own.revoked_bundles = {kOwn};
    const std::vector<PureRecalls> recalls = {{.channel = followed, .bundles = {kRecalled}, .keys = {kStolen}}};
    return without_recalled(std::move(own), policy, recalls);
}

TEST_CASE("pure recalls: what a channel recalls that the policy names is withdrawn, besides the client's own") {
    const TrustRules rules = rules_on_server({.name = "game/stable", .id = kChannel});
    CHECK(rules.revoked_bundles == Bundles{kOwn, kRecalled});
    CHECK(rules.revoked_keys == Keys{kStolen});
}

TEST_CASE("pure recalls: a channel that the policy does not name, or with another id, recalls nothing") {
    for (const PureChannel& followed :
         {PureChannel{.name = "game/stable", .id = kOtherChannel}, PureChannel{.name = "game/beta", .id = kChannel}}) {
        CAPTURE(followed.name);
        const TrustRules rules = rules_on_server(followed);
        CHECK(rules.revoked_bundles == Bundles{kOwn});
        CHECK(rules.revoked_keys.empty());
    }
}

}  // namespace fardel::tests::pure_recalls_test
