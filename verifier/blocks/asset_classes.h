// AssetClasses: what the first bytes of each asset are, gathered while the blocks are read, and judged when the
// policy's verdict is known. docs/trust-policy.md, "Classes of content".
#pragma once

#include "asset_labels.h"
#include "findings/verify_findings.h"

#include <fardel/format/content_class.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace fardel {

class AssetClasses {
public:
    // Both arguments must outlive this object.
    AssetClasses(const CheckedTables& tables, const BundleStrings& texts);

    // `head` is the beginning of the asset's bytes.
    void add(std::uint32_t asset, std::span<const std::byte> head);
    // Adds a finding per name and per asset of a class that the signers may not bring.
    void check(ContentClass brings, const AssetLabels& labels, VerifyFindings& findings) const;

private:
    const CheckedTables& tables_;
    const BundleStrings& texts_;
    std::vector<ContentClaim> claims_;                             // per asset, of all its names
    std::vector<std::pair<std::uint32_t, ContentFinding>> found_;  // assets that are not data
};

}  // namespace fardel
