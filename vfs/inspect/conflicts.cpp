#include "inspection.h"

#include "lookup/asset_choice.h"
#include "lookup/resolve.h"

#include <fardel/format/manifest.h>
#include <fardel/format/name.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace fardel {
namespace {

Result<ConflictSide> side_of(const MountSet& set, const NameMatch& match) {
    ConflictSide side{.mount = match.mount->id};
    if (match.record.is(NameRecord::tombstone))
        return side;
    FARDEL_TRY_ASSIGN(const AssetChoice choice, choose_own(set, match));
    FARDEL_TRY_ASSIGN(const File file, open_choice(choice));
    side.asset = file.asset_id();
    return side;
}

// The matches that decide about a published name, in order of precedence.
Result<std::vector<NameMatch>> deciding_matches(const MountSet& set, std::string_view name) {
    const std::uint64_t hash = name_hash(name);
    std::vector<NameMatch> matches;
    CandidateWalk candidates(set, hash);
    while (const Mount* mount = candidates.next()) {
        FARDEL_TRY_ASSIGN(const auto match, find_in_mount(*mount, name, hash));
        if (match && match->decides())
            matches.push_back(*match);
    }
    return matches;
}

Result<PathConflict> conflict_of(const MountSet& set, std::string_view name, const std::vector<NameMatch>& matches) {
    PathConflict conflict{.path = "/" + std::string(name)};
    NameContest contest;
    for (const NameMatch& match : matches)
        if (contest.add(match))
            break;
    FARDEL_TRY_ASSIGN(conflict.winner, side_of(set, *contest.winner()));
    for (const NameMatch& match : matches) {
        if (match.same_record(*contest.winner()))
            continue;
        FARDEL_TRY_ASSIGN(const ConflictSide side, side_of(set, match));
        conflict.hidden.push_back(side);
    }
    return conflict;
}

// Sorted. Mounts that spell a name alike have the same conflict, which is in it once.
using ConflictsByName = std::map<std::string, PathConflict>;

// Adds the conflicts of a mount's names, as it spells them, except those that a mount before it has added.
Status add_conflicts(const MountSet& set, const Mount& mount, std::size_t conflicts_max, ConflictsByName& out) {
    const Bundle& bundle = mount.bundle();
    for (std::uint32_t i = 0; i < bundle.name_count(); ++i) {
        FARDEL_TRY_ASSIGN(const NameRecord record, bundle.name(NameIndex{i}));
        const NameMatch own{.mount = &mount, .index = NameIndex{i}, .record = record};
        if (!own.decides())
            continue;
        FARDEL_TRY_ASSIGN(const std::string_view text, bundle.name_text(NameIndex{i}));
        FARDEL_TRY(verify_name(text));
        const std::string name = mount.path_of(text);
        if (out.contains(name))
            continue;
        FARDEL_TRY_ASSIGN(const auto matches, deciding_matches(set, name));
        if (matches.size() < 2)
            continue;
        FARDEL_TRY_ASSIGN(PathConflict conflict, conflict_of(set, name, matches));
        if (out.size() == conflicts_max)
            return Error(ErrorCode::limit, "more than " + std::to_string(conflicts_max) + " conflicts");
        out.emplace(name, std::move(conflict));
    }
    return ok();
}

}  // namespace

bool PathConflict::harmless() const noexcept {
    return winner.asset &&
           std::ranges::all_of(hidden, [this](const ConflictSide& side) { return side.asset == winner.asset; });
}

Result<std::vector<PathConflict>> find_conflicts(const MountSet& set, std::size_t conflicts_max) {
    ConflictsByName by_name;
    for (const Mount& mount : set.mounts())
        FARDEL_TRY(add_conflicts(set, mount, conflicts_max, by_name));
    std::vector<PathConflict> all;
    all.reserve(by_name.size());
    for (auto& [name, conflict] : by_name)
        all.push_back(std::move(conflict));
    return all;
}

}  // namespace fardel
