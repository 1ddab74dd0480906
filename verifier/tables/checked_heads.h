// CheckedHeads: the two heads of a file of any kind, as far as they can be decoded.
#pragma once

#include "findings/verify_findings.h"

#include <fardel/format/byte_source.h>
#include <fardel/format/head.h>

#include <optional>

namespace fardel {

struct CheckedHeads {
    std::optional<BundleHead> head;
    std::optional<BundleId> bundle;  // if `head` is known
    std::optional<LayoutHead> layout;
    std::optional<LayoutId> layout_id;  // if `layout` is known
};

CheckedHeads read_heads(const ByteSource& source, VerifyFindings& findings);

// Checks both heads against each other, and reports what a later version of the format wrote in them.
void check_heads(const CheckedHeads& heads, VerifyFindings& findings);

}  // namespace fardel
