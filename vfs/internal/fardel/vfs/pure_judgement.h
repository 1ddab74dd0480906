// The judgement of a pure policy about a set of mounts: which stay visible, in which order, and everything that is
// wrong.
//
// Pure decisions over plain values; the Vfs acts on them, and the handshake reports them. Names and labels of mounts
// are untrusted; all text in a PureProblem is safe to show.
#pragma once

#include <fardel/format/bundle.h>
#include <fardel/format/ids.h>
#include <fardel/vfs/inspect.h>
#include <fardel/vfs/mount.h>
#include <fardel/vfs/pure_policy.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

// A mount as the policy sees it.
struct PureMount {
    MountId id{};
    std::string label;
    std::string mount_point;
    CaseRule case_rule = CaseRule::exact;
    bool loose = false;  // a folder, legacy archive or plan: files without a bundle. The next fields are then empty.
    BundleId bundle;
    std::string name;  // from the trusted statement; empty if tainted
    bool tainted = false;
    std::vector<TrustedSigner> signers;  // those that counted; labels do not matter
    std::string recall;                  // why Vfs::judge_again() withdrew it; empty: it did not
    bool pure_only = false;              // a server brought it: nothing, unless it is just what the content set has
};
PureMount pure_mount(const MountDescription& mount, const Bundle& bundle);

struct PureVisible {
    MountId id{};
    // Globs over paths of the tree, without the leading '/': only these paths of the mount are visible. Empty: all.
    std::vector<std::string> paths;

    bool shows(std::string_view path) const;
};

struct PureJudgement {
    std::vector<PureVisible> visible;   // highest precedence first; all other mounts are hidden
    std::vector<PureProblem> problems;  // in the order of the content set, then of the mounts
    bool complete = false;              // each bundle of the content set is visible
};

// `mounts`: highest precedence first. Exceptions keep their order and win over the content set, which has the order of
// the policy, whatever the mounts' own; loose files come last, so that they never hide a bundle's name.
PureJudgement judge_mounts(const PurePolicy& policy, std::span<const PureMount> mounts);

// Judges a list of loose files: a problem for each path of the tree that no pattern tolerates.
std::vector<PureProblem> judge_loose_paths(const PurePolicy& policy, std::string_view label,
                                           std::span<const std::string> paths);

// Tags that a client uses on an axis ("texture": "astc", "bc7").
std::vector<PureProblem> judge_variants(const PurePolicy& policy, std::span<const PureAxis> chosen);

}  // namespace fardel
