#include "bundles/bundle_word.h"

#include "bundles/bundle_file.h"

#include <fardel/format/name.h>

#include <utility>

namespace fardel {

Result<BundleId> parse_bundle_id(const std::string& word) {
    auto id = BundleId::parse(word);
    if (!id)
        return std::move(id).error().with_context("\"" + printable(word, 100) + "\"");
    return id;
}

Result<std::vector<BundleId>> parse_bundle_ids(const std::vector<std::string>& words) {
    std::vector<BundleId> ids;
    for (const std::string& word : words) {
        FARDEL_TRY_ASSIGN(const BundleId id, parse_bundle_id(word));
        ids.push_back(id);
    }
    return ids;
}

Result<BundleId> id_of_word(const std::string& word) {
    if (auto id = BundleId::parse(word))
        return id;
    FARDEL_TRY_ASSIGN(const auto bundle, open_bundle(word));
    return bundle->id();
}

}  // namespace fardel
