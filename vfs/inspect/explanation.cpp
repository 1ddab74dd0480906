#include "inspection.h"

#include "lookup/asset_choice.h"
#include "lookup/resolve.h"

#include <fardel/format/hash.h>
#include <fardel/format/manifest.h>
#include <fardel/format/name.h>

#include <utility>

namespace fardel {
namespace {

// Content that is whole can still be withdrawn, or past its date.
CandidateOutcome outcome_of(const Error& error) {
    return error.code() == ErrorCode::revoked || error.code() == ErrorCode::expired ? CandidateOutcome::refused
                                                                                    : CandidateOutcome::damaged;
}

Status describe_choice(const AssetChoice& choice, PathCandidate& out) {
    FARDEL_TRY_ASSIGN(const File file, open_choice(choice));
    out.asset = file.asset_id();
    out.size_bytes = file.size_bytes();
    out.variant.clear();
    for (const auto& [axis, value] : choice.tags)
        out.variant += (out.variant.empty() ? "" : " ") + std::string(axis) + '=' + std::string(value);
    return choice.mount->verify_not_recalled();
}

// Describes a match: the bundle's spelling, the number of variants, and the asset that open() would take.
Status describe_match(const MountSet& set, const NameMatch& match, PathCandidate& out) {
    const Bundle& bundle = match.mount->bundle();
    FARDEL_TRY_ASSIGN(const std::string_view text, bundle.name_text(match.index));
    FARDEL_TRY(verify_name(text));
    out.name = text;
    out.variants = match.record.count;
    if (match.record.is(NameRecord::tombstone))
        return ok();
    FARDEL_TRY_ASSIGN(const AssetChoice choice, choose_own(set, match, WithTags::yes));
    return describe_choice(choice, out);
}

// Notes the error of a description that failed.
void note_error(Status described, PathCandidate& out) {
    if (!described)
        out.error = std::move(described).error();
}

// `deciding`: the mount that decides about the name, or nullptr if none does.
CandidateOutcome outcome_of(const NameMatch& match, const Mount* deciding) {
    if (!match.record.is(NameRecord::published))
        return CandidateOutcome::not_published;
    if (!match.may_publish)
        return CandidateOutcome::not_allowed;
    if (match.record.is(NameRecord::extends))
        return CandidateOutcome::extends_only;
    if (match.mount == deciding)
        return match.record.is(NameRecord::tombstone) ? CandidateOutcome::tombstone : CandidateOutcome::wins;
    if (match.mount < deciding)  // mounts are in order of precedence
        return CandidateOutcome::adds_only;
    return deciding->priority > match.mount->priority ? CandidateOutcome::lower_priority
                                                      : CandidateOutcome::mounted_earlier;
}

// The chosen variant may belong to another mount than the one that gives the name.
void explain_choice(const MountSet& set, const PathParts& path, const NameMatch& winning, Explanation& out) {
    auto choice = choose_published(set, winning, path.name, path.hash, WithTags::yes);
    if (!choice) {
        out.candidates[*out.winner].outcome = outcome_of(choice.error());
        out.candidates[*out.winner].error = std::move(choice).error();
        out.winner.reset();
        return;
    }
    for (std::size_t i = 0; i < out.candidates.size(); ++i) {
        if (out.candidates[i].mount.id != choice->mount->id)
            continue;
        PathCandidate& chosen = out.candidates[i];
        note_error(describe_choice(*choice, chosen), chosen);
        if (chosen.outcome == CandidateOutcome::extends_only)
            chosen.outcome = CandidateOutcome::gives_variant;
        out.winner = i;
        // Only of the variant that is taken: that others are past their dates changes nothing.
        if (Status usable = choice->mount->bundle().verify_asset_date(choice->asset); !usable) {
            chosen.outcome = outcome_of(usable.error());
            chosen.error = std::move(usable).error();
            out.winner.reset();
        }
        return;
    }
}

// The mount that decides about a name: the winner of the contest, or one before its end that cannot answer.
const Mount* find_deciding(const MountSet& set, const PathParts& path) {
    NameContest contest;
    for (const Mount& mount : set.mounts()) {
        const auto match = find_in_mount(mount, path.name, path.hash);
        // A mount that cannot answer decides, too: what it would have said is unknown, so the look-up ends with its
        // error.
        if (!match)
            return &mount;
        if (*match && (*match)->decides() && contest.add(**match))
            break;
    }
    return contest.winner() ? contest.winner()->mount : nullptr;
}

void explain_published(const MountSet& set, const PathParts& path, Explanation& out) {
    const Mount* const deciding = find_deciding(set, path);
    std::optional<NameMatch> winning;
    for (const Mount& mount : set.mounts()) {
        auto match = find_in_mount(mount, path.name, path.hash);
        if (match && !match->has_value())
            continue;
        PathCandidate candidate{.mount = mount.describe()};
        if (match) {
            candidate.outcome = outcome_of(**match, deciding);
            note_error(describe_match(set, **match, candidate), candidate);
        } else {
            candidate.error = std::move(match).error();
        }
        if (candidate.error && (!match || &mount == deciding))
            candidate.outcome = outcome_of(*candidate.error);
        if (candidate.outcome == CandidateOutcome::wins) {
            out.winner = out.candidates.size();
            winning = **match;
        }
        out.candidates.push_back(std::move(candidate));
    }
    if (winning)
        explain_choice(set, path, *winning, out);
}

// The same for a path that names the bundle, so that nothing but the content can keep it from being opened.
Status describe_own(const MountSet& set, const NameMatch& match, PathCandidate& out) {
    FARDEL_TRY(describe_match(set, match, out));
    FARDEL_TRY_ASSIGN(const AssetChoice choice, choose_own(set, match));
    return choice.mount->bundle().verify_asset_date(choice.asset);
}

void explain_bundle_name(const MountSet& set, const PathParts& path, Explanation& out) {
    const BundleId id = id_from<BundleId>(path.id);
    const Mount* mount = set.find_bundle(id);
    if (mount == nullptr)
        return;
    auto match = find_in_bundle(*mount, path.name, path.hash);
    if (match && !match->has_value())
        return;
    PathCandidate candidate{.mount = mount->describe()};
    if (!match)
        candidate.error = std::move(match).error();
    else
        note_error(describe_own(set, **match, candidate), candidate);
    if (candidate.error)
        candidate.outcome = outcome_of(*candidate.error);
    else
        out.winner = 0;
    out.candidates.push_back(std::move(candidate));
}

void explain_asset(const MountSet& set, AssetVerdicts& verdicts, const PathParts& path, Explanation& out) {
    const AssetId id = id_from<AssetId>(path.id);
    for (const Mount& mount : set.mounts()) {
        // Folders and archives have no ids of assets: nothing has hashed their files yet.
        if (mount.paths)
            continue;
        auto index = mount.bundle().find_asset(id);
        if (index && !index->has_value())
            continue;
        PathCandidate candidate{.mount = mount.describe(), .outcome = CandidateOutcome::same_content};
        if (!index) {
            candidate.error = std::move(index).error();
        } else if (auto record = mount.bundle().asset(**index); !record) {
            candidate.error = std::move(record).error();
        } else {
            candidate.asset = id;
            candidate.size_bytes = record->raw_bytes;
            if (!out.winner) {
                candidate.outcome = CandidateOutcome::wins;
                Status usable = verify_copy(mount, **index, verdicts);
                note_error(usable ? mount.bundle().verify_asset_date(**index) : std::move(usable), candidate);
            }
        }
        if (candidate.error)
            candidate.outcome = outcome_of(*candidate.error);
        if (candidate.outcome == CandidateOutcome::wins)
            out.winner = out.candidates.size();
        out.candidates.push_back(std::move(candidate));
    }
}

}  // namespace

std::string_view candidate_outcome_text(CandidateOutcome outcome) noexcept {
    switch (outcome) {
        case CandidateOutcome::wins: return "wins";
        case CandidateOutcome::tombstone: return "tombstone: hides the name";
        case CandidateOutcome::lower_priority: return "lower priority";
        case CandidateOutcome::mounted_earlier: return "same priority, mounted earlier";
        case CandidateOutcome::extends_only: return "adds variants to the name; none is taken";
        case CandidateOutcome::gives_variant: return "gives the variant that is taken";
        case CandidateOutcome::not_published: return "not published";
        case CandidateOutcome::not_allowed: return "not allowed: the trust policy does not let it publish this name";
        case CandidateOutcome::adds_only: return "not allowed: the trust policy does not let it override this name";
        case CandidateOutcome::damaged: return "damaged";
        case CandidateOutcome::same_content: return "the same content";
        case CandidateOutcome::refused: return "refused";
    }
    return "unknown";
}

Explanation explain_path(const MountSet& set, AssetVerdicts& verdicts, const PathParts& path) {
    Explanation out{.kind = path.kind};
    if (path.kind == PathKind::published)
        explain_published(set, path, out);
    else if (path.kind == PathKind::bundle_name)
        explain_bundle_name(set, path, out);
    else if (path.kind == PathKind::asset)
        explain_asset(set, verdicts, path, out);
    return out;
}

}  // namespace fardel
