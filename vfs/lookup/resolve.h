// Which record a path means: pure decisions over one MountSet. docs/vfs.md defines the rules.
#pragma once

#include "asset_verdicts.h"
#include "mounts/mount_set.h"

#include <fardel/base/result.h>
#include <fardel/format/manifest.h>
#include <fardel/vfs/file.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fardel {

// A name in one mount's bundle.
struct NameMatch {
    const Mount* mount = nullptr;  // lives as long as the set
    NameIndex index{};
    NameRecord record;
    bool may_publish = true;   // false: the mount's scope does not include the name
    bool may_override = true;  // false: names of mounts under other rules come first (docs/vfs.md, "Trust")

    // Whether the record decides about the path in the published tree, if no other comes first: it gives an asset or
    // hides the path.
    bool decides() const noexcept {
        return record.is(NameRecord::published) && !record.is(NameRecord::extends) && may_publish;
    }
    // Whether one rule of a trust policy accepted both mounts, or no rule that sets bounds.
    bool same_rule(const NameMatch& other) const noexcept;
    bool same_record(const NameMatch& other) const noexcept { return mount == other.mount && index == other.index; }
};

// Finds the winner among the matches that decide about one name. They are added in order of precedence: the first wins,
// unless it may not override a later one.
class NameContest {
public:
    // Returns whether the winner is final.
    bool add(const NameMatch& match) noexcept {
        if (!winner_ || !winner_->same_rule(match))
            winner_ = match;
        return winner_->may_override;
    }
    const std::optional<NameMatch>& winner() const noexcept { return winner_; }

private:
    std::optional<NameMatch> winner_;
};

// The record, published or not, that one mount has for `name` of the published tree; nothing for a path of ids
// (IdPath). `hash` is name_hash(name).
Result<std::optional<NameMatch>> find_in_mount(const Mount& mount, std::string_view name, std::uint64_t hash);

// The published name that wins; nothing if there is none or a tombstone decides. If a mount fails before one has
// decided, its error is the result: whether it has the name is not known.
Result<std::optional<NameMatch>> find_published(const MountSet& set, std::string_view name, std::uint64_t hash);

// A published name of the tree, with its mount point, that differs from `name` only in case; nothing if no mount has
// one that can be read. For messages.
std::optional<std::string> find_other_case(const MountSet& set, std::string_view name);

// A name of one bundle, published or not, exactly spelled; nothing for a tombstone.
Result<std::optional<NameMatch>> find_in_bundle(const Mount& mount, std::string_view name, std::uint64_t hash);

// The first copy of an asset whose content matches its id. If a copy has not been compared yet, it is read whole now,
// or with Compare::no the search returns `undecided`.
struct AssetSearch {
    std::optional<File> file;
    const Mount* mount = nullptr;  // of `file`
    bool undecided = false;
};
enum class Compare : bool { no, yes };
Result<AssetSearch> find_asset_copy(const MountSet& set, AssetVerdicts& verdicts, const AssetId& id, Compare compare);

// Whether one mount's copy matches its id: from an earlier verdict, or by reading it whole. Errors: those of
// Bundle::verify_asset.
Status verify_copy(const Mount& mount, AssetIndex index, AssetVerdicts& verdicts);

}  // namespace fardel
