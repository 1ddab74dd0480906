// The page about what is in one bundle.

#include "registry/bundle_limits.h"
#include "registry/page_audit.h"
#include "registry/page_text.h"
#include "registry/pages.h"
#include "registry/safe_text.h"
#include "registry/size_map.h"

#include <fardel/delivery/tree_paths.h>
#include <fardel/format/bundle_plan.h>
#include <fardel/format/statement.h>
#include <fardel/hosting/publish.h>
#include <fardel/verifier/bundle_contents.h>

#include <algorithm>
#include <map>
#include <span>
#include <utility>

namespace fardel {
namespace {

constexpr std::size_t kRemarkBytesMax = 500;

struct SizeSum {
    std::uint64_t assets = 0;
    std::uint64_t raw_bytes = 0;
    std::uint64_t stored_bytes = 0;

    void add(const ContentAsset& asset) {
        ++assets;
        raw_bytes += asset.raw_bytes;
        stored_bytes += asset.stored_bytes;
    }
};
using SizeSums = std::map<std::string, SizeSum>;

// The folder of a name in which the map has an area of its own: at most two parts.
std::string area_of(std::string_view name) {
    const auto first = name.find('/');
    if (first == std::string_view::npos)
        return std::string(name);
    const auto second = name.find('/', first + 1);
    return std::string(second == std::string_view::npos ? name : name.substr(0, second + 1));
}

// Each asset counts under its first name.
SizeSums sums_by_folder(const BundleContents& contents) {
    SizeSums sums;
    std::vector<bool> is_counted(contents.assets.size());
    for (const ContentName& name : contents.names)
        for (const ContentVariant& variant : name.variants)
            if (!is_counted[variant.asset]) {
                is_counted[variant.asset] = true;
                sums[area_of(name.text)].add(contents.assets[variant.asset]);
            }
    for (std::size_t i = 0; i < contents.assets.size(); ++i)
        if (!is_counted[i])
            sums["(without a name)"].add(contents.assets[i]);
    return sums;
}

SizeSums sums_by_type(const BundleContents& contents) {
    SizeSums sums;
    for (const ContentAsset& asset : contents.assets)
        sums[asset.content_type.empty() ? "(no content type)" : asset.content_type].add(asset);
    return sums;
}

std::string sums_table(std::string_view title, const SizeSums& sums) {
    std::vector<std::pair<std::string, SizeSum>> rows(sums.begin(), sums.end());
    std::ranges::stable_sort(rows,
                             [](const auto& a, const auto& b) { return a.second.raw_bytes > b.second.raw_bytes; });
    std::string text = "<table><tr><th>" + std::string(title) +
                       "</th><th class=\"n\">assets</th><th class=\"n\">raw</th><th class=\"n\">stored</th></tr>\n";
    for (std::size_t i = 0; i < std::min(rows.size(), kPageRowsMax); ++i) {
        const auto& [label, sum] = rows[i];
        text += "<tr><td>" + html_text(cut_text(label, kPageTextBytesMax)) + "</td><td class=\"n\">" +
                std::to_string(sum.assets) + "</td><td class=\"n\">" + format_bytes(sum.raw_bytes) +
                "</td><td class=\"n\">" + format_bytes(sum.stored_bytes) + "</td></tr>\n";
    }
    if (rows.size() > kPageRowsMax)
        text += "<tr><td>" + more_text(rows.size(), kPageRowsMax) + "</td></tr>\n";
    return text + "</table>\n";
}

std::string sizes_section(const BundleContents& contents) {
    const SizeSums folders = sums_by_folder(contents);
    std::vector<SizedItem> items;
    for (const auto& [label, sum] : folders)
        if (sum.raw_bytes != 0)
            items.push_back({.label = cut_text(label, kPageTextBytesMax), .bytes = sum.raw_bytes});
    return "<h2>Sizes</h2>\n" + format_size_map(std::move(items)) + sums_table("folder or file", folders) +
           sums_table("content type", sums_by_type(contents));
}

std::string signatures_table(const Bundle& bundle) {
    std::string text = "<h2>Signatures</h2>\n<table><tr><th>role</th><th>key</th></tr>\n";
    for (const Envelope& envelope : bundle.envelopes())
        for (const EnvelopeSignature& entry : envelope.signatures)
            if (verify_envelope_signature(envelope, entry))
                text += "<tr><td>" + html_text(role_name(entry.role)) + "</td><td><code>" + entry.key.hex() +
                        "</code></td></tr>\n";
    return text + "</table>\n";
}

std::string findings_list(const std::vector<RegistryRefusal>& remarks) {
    std::string text = "<h2>Findings</h2>\n";
    if (remarks.empty())
        text += "<p>The verifier has read every byte and has no remarks.</p>\n";
    else
        text += "<p>The verifier has read every byte. Its remarks:</p>\n";
    if (remarks.empty())
        return text;
    return text + limited_list(remarks, remarks.size(), [](const RegistryRefusal& remark) {
               return "<code>" + html_text(remark.reason) + "</code> " +
                      html_text(cut_text(remark.where, kPageTextBytesMax)) + " " +
                      html_text(cut_text(remark.text, kRemarkBytesMax));
           });
}

std::string needs_section(const BundleContents& contents) {
    if (contents.dependencies.empty())
        return "";
    return "<h2>Needs</h2>\n" +
           limited_list(contents.dependencies, contents.dependencies.size(), [](const ContentDependency& needed) {
               const std::string title = needed.name.empty()
                                             ? needed.bundle.hex()
                                             : cut_text(needed.name + " " + needed.version, kPageTextBytesMax);
               return needed.is_static ? "<a href=\"" + needed.bundle.hex() + ".html\">" + html_text(title) + "</a>"
                                       : html_text(title) + " (if it is there)";
           });
}

std::string metadata_table(const BundleContents& contents) {
    std::string text = "<h2>Metadata</h2>\n<table>\n";
    const std::size_t shown = std::min(contents.metadata.size(), kPageRowsMax);
    for (const ContentMetadata& entry : std::span(contents.metadata).first(shown))
        text += "<tr><th>" + html_text(cut_text(entry.key, kPageTextBytesMax)) + "</th><td>" +
                html_text(cut_text(format_value(entry.value), 1000)) + "</td></tr>\n";
    if (contents.metadata.size() > shown)
        text += "<tr><td>" + more_text(contents.metadata.size(), shown) + "</td></tr>\n";
    return text + "</table>\n";
}

}  // namespace

Result<std::string> bundle_page(const Bundle& bundle, const CatalogueEntry& entry, const RegistryState& state,
                                const std::vector<RegistryRefusal>& remarks, const OpenDependency& open_dependency) {
    // A registry may have bundles from when it took larger ones. Their texts would be copied once per use.
    const Status within = verify_bundle_limits(bundle);
    const auto contents = within ? read_contents(bundle) : Result<BundleContents>(within.error());
    // Its author must not be able to stop the registry by a page that cannot be written.
    const bool is_too_much =
        !contents && (contents.error().code() == ErrorCode::limit || contents.error().code() == ErrorCode::malformed);
    if (!contents && !is_too_much)
        return contents.error();
    std::string body = "<p><code>" + bundle.id().hex() + "</code>: " + "<a href=\"../" +
                       html_text(name_page_path(entry.name)) + "\">all versions</a>, <a href=\"../" +
                       tree_path_of(bundle.id()) + "\">file</a> (" + format_bytes(entry.file_bytes) + ", " +
                       std::to_string(bundle.asset_count()) + " assets, " + std::to_string(bundle.name_count()) +
                       " names, " + format_bytes(entry.raw_bytes) + " raw)</p>\n" +
                       transfers_section(entry.name, state);
    if (contents)
        body += sizes_section(*contents) + findings_list(remarks) + needs_section(*contents) +
                audit_section(audit_for_page(bundle, *contents, open_dependency), *contents);
    else
        body += "<p>Its tables cannot be shown: " + html_text(cut_text(contents.error().message(), 1000)) + "</p>\n" +
                findings_list(remarks);
    body += signatures_table(bundle) + (contents ? metadata_table(*contents) : "");
    return format_html_page(entry.name + " " + entry.version, "../",
                            body + "<p>" + html_text(state.rules.urls.front()) + "</p>\n");
}

}  // namespace fardel
