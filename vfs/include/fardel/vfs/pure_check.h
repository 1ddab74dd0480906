// The pure handshake: its three messages, and its two sides: a client answers an offer, a server checks the answer.
// docs/pure-mode.md.
//
// The messages are byte buffers for any netcode: offer, answer, verdict. Each has one size, however many bundles there
// are; lists (policy and report) are sent beside them and named by digest. A value has one encoding, and bytes that
// decode encode back to the same bytes. Decoding is safe on any bytes. Errors of decoding: malformed, unsupported (a
// later version).
//
// A client reads at most 64 pieces of 64 KiB for an answer, a server as much for an epoch, and nothing for an answer:
// verified, and through the descriptors that the bundles have had since they were mounted, so a file that is replaced
// on disk meanwhile changes nothing or fails its check. No clock and no random source is used: times, keys and nonces
// are arguments.
#pragma once

#include <fardel/base/result.h>
#include <fardel/base/unix_time.h>
#include <fardel/format/ids.h>
#include <fardel/format/name.h>
#include <fardel/vfs/pure_policy.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

class Bundle;
class ByteSource;  // <fardel/format/byte_source.h>

// ---- Offer: server → client -----------------------------------------------------------------------------------------

struct PureOffer {
    Hash nonce;                       // 32 unpredictable bytes, used once
    Hash policy;                      // PurePolicy::digest()
    Hash epoch;                       // PureEpoch::key
    std::vector<ForeignUrl> sources;  // of missing bundles; printable ASCII without spaces, not empty

    friend bool operator==(const PureOffer&, const PureOffer&) = default;
};
inline constexpr std::size_t kPureSourcesBytes = 512;  // all of them, each with a line feed at its end
inline constexpr std::size_t kPureOfferBytes = 16 + 3 * 32 + kPureSourcesBytes;

// Errors: malformed, limit (the sources).
Result<std::array<std::byte, kPureOfferBytes>> encode_pure_offer(const PureOffer& offer);
Result<PureOffer> decode_pure_offer(std::span<const std::byte> bytes);

// ---- Answer: client → server ----------------------------------------------------------------------------------------

struct PureAnswer {
    Hash nonce;       // the offer's
    Hash policy;      // the offer's
    Hash connection;  // hash_connection() of the client's own connection
    Hash report;      // PureReport::digest()
    // For each axis of the policy, in its order: bit i is set when the client may use tag i.
    std::array<std::uint32_t, PurePolicy::kAxesMax> variants{};
    Hash proof;  // over all of that and the content; zero if the report has problems

    friend bool operator==(const PureAnswer&, const PureAnswer&) = default;
};
inline constexpr std::size_t kPureAnswerBytes = 16 + 4 * 32 + 4 * PurePolicy::kAxesMax + 32;

std::array<std::byte, kPureAnswerBytes> encode_pure_answer(const PureAnswer& answer);
Result<PureAnswer> decode_pure_answer(std::span<const std::byte> bytes);

// `connection`: what server and client both know about their connection, e.g. "203.0.113.7:27960/4711".
Hash hash_connection(std::string_view connection) noexcept;

// ---- Verdict: server → client ---------------------------------------------------------------------------------------

// Bits of PureVerdict::refusals.
enum class PureRefusal : std::uint32_t {
    unknown_offer = 1 << 0,     // no open offer has this nonce
    replayed = 1 << 1,          // an answer to this offer has been taken before, or a newer offer was made
    expired = 1 << 2,           // too late
    other_connection = 1 << 3,  // made for another client
    other_policy = 1 << 4,      // made for another policy
    bad_variants = 1 << 5,      // tags or axes that the policy does not have
    client_problems = 1 << 6,   // the client's own report has some
    wrong_report = 1 << 7,      // the report that came with it is not the one it names
    wrong_proof = 1 << 8,       // content, order, variants or connection are not what the server has
};
inline constexpr std::uint32_t kPureRefusalsKnown = (1u << 9) - 1;

struct PureVerdict {
    Hash nonce;                                         // of the answer
    std::uint32_t refusals = 0;                         // 0: welcome
    std::array<std::uint32_t, kPureFaults> problems{};  // in the client's report, by fault; zeros without one
    Hash report;                                        // its digest, as the answer has it

    bool welcome() const noexcept { return refusals == 0; }
    bool has(PureRefusal refusal) const noexcept { return (refusals & static_cast<std::uint32_t>(refusal)) != 0; }
    void add(PureRefusal refusal) noexcept { refusals |= static_cast<std::uint32_t>(refusal); }
    friend bool operator==(const PureVerdict&, const PureVerdict&) = default;
};
inline constexpr std::size_t kPureVerdictBytes = 16 + 32 + 4 + 4 * kPureFaults + 32;

std::array<std::byte, kPureVerdictBytes> encode_pure_verdict(const PureVerdict& verdict);
Result<PureVerdict> decode_pure_verdict(std::span<const std::byte> bytes);

// "replayed", …: the words of docs/pure-mode.md, and a sentence for a person, one for each refusal.
struct PureRefusalText {
    std::string_view word;
    std::string_view sentence;
};
std::vector<PureRefusalText> refusal_texts(const PureVerdict& verdict);

// ---- Bundles --------------------------------------------------------------------------------------------------------

