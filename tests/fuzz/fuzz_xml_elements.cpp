// Input: the answer of a WebDAV server or an object store. What is accepted is bounded: names have no tags in them, and
// no text is longer than the document.
#include "require.h"
#include "targets/xml_elements.h"

#include <cstddef>
#include <cstdint>

using namespace fardel;

int fuzz_xml_elements(const std::uint8_t* data, std::size_t size) {
    const std::string_view document(reinterpret_cast<const char*>(data), size);
    const auto begins = [&](std::string_view root) { return document.find(root) != std::string_view::npos; };
    const auto elements = parse_xml_elements(document, begins("multistatus")        ? "multistatus"
                                                       : begins("ListBucketResult") ? "ListBucketResult"
                                                                                    : "a");
    if (!elements)
        return 0;
    require(!elements->empty() && elements->size() <= kXmlElementsMax);
    std::size_t bytes = 0;
    for (const XmlElement& element : *elements) {
        require(element.name.find('<') == std::string::npos && element.name.find('>') == std::string::npos);
        bytes += element.name.size() + element.text.size();
    }
    require(bytes <= size);
    return 0;
}
