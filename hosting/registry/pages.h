// The pages of a registry: HTML that needs no script and nothing from elsewhere. Values in, texts out; the same state
// gives the same bytes. Every text of a bundle is hostile and is escaped; a policy in each page forbids all else.
#pragma once

#include "registry/judgement.h"
#include "registry/page_audit.h"

#include <fardel/base/result.h>
#include <fardel/format/bundle.h>

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

inline constexpr std::size_t kNamesPerPage = 1000;

// Paths below the tree. `name`: verify_registry_name accepts it.
std::string name_page_path(std::string_view name);     // "names/maps/castle.html"
std::string bundle_page_path(const BundleId& bundle);  // "bundles/<64 digits>.html"
std::string overview_page_path(std::size_t page);      // "index.html", "pages/2.html"

// The lists of all names, by path: pages and the same as JSON.
std::map<std::string, std::string> overview_pages(const RegistryState& state);
// A sentence for each time that the operator has transferred the name; "" if that never was.
std::string transfers_section(std::string_view name, const RegistryState& state);
// All versions of a name, also if none of them is there any more.
std::string name_page(std::string_view name, const RegistryState& state);
// What is in a bundle. It changes only if one of its static dependencies comes or goes. Errors: those of reading its
// tables, except that they are too large to be shown: then the page says so.
Result<std::string> bundle_page(const Bundle& bundle, const CatalogueEntry& entry, const RegistryState& state,
                                const std::vector<RegistryRefusal>& remarks, const OpenDependency& open_dependency);

}  // namespace fardel
