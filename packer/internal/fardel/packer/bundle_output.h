// Writes plans as bundle files: each is staged, signed, and then committed in one step.
//
// A split plan becomes several bundles, each after those that it needs. After a failure, bundles that were already
// committed stay.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle.h>
#include <fardel/format/bundle_writer.h>
#include <fardel/format/signer.h>
#include <fardel/format/trust_policy.h>
#include <fardel/packer/build.h>
#include <fardel/packer/pack.h>

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace fardel {

struct BundleOutput {
    std::string path;                   // for a split plan, parts are written beside it, as "game-maps-dm01.fardel"
    std::vector<std::string> sources;   // no bundle may replace one of them, or be inside one
    std::vector<std::string> excludes;  // globs: what they leave out of the sources may be a bundle
    bool makes_folder = false;          // of `path`, if there is none: that of a project's own 'output'
    std::string name;
    std::string version;
    BundlePurpose purpose = BundlePurpose::balanced;
    int level = kLevelDefault;
    unsigned jobs = 0;                    // threads; 0: one per core
    Signer* signer = nullptr;             // nullptr: unsigned
    const TrustPolicy* policy = nullptr;  // what the signer may bring, and for which names; nullptr: anything
    UnixTime created;                     // of signatures
    std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
    // Returns the bundle at a path if its blocks may be copied (BundleWriteOptions::donor); may be empty.
    std::function<BundleDonor(const std::string& path)> find_donor;
    std::function<void(const BuildProgress&)> progress;  // called on the caller's thread
    std::stop_token stop;
};

// Moves the plans out of `planned`. Errors: denied, untrusted, revoked (the policy; nothing is written); those of
// verify_bundle_target, write_bundle, the signer and StagedBundle::commit; malformed (a part's name).
Result<std::vector<BuiltBundle>> write_planned(PackPlan& planned, const BundleOutput& output);

// "game.fardel" and "maps/dm01" → "game-maps-dm01.fardel"; if `part` is empty: `path`.
std::string part_path(const std::string& path, const std::string& part);
// "game" and "maps/dm01" → "game-maps-dm01".
std::string part_name(const std::string& name, const std::string& part);

}  // namespace fardel
