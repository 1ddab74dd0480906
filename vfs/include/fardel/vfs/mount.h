// How a bundle is mounted into a Vfs, and what a Vfs says about its mounts. Plain values.
//
// Precedence: of two mounts the one with the higher priority wins; of equal ones the one mounted later.
#pragma once

#include <fardel/format/bundle.h>
#include <fardel/format/ids.h>
#include <fardel/format/trust_policy.h>

#include <cstdint>
#include <string>
#include <vector>

namespace fardel {

// Unique within its Vfs and never used again.
enum class MountId : std::uint32_t {};

struct MountOptions {
    std::string place;  // a name: the folder where published names appear; empty: the root
    int priority = 0;
    CaseRule case_rule = CaseRule::exact;  // of this bundle's published names and its place
    const TrustPolicy* policy = nullptr;   // who must have signed; used during mount() only
    std::uint64_t now_s = 0;               // Unix seconds, for dates in signatures; 0: they do not matter
    bool allow_unsigned = false;  // development: what the policy does not trust is mounted all the same, tainted
    std::string label;            // names the bundle in messages; empty: the path it was mounted from
};

struct MountDescription {
    MountId id{};
    std::string label;
    std::string place;
    int priority = 0;
    CaseRule case_rule = CaseRule::exact;
    BundleId bundle;
    LayoutId layout;
    bool tainted = false;
    std::vector<std::string> signers;  // labels of the policy's keys that counted
};

}  // namespace fardel
