#include "labelled_keys.h"

#include <fardel/base/ascii.h>
#include <fardel/base/path_text.h>
#include <fardel/format/key_file.h>

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace fardel {
namespace {

// "author" for "keys/author.key.pub"; other characters than those of labels are replaced.
std::string label_of(const std::string& path) {
    std::string label(file_name_of_path(path));
    for (const std::string_view ending : {".pub", ".key"})
        if (label.ends_with(ending))
            label.resize(label.size() - ending.size());
    const auto allowed = [](char c) { return is_ascii_letter_or_digit(c) || c == '-' || c == '_'; };
    std::ranges::replace_if(label, std::not_fn(allowed), '-');
    return label.empty() ? "key" : label.substr(0, 48);
}

}  // namespace

Result<std::vector<PolicyKey>> KeyReader::read(const std::vector<std::string>& paths) {
    std::vector<PolicyKey> keys;
    for (const std::string& path : paths) {
        FARDEL_TRY_ASSIGN(const PublicKeyFile file, read_public_key_file(path));
        const PolicyKey key = labelled(file.key, label_of(path));
        if (std::ranges::find(keys, key) == keys.end())
            keys.push_back(key);
    }
    return keys;
}

PolicyKey KeyReader::labelled(const PublicKey& key, const std::string& wanted) {
    if (const auto known = std::ranges::find(all_, key, &PolicyKey::key); known != all_.end())
        return *known;
    std::string label = wanted;
    for (int number = 2; std::ranges::find(all_, label, &PolicyKey::label) != all_.end(); ++number)
        label = fmt::format("{}-{}", wanted, number);
    return all_.emplace_back(PolicyKey{label, key});
}

}  // namespace fardel
