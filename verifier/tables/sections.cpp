#include "sections.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

namespace fardel {
namespace {

struct Section {
    std::string_view name;
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;

    // Saturates at 2^64 − 1, which no file reaches.
    std::uint64_t end() const noexcept { return bytes > UINT64_MAX - offset ? UINT64_MAX : offset + bytes; }
};

// Returns the sections in the order of the file; the trailer is last by definition.
std::vector<Section> sections_of(const BundleHead* head, const LayoutHead& layout) {
    std::vector<Section> sections{{"blocks", layout.blocks_offset, layout.blocks_bytes},
                                  {"layout", layout.layout_offset, layout.layout_bytes}};
    if (head)
        sections.push_back({"manifest", layout.manifest_offset, head->manifest_bytes});
    std::ranges::sort(sections, {}, [](const Section& s) { return std::tuple(s.offset, s.bytes, s.name); });
    sections.push_back({"trailer", layout.trailer_offset, 0});
    return sections;
}

std::string location_of(const Section& section) {
    return std::string(section.name) + " section at file offset " + std::to_string(section.offset);
}

void check_one(const Section& section, std::uint64_t file_bytes, VerifyFindings& findings) {
    if (section.offset % limits::kPageBytes != 0 || section.offset < 2 * limits::kHeadBytes)
        findings.add(VerifierRule::section_misplaced, location_of(section),
                     "a section must begin at a multiple of 4096, at least 8192");
    if (section.end() > file_bytes)
        findings.add(VerifierRule::file_cut_off, location_of(section),
                     "it has " + std::to_string(section.bytes) + " bytes, but the file ends at " +
                         std::to_string(file_bytes) + "; fetch it again");
}

}  // namespace

void check_sections(const BundleHead* head, const LayoutHead& layout, std::uint64_t file_bytes,
                    VerifyFindings& findings) {
    const auto sections = sections_of(head, layout);
    for (const Section& section : sections)
        check_one(section, file_bytes, findings);

    Section before{"heads", 0, 2 * limits::kHeadBytes};
    for (const Section& section : sections) {
        if (section.offset < before.end())
            findings.add(VerifierRule::section_overlap, location_of(section),
                         "it begins before the end of the " + std::string(before.name) + " section at " +
                             std::to_string(before.end()));
        else if (head && section.offset - before.end() >= limits::kPageBytes)
            findings.add(VerifierRule::section_gap, location_of(section),
                         "the " + std::string(before.name) + " section ends at " + std::to_string(before.end()) +
                             "; fewer than 4096 bytes may lie between them");
        if (section.end() > before.end())
            before = section;
    }
    if (file_bytes > layout.trailer_offset && file_bytes - layout.trailer_offset > limits::kTrailerBytesMax)
        findings.add(VerifierRule::trailer_refused, "trailer",
                     Error(ErrorCode::limit, "it has " + std::to_string(file_bytes - layout.trailer_offset) +
                                                 " bytes; at most " + std::to_string(limits::kTrailerBytesMax) +
                                                 " are allowed; cut off what was appended"));
}

void check_section_gaps(const ByteSource& source, const BundleHead& head, const LayoutHead& layout,
                        VerifyFindings& findings) {
    std::uint64_t end = 2 * limits::kHeadBytes;
    for (const Section& section : sections_of(&head, layout)) {
        if (section.offset > end && section.offset - end < limits::kPageBytes)
            check_zeros(source, end, section.offset, "gap before the " + std::string(section.name) + " section",
                        findings);
        end = std::max(end, section.end());
    }
}

void check_zeros(const ByteSource& source, std::uint64_t from, std::uint64_t to, const std::string& where,
                 VerifyFindings& findings) {
    assert(from <= to && to - from <= limits::kPageBytes);
    to = std::min(to, source.size_bytes());
    if (from >= to)
        return;
    std::array<std::byte, limits::kPageBytes> buffer;
    const auto bytes = std::span(buffer).first(static_cast<std::size_t>(to - from));
    if (Status status = source.read_at(from, bytes); !status) {
        findings.add(VerifierRule::file_unreadable, where, status.error());
        return;
    }
    const auto first = std::ranges::find_if(bytes, [](std::byte b) { return b != std::byte{0}; });
    if (first != bytes.end())
        findings.add(VerifierRule::gap_not_zero, where,
                     "the byte at file offset " +
                         std::to_string(from + static_cast<std::uint64_t>(first - bytes.begin())) +
                         " is not zero; only zeros are allowed there");
}

}  // namespace fardel
