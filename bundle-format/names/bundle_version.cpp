#include <fardel/format/bundle_version.h>

#include <fardel/base/ascii.h>
#include <fardel/format/limits.h>
#include <fardel/format/name.h>

#include <algorithm>

namespace fardel {
namespace {

// A run of digits, or of other characters.
struct VersionPart {
    std::string_view text;  // of a number, without zeros in front; empty: the text has ended
    bool is_number = false;
};

// Takes the next part and the separators before it.
VersionPart read_part(std::string_view& text) noexcept {
    text.remove_prefix(std::min(text.find_first_not_of(".-_~"), text.size()));
    if (text.empty())
        return {};
    const bool is_number = is_ascii_digit(text.front());
    std::size_t end = 1;
    while (end < text.size() && is_ascii_digit(text[end]) == is_number &&
           std::string_view(".-_~").find(text[end]) == std::string_view::npos)
        ++end;
    std::string_view part = text.substr(0, end);
    text.remove_prefix(end);
    if (is_number)
        part.remove_prefix(std::min(part.find_first_not_of('0'), part.size() - 1));
    return {part, is_number};
}

std::weak_ordering compare_texts(std::string_view a, std::string_view b) noexcept {
    const int difference = a.compare(b);
    return difference < 0   ? std::weak_ordering::less
           : difference > 0 ? std::weak_ordering::greater
                            : std::weak_ordering::equivalent;
}

// A number comes before a word.
std::weak_ordering compare_parts(const VersionPart& a, const VersionPart& b) noexcept {
    if (a.is_number != b.is_number)
        return a.is_number ? std::weak_ordering::less : std::weak_ordering::greater;
    if (a.is_number && a.text.size() != b.text.size())
        return a.text.size() < b.text.size() ? std::weak_ordering::less : std::weak_ordering::greater;
    return compare_texts(a.text, b.text);
}

// `missing`: what stands for the parts that one of them lacks.
std::weak_ordering compare_runs(std::string_view a, std::string_view b, const VersionPart& missing) noexcept {
    for (;;) {
        VersionPart of_a = read_part(a);
        VersionPart of_b = read_part(b);
        if (of_a.text.empty() && of_b.text.empty())
            return std::weak_ordering::equivalent;
        if (of_a.text.empty())
            of_a = missing;
        if (of_b.text.empty())
            of_b = missing;
        if (const auto order = compare_parts(of_a, of_b); order != 0)
            return order;
    }
}

// Where the preview begins: at "~", or at "-" and a letter.
std::size_t find_preview(std::string_view text) noexcept {
    for (std::size_t i = 0; i < text.size(); ++i)
        if (text[i] == '~' || (text[i] == '-' && i + 1 < text.size() && is_ascii_letter(text[i + 1])))
            return i;
    return text.size();
}

// What is behind a "+" is about the build, and does not count.
std::string_view counted(std::string_view text) noexcept { return text.substr(0, text.find('+')); }

}  // namespace

Result<BundleVersion> BundleVersion::parse(std::string_view text) {
    if (text.size() > limits::kVersionBytesMax)
        return Error(ErrorCode::limit, "bundle version of " + std::to_string(text.size()) + " bytes; at most " +
                                           std::to_string(limits::kVersionBytesMax));
    if (!is_version(text))
        return Error(ErrorCode::malformed,
                     "bundle version \"" + printable(text) + "\": only letters, digits and . + - _ ~ may be in it");
    return BundleVersion(std::string(text));
}

bool BundleVersion::is_preview() const noexcept {
    const std::string_view text = counted(text_);
    return find_preview(text) < text.size();
}

BundleVersion BundleVersion::release() const {
    const std::string_view text = counted(text_);
    return BundleVersion(std::string(text.substr(0, find_preview(text))));
}

std::weak_ordering compare_versions(const BundleVersion& a, const BundleVersion& b) noexcept {
    const std::string_view text_a = counted(a.text());
    const std::string_view text_b = counted(b.text());
    const std::size_t end_a = find_preview(text_a);
    const std::size_t end_b = find_preview(text_b);
    constexpr VersionPart kZero{"0", true};
    constexpr VersionPart kNothing{"", true};  // before every other part
    if (const auto order = compare_runs(text_a.substr(0, end_a), text_b.substr(0, end_b), kZero); order != 0)
        return order;
    const bool preview_a = end_a < text_a.size();
    const bool preview_b = end_b < text_b.size();
    if (preview_a != preview_b)
        return preview_a ? std::weak_ordering::less : std::weak_ordering::greater;
    return compare_runs(text_a.substr(end_a), text_b.substr(end_b), kNothing);
}

}  // namespace fardel
