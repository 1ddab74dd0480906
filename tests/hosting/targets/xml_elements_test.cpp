#include "targets/xml_elements.h"

#include "kit/test.h"

namespace fardel::tests::xml_elements_test {

TEST_CASE("innermost elements come in order, without namespaces, with entities expanded") {
    const auto elements = parse_xml_elements(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<D:multistatus xmlns:D=\"DAV:\"><!-- two --><D:response><D:href> /a&amp;b&#x2e;x </D:href>"
        "<D:collection/></D:response><D:href><![CDATA[<c>]]></D:href></D:multistatus>",
        "multistatus");
    REQUIRE(elements);
    REQUIRE(elements->size() == 3);
    CHECK((*elements)[0].name == "href");
    CHECK((*elements)[0].text == "/a&b.x");
    CHECK((*elements)[1].name == "collection");
    CHECK((*elements)[1].text.empty());
    CHECK((*elements)[2].text == "<c>");
    CHECK(xml_text(*elements, "href") == "/a&b.x");
    CHECK(xml_text(*elements, "multistatus").empty());
}

TEST_CASE("what is not well-formed, or begins with another element, is malformed") {
    for (const char* document : {"", "text", "<a>", "<a></b>", "<a/><b/>", "<a>&unknown;</a>", "<a b=c/>", "<a\0/>",
                                 "<x:a/>", "<a>\xff</a>", "<html/>"}) {
        CAPTURE(document);
        CHECK(code_of(parse_xml_elements(document, "a")) == ErrorCode::malformed);
    }
}

TEST_CASE("a document type is refused, and with it entities that grow or read files") {
    for (const char* document :
         {"<!DOCTYPE a [<!ENTITY b \"0123456789\"><!ENTITY c \"&b;&b;&b;&b;\">]><a>&c;&c;&c;</a>",
          "<!DOCTYPE a SYSTEM \"file:///etc/passwd\"><a/>",
          "<!DOCTYPE a [<!ENTITY b SYSTEM \"file:///etc/passwd\">]><a>&b;</a>"}) {
        CAPTURE(document);
        check_error(parse_xml_elements(document, "a"), ErrorCode::malformed, "document type");
    }
}

TEST_CASE("depth and number of elements are bounded") {
    std::string deep;
    for (int i = 0; i < 33; ++i)
        deep += "<a>";
    CHECK(code_of(parse_xml_elements(deep, "a")) == ErrorCode::limit);

    std::string many = "<a>";
    for (std::size_t i = 0; i <= kXmlElementsMax; ++i)
        many += "<b/>";
    CHECK(code_of(parse_xml_elements(many + "</a>", "a")) == ErrorCode::limit);
}

}  // namespace fardel::tests::xml_elements_test
