// GrowingSource: an incomplete bundle of a store, to which later fetches add while it is mounted. Any thread.
#pragma once

#include "packs/store_folder.h"
#include "packs/store_record.h"

#include <fardel/base/result.h>
#include <fardel/format/byte_source.h>

#include <memory>

namespace fardel {

// `source` reads `record`. If bytes are missing and the record on disk has changed since, the record is read again, so
// that bytes that were added meanwhile are found. A bundle that was replaced by one in another layout does not grow.
std::shared_ptr<const ByteSource> make_growing_source(const StoreFolder& folder, const StoreRecord& record,
                                                      std::shared_ptr<const ByteSource> source);

}  // namespace fardel
