#include "registry/page_audit.h"

#include "registry/page_text.h"
#include "registry/safe_text.h"

#include <fardel/format/dependencies.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace fardel {
namespace {

// Reads a closure, each bundle once, within the limits.
class ClosureReader {
public:
    ClosureReader(const Bundle& bundle, const OpenDependency& open, BundleAuditor& auditor,
                  std::vector<BundleId>& unread)
        : bundle_(bundle), open_(open), auditor_(auditor), unread_(unread) {}

    // Returns what a bundle needs; nothing if it is left out.
    std::optional<std::vector<BundleId>> enter(const BundleId& id) {
        const auto needs = id == bundle_.id() ? static_dependencies(bundle_) : read(id);
        if (needs)
            return *needs;
        unread_.push_back(id);
        return std::nullopt;
    }

private:
    Result<std::vector<BundleId>> read(const BundleId& id) {
        const Error too_many(ErrorCode::limit, "too many dependencies");
        if (bundles_ == kPageAuditBundlesMax)
            return too_many;
        FARDEL_TRY_ASSIGN(const auto dependency, open_(id));
        if (dependency->name_count() > kPageAuditNamesMax - names_)
            return too_many;
        ++bundles_;
        names_ += dependency->name_count();
        FARDEL_TRY(auditor_.add_dependency(*dependency));
        return static_dependencies(*dependency);
    }

    const Bundle& bundle_;
    const OpenDependency& open_;
    BundleAuditor& auditor_;
    std::vector<BundleId>& unread_;
    std::size_t bundles_ = 0;
    std::uint64_t names_ = 0;
};

std::string code_text(std::string_view text) {
    return "<code>" + html_text(cut_text(text, kPageTextBytesMax)) + "</code>";
}

std::string counts_text(const BundleAudit& audit) {
    if (audit.references == 0)
        return "<p>Its assets have no tables of references: what they refer to is not known.</p>\n";
    return "<p>References of its assets: " + std::to_string(audit.references) + ", of which " +
           std::to_string(audit.inside) + " lead to its own assets, " + std::to_string(audit.dependencies) +
           " into its static dependencies, and " + std::to_string(audit.by_name) + " to names.</p>\n";
}

std::string need_item(const AuditNeed& need) {
    std::string text = code_text(need.text) + (need.optional ? " (optional)" : "");
    if (need.references != 0)
        text += " for " + code_text(need.from);
    if (need.references > 1)
        text += " and " + std::to_string(need.references - 1) + " more";
    return text;
}

std::string needs_text(const BundleAudit& audit) {
    if (audit.needs.empty())
        return "<p>Its assets need no names from other bundles than its static dependencies.</p>\n";
    return "<p>Names that neither it nor its static dependencies publish, so that other bundles must (" +
           std::to_string(audit.needs.size()) + "):</p>\n" + limited_list(audit.needs, audit.needs.size(), need_item);
}

}  // namespace

PageAudit audit_for_page(const Bundle& bundle, const BundleContents& contents, const OpenDependency& open) {
    PageAudit found;
    BundleAuditor auditor(contents);
    ClosureReader closure(bundle, open, auditor, found.unread);
    const DependencyWalk::Steps steps{
        .enter = [&](const BundleId& id) { return Result<std::optional<std::vector<BundleId>>>(closure.enter(id)); },
        .leave = [](const BundleId&) { return ok(); }};
    if (Status walked = DependencyWalk().run(bundle.id(), steps); !walked)
        found.unread.push_back(bundle.id());  // more than can be walked; some of them were read
    found.audit = auditor.finish();
    return found;
}

std::string audit_section(const PageAudit& found, const BundleContents& contents) {
    const BundleAudit& audit = found.audit;
    std::string text = "<h2>Audit</h2>\n" + counts_text(audit) + needs_text(audit);
    if (audit.lost_count != 0)
        text += "<p class=\"recalled\">References to assets that its dependencies do not have (" +
                std::to_string(audit.lost_count) + "):</p>\n" +
                limited_list(audit.lost, audit.lost_count, [&](const AuditLoss& one) {
                    return code_text(one.from) + " refers to " + code_text(one.spelling) + " in " +
                           code_text(contents.dependencies[one.dependency].bundle.hex()) +
                           (one.optional ? " (optional)" : "");
                });
    if (!audit.unused.empty())
        text += "<p>Names that are not published, and that nothing published refers to (" +
                std::to_string(audit.unused.size()) + ", " + format_bytes(audit.unused_bytes) + "):</p>\n" +
                limited_list(audit.unused, audit.unused.size(), code_text);
    if (!found.unread.empty())
        text += "<p>Dependencies that the audit has not read (" + std::to_string(found.unread.size()) + "):</p>\n" +
                limited_list(found.unread, found.unread.size(), [](const BundleId& id) { return code_text(id.hex()); });
    return text;
}

}  // namespace fardel
