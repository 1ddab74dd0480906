// The signatures of a bundle in a tree: those in its file, which never changes, and those that came later, in a small
// file beside it that is replaced (docs/signatures.md, "Later signatures").
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle.h>
#include <fardel/hosting/tree_target.h>

#include <span>
#include <string>
#include <vector>

namespace fardel {

struct PublishedSignatures {
    std::vector<Envelope> later;  // in the file beside the bundle's
    std::string version;          // of that file; empty: there is none
};

// Errors: malformed, limit, those of the target.
Result<PublishedSignatures> read_published_signatures(TreeTarget& tree, const BundleId& bundle);

// Returns those of `offered` that neither file has.
Result<std::vector<Envelope>> find_unpublished(TreeTarget& tree, const Bundle& published,
                                               std::span<const Envelope> offered);

// Adds those of `offered` that neither file has, and removes none. Returns how many. Errors: limit (a trailer has no
// room for all of them), malformed (the file beside the bundle's is damaged), conflict (others keep changing it), those
// of the target.
Result<std::size_t> publish_signatures(TreeTarget& tree, const Bundle& published, std::span<const Envelope> offered);

}  // namespace fardel
