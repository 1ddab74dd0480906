// UploadFacts: what a registry has to know of a bundle to judge it by everything but its content. An author's program
// asks with them before it sends the bundle; the registry reads the same from a bundle that it was sent.
//
// Of a question they are claims, and whoever lies asks about another bundle. They are parsed from hostile bytes.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle.h>
#include <fardel/format/envelope.h>
#include <fardel/format/ids.h>
#include <fardel/format/requirement.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace fardel {

// A bundle with more signatures, or longer ones, is sent without a question.
inline constexpr std::size_t kRegistryQuestionBytesMax = 64u << 10;

struct UploadFacts {
    BundleId bundle;
    LayoutId layout;
    std::string name;     // empty: it has none
    std::string version;  // the same
    std::uint64_t file_bytes = 0;
    std::uint64_t needs_bytes = 0;       // measure_needs (bundle_limits.h)
    std::vector<BundleId> dependencies;  // the static ones
    std::vector<Requirement> requirements;
    std::vector<Envelope> envelopes;  // of its trailer
};

// For a bundle within the limits of a registry (verify_bundle_limits). Errors: those of reading its tables.
Result<UploadFacts> read_upload_facts(const Bundle& bundle);

// The body of a question about a bundle: docs/registry.md, "Questions". Errors: limit (more than
// kRegistryQuestionBytesMax), those of encoding envelopes.
Result<std::vector<std::byte>> format_upload_question(const UploadFacts& facts);
// `bundle`: which the target of the request names. Errors: malformed, limit, unsupported (another version).
Result<UploadFacts> parse_upload_question(const BundleId& bundle, std::span<const std::byte> body);

}  // namespace fardel
