// The descriptor below a StagedFile, for system calls that need one.
#pragma once

#include <fardel/base/descriptor.h>
#include <fardel/format/staged_file.h>

namespace fardel {

// Returns nullptr if the file is none of stage_file(). Lives as long as the file, up to commit().
const Descriptor* find_descriptor(const StagedFile& file);

}  // namespace fardel
