#include "registry/size_map.h"

#include "registry/page_text.h"
#include "registry/safe_text.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <tuple>

namespace fardel {
namespace {

// All lengths are integers, so that every machine draws the same.
constexpr std::uint64_t kMapWidth = 960;
constexpr std::uint64_t kMapHeight = 420;
constexpr std::size_t kItemsShownMax = 60;
constexpr std::uint64_t kLabelWidthMin = 70;
constexpr std::uint64_t kLabelHeightMin = 18;
constexpr std::uint64_t kLetterWidth = 7;

struct Area {
    std::uint64_t x = 0, y = 0, width = 0, height = 0;
};

std::uint64_t sum_of(std::span<const SizedItem> items) {
    std::uint64_t bytes = 0;
    for (const SizedItem& item : items)
        bytes += item.bytes;
    return bytes;
}

// `length` × part ÷ whole, for sizes that do not fit into a product of 64 bits.
std::uint64_t share_of(std::uint64_t length, std::uint64_t part, std::uint64_t whole) {
    while (whole > UINT64_MAX / kMapWidth) {
        whole >>= 1;
        part >>= 1;
    }
    return whole == 0 ? 0 : length * part / whole;
}

void draw_item(const SizedItem& item, const Area& area, std::size_t number, std::string& svg) {
    static constexpr std::array<std::string_view, 8> kColours{"#7a9cc6", "#86b58a", "#c9a66b", "#b58aa5",
                                                              "#8fb3b5", "#c08b7b", "#a3a36b", "#9a94c2"};
    if (area.width == 0 || area.height == 0)
        return;
    const std::string place = "x=\"" + std::to_string(area.x) + "\" y=\"" + std::to_string(area.y) + "\"";
    svg += "<g><title>" + html_text(item.label) + ": " + format_bytes(item.bytes) + "</title><rect " + place +
           " width=\"" + std::to_string(area.width) + "\" height=\"" + std::to_string(area.height) + "\" fill=\"" +
           std::string(kColours.at(number % kColours.size())) + "\"/>";
    if (area.width >= kLabelWidthMin && area.height >= kLabelHeightMin) {
        const auto letters = static_cast<std::size_t>(area.width / kLetterWidth);
        svg += "<text x=\"" + std::to_string(area.x + 5) + "\" y=\"" + std::to_string(area.y + 14) + "\">" +
               html_text(cut_text(item.label, letters)) + "</text>";
    }
    svg += "</g>\n";
}

// Halves the items by size, and the area along its longer side, until one item is left.
void draw(std::span<const SizedItem> items, const Area& area, std::size_t first, std::string& svg) {
    if (items.empty())
        return;
    if (items.size() == 1)
        return draw_item(items.front(), area, first, svg);
    const std::uint64_t all = sum_of(items);
    std::size_t count = 1;
    std::uint64_t bytes = items.front().bytes;
    while (count + 1 < items.size() && bytes + items[count].bytes <= all / 2)
        bytes += items[count++].bytes;
    Area one = area;
    Area other = area;
    if (area.width >= area.height) {
        one.width = share_of(area.width, bytes, all);
        other.x += one.width;
        other.width -= one.width;
    } else {
        one.height = share_of(area.height, bytes, all);
        other.y += one.height;
        other.height -= one.height;
    }
    draw(items.first(count), one, first, svg);
    draw(items.subspan(count), other, first + count, svg);
}

}  // namespace

std::string format_size_map(std::vector<SizedItem> items) {
    std::ranges::sort(items, [](const SizedItem& a, const SizedItem& b) {
        return std::tie(b.bytes, a.label) < std::tie(a.bytes, b.label);
    });
    if (items.size() > kItemsShownMax) {
        const auto rest = std::span(items).subspan(kItemsShownMax - 1);
        items[kItemsShownMax - 1] = {.label = std::to_string(rest.size()) + " smaller ones", .bytes = sum_of(rest)};
        items.resize(kItemsShownMax);
    }
    std::string svg = "<svg role=\"img\" aria-label=\"size map\" viewBox=\"0 0 " + std::to_string(kMapWidth) + " " +
                      std::to_string(kMapHeight) + "\">\n";
    draw(items, {.x = 0, .y = 0, .width = kMapWidth, .height = kMapHeight}, 0, svg);
    return svg + "</svg>\n";
}

}  // namespace fardel
