// Traces in a static tree: which assets of a bundle a game opens first. docs/traces.md is the manual.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle.h>
#include <fardel/format/ids.h>
#include <fardel/format/trace.h>
#include <fardel/hosting/tree_target.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace fardel {

// Returns the assets of the bundle that the trace lists: by their ids, or, since it may have been recorded with another
// version, by their names. They are in the order of the trace and without names, which clients do not need. Errors:
// those of Bundle.
Result<Trace> trace_for(const Bundle& bundle, const Trace& trace);

struct TracePublication {
    std::string path;  // below the tree; empty: the trace lists nothing of the bundle
    std::uint64_t assets = 0;
};

// Writes the trace beside the published bundle; one that is there is replaced. Errors: those of Bundle and of the
// target (unsupported: a `fardel serve` takes no traces).
Result<TracePublication> publish_trace(const Bundle& bundle, const Trace& trace, TreeTarget& tree);

}  // namespace fardel
