// The two sides of the pure handshake: a client answers an offer, a server checks the answer. docs/pure-mode.md.
//
// Both read content, at most 256 pieces of 64 KiB or one a bundle, verified and through the descriptors that the
// bundles have had since they were mounted: what is replaced on disk meanwhile changes nothing or fails its check. No
// clock and no random source is asked: time and nonce are arguments.
#pragma once

#include <fardel/format/bundle.h>
#include <fardel/format/ids.h>
#include <fardel/format/result.h>
#include <fardel/vfs/pure.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace fardel {

using PureBundles = std::span<const std::shared_ptr<const Bundle>>;

// ---- Client ---------------------------------------------------------------------------------------------------------

// `bundles`: those that are visible, in any order; the ones of the content set are found by id. They are best opened
// without a trust policy: a layout that only the player's own key vouches for is then held against the manifest, block
// by block (else it shows in the proof, where a picked piece meets it). `problems`: what
// judge_mounts and others have found; damage and missing bundles met here are added. An answer is made in any case;
// with problems it has no proof. Error: corrupt (the policy is not the one of the offer).
Result<PureReply> answer_pure_offer(const PureOffer& offer, const PurePolicy& policy, PureBundles bundles,
                                    std::span<const PureAxis> chosen, std::string_view connection,
                                    std::vector<PureProblem> problems);

// Reads every byte of the bundles: a problem for each that is damaged anywhere, which the pieces of an answer would
// show by chance only.
std::vector<PureProblem> check_every_byte(const PurePolicy& policy, PureBundles bundles);

// ---- Server ---------------------------------------------------------------------------------------------------------

// What a server knows of the nonce in an answer.
enum class PureNonce : std::uint8_t { open, unknown, replayed, expired, other_connection };

// The open offers of a server, in memory. Any thread.
class PureOffers {
public:
    explicit PureOffers(std::size_t offers_max = 1u << 16) : offers_max_(offers_max) {}

    // One connection has one open offer: an older one is void from now on. Errors: conflict (the nonce is known), busy
    // (offers_max are open; some will expire).
    Status open(const Hash& nonce, const Hash& connection, std::uint64_t now_s, std::uint64_t expires_s);
    // Takes the offer, so that it is open no more. Another connection's call takes nothing: it could else void offers
    // of others.
    PureNonce take(const Hash& nonce, const Hash& connection, std::uint64_t now_s);

private:
    struct Entry {
        Hash connection;
        std::uint64_t expires_s = 0;
        bool taken = false;
    };
    void forget_expired(std::uint64_t now_s);

    std::size_t offers_max_;
    std::mutex mutex_;
    std::map<Hash, Entry> entries_;       // taken ones stay until they would have expired
    std::map<Hash, Hash> by_connection_;  // the open offer's nonce
    std::multimap<std::uint64_t, Hash> by_expiry_;
};

// `nonce`: what take() said. `bundles`: the server's own copies, in any order. `report`: the client's, when it came.
// Pieces are read only when nothing else is wrong. Errors: missing (the server has no copy of a bundle of the content
// set), and those of reading the server's own bundles; all that is wrong with the answer is in the verdict.
Result<PureVerdict> check_pure_answer(const PureAnswer& answer, PureNonce nonce, const PurePolicy& policy,
                                      PureBundles bundles, std::string_view connection, const PureReport* report);

}  // namespace fardel
