#include "transfer/tree_urls.h"

#include <fardel/http/range_client.h>

#include <utility>

namespace fardel {

Result<std::vector<std::string>> parse_tree_urls(std::span<const std::string> trees) {
    if (trees.empty())
        return Error(ErrorCode::malformed, "no server is named");
    std::vector<std::string> urls;
    for (const std::string& tree : trees) {
        FARDEL_TRY_ASSIGN(std::string whole, parse_server_url(tree, "a tree"));
        urls.push_back(std::move(whole));
    }
    return urls;
}

std::vector<std::string> urls_of(std::span<const std::string> trees, std::string_view path) {
    std::vector<std::string> urls;
    for (const std::string& tree : trees)
        urls.push_back(tree + "/" + std::string(path));
    return urls;
}

}  // namespace fardel
