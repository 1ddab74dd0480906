// The transfer of a name in a registry from its author to another key, as the operator decides it.
#pragma once

#include <fardel/base/result.h>
#include <fardel/base/unix_time.h>
#include <fardel/format/ids.h>

#include <string>

namespace fardel {

struct NameTransfer {
    std::string name;
    PublicKey from;
    PublicKey to;
    UnixTime date;
};

// From now on, `to` alone brings versions of the name; those that are there stay, with their author. The pages say it.
// A server may serve the registry meanwhile. Needs no key. Errors: missing (no bundle of this name was ever released),
// conflict (it belongs to that key already, or an `owner` line of the rules decides), revoked (that key is recalled),
// limit (transferred too often), busy, those of reading the registry and of the disk.
Result<NameTransfer> transfer_name(const std::string& folder, const std::string& name, const PublicKey& to,
                                   UnixTime now);

}  // namespace fardel
