// The lists of all names, and the page of one name.

#include "registry/page_text.h"
#include "registry/pages.h"
#include "registry/safe_text.h"

#include <fardel/delivery/tree_paths.h>
#include <fardel/format/signer.h>
#include <fardel/hosting/publish.h>

#include <algorithm>
#include <span>

namespace fardel {
namespace {

std::vector<std::string> names_of(const Catalogue& catalogue) {
    std::vector<std::string> names;
    for (const auto& [id, entry] : catalogue.entries())
        names.push_back(entry.name);
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

// The latest version that is not recalled; else the latest of all.
const CatalogueEntry& newest_of(std::span<const CatalogueEntry* const> versions, const ReleasedIds& released) {
    for (std::size_t i = versions.size(); i-- > 0;)
        if (released.is_current(versions[i]->bundle))
            return *versions[i];
    return *versions.back();
}

std::string link(std::string_view target, std::string_view text) {
    return "<a href=\"" + html_text(target) + "\">" + html_text(text) + "</a>";
}

std::string list_row(const CatalogueEntry& entry, bool is_recalled, std::string_view up) {
    return "<tr><td>" + link(std::string(up) + name_page_path(entry.name), entry.name) + "</td><td>" +
           html_text(entry.version) + (is_recalled ? " <span class=\"recalled\">recalled</span>" : "") + "</td><td>" +
           html_text(cut_text(entry.licence, kPageTextBytesMax)) + "</td><td class=\"n\">" +
           format_bytes(entry.file_bytes) + "</td><td>" + format_day(entry.accepted) + "</td></tr>\n";
}

// Whose which names are, and what their bundles may publish: the root of the channel decides that, also for players.
std::string rules_section(const RegistryState& state) {
    const auto& rules = state.root.trust.allow;
    if (rules.empty())
        return {};
    std::string text = "<h2 id=\"rules\">What bundles may publish</h2>\n<ul>\n";
    const std::size_t shown = std::min(rules.size(), kPageRowsMax);
    for (const AllowRule& rule : std::span(rules).first(shown)) {
        const auto author = std::ranges::find(rule.roles, SignerRole::author, &RoleThreshold::role);
        std::string by = author == rule.roles.end() ? "who first brings the name" : "";
        if (author != rule.roles.end())
            for (const std::string& label : author->labels)
                by += (by.empty() ? "" : ", ") + html_text(label);
        const auto scope = find_name_scope(rule);
        std::string publish = scope ? "" : "everything";
        if (scope)
            for (const std::string& glob : scope->publish)
                publish += (publish.empty() ? "<code>" : " <code>") + html_text(glob) + "</code>";
        if (rule.brings != ContentClass::code)
            publish += rule.brings == ContentClass::data ? "; data only" : "; data and scripts only";
        text += "<li>bundles named <code>" + html_text(rule.pattern) + "</code>, by " + by + ": " + publish + "</li>\n";
    }
    text += "</ul>\n";
    if (rules.size() > shown)
        text += "<p>" + more_text(rules.size(), shown) + "</p>\n";
    return text;
}

std::string list_page(const RegistryState& state, std::string_view rows, std::size_t names, std::size_t page,
                      std::size_t pages) {
    const std::string up = page == 1 ? "" : "../";
    std::string body = "<p>" + std::to_string(names) + (names == 1 ? " name" : " names") + " in channel <code>" +
                       html_text(state.rules.channel) +
                       "</code>. Rules for authors: " + link(up + std::string(kRegistryRulesFile), kRegistryRulesFile) +
                       "; for programs: " + link(up + std::string(kRegistryListFile), kRegistryListFile) + ".</p>\n" +
                       "<p hidden><input id=\"search\" type=\"search\" aria-label=\"Search\" "
                       "placeholder=\"Search names and licences\"></p>\n"
                       "<table><thead><tr><th>name</th><th>version</th><th>licence</th><th class=\"n\">size</th>"
                       "<th>added</th></tr></thead>\n<tbody id=\"rows\" data-pages=\"" +
                       std::to_string(pages) + "\" data-up=\"" + up + "\" data-list=\"" + up +
                       std::string(kRegistryListFile) + "\">" + std::string(rows) + "</tbody></table>\n";
    if (pages > 1) {
        body += "<p>Pages:";
        for (std::size_t i = 1; i <= pages; ++i)
            body += i == page ? " <b>" + std::to_string(i) + "</b>"
                              : " " + link(up + overview_page_path(i), std::to_string(i));
        body += "</p>\n";
    }
    if (page == 1)
        body += rules_section(state);
    return format_html_page("Bundles of " + state.rules.urls.front(), page == 1 ? "" : "../", body, PageScript::search);
}

std::string list_transfers(const std::vector<NameHolder>* holders) {
    std::string text;
    for (std::size_t i = 1; holders != nullptr && i < holders->size(); ++i)
        text += std::string(i == 1 ? "" : ", ") + "{\"from\": " + json_text((*holders)[i - 1].key.hex()) +
                ", \"to\": " + json_text((*holders)[i].key.hex()) +
                ", \"day\": " + json_text(format_day((*holders)[i].since)) + "}";
    return "[" + text + "]";
}

std::string list_record(const CatalogueEntry& entry, bool is_recalled, const RegistryNames& names) {
    return "  {\"name\": " + json_text(entry.name) + ", \"version\": " + json_text(entry.version) +
           ", \"bundle\": " + json_text(entry.bundle.hex()) + ", \"licence\": " + json_text(entry.licence) +
           ", \"bytes\": " + std::to_string(entry.file_bytes) +
           ", \"size\": " + json_text(format_bytes(entry.file_bytes)) +
           ", \"day\": " + json_text(format_day(entry.accepted)) + ", \"author\": " + json_text(entry.author.hex()) +
           ", \"recalled\": " + (is_recalled ? "true" : "false") +
           ", \"transfers\": " + list_transfers(names.find(entry.name)) +
           ", \"page\": " + json_text(name_page_path(entry.name)) + "}";
}

// ---- The page of a name ---------------------------------------------------------------------------------------------

std::string version_section(const CatalogueEntry& entry, const RegistryState& state, std::string_view up) {
    const std::string* const recall = state.released.find_recall(entry.bundle);
    std::string text = "<h2 id=\"" + entry.bundle.hex() + "\">" + html_text(entry.version) + "</h2>\n";
    if (recall != nullptr)
        text += "<p class=\"recalled\">Recalled: " + html_text(*recall) + "</p>\n";
    else if (const auto aside = state.set_aside.find(entry.bundle); aside != state.set_aside.end())
        text += "<p class=\"recalled\">Set aside, and in no release: " + html_text(aside->second.text) + "</p>\n";
    else if (!state.released.is_current(entry.bundle))
        text += "<p class=\"recalled\">Not in the newest release.</p>\n";
    text += "<table>\n<tr><th>bundle</th><td><code>" + entry.bundle.hex() + "</code></td></tr>\n<tr><th>file</th><td>" +
            link(std::string(up) + tree_path_of(entry.bundle), format_bytes(entry.file_bytes)) + ", " +
            format_bytes(entry.raw_bytes) + " of assets; " +
            link(std::string(up) + bundle_page_path(entry.bundle), "sizes, signatures and findings") +
            "</td></tr>\n<tr><th>licence</th><td>" +
            (entry.licence.empty() ? "none stated" : html_text(cut_text(entry.licence, kPageTextBytesMax))) +
            "</td></tr>\n<tr><th>added</th><td>" + format_day(entry.accepted) +
            "</td></tr>\n<tr><th>author</th><td><code>" + entry.author.hex() +
            "</code></td></tr>\n<tr><th>checked by</th><td><code>" + entry.registry.hex() + "</code></td></tr>\n";
    if (entry.needs.dependencies + entry.needs.requirements != 0)
        text += "<tr><th>needs</th><td>" + std::to_string(entry.needs.dependencies) + " bundles by their ids, " +
                std::to_string(entry.needs.requirements) +
                " by their names: " + link(std::string(up) + bundle_page_path(entry.bundle), "which") + "</td></tr>\n";
    return text + "</table>\n";
}

}  // namespace

std::string name_page_path(std::string_view name) { return "names/" + std::string(name) + ".html"; }
std::string bundle_page_path(const BundleId& bundle) { return "bundles/" + bundle.hex() + ".html"; }
std::string overview_page_path(std::size_t page) {
    return page == 1 ? "index.html" : "pages/" + std::to_string(page) + ".html";
}

std::map<std::string, std::string> overview_pages(const RegistryState& state) {
    const ReleasedIds& released = state.released;
    const auto names = names_of(state.catalogue);
    const std::size_t pages = std::max<std::size_t>(1, (names.size() + kNamesPerPage - 1) / kNamesPerPage);
    std::map<std::string, std::string> files;
    std::string json;
    for (std::size_t page = 1; page <= pages; ++page) {
        std::string rows;
        const std::size_t begin = (page - 1) * kNamesPerPage;
        for (std::size_t i = begin; i < std::min(names.size(), begin + kNamesPerPage); ++i) {
            const CatalogueEntry& entry = newest_of(state.catalogue.named(names[i]), released);
            const bool is_recalled = released.find_recall(entry.bundle) != nullptr;
            rows += list_row(entry, is_recalled, page == 1 ? "" : "../");
            json += (json.empty() ? "" : ",\n") + list_record(entry, is_recalled, state.catalogue.recorded());
        }
        files[overview_page_path(page)] = list_page(state, rows, names.size(), page, pages);
    }
    files[std::string(kRegistryListFile)] =
        "{\"url\": " + json_text(state.rules.urls.front()) + ", \"channel\": " + json_text(state.rules.channel) +
        ", \"release\": " + std::to_string(state.release ? state.release->version : 0) + ", \"names\": [\n" + json +
        "\n]}\n";
    return files;
}

std::string transfers_section(std::string_view name, const RegistryState& state) {
    const auto shown = [&](const PublicKey& key) {
        const auto known = std::ranges::find(state.root.trust.keys, key, &PolicyKey::key);
        return (known == state.root.trust.keys.end() ? std::string() : html_text(known->label) + " ") + "<code>" +
               key.hex() + "</code>";
    };
    std::string text;
    if (const auto* const holders = state.catalogue.recorded().find(name))
        for (std::size_t i = 1; i < holders->size(); ++i)
            text += "<p>The operator has transferred the name from " + shown((*holders)[i - 1].key) + " to " +
                    shown((*holders)[i].key) + " on " + format_day((*holders)[i].since) + ".</p>\n";
    return text;
}

std::string name_page(std::string_view name, const RegistryState& state) {
    const auto versions = state.catalogue.named(name);
    std::string up = "../";
    for (const char c : name)
        up += c == '/' ? "../" : "";
    const std::string root = channel_root_path(state.rules.channel, 1);
    std::string body = "<h2>Install</h2>\n<p>Compare the " + link(up + root, "first root of the channel") +
                       " with a copy from elsewhere, then:</p>\n<pre>fardel install " + html_text(name) +
                       " --channel " + html_text(state.rules.channel) + " --root 1.root --from " +
                       html_text(state.rules.urls.front()) + " --store ~/.local/share/fardel</pre>\n";
    std::string owners;
    for (const PublicKey& key : state.catalogue.owners_of(name, state.rules))
        owners += "<br><code>" + key.hex() + "</code>";
    body += "<p>The name belongs to" + owners + "</p>\n" + transfers_section(name, state);
    if (versions.empty())
        body += "<p class=\"recalled\">No version of it is here any more.</p>\n";
    const std::size_t shown = std::min(versions.size(), kPageRowsMax);
    for (std::size_t i = 0; i < shown; ++i)
        body += version_section(*versions[versions.size() - 1 - i], state, up);
    if (versions.size() > shown)
        body += "<p>" + more_text(versions.size(), shown) + ", which came before</p>\n";
    return format_html_page(name, up, body);
}

}  // namespace fardel
