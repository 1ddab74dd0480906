// Makes deltas: what turns one bundle file into another, byte for byte (delta.h). docs/deltas.md describes the file.
#pragma once

#include <fardel/base/result.h>
#include <fardel/delivery/delta.h>
#include <fardel/format/bundle.h>
#include <fardel/format/staged_file.h>

#include <memory>

namespace fardel {

// Writes the delta from one bundle, which the caller has verified as the other one, into the file. Everything that it
// gives is made from it and compared with the new bundle before the file is complete; committing it is left to the
// caller. Errors: those of Bundle and of StagedFile; limit (tables of more than 1 GiB), cancelled, corrupt (what it
// gives differs: this machine is faulty).
Result<DeltaSummary> make_delta(std::shared_ptr<const Bundle> old, const Bundle& target, StagedFile& file,
                                const DeltaWork& work = {});

}  // namespace fardel
