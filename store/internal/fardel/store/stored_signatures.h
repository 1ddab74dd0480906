// Signatures that a stored bundle got after it was stored.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/envelope.h>
#include <fardel/format/ids.h>
#include <fardel/store/bundle_store.h>

#include <span>

namespace fardel {

// Adds the envelopes that the bundle lacks; the caller has verified them. Those that are there stay, and nothing is
// added if there would be more than a trailer has. Readers that have it open see it as it was. Errors: missing, denied,
// no_space, io.
Status add_signatures(const BundleStore& store, const BundleId& bundle, std::span<const Envelope> envelopes);

}  // namespace fardel
