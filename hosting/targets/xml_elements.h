// The elements of the XML that WebDAV servers and object stores answer with: the innermost ones and their texts.
//
// expat parses it. Documents are hostile: one with a document type, and so with entities of its own, is refused.
#pragma once

#include <fardel/base/result.h>

#include <string>
#include <string_view>
#include <vector>

namespace fardel {

inline constexpr std::size_t kXmlElementsMax = 200'000;

struct XmlElement {
    std::string name;  // without its namespace
    std::string text;  // between its tags, without blanks around it
};

// Returns all elements that contain no other elements, in the order of the document, whose outermost element must be
// `root`. Errors: malformed (not well-formed XML, with a document type, another answer), limit (more than
// kXmlElementsMax, or deeper than 32).
Result<std::vector<XmlElement>> parse_xml_elements(std::string_view document, std::string_view root);

// Returns the text of the first element with that name; "" if there is none.
std::string_view xml_text(const std::vector<XmlElement>& elements, std::string_view name) noexcept;

}  // namespace fardel
