// ReportSelection: which names a page of bounded size shows one by one, and what the others come to, by folder and
// type. A pure decision: the largest, then those that refer or are referred to most.
#pragma once

#include "report_facts.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fardel {

// A name that is shown, with the bytes that it stands for: of an asset behind several names only the first has them.
struct SelectedName {
    std::uint32_t bundle = 0;
    std::uint32_t name = 0;  // index into the bundle's names
    std::uint64_t raw_bytes = 0;
    std::uint64_t stored_bytes = 0;
};

// Names that are not shown, and assets without a name.
struct SelectionRest {
    std::uint32_t bundle = 0;
    std::string folder;  // "textures/base"; empty: the root, or deeper folders were not kept apart
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
    std::size_t rest_max = 4'000;    // folders come together, deepest first, until there are no more
};

ReportSelection select_names(const ReportFacts& facts, const SelectionLimits& limits = {});

}  // namespace fardel
