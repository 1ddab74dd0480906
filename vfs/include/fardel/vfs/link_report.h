// What the mounted bundles miss: names that they consume and nobody publishes, and bundles that they depend on. Plain
// values.
#pragma once

#include <fardel/format/ids.h>
#include <fardel/vfs/mount.h>

#include <string>
#include <vector>

namespace fardel {

struct MissingName {
    MountId mount{};       // who consumes it
    std::string name;      // from the root of the published tree; or a glob
    bool pattern = false;  // no published name matches it
    bool optional = false;
    friend bool operator==(const MissingName&, const MissingName&) = default;
};

struct MissingBundle {
    MountId mount{};  // who depends on it
    BundleId bundle;
    std::string name;  // what its dependant calls it; not proved
    std::string version;
    bool is_static = false;
    friend bool operator==(const MissingBundle&, const MissingBundle&) = default;
};

// In order of precedence of the mounts, then of the name, or as declared.
struct LinkReport {
    std::vector<MissingName> names;
    std::vector<MissingBundle> bundles;
    // Whether nothing is missing that has to be there.
    bool complete() const noexcept;
};

}  // namespace fardel
