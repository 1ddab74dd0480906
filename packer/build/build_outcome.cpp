#include <fardel/packer/build_outcome.h>

#include <fardel/format/name.h>

namespace fardel {

ReferenceSummary summary_of(const ResolveResult& resolved) {
    return {.references = resolved.audit.references,
            .resolved = resolved.audit.resolved,
            .rewritten = resolved.rewritten,
            .missing = resolved.audit.missing,
            .broken = resolved.audit.broken,
            .idle_patterns = resolved.audit.idle_patterns};
}

std::string describe(const MissingReference& missing) {
    const std::string line = missing.reference.line != 0 ? ":" + std::to_string(missing.reference.line) : "";
    return printable(missing.from) + line + ": " + std::string(reference_use_name(missing.reference.use)) + " " +
           printable(missing.reference.spelling);
}

}  // namespace fardel
