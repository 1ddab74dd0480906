// Everything in a store, and everything that a channel names, for `fardel verify`.
#pragma once

#include "channel/channel_status.h"
#include "verify/verify_outcome.h"

#include <fardel/store/bundle_store.h>
#include <fardel/verifier/verify_bundle.h>

namespace fardel {

// Checks the store's own files, and each whole bundle in it, alone: they need not fit together. Errors: cancelled, io.
Result<VerifyOutcome> verify_store(const BundleStore& store, const VerifyOptions& options);

// Checks the channel's texts, dates and signatures; and as a set all bundles that its release names, by the channel's
// own policy as well as that of `options`. From a server, they are fetched into a temporary folder. Errors: those of
// read_channel_status; cancelled.
Result<VerifyOutcome> verify_channel(const ChannelAddress& channel, UnixTime now, const VerifyOptions& options);

}  // namespace fardel
