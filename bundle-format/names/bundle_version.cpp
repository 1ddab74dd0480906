#include <fardel/format/bundle_version.h>

#include <fardel/base/ascii.h>
#include <fardel/format/limits.h>
#include <fardel/format/name.h>

#include <algorithm>
#include <span>

namespace fardel {
namespace {

constexpr std::string_view kSeparators = ".-_~+";

// A run of digits, or of other characters.
struct VersionPart {
    std::string_view text;  // of a number, without zeros in front; empty: the text has ended
    bool is_number = false;
};
constexpr VersionPart kZero{"0", true};
constexpr VersionPart kNothing{"", true};  // before every other part

// Takes the next part and the separators before it.
VersionPart read_part(std::string_view& text) noexcept {
    text.remove_prefix(std::min(text.find_first_not_of(kSeparators), text.size()));
    if (text.empty())
        return {};
    const bool is_number = is_ascii_digit(text.front());
    std::size_t end = 1;
    while (end < text.size() && is_ascii_digit(text[end]) == is_number &&
           kSeparators.find(text[end]) == std::string_view::npos)
        ++end;
    std::string_view part = text.substr(0, end);
    text.remove_prefix(end);
    if (is_number)
        part.remove_prefix(std::min(part.find_first_not_of('0'), part.size() - 1));
    return {part, is_number};
}

// Letter case is no difference between versions.
std::weak_ordering compare_texts(std::string_view a, std::string_view b) noexcept {
    for (std::size_t i = 0; i < a.size() && i < b.size(); ++i)
        if (const char in_a = lower_ascii(a[i]), in_b = lower_ascii(b[i]); in_a != in_b)
            return in_a < in_b ? std::weak_ordering::less : std::weak_ordering::greater;
    return a.size() <=> b.size();
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

// What a word says about a version, in any letter case. Others are part of its number.
enum class Stage : signed char { preview = -1, release = 0, later = 1 };
constexpr std::string_view kPreviewWords[] = {"alpha", "beta", "rc", "pre", "preview", "dev", "snapshot", "nightly"};
constexpr std::string_view kLaterWords[] = {"hotfix", "fix", "patch", "post", "rev", "sp", "update"};
constexpr std::string_view kEmptyWords[] = {"v", "ver", "version", "release"};  // in front of a number

bool is_one_of(std::string_view word, std::span<const std::string_view> words) noexcept {
    return std::ranges::any_of(words, [&](std::string_view one) { return compare_texts(one, word) == 0; });
}

std::string_view word_at(std::string_view text, std::size_t at) noexcept {
    std::size_t end = at;
    while (end < text.size() && is_ascii_letter(text[end]))
        ++end;
    return text.substr(at, end - at);
}

// "a1" and "b2", and not "1.9b" or "1.b3f4", which are a revision and a hash.
bool is_short_preview(std::string_view text, std::size_t at, std::string_view word) noexcept {
    if (word.size() != 1 || (lower_ascii(word.front()) != 'a' && lower_ascii(word.front()) != 'b'))
        return false;
    const std::string_view rest = text.substr(at + 1);
    const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    return digits != 0 && (digits == rest.size() || !is_ascii_letter(rest[digits]));
}

// A version in its parts: the number, and what makes it a preview or something later than the release.
struct CutVersion {
    std::string_view number;
    std::string_view tail;
    Stage stage = Stage::release;
};

// Cuts where the stage begins: at "~", at a word that says so, and at "-" and any other letter.
CutVersion cut_number(std::string_view text) noexcept {
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto cut = [&](Stage stage) { return CutVersion{text.substr(0, i), text.substr(i), stage}; };
        if (text[i] == '~')
            return cut(Stage::preview);
        if (i == 0 || !is_ascii_letter(text[i]) || is_ascii_letter(text[i - 1]))
            continue;
        const std::string_view word = word_at(text, i);
        if (is_one_of(word, kLaterWords))
            return cut(Stage::later);
        if (text[i - 1] == '-' || is_one_of(word, kPreviewWords) || is_short_preview(text, i, word))
            return cut(Stage::preview);
    }
    return {text, {}, Stage::release};
}

CutVersion cut_version(std::string_view text) noexcept {
    const std::string_view word = word_at(text, 0);
    std::string_view rest = text.substr(word.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(".-_"), rest.size()));
    const bool has_number = !rest.empty() && is_ascii_digit(rest.front());
    if (has_number && is_one_of(word, kEmptyWords))
        return cut_number(rest);
    if (!is_one_of(word, kPreviewWords))
        return cut_number(text);
    // "Beta_1.9" is a preview of 1.9; "beta2" is the second one of a game that has no number yet.
    if (has_number && rest.find('.') != std::string_view::npos)
        return {cut_number(rest).number, text, Stage::preview};
    return {{}, text, Stage::preview};
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

bool BundleVersion::is_preview() const noexcept { return cut_version(counted(text_)).stage == Stage::preview; }

BundleVersion BundleVersion::release() const { return BundleVersion(std::string(cut_version(counted(text_)).number)); }

std::weak_ordering compare_versions(const BundleVersion& a, const BundleVersion& b) noexcept {
    const CutVersion of_a = cut_version(counted(a.text()));
    const CutVersion of_b = cut_version(counted(b.text()));
    if (const auto order = compare_runs(of_a.number, of_b.number, kZero); order != 0)
        return order;
    if (of_a.stage != of_b.stage)
        return of_a.stage < of_b.stage ? std::weak_ordering::less : std::weak_ordering::greater;
    return compare_runs(of_a.tail, of_b.tail, kNothing);
}

std::weak_ordering compare_builds(const BundleVersion& a, const BundleVersion& b) noexcept {
    if (const auto order = compare_versions(a, b); order != 0)
        return order;
    const auto build = [](std::string_view text) { return text.substr(counted(text).size()); };
    return compare_runs(build(a.text()), build(b.text()), kNothing);
}

std::optional<std::string> describe_older(std::string_view name, const BundleVersion& added, const BundleVersion& there,
                                          std::string_view where) {
    const auto order = compare_builds(added, there);
    if (added == there || order > 0)
        return std::nullopt;
    const std::string title = printable(name) + " ";
    return title + added.text() + (order < 0 ? " comes before " : " counts as the same version as ") + title +
           there.text() + ", which " + std::string(where) + ": who asks for the newest gets " +
           (order < 0 ? "that one" : "one of them") +
           "; docs/installing.md, \"Versions\", says how versions are ordered";
}

}  // namespace fardel
