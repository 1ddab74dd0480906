#include "sorted_names.h"

#include <fardel/base/sort_unless_sorted.h>
#include <fardel/format/limits.h>
#include <fardel/format/short_alias.h>

#include <algorithm>
#include <string_view>

namespace fardel {
namespace {

using Texts = std::span<const std::string_view>;  // in the order of by_text

Error conflict(std::string_view a, std::string_view relation, std::string_view b) {
    return Error(ErrorCode::malformed,
                 "name \"" + printable(a) + "\" " + std::string(relation) + " \"" + printable(b) + "\"");
}

// tests/ATTACKS.md, A08. Equal folds have equal hashes, so only neighbours can be equal.
Status verify_folds_differ(Texts texts, std::span<const HashedName> by_hash) {
    for (std::size_t first = 0; first < by_hash.size();) {
        std::size_t end = first + 1;
        while (end < by_hash.size() && by_hash[end].hash == by_hash[first].hash)
            ++end;
        if (end - first > limits::kNameHashCollisionsMax)
            return Error(ErrorCode::limit, "name \"" + printable(texts[by_hash[first].name]) + "\" and " +
                                               std::to_string(end - first - 1) + " others have one hash");
        for (std::size_t i = first; i + 1 < end; ++i)
            for (std::size_t j = i + 1; j < end; ++j)
                if (const auto a = texts[by_hash[i].name], b = texts[by_hash[j].name]; names_fold_equal(a, b))
                    return conflict(a, a == b ? "is planned twice, also as" : "differs only in case from", b);
        first = end;
    }
    return ok();
}

Status verify_not_a_name(std::string_view folder, std::string_view inside, Texts texts,
                         std::span<const HashedName> by_hash) {
    const std::uint64_t hash = name_hash(folder);
    for (auto it = std::ranges::lower_bound(by_hash, hash, {}, &HashedName::hash);
         it != by_hash.end() && it->hash == hash; ++it)
        if (names_fold_equal(texts[it->name], folder))
            return conflict(texts[it->name], "is also the folder of", inside);
    return ok();
}

// tests/ATTACKS.md, A12. Each folder is looked up once for all neighbouring names in it.
Status verify_no_name_is_a_folder(Texts texts, std::span<const HashedName> by_hash) {
    std::string_view previous;
    for (const std::string_view text : texts) {
        const auto shared = static_cast<std::size_t>(std::ranges::mismatch(previous, text).in1 - previous.begin());
        for (auto slash = text.find('/', shared); slash != std::string_view::npos; slash = text.find('/', slash + 1))
            FARDEL_TRY(verify_not_a_name(text.substr(0, slash), text, texts, by_hash));
        previous = text;
    }
    return ok();
}

// tests/ATTACKS.md, A06.
Status verify_no_name_is_an_alias(Texts texts) {
    const auto found = find_short_aliases(texts.size(), [&](std::size_t i) { return std::optional(texts[i]); });
    if (found.empty())
        return ok();
    return conflict(texts[found.front().alias], "has the form of an 8.3 alias of", texts[found.front().of]);
}

}  // namespace

Result<std::vector<std::uint32_t>> sort_names(std::span<const PlannedName> names) {
    struct NameText {
        std::string_view text;
        std::uint32_t name;
    };
    std::vector<NameText> sorted;
    sorted.reserve(names.size());
    for (const PlannedName& name : names)
        sorted.push_back({name.name.view(), static_cast<std::uint32_t>(sorted.size())});
    sort_unless_sorted(sorted, &NameText::text);

    std::vector<std::uint32_t> by_text;
    by_text.reserve(sorted.size());
    std::vector<std::string_view> texts;
    texts.reserve(sorted.size());
    for (const NameText& entry : sorted) {
        by_text.push_back(entry.name);
        texts.push_back(entry.text);
    }
    sorted = {};
    const std::vector<HashedName> by_hash = hash_names(names, by_text);
    FARDEL_TRY(count_name_buckets(by_hash));
    FARDEL_TRY(verify_folds_differ(texts, by_hash));
    FARDEL_TRY(verify_no_name_is_a_folder(texts, by_hash));
    FARDEL_TRY(verify_no_name_is_an_alias(texts));
    return by_text;
}

std::vector<HashedName> hash_names(std::span<const PlannedName> names, std::span<const std::uint32_t> by_text) {
    std::vector<HashedName> by_hash;
    by_hash.reserve(by_text.size());
    for (const std::uint32_t name : by_text)
        by_hash.push_back({name_hash(names[name].name.view()), static_cast<std::uint32_t>(by_hash.size())});
    std::ranges::sort(by_hash);
    return by_hash;
}

}  // namespace fardel
