// What a game shows its player before content is fetched: who has signed, in C++ and in C.
#include "delivery/c/c_fetch.h"
#include "delivery/served_bundle.h"

#include "hosting/registry/wire_registry.h"

#include "kit/bundles.h"

#include <fardel/delivery/fardel_fetch.h>
#include <fardel/delivery/fetch.h>
#include <fardel/format/c_interface.h>
#include <fardel/format/signer.h>
#include <fardel/format/trust_policy.h>

namespace fardel::tests::fetch_consent_test {

// Two have signed the bundle, and the policy knows one of them.
struct SignedGame {
    SignedGame() {
        const auto author = make_key_signer(SecretKey::generate());
        const auto stranger = make_key_signer(SecretKey::generate());
        BundlePlan plan;
        add(plan, "a.txt", "x");
        plan.metadata = {{.key = "name", .value = "maps"}, {.key = "version", .value = "2"}};
        bytes = bytes_of(signed_by(*stranger, bytes_of(signed_by(*author, written(plan)))));
        const PolicyKey key{.label = "author", .key = author->public_key()};
        policy = std::make_shared<const TrustPolicy>(value_of(make_policy(std::span(&key, 1), {})));
    }
    Bytes bytes;
    std::shared_ptr<const TrustPolicy> policy;
};

TEST_CASE("fetch consent: it shows who has signed, by the policy's labels, and no signer that does not count") {
    const ScratchFolder scratch;
    const SignedGame game;
    const TreeServer server({game.bytes});
    const BundleStore store = make_store(scratch);
    FetchWork work;
    work.servers = {server.url()};
    work.bundles = {bundle_id_of(game.bytes)};
    work.policy = game.policy;
    work.time = TrustTime::at(kNow);
    std::vector<PlannedFetch> shown;
    Fetch* running = nullptr;
    FetchCallbacks callbacks;
    callbacks.planned = [&](const FetchPlan& plan) {
        shown = plan.bundles;
        running->accept();
    };
    Fetch fetch = value_of(Fetch::start(store, work, callbacks));
    running = &fetch;
    value_of(fetch.wait());
    REQUIRE(shown.size() == 1);
    CHECK(shown[0].name == "maps");
    CHECK(shown[0].version == "2");
    CHECK(shown[0].signers == std::vector<std::string>{"author"});
    CHECK(stored_bytes(store, bundle_id_of(game.bytes)) == game.bytes);
}

TEST_CASE("fetch consent: it shows the same in C") {
    const ScratchFolder scratch;
    const SignedGame game;
    const TreeServer server({game.bytes});
    const CStore store(scratch);
    const CServers servers(server.url());
    const fardel_id id = c::plain_id(bundle_id_of(game.bytes));
    const std::string policy = game.policy->format();
    fardel_trust_options trust = FARDEL_TRUST_OPTIONS_INIT;
    trust.policy_text = policy.c_str();
    trust.now_s = kNow.seconds;
    std::string shown;
    fardel_fetch_options options = FARDEL_FETCH_OPTIONS_INIT;
    options.servers = &servers.options;
    options.trust = &trust;
    options.bundles = &id;
    options.bundle_count = 1;
    options.context = &shown;
    options.planned = [](void* context, fardel_fetch* fetch, const fardel_fetch_plan* plan) {
        std::string& text = *static_cast<std::string*>(context);
        for (std::size_t i = 0; i < plan->bundle_count; ++i) {
            const fardel_planned_fetch& planned = *plan->bundles[i];
            text += std::string(planned.name) + " " + planned.version + ":";
            for (std::size_t j = 0; j < planned.signer_count; ++j)
                text += std::string(" ") + planned.signers[j];
        }
        fardel_fetch_accept(fetch);
    };
    run_fetch(store, options);
    CHECK(shown == "maps 2: author");
    std::size_t count = 0;
    CHECK(fardel_store_list(store, nullptr, nullptr, &count, nullptr) == FARDEL_OK);
    CHECK(count == 1);
}

}  // namespace fardel::tests::fetch_consent_test
