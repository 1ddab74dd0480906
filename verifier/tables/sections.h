// Checks the sections of a bundle file: order, overlaps, gaps, and whether the file contains them completely.
#pragma once

#include "findings/verify_findings.h"

#include <fardel/format/byte_source.h>
#include <fardel/format/head.h>

#include <cstdint>
#include <string>

namespace fardel {

// Checks the offsets and sizes in the heads. Without a head, the length of the manifest is unknown and gaps are not
// checked.
void check_sections(const BundleHead* head, const LayoutHead& layout, std::uint64_t file_bytes,
                    VerifyFindings& findings);

// Checks that the bytes between sections are zero, in each gap of a valid size.
void check_section_gaps(const ByteSource& source, const BundleHead& head, const LayoutHead& layout,
                        VerifyFindings& findings);

// Checks that bytes [from, to) of the file, at most 4096, are zero. Skips what lies outside the file.
void check_zeros(const ByteSource& source, std::uint64_t from, std::uint64_t to, const std::string& where,
                 VerifyFindings& findings);

}  // namespace fardel
