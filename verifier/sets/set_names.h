// check_set_names: names that hide each other once the bundles of a set are mounted together or extracted into one
// folder: equal names with different content, names that differ only in case, names that are folders of others.
//
// Memory: 16 bytes per published name, and 20 per finding, also of those that are only counted. Time: that of sorting
// the names by their hashes. A name that is malformed or out of order is a finding about its bundle and is left out.
#pragma once

#include "findings/verify_findings.h"
#include "set_member.h"

#include <span>
#include <stop_token>

namespace fardel {

// Findings are in the order of the members and of their names. If stopped, some are missing.
void check_set_names(std::span<const SetMember> members, const std::stop_token& stop, VerifyFindings& findings);

}  // namespace fardel
