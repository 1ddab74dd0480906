#include "scan_skin.h"

#include "found_references.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace fardel {
namespace {

std::string_view without_quotes(std::string_view text) {
    const auto is_edge = [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == '"'; };
    while (!text.empty() && is_edge(text.front()))
        text.remove_prefix(1);
    while (!text.empty() && is_edge(text.back()))
        text.remove_suffix(1);
    return text;
}

// Scans one line, "surface,shader". A tag is an attachment point without a shader. A surface "md3_…" of Return to
// Castle Wolfenstein attaches a model.
Status scan_line(FoundReferences& found, std::string_view line, std::uint32_t number) {
    line = line.substr(0, line.find("//"));
    const std::size_t comma = line.find(',');
    if (comma == line.npos)
        return ok();
    const std::string_view surface = without_quotes(line.substr(0, comma));
    if (surface.find("tag_") != surface.npos || surface.starts_with("player"))
        return ok();
    const std::string_view worn = without_quotes(line.substr(comma + 1));
    return found.add({.spelling = std::string(worn),
                      .use = surface.starts_with("md3_") ? ReferenceUse::model : ReferenceUse::shader,
                      .optional = worn == "nodraw" || worn == "*off",
                      .line = number},
                     worn);
}

}  // namespace

Result<ScanFindings> scan_skin(std::string_view text, const char* asset) {
    FoundReferences found(asset);
    for (std::uint32_t number = 1; !text.empty(); ++number) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        FARDEL_TRY(scan_line(found, text.substr(0, end), number));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return std::move(found).take();
}

}  // namespace fardel
