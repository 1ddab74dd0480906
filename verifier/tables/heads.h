// The two heads of a file that may be anything: what of them can be understood, and what is wrong with the rest.
#pragma once

#include "findings/findings.h"

#include <fardel/format/byte_source.h>
#include <fardel/format/head.h>

#include <optional>

namespace fardel {

struct Heads {
    std::optional<BundleHead> head;
    std::optional<BundleId> bundle;  // of `head`
    std::optional<LayoutHead> layout;
    std::optional<LayoutId> layout_id;  // of `layout`
};

Heads read_heads(const ByteSource& source, Findings& findings);

// What both heads say about each other, and what in them a later version wrote.
void check_heads(const Heads& heads, Findings& findings);

}  // namespace fardel
