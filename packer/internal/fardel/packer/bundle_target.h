// Checks the path of a new bundle before any work, and refuses likely mistakes.
#pragma once

#include <fardel/base/result.h>

#include <span>
#include <string>

namespace fardel {

// An existing bundle may be replaced. Errors: conflict (the path has a file of another kind, or is one of the sources,
// or inside one where none of the globs `excludes` leaves it out), malformed (no file name, a folder, a device).
Status verify_bundle_target(const std::string& target, std::span<const std::string> sources,
                            std::span<const std::string> excludes = {});

// "mygame" for "build/mygame.fardel".
std::string name_of_target(const std::string& target);

}  // namespace fardel
