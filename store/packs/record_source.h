// A bundle in a store as a ByteSource: the bytes of the file that was added, wherever they are.
#pragma once

#include "packs/store_folder.h"
#include "packs/store_record.h"

#include <fardel/base/result.h>
#include <fardel/format/byte_source.h>

#include <memory>
#include <optional>
#include <vector>

namespace fardel {

// Opens all packs of the record, and keeps them open. Reading a range that the record lacks is `missing`. A range
// within one extent can be mapped. Errors: missing (a pack), corrupt (a pack of another size), denied, io.
Result<std::shared_ptr<const ByteSource>> open_record_source(const StoreFolder& folder, StoreRecord record);

struct FoundRecord {
    StoreRecord record;
    std::shared_ptr<const ByteSource> source;
};
// Reads the bundle's record and opens its packs; once more if another program replaced the record meanwhile. Returns
// nothing if there is none. Errors: those of StoreFolder::find_record and open_record_source.
Result<std::optional<FoundRecord>> open_stored_bundle(const StoreFolder& folder, const BundleId& bundle);

// The same over sources that are open already, one for each pack of the record and of its size.
std::shared_ptr<const ByteSource> make_record_source(StoreRecord record,
                                                     std::vector<std::shared_ptr<const ByteSource>> packs);

}  // namespace fardel
