#include <fardel/vfs/pure_check.h>

#include "pure_proof.h"

#include <fardel/format/bundle.h>
#include <fardel/format/byte_source.h>
#include <fardel/vfs/pure_judgement.h>

#include <algorithm>
#include <utility>

namespace fardel {
namespace {

const Bundle* find_bundle(PureBundles bundles, const BundleId& id) {
    const auto at = std::ranges::find_if(bundles, [&](const auto& bundle) { return bundle->id() == id; });
    return at == bundles.end() ? nullptr : at->get();
}

bool is_reported(std::span<const PureProblem> problems, const BundleId& bundle) {
    return std::ranges::find(problems, bundle, &PureProblem::bundle) != problems.end();
}

// The error's own text may contain a path of the client's disk, which the server must not learn.
PureProblem damage(const PureBundle& bundle, const Error& error) {
    return make_pure_problem(PureFault::wrong, bundle.bundle, bundle.name,
                             std::string(error_code_name(error.code())) + ": its content cannot be proved");
}

// Masks for PureAnswer::variants; judge_variants reports tags that the policy does not have.
std::array<std::uint32_t, PurePolicy::kAxesMax> masks_of(const PurePolicy& policy, std::span<const PureAxis> chosen) {
    std::array<std::uint32_t, PurePolicy::kAxesMax> masks{};
    const auto& axes = policy.rules().variants;
    for (std::size_t i = 0; i < axes.size(); ++i)
        for (const PureAxis& choice : chosen)
            for (std::size_t tag = 0; choice.axis == axes[i].axis && tag < axes[i].tags.size(); ++tag)
                if (std::ranges::find(choice.tags, axes[i].tags[tag]) != choice.tags.end())
                    masks[i] |= 1u << tag;
    return masks;
}

bool masks_fit(const PurePolicy& policy, std::span<const std::uint32_t> masks) {
    const auto& axes = policy.rules().variants;
    for (std::size_t i = 0; i < masks.size(); ++i) {
        const std::size_t tags = i < axes.size() ? axes[i].tags.size() : 0;
        if (tags < 32 && masks[i] >> tags != 0)
            return false;
    }
    return true;
}

Status verify_whole(const Bundle& bundle) {
    FARDEL_TRY(bundle.verify_tables());
    for (std::uint32_t i = 0; i < bundle.asset_count(); ++i)
        FARDEL_TRY(bundle.verify_asset(AssetIndex{i}));
    return ok();
}

std::optional<PureRefusal> refusal_of(PureNonce nonce) {
    switch (nonce) {
        case PureNonce::open: return std::nullopt;
        case PureNonce::unknown: return PureRefusal::unknown_offer;
        case PureNonce::replayed: return PureRefusal::replayed;
        case PureNonce::expired: return PureRefusal::expired;
        case PureNonce::other_connection: return PureRefusal::other_connection;
    }
    return PureRefusal::unknown_offer;
}

}  // namespace

Result<std::shared_ptr<const Bundle>> open_pure_bundle(std::shared_ptr<const ByteSource> source, std::string label) {
    return Bundle::open(std::move(source), {.label = std::move(label)});
}

Result<PureReply> answer_pure_offer(const PureOffer& offer, const PurePolicy& policy, PureBundles bundles,
                                    std::span<const PureAxis> chosen, std::string_view connection,
                                    std::vector<PureProblem> problems) {
    if (policy.digest() != offer.policy)
        return Error(ErrorCode::corrupt, "pure policy: not the one of the offer, which has the digest " +
                                             offer.policy.hex() + "; fetch it again");
    for (PureProblem& problem : judge_variants(policy, chosen))
        problems.push_back(std::move(problem));
    std::vector<Hash> pieces;
    const auto& wanted = policy.rules().bundles;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const Bundle* bundle = find_bundle(bundles, wanted[i].bundle);
        if (bundle == nullptr) {
            if (!is_reported(problems, wanted[i].bundle))
                problems.push_back(make_pure_problem(PureFault::missing, wanted[i].bundle, wanted[i].name,
                                                     "in the content set and not mounted"));
            continue;
        }
        const auto hash = hash_pieces(offer.nonce, i, wanted.size(), *bundle);
        if (hash)
            pieces.push_back(*hash);
        else if (!is_reported(problems, wanted[i].bundle))
            problems.push_back(damage(wanted[i], hash.error()));
    }
    PureReply reply;
    reply.report = PureReport(std::move(problems));
    reply.answer.nonce = offer.nonce;
    reply.answer.policy = offer.policy;
    reply.answer.connection = hash_connection(connection);
    reply.answer.report = reply.report.digest();
    reply.answer.variants = masks_of(policy, chosen);
    if (reply.report.empty())
        reply.answer.proof = prove(reply.answer, policy.content(), pieces);
    return reply;
}

