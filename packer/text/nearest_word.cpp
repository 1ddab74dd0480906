#include <fardel/packer/nearest_word.h>

#include <algorithm>
#include <vector>

namespace fardel {
namespace {

constexpr std::size_t kLettersMax = 32;

// Damerau and Levenshtein's distance, without edits between two swapped letters.
std::size_t edits_between(std::string_view a, std::string_view b) {
    std::vector<std::vector<std::size_t>> edits(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) {
        for (std::size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                edits[i][j] = i + j;
                continue;
            }
            const bool same = a[i - 1] == b[j - 1];
            edits[i][j] = std::min({edits[i - 1][j] + 1, edits[i][j - 1] + 1, edits[i - 1][j - 1] + (same ? 0 : 1)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                edits[i][j] = std::min(edits[i][j], edits[i - 2][j - 2] + 1);
        }
    }
    return edits[a.size()][b.size()];
}

}  // namespace

std::optional<std::string_view> find_nearest_word(std::string_view word, std::span<const std::string_view> known) {
    if (word.size() > kLettersMax)
        return std::nullopt;
    std::optional<std::string_view> nearest;
    std::size_t fewest = 0;
    for (const std::string_view candidate : known) {
        const std::size_t edits = edits_between(word, candidate);
        const bool near = edits <= 1 + candidate.size() / 3 && edits < candidate.size();
        if (near && (!nearest || edits < fewest)) {
            nearest = candidate;
            fewest = edits;
        }
    }
    return nearest;
}

std::string suggest_word(std::string_view word, std::span<const std::string_view> known, std::string_view list) {
    if (const auto nearest = find_nearest_word(word, known))
        return "did you mean '" + std::string(*nearest) + "'?";
    std::string all;
    for (const std::string_view one : known)
        all += (all.empty() ? "" : ", ") + std::string(one);
    return std::string(list) + all;
}

}  // namespace fardel
