// The file that `fardel pack -o` names, looked at before any work: what is likely a mistake is refused.
#pragma once

#include <fardel/format/result.h>

#include <span>
#include <string>

namespace fardel {

// An existing bundle may be replaced. Errors: conflict (there is another kind of file, or it is one of the sources or
// inside one), malformed (no file name, a folder, a device).
Status verify_pack_target(const std::string& target, std::span<const std::string> sources);

// "mygame" for "build/mygame.fardel".
std::string name_of_target(const std::string& target);

}  // namespace fardel
