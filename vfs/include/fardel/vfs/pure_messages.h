// The three messages of the pure handshake, as byte buffers for any netcode: offer, answer, verdict. docs/pure-mode.md.
//
// Each has one size, however many bundles there are; lists (policy and report) are sent beside them and named by
// digest. A value has one encoding, and bytes that decode encode back to the same bytes. Decoding is safe on any bytes.
// Errors of decoding: malformed, unsupported (a later version).
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/ids.h>
#include <fardel/vfs/pure_policy.h>
#include <fardel/vfs/pure_report.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

// ---- Offer: server → client -----------------------------------------------------------------------------------------

struct PureOffer {
    Hash nonce;                        // 32 unpredictable bytes, used once
    Hash policy;                       // PurePolicy::digest()
    std::vector<std::string> sources;  // URLs of missing bundles; printable ASCII without spaces, not empty

    friend bool operator==(const PureOffer&, const PureOffer&) = default;
};
inline constexpr std::size_t kPureSourcesBytes = 512;  // all of them, each with a line feed at its end
inline constexpr std::size_t kPureOfferBytes = 16 + 32 + 32 + kPureSourcesBytes;

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
    replayed = 1 << 1,          // an answer to this offer has been taken before
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

}  // namespace fardel
