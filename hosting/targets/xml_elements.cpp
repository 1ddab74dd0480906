#include "targets/xml_elements.h"

#include <expat.h>
#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

namespace fardel {
namespace {

constexpr std::size_t kDepthMax = 32;
constexpr XML_Char kAfterNamespace = '\n';  // in no name and no address of a namespace
constexpr std::string_view kBlanks = " \t\r\n";

std::string_view without_blanks(std::string_view text) {
    const auto first = text.find_first_not_of(kBlanks);
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

std::string_view local_name(std::string_view name) { return name.substr(name.find(kAfterNamespace) + 1); }

struct XmlParse {
    XML_Parser parser;
    std::string_view root;
    std::vector<XmlElement> elements;
    std::size_t depth = 0;
    bool is_leaf = false;  // the innermost open element contains no other so far
    std::string text;      // of that element
    std::optional<Error> refused;

    void refuse(ErrorCode code, const char* why) {
        refused = Error(code, std::string("the XML of a server ") + why);
        XML_StopParser(parser, XML_FALSE);
    }
};

XmlParse& parse_of(void* user) { return *static_cast<XmlParse*>(user); }

void XMLCALL element_begins(void* user, const XML_Char* name, const XML_Char**) {
    XmlParse& parse = parse_of(user);
    if (parse.depth == 0 && local_name(name) != parse.root) {
        parse.refuse(ErrorCode::malformed, "is another answer than the one that was requested");
        return;
    }
    parse.is_leaf = true;
    parse.text.clear();
    if (++parse.depth > kDepthMax)
        parse.refuse(ErrorCode::limit, "has elements too deep inside each other");
}

void XMLCALL element_ends(void* user, const XML_Char* name) {
    XmlParse& parse = parse_of(user);
    --parse.depth;
    if (!std::exchange(parse.is_leaf, false))
        return;
    parse.elements.push_back({.name = std::string(local_name(name)), .text = std::string(without_blanks(parse.text))});
    if (parse.elements.size() > kXmlElementsMax)
        parse.refuse(ErrorCode::limit, "has too many elements");
}

void XMLCALL text_comes(void* user, const XML_Char* text, int size) {
    XmlParse& parse = parse_of(user);
    if (parse.is_leaf)
        parse.text.append(text, static_cast<std::size_t>(size));
}

void XMLCALL document_type_begins(void* user, const XML_Char*, const XML_Char*, const XML_Char*, int) {
    parse_of(user).refuse(ErrorCode::malformed, "declares a document type");
}

}  // namespace

Result<std::vector<XmlElement>> parse_xml_elements(std::string_view document, std::string_view root) {
    if (document.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
        return Error(ErrorCode::limit, "the XML of a server is too long");
    const std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)> parser(
        XML_ParserCreateNS("UTF-8", kAfterNamespace), XML_ParserFree);
    if (!parser)
        return Error(ErrorCode::limit, "there is no memory to parse the XML of a server");
    XmlParse parse{.parser = parser.get(), .root = root};
    XML_SetUserData(parser.get(), &parse);
    XML_SetElementHandler(parser.get(), element_begins, element_ends);
    XML_SetCharacterDataHandler(parser.get(), text_comes);
    XML_SetStartDoctypeDeclHandler(parser.get(), document_type_begins);
    const XML_Status status = XML_Parse(parser.get(), document.data(), static_cast<int>(document.size()), XML_TRUE);
    if (parse.refused)
        return *std::move(parse.refused);
    if (status != XML_STATUS_OK)
        return Error(ErrorCode::malformed,
                     std::string("not the XML of a server: ") + XML_ErrorString(XML_GetErrorCode(parser.get())));
    return std::move(parse.elements);
}

std::string_view xml_text(const std::vector<XmlElement>& elements, std::string_view name) noexcept {
    const auto found = std::ranges::find(elements, name, &XmlElement::name);
    return found == elements.end() ? std::string_view() : std::string_view(found->text);
}

}  // namespace fardel
