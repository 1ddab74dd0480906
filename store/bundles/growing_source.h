// GrowingSource: an incomplete bundle of a store, to which later fetches add while it is mounted. Any thread.
#pragma once

#include "bundles/store_folder.h"
#include "bundles/store_record.h"

#include <fardel/base/result.h>
#include <fardel/format/byte_source.h>

#include <memory>

namespace fardel {

// `source` reads `record`. When something is missing and the record on disk has changed since, it is read again: what
// was added then is here, too. A bundle that was replaced by one in another layout does not grow.
std::shared_ptr<const ByteSource> make_growing_source(const StoreFolder& folder, const StoreRecord& record,
                                                      std::shared_ptr<const ByteSource> source);

}  // namespace fardel
