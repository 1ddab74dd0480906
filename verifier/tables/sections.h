// Where the sections of a bundle file are: order, overlaps, gaps, and whether the file has them whole.
#pragma once

#include "findings/findings.h"

#include <fardel/format/byte_source.h>
#include <fardel/format/head.h>

#include <cstdint>
#include <optional>
#include <string>

namespace fardel {

// Findings about the numbers alone. Without a head the manifest's length is not known, and gaps are not judged.
void check_sections(const BundleHead* head, const LayoutHead& layout, std::uint64_t file_bytes, Findings& findings);

// That the bytes between sections are zero, where such a gap has its proper size.
void check_section_gaps(const ByteSource& source, const BundleHead& head, const LayoutHead& layout, Findings& findings);

// That bytes [from, to) of the file are zero; what lies outside the file is passed over. At most 4096 bytes.
void check_zeros(const ByteSource& source, std::uint64_t from, std::uint64_t to, const std::string& where,
                 Findings& findings);

}  // namespace fardel
