// The two sides of the pure handshake: a client answers an offer, a server checks the answer. docs/pure-mode.md.
//
// Both read content, at most 256 pieces of 64 KiB or one per bundle, verified and through the descriptors that the
// bundles have had since they were mounted: a file that is replaced on disk meanwhile changes nothing or fails its
// check. No clock and no random source is used: time and nonce are arguments.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/ids.h>
#include <fardel/vfs/pure.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

namespace fardel {

class Bundle;  // <fardel/format/bundle.h>
using PureBundles = std::span<const std::shared_ptr<const Bundle>>;

// ---- Client ---------------------------------------------------------------------------------------------------------

// `bundles`: the visible ones, in any order; those of the content set are found by id. Open them without a trust
// policy: a layout that only the player's own key vouches for is then compared with the manifest, block by block
// (otherwise a false one is noticed only if a picked piece is in it). `problems`: those found so far, by judge_mounts
// for example; damage and missing bundles found here are added. Returns an answer in any case; with problems it has no
// proof. Error: corrupt (the policy is not the one of the offer).
Result<PureReply> answer_pure_offer(const PureOffer& offer, const PurePolicy& policy, PureBundles bundles,
                                    std::span<const PureAxis> chosen, std::string_view connection,
                                    std::vector<PureProblem> problems);

// Reads every byte of the bundles and returns a problem for each that is damaged anywhere; the pieces of an answer show
// that only by chance.
std::vector<PureProblem> check_every_byte(const PurePolicy& policy, PureBundles bundles);

// ---- Server ---------------------------------------------------------------------------------------------------------

// What a server knows about the nonce of an answer.
enum class PureNonce : std::uint8_t { open, unknown, replayed, expired, other_connection };

// The open offers of a server, in memory. Any thread.
class PureOffers {
public:
    explicit PureOffers(std::size_t offers_max = 1u << 16) : offers_max_(offers_max) {}

    // A connection has one open offer: an older one becomes void. Errors: conflict (the nonce is known), busy
    // (offers_max are open; some will expire).
    Status open(const Hash& nonce, const Hash& connection, std::uint64_t now_s, std::uint64_t expires_s);
    // Takes the offer, which is not open any more. A call for another connection takes nothing, so that a client cannot
    // void the offers of others.
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

// `nonce`: the result of take(). `bundles`: the server's own copies, in any order. `report`: the client's, or nullptr
// if it has not arrived. Pieces are read only if nothing else is wrong. Errors: missing (the server has no copy of a
// bundle of the content set), and those of reading the server's own bundles; everything wrong with the answer is in the
// verdict.
Result<PureVerdict> check_pure_answer(const PureAnswer& answer, PureNonce nonce, const PurePolicy& policy,
                                      PureBundles bundles, std::string_view connection, const PureReport* report);

}  // namespace fardel
