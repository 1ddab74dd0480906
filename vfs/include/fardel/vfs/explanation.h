// Explanation: why a path is the asset that it is; what `fardel which` prints. Plain values, in order of precedence.
#pragma once

#include <fardel/format/ids.h>
#include <fardel/format/result.h>
#include <fardel/vfs/mount.h>
#include <fardel/vfs/vfs_path.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

// What became of one candidate.
enum class Outcome : std::uint8_t {
    wins,
    tombstone,        // it hides the name below it, and nothing above it has the name
    lower_priority,   // than the mount that decided
    mounted_earlier,  // than the mount that decided, which has the same priority
    extends_only,     // it adds variants to the name, and none of them is taken
    gives_variant,    // it adds variants to the name, and one of them is taken
    not_published,    // the bundle has the name for itself alone
    damaged,          // its tables or its content fail their check: see `error`. In a name's lookup that decides.
    same_content,     // another bundle's copy of the same asset was taken
};
std::string_view outcome_text(Outcome outcome) noexcept;

struct Candidate {
    MountDescription mount;
    Outcome outcome = Outcome::wins;
    std::string name;  // as the bundle spells it; empty for "/assets/<id>"
    std::optional<AssetId> asset;
    std::uint64_t size_bytes = 0;
    std::uint32_t variants = 0;  // behind the name
    std::string variant;         // tags of the one that `asset` is, "lang=fr quality=hd"; empty: it has none
    std::optional<Error> error;
};

struct Explanation {
    std::string path;
    PathKind kind = PathKind::nowhere;
    std::vector<Candidate> candidates;  // every mount that has something to say about the path
    std::optional<std::size_t> winner;  // of `candidates`, the one whose asset open() gives; none: open() fails
    bool folder = false;                // list() shows something there
};

}  // namespace fardel
