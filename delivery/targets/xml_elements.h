// The elements of the XML that WebDAV servers and object stores answer with, as far as Fardel reads them.
//
// Not an XML parser: documents are hostile, and only leaf elements and their texts matter. No entities are expanded
// except the five that XML defines; there are no documents types, includes or namespaces.
#pragma once

#include <fardel/base/result.h>

#include <string>
#include <string_view>
#include <vector>

namespace fardel {

inline constexpr std::size_t kXmlElementsMax = 200'000;

struct XmlElement {
    std::string name;  // without a prefix, as in the document
    std::string text;  // between its tags, without blanks around it
};

// Returns all elements that contain no other elements, in the order of the document. Errors: malformed (tags that do
// not match), limit (more than kXmlElementsMax, or deeper than 32).
Result<std::vector<XmlElement>> parse_xml_elements(std::string_view document);

// Returns the text of the first element with that name; "" if there is none.
std::string_view xml_text(const std::vector<XmlElement>& elements, std::string_view name) noexcept;

}  // namespace fardel