std::vector<PureProblem> check_every_byte(const PurePolicy& policy, PureBundles bundles) {
    std::vector<PureProblem> problems;
    for (const PureBundle& wanted : policy.rules().bundles)
        if (const Bundle* bundle = find_bundle(bundles, wanted.bundle))
            if (const Status status = verify_whole(*bundle); !status)
                problems.push_back(damage(wanted, status.error()));
    return problems;
}

void PureOffers::forget_expired(std::uint64_t now_s) {
    while (!by_expiry_.empty() && by_expiry_.begin()->first < now_s) {
        const Hash nonce = by_expiry_.begin()->second;
        by_expiry_.erase(by_expiry_.begin());
        const auto entry = entries_.find(nonce);
        const auto open = by_connection_.find(entry->second.connection);
        if (open != by_connection_.end() && open->second == nonce)
            by_connection_.erase(open);
        entries_.erase(entry);
    }
}

Status PureOffers::open(const Hash& nonce, const Hash& connection, std::uint64_t now_s, std::uint64_t expires_s) {
    const std::scoped_lock lock(mutex_);
    if (entries_.contains(nonce))
        return Error(ErrorCode::conflict,
                     "pure offer: its nonce has been used before; is the source of random bytes broken?");
    if (entries_.size() >= offers_max_)
        forget_expired(now_s);
    if (entries_.size() >= offers_max_)
        return Error(ErrorCode::busy,
                     "pure offer: " + std::to_string(offers_max_) + " are open; try again when some have expired");
    if (const auto old = by_connection_.find(connection); old != by_connection_.end())
        entries_.at(old->second).taken = true;
    by_connection_[connection] = nonce;
    by_expiry_.emplace(expires_s, nonce);
    entries_.emplace(nonce, Entry{.connection = connection, .expires_s = expires_s, .taken = false});
    return ok();
}

PureNonce PureOffers::take(const Hash& nonce, const Hash& connection, std::uint64_t now_s) {
    const std::scoped_lock lock(mutex_);
    const auto at = entries_.find(nonce);
    if (at == entries_.end())
        return PureNonce::unknown;
    Entry& entry = at->second;
    if (entry.connection != connection)
        return PureNonce::other_connection;
    if (std::exchange(entry.taken, true))
        return PureNonce::replayed;
    by_connection_.erase(connection);
    return now_s > entry.expires_s ? PureNonce::expired : PureNonce::open;
}

Result<PureVerdict> check_pure_answer(const PureAnswer& answer, PureNonce nonce, const PurePolicy& policy,
                                      PureBundles bundles, std::string_view connection, const PureReport* report) {
    PureVerdict verdict{.nonce = answer.nonce, .report = answer.report};
    if (const auto refusal = refusal_of(nonce))
        verdict.add(*refusal);
    if (answer.connection != hash_connection(connection))
        verdict.add(PureRefusal::other_connection);
    if (answer.policy != policy.digest())
        verdict.add(PureRefusal::other_policy);
    if (!masks_fit(policy, answer.variants))
        verdict.add(PureRefusal::bad_variants);
    if (answer.report != PureReport().digest())
        verdict.add(PureRefusal::client_problems);
    if (report != nullptr && report->digest() != answer.report)
        verdict.add(PureRefusal::wrong_report);
    else if (report != nullptr)
        verdict.problems = report->counts();
    if (!verdict.welcome())
        return verdict;

    std::vector<Hash> pieces;
    const auto& wanted = policy.rules().bundles;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const Bundle* bundle = find_bundle(bundles, wanted[i].bundle);
        if (bundle == nullptr)
            return Error(ErrorCode::missing,
                         "bundle " + wanted[i].bundle.hex() + " of the policy: the server has no copy to check with");
        FARDEL_TRY_ASSIGN(const Hash hash, hash_pieces(answer.nonce, i, wanted.size(), *bundle));
        pieces.push_back(hash);
    }
    if (!equal_in_constant_time(prove(answer, policy.content(), pieces), answer.proof))
        verdict.add(PureRefusal::wrong_proof);
    return verdict;
}

}  // namespace fardel
