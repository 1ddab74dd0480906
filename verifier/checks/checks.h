// Checks of the records, kind by kind: canonical order, targets that exist, runs that fit.
//
// Each check reads checked tables and adds findings; none reads the file. Unknown records are skipped, because their
// cause is already a finding. Time is linear in the size of the tables, except for sorting.
#pragma once

#include "findings/verify_findings.h"
#include "tables/bundle_strings.h"
#include "tables/checked_tables.h"

#include <fardel/format/name_buckets.h>

#include <fardel/format/manifest.h>

#include <fardel/verifier/finding.h>

#include <optional>
#include <span>
#include <vector>

namespace fardel {

// assets.cpp: order, ids of empty assets, content types, and the runs of pieces.
void check_assets(const CheckedTables& tables, BundleStrings& texts, VerifyFindings& findings);

// asset_buckets.cpp: the look-up table of assets against their ids.
void check_asset_buckets(const CheckedTables& tables, VerifyFindings& findings);

// names.cpp: form, order, flags, targets.
void check_names(const CheckedTables& tables, BundleStrings& texts, VerifyFindings& findings);
// name_look_up.cpp: the names whose text is known, sorted by the hash of their texts, as in the look-up tables.
// Computed once for the two checks below.
std::vector<HashedName> hash_names(const CheckedTables& tables, const BundleStrings& texts);

// name_collisions.cpp: on a case-insensitive file system, no two names may be equal, and no file may also be a folder.
void check_name_collisions(const CheckedTables& tables, const BundleStrings& texts, std::span<const HashedName> names,
                           VerifyFindings& findings);
// name_look_up.cpp: the look-up tables of names against their texts.
void check_name_look_up(const CheckedTables& tables, std::span<const HashedName> names, VerifyFindings& findings);

// name_placements.cpp: published names against the conventions of a game.
void check_name_placements(const CheckedTables& tables, const BundleStrings& texts,
                           std::span<const NamePlacement> placements, VerifyFindings& findings);

// variants.cpp: the runs of variants of each name, and of tags of each variant.
void check_variants(const CheckedTables& tables, BundleStrings& texts, VerifyFindings& findings);

// references.cpp: the runs of references of each asset, order, targets; foreign assets and their dependencies.
void check_references(const CheckedTables& tables, BundleStrings& texts, VerifyFindings& findings);

// consumes.cpp, dependencies.cpp
void check_consumes(const CheckedTables& tables, BundleStrings& texts, VerifyFindings& findings);
void check_dependencies(const CheckedTables& tables, BundleStrings& texts, VerifyFindings& findings);

// metadata.cpp: `kind` is metadata or creator_metadata. Without `now` nothing expires.
void check_metadata(const CheckedTables& tables, TableKind kind, BundleStrings& texts, std::optional<UnixTime> now,
                    VerifyFindings& findings);

}  // namespace fardel
