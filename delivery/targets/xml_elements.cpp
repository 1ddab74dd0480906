#include "targets/xml_elements.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace fardel {
namespace {

constexpr std::size_t kDepthMax = 32;
constexpr std::string_view kBlanks = " \t\r\n";

Error not_xml(std::string_view why) {
    return Error(ErrorCode::malformed, "not the XML of a server: " + std::string(why));
}

std::string_view without_blanks(std::string_view text) {
    const auto first = text.find_first_not_of(kBlanks);
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

std::optional<std::string> decoded(std::string_view text) {
    constexpr std::pair<std::string_view, char> kEntities[] = {{"&amp;", '&'},  {"&lt;", '<'},    {"&gt;", '>'},
                                                               {"&quot;", '"'}, {"&apos;", '\''}, {"&#34;", '"'},
                                                               {"&#39;", '\''}};
    std::string plain;
    while (!text.empty()) {
        if (text.front() != '&') {
            plain += text.front();
            text.remove_prefix(1);
            continue;
        }
        const auto* const entity =
            std::ranges::find_if(kEntities, [&](const auto& one) { return text.starts_with(one.first); });
        if (entity == std::end(kEntities))
            return std::nullopt;
        plain += entity->second;
        text.remove_prefix(entity->first.size());
    }
    return plain;
}

std::string_view local_name(std::string_view tag) {
    tag = tag.substr(0, tag.find_first_of(kBlanks));
    const auto colon = tag.find(':');
    return colon == std::string_view::npos ? tag : tag.substr(colon + 1);
}

}  // namespace

Result<std::vector<XmlElement>> parse_xml_elements(std::string_view document) {
    std::vector<XmlElement> elements;
    std::vector<std::string_view> open;
    bool is_leaf = false;        // the innermost open element contains no other so far
    std::size_t text_start = 0;  // of that element
    for (std::size_t at = document.find('<'); at != std::string_view::npos; at = document.find('<', at)) {
        const auto end = document.find('>', at);
        if (end == std::string_view::npos)
            return not_xml("a tag does not end");
        std::string_view tag = document.substr(at + 1, end - at - 1);
        if (tag.empty() || tag.find('<') != std::string_view::npos)
            return not_xml("a tag begins inside another");
        if (tag.starts_with('!'))
            return not_xml("it has a comment, a declaration or raw text");
        if (tag.starts_with('/')) {
            const std::string_view name = local_name(tag.substr(1));
            if (open.empty() || open.back() != name)
                return not_xml("a tag ends another element");
            if (is_leaf) {
                auto text = decoded(without_blanks(document.substr(text_start, at - text_start)));
                if (!text)
                    return not_xml("an unknown entity");
                elements.push_back({.name = std::string(name), .text = *std::move(text)});
            }
            open.pop_back();
            is_leaf = false;
        } else if (tag.ends_with('/')) {
            elements.push_back({.name = std::string(local_name(tag.substr(0, tag.size() - 1))), .text = {}});
            is_leaf = false;
        } else if (!tag.starts_with('?')) {
            open.push_back(local_name(tag));
            is_leaf = true;
            text_start = end + 1;
        }
        if (elements.size() > kXmlElementsMax || open.size() > kDepthMax)
            return Error(ErrorCode::limit, "the XML of a server has too many elements");
        at = end + 1;
    }
    if (!open.empty() || elements.empty())
        return not_xml(open.empty() ? "it has no elements" : "an element does not end");
    return elements;
}

std::string_view xml_text(const std::vector<XmlElement>& elements, std::string_view name) noexcept {
    const auto found = std::ranges::find(elements, name, &XmlElement::name);
    return found == elements.end() ? std::string_view() : std::string_view(found->text);
}

}  // namespace fardel
