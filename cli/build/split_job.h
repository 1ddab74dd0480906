// The bundles of a project that is split: each written, signed and put in place, those that others need first.
#pragma once

#include "pack_job.h"

#include <fardel/packer/split_plan.h>

#include <string>

namespace fardel {

// "game.fardel" and "maps/dm01" → "game-maps-dm01.fardel".
std::string part_file(const std::string& out, const std::string& part);
// Of its bundle: "game" → "game-maps-dm01".
std::string part_name(const std::string& name, const std::string& part);

// `write_one` makes one bundle: its plan, its job with `out` and `name` of its own. A failure leaves those that came
// before.
Result<std::vector<std::string>> run_parts(const PackJob& job, std::vector<SplitPart> parts,
                                           const std::function<Status(const PackJob&, const BundlePlan&)>& write_one);

}  // namespace fardel
