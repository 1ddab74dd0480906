// Writes the file of a bundle that a store has.
#pragma once

#include "packs/store_folder.h"
#include "packs/store_record.h"

#include <fardel/base/file_clone.h>
#include <fardel/base/result.h>
#include <fardel/format/byte_source.h>
#include <fardel/store/bundle_store.h>

#include <optional>
#include <string>

namespace fardel {

// `source`: the bundle's bytes; `record`: where they are. A bundle that is one whole pack is cloned where that is
// possible; otherwise its bytes are copied. Errors: those of BundleStore::export_bundle.
Status export_stored_bundle(const StoreFolder& folder, const ByteSource& source,
                            const std::optional<StoreRecord>& record, const std::string& path, const StoreWork& work,
                            const CloneFile& clone = clone_file);

}  // namespace fardel
