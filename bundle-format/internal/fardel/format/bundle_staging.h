// write_bundle into a file that the caller has staged: tests pass one in memory, or one that fails.
#pragma once

#include <fardel/format/bundle_writer.h>
#include <fardel/format/staged_file.h>

#include <memory>

namespace fardel {

Result<StagedBundle> write_bundle(const BundlePlan& plan, std::unique_ptr<StagedFile> file,
                                  const BundleWriteOptions& options);

}  // namespace fardel
