// What the tables must say of each other, kind by kind: canonical order, targets that exist, runs that fit.
//
// Each check takes verified tables and adds findings; none reads the file. Records that are not known are passed over:
// whatever made them so is a finding already. Time is linear in the tables, or nearly so.
#pragma once

#include "findings/findings.h"
#include "tables/bundle_strings.h"
#include "tables/hashed_names.h"
#include "tables/tables.h"

#include <cstdint>
#include <span>

namespace fardel {

// assets.cpp: order, ids of nothing, content types, and the runs of pieces.
void check_assets(const Tables& tables, Strings& texts, Findings& findings);

// asset_buckets.cpp: the look-up table of assets, against the ids.
void check_asset_buckets(const Tables& tables, Findings& findings);

// names.cpp: form, order, flags, targets.
void check_names(const Tables& tables, Strings& texts, Findings& findings);
// `names`, below: hash_names().
// name_places.cpp: no two names in one place of a case-insensitive file system, and no file that is a folder.
void check_name_places(const Tables& tables, const Strings& texts, std::span<const HashedName> names,
                       Findings& findings);
// name_look_up.cpp: the look-up tables of names, against the texts.
void check_name_look_up(const Tables& tables, std::span<const HashedName> names, Findings& findings);

// variants.cpp: runs of variants by name, of tags by variant.
void check_variants(const Tables& tables, Strings& texts, Findings& findings);

// references.cpp: runs by asset, order, targets; foreign assets and their dependencies.
void check_references(const Tables& tables, Strings& texts, Findings& findings);

// consumes.cpp, dependencies.cpp
void check_consumes(const Tables& tables, Strings& texts, Findings& findings);
void check_dependencies(const Tables& tables, Strings& texts, Findings& findings);

// metadata.cpp: `kind` is metadata or creator_metadata. `now_s` 0: nothing expires.
void check_metadata(const Tables& tables, TableKind kind, Strings& texts, std::uint64_t now_s, Findings& findings);

}  // namespace fardel
