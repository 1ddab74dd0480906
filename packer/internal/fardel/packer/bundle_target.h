// The file that a bundle is to be written to, checked before any work: a likely mistake is refused.
#pragma once

#include <fardel/format/result.h>

#include <span>
#include <string>

namespace fardel {

// An existing bundle may be replaced. Errors: conflict (another kind of file is there, or it is one of the sources or
// inside one), malformed (no file name, a folder, a device).
Status verify_bundle_target(const std::string& target, std::span<const std::string> sources);

// "mygame" for "build/mygame.fardel".
std::string name_of_target(const std::string& target);

}  // namespace fardel
