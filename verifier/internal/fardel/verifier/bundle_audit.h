// BundleAudit: where the references of a finished bundle's assets lead, according to the tables of the bundle and of
// its static dependencies. The content of assets is not read, so a reference for which the packer found no target is
// not seen: it is in no table.
//
// The tables may be hostile. Memory is proportional to the bundle's contents; time is that of reading the names of each
// dependency once.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle.h>
#include <fardel/format/ids.h>
#include <fardel/verifier/bundle_contents.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

// A name, or a glob, that neither the bundle nor one that it depends on publishes: another bundle must.
struct AuditNeed {
    std::string text;
    bool pattern = false;
    bool optional = false;         // soft: the game continues without it
    std::string from;              // an asset that refers to it; empty: the bundle consumes it, and no asset does
    std::uint64_t references = 0;  // that lead to it
    friend bool operator==(const AuditNeed&, const AuditNeed&) = default;
};

// A reference into a dependency that does not have the asset.
struct AuditLoss {
    std::string from;
    std::string spelling;
    std::uint32_t dependency = 0;  // index into BundleContents::dependencies
    bool optional = false;
    friend bool operator==(const AuditLoss&, const AuditLoss&) = default;
};

struct BundleAudit {
    std::uint64_t references = 0;    // of all assets; 0: they have none, or were packed without
    std::uint64_t inside = 0;        // how many of them lead to an asset of the bundle
    std::uint64_t dependencies = 0;  // how many lead into a static dependency
    std::uint64_t by_name = 0;       // how many are looked up when the game runs
    std::vector<AuditNeed> needs;    // hard ones first, then by text
    std::vector<AuditLoss> lost;     // hard ones first, then by asset and spelling; at most kAuditLossesMax
    std::uint64_t lost_count = 0;
    // Names that can be reached only from a bundle that depends on this one: they are not published, and no reference
    // leads from a published name to their asset. Empty if `references` is 0. By text; views into the contents.
    std::vector<std::string_view> unused;
    std::uint64_t unused_bytes = 0;  // raw, of their distinct assets
};

inline constexpr std::size_t kAuditLossesMax = 1000;
// Of globs other than "stem.*", all together; those beyond it count as published by nobody.
inline constexpr std::size_t kAuditGlobBytesMax = 4096;
inline constexpr int kAuditExtensionsMax = 8;  // of one name that are tried for "name.*": "a.tar.gz" has two

class BundleAuditor {
public:
    // The contents must outlive the auditor and the audit.
    explicit BundleAuditor(const BundleContents& contents);
    ~BundleAuditor();

    // A bundle of the static closure, each once. Errors: those of its tables; what was read before them counts.
    Status add_dependency(const Bundle& bundle);
    BundleAudit finish();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace fardel
