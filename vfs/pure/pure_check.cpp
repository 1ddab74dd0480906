#include <fardel/vfs/pure_check.h>

#include "pure_proof.h"

#include <fardel/format/bundle.h>
#include <fardel/format/byte_source.h>
#include <fardel/vfs/pure_judgement.h>

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_set>
#include <utility>

namespace fardel {
namespace {

// The error's own text may contain a path of the client's disk, which the server must not learn.
PureProblem damage(const PureBundle& bundle, const Error& error) {
    return make_pure_problem(PureFault::wrong, bundle.bundle, bundle.name,
                             std::string(error_code_name(error.code())) + ": its content cannot be proved");
}

// Bundles that are missing, and those whose picked pieces could not be read, unless something about them is reported.
void add_content_problems(const PurePolicy& policy, OrderedBundles ordered,
                          const std::map<std::size_t, Error>& failures, std::vector<PureProblem>& problems) {
    std::unordered_set<BundleId> reported;
    for (const PureProblem& problem : problems)
        reported.insert(problem.bundle);
    const auto& wanted = policy.rules().bundles;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (reported.contains(wanted[i].bundle))
            continue;
        if (ordered[i] == nullptr)
            problems.push_back(make_pure_problem(PureFault::missing, wanted[i].bundle, wanted[i].name,
                                                 "in the content set and not mounted"));
        else if (const auto failure = failures.find(i); failure != failures.end())
            problems.push_back(damage(wanted[i], failure->second));
    }
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
    // The policy came any way, unsigned; only its digest in the offer says whose it is.
    if (policy.digest() != offer.policy)
        return Error(ErrorCode::corrupt, "pure policy: not the one of the offer, which has the digest " +
                                             offer.policy.hex() + "; fetch it again");
    for (PureProblem& problem : judge_variants(policy, chosen))
        problems.push_back(std::move(problem));
    const auto ordered = find_pure_bundles(policy.content(), bundles);
    std::map<std::size_t, Error> failures;  // by position in the content set
    const Hash content = hash_content(offer.epoch, policy.content(), ordered,
                                      [&](std::size_t at, const Error& error) { failures.emplace(at, error); });
    add_content_problems(policy, ordered, failures, problems);
    PureReply reply;
    reply.report = PureReport(std::move(problems));
    reply.answer.nonce = offer.nonce;
    reply.answer.policy = offer.policy;
    reply.answer.connection = hash_connection(connection);
    reply.answer.report = reply.report.digest();
    reply.answer.variants = masks_of(policy, chosen);
    // An answer with problems has no proof: the server could not tell from one keyed hash which bundle differs.
    if (reply.report.empty())
        reply.answer.proof = prove(reply.answer, content);
    return reply;
}

std::vector<PureProblem> check_every_byte(const PurePolicy& policy, PureBundles bundles) {
    std::vector<PureProblem> problems;
    const auto ordered = find_pure_bundles(policy.content(), bundles);
    for (std::size_t i = 0; i < ordered.size(); ++i)
        if (ordered[i] != nullptr)
            if (const Status status = verify_whole(*ordered[i]); !status)
                problems.push_back(damage(policy.rules().bundles[i], status.error()));
    return problems;
}

Result<PureEpoch> make_pure_epoch(const Hash& key, const PurePolicy& policy, PureBundles bundles) {
    FARDEL_TRY_ASSIGN(const auto ordered, find_all_pure_bundles(policy.content(), bundles));
    std::optional<Error> failure;
    const auto failed = [&](std::size_t, const Error& error) { failure = error; };
    const PureEpoch epoch{.key = key, .content = hash_content(key, policy.content(), ordered, failed)};
    // A server that cannot read its own content must not accept clients with the same damage.
    if (failure)
        return *std::move(failure);
    return epoch;
}

PureVerdict check_pure_answer(const PureAnswer& answer, const PureClaim& claim, const PurePolicy& policy,
                              std::string_view connection, const PureReport* report) {
    PureVerdict verdict{.nonce = answer.nonce, .report = answer.report};
    // All problems at once, so that a player does not meet them one after the other.
    if (const auto refusal = refusal_of(claim.nonce))
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
    // Only if nothing else is wrong: otherwise a wrong proof is a consequence, and would be the misleading reason.
    if (verdict.welcome() && !equal_in_constant_time(prove(answer, claim.epoch.content), answer.proof))
        verdict.add(PureRefusal::wrong_proof);
    return verdict;
}

}  // namespace fardel