// Opens a bundle for the functions below. Without a trust policy: a layout that only the player's own key vouches for
// is then compared with the manifest, block by block (otherwise a false one is noticed only if a picked piece is in
// it). `label`: names the bundle in errors. Errors: malformed, unsupported, limit, corrupt, io.
Result<std::shared_ptr<const Bundle>> open_pure_bundle(std::shared_ptr<const ByteSource> source, std::string label);
using PureBundles = std::span<const std::shared_ptr<const Bundle>>;

// ---- Client ---------------------------------------------------------------------------------------------------------

// A client's answer to a server's offer.
struct PureReply {
    PureAnswer answer;
    PureReport report;  // goes to the server beside the answer; empty if nothing is wrong
};

// `bundles`: the visible ones, in any order; those of the content set are found by id. `problems`: those found so far;
// damage and missing bundles found here are added. Returns an answer in any case; with problems it has no proof. Error:
// corrupt (the policy is not the one of the offer).
Result<PureReply> answer_pure_offer(const PureOffer& offer, const PurePolicy& policy, PureBundles bundles,
                                    std::span<const PureAxis> chosen, std::string_view connection,
                                    std::vector<PureProblem> problems);

// Reads every byte of the bundles and returns a problem for each that is damaged anywhere; the pieces of an answer show
// that only by chance.
std::vector<PureProblem> check_every_byte(const PurePolicy& policy, PureBundles bundles);

// ---- Server ---------------------------------------------------------------------------------------------------------

// What a content set hashes to under a key: the server's half of all proofs of some time. It is a secret.
struct PureEpoch {
    Hash key;      // 32 unpredictable bytes, new for each epoch
    Hash content;  // of the pieces that the key picks

    friend bool operator==(const PureEpoch&, const PureEpoch&) = default;
};
// Reads the pieces. `bundles`: the server's own copies, in any order. Errors: missing (the server has no copy of a
// bundle of the content set), and those of reading.
Result<PureEpoch> make_pure_epoch(const Hash& key, const PurePolicy& policy, PureBundles bundles);

// What a server knows about the nonce of an answer.
enum class PureNonce : std::uint8_t { open, unknown, replayed, expired, other_connection };
struct PureClaim {
    PureNonce nonce = PureNonce::unknown;
    PureEpoch epoch;  // the offer's; zero unless the nonce is open
};

// The open offers of a server, in memory. Any thread.
class PureOffers {
public:
    explicit PureOffers(std::size_t offers_max = 1u << 16) : offers_max_(offers_max) {}

    // A connection has one open offer: an older one becomes void. Errors: conflict (the nonce is known), busy
    // (offers_max are open; some will expire).
    Status open(const Hash& nonce, const PureEpoch& epoch, const Hash& connection, UnixTime now, UnixTime expires);
    // Claims the offer, which is not open any more. A call for another connection claims nothing, so that a client
    // cannot void the offers of others.
    PureClaim claim(const Hash& nonce, const Hash& connection, UnixTime now);

private:
    struct Entry {
        PureEpoch epoch;
        Hash connection;
        UnixTime expires;
        bool claimed = false;
    };
    void forget_expired(UnixTime now);

    std::size_t offers_max_;
    std::mutex mutex_;
    std::map<Hash, Entry> entries_;       // claimed ones stay until they would have expired
    std::map<Hash, Hash> by_connection_;  // the open offer's nonce
    std::multimap<UnixTime, Hash> by_expiry_;
};

// Reads no content. `report`: the client's, or nullptr if it has not arrived. Everything that is wrong with the answer
// is in the verdict.
PureVerdict check_pure_answer(const PureAnswer& answer, const PureClaim& claim, const PurePolicy& policy,
                              std::string_view connection, const PureReport* report);

struct PureServerOptions {
    std::vector<std::string> sources;      // of its offers
    std::uint32_t valid_s = 60;            // for so long an offer can be answered
    std::uint32_t offers_per_minute = 30;  // to one address, on average
    std::uint32_t offers_at_once = 10;     // to one address, before the average counts
    std::size_t offers_max = 1u << 16;     // open ones, of all addresses
    std::size_t addresses_max = 1u << 16;  // that are counted apart; what comes beyond shares one average
};

// A server's side as a whole. Any thread; no function waits for one that reads.
class PureServer {
public:
    // `bundles`: the server's own copies, in any order. Errors: missing (one of the content set is not among them);
    // malformed, limit (the sources).
    static Result<PureServer> create(PurePolicy policy, PureBundles bundles, PureServerOptions options = {});
    ~PureServer();
    PureServer(PureServer&&) noexcept;
    PureServer& operator=(PureServer&&) noexcept;

    // Reads the content that the key picks; offers that are made afterwards use it, and those made before keep theirs.
    // To be called before the first offer, then about every half minute. `key`: 32 unpredictable bytes. Errors: those
    // of reading; the epoch before it stays.
    Status begin_epoch(const Hash& key);
    // `address`: whose offers are counted together; "203.0.113.7", or the first 64 bits of an IPv6 address. It should
    // have been proved to be the client's: an offer is larger than what asks for it. Errors: busy (too many offers to
    // this address, or to all), conflict (the nonce is known), missing (begin_epoch() was not called).
    Result<PureOffer> offer(const Hash& nonce, std::string_view address, std::string_view connection, UnixTime now);
    PureVerdict check(const PureAnswer& answer, std::string_view connection, const PureReport* report, UnixTime now);

private:
    struct State;
    explicit PureServer(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace fardel
