// ReportSelection: the names that a page of bounded size lists one by one, and sums by folder and type over all others.
// A pure decision: the largest names, then those with the most references in either direction.
#pragma once

#include "report_facts.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fardel {

// A name that is listed, with the bytes of its assets. The bytes of an asset count for the first of its names only.
struct SelectedName {
    std::uint32_t bundle = 0;
    std::uint32_t name = 0;  // index into the bundle's names
    std::uint64_t raw_bytes = 0;
    std::uint64_t stored_bytes = 0;
};

// The sum over names that are not listed, and over assets without a name.
struct SelectionRest {
    std::uint32_t bundle = 0;
    std::string folder;  // "textures/base"; empty for the root, or if folders are not distinguished
    std::string content_type;
    std::uint64_t names = 0;
    std::uint64_t raw_bytes = 0;
    std::uint64_t stored_bytes = 0;
};

struct ReportSelection {
    std::vector<SelectedName> names;  // by bundle, then by name
    std::vector<SelectionRest> rest;  // by bundle, folder, type
    std::uint64_t names_left_out = 0;
};

struct SelectionLimits {
    std::size_t names_max = 20'000;  // a variant counts as a name
    std::size_t rest_max = 4'000;    // folders are merged, deepest first, until no more sums are left
};

ReportSelection select_names(const ReportFacts& facts, const SelectionLimits& limits = {});

}  // namespace fardel
