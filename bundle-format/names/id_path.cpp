#include <fardel/format/id_path.h>

#include <string>

namespace fardel {
namespace {

constexpr std::string_view kAssets = "assets";
constexpr std::string_view kBundles = "bundles";
constexpr std::size_t kIdDigits = 64;

std::optional<IdPath> find_in(IdPath::Folder folder, std::string_view word, std::string_view path) {
    if (path.size() == word.size())
        return IdPath{.folder = folder, .id = {}, .below = {}};
    if (path[word.size()] != '/')
        return std::nullopt;
    const std::string_view rest = path.substr(word.size() + 1);
    // With a '/' at its end it is no path at all; whoever parses it says so.
    if (rest.size() < kIdDigits || (rest.size() > kIdDigits && rest[kIdDigits] != '/') || rest.ends_with('/'))
        return std::nullopt;
    const auto id = Hash::parse(rest.substr(0, kIdDigits));
    if (!id)
        return std::nullopt;
    return IdPath{.folder = folder,
                  .id = *id,
                  .below = rest.size() > kIdDigits ? rest.substr(kIdDigits + 1) : std::string_view()};
}

}  // namespace

std::optional<IdPath> find_id_path(std::string_view path) {
    if (path.starts_with(kAssets))
        return find_in(IdPath::Folder::assets, kAssets, path);
    if (path.starts_with(kBundles))
        return find_in(IdPath::Folder::bundles, kBundles, path);
    return std::nullopt;
}

Status verify_no_id_path(std::string_view name) {
    const auto path = find_id_path(name);
    if (!path)
        return ok();
    if (!path->id)
        return Error(ErrorCode::malformed,
                     "a published name is not \"assets\" or \"bundles\": at this path, every game "
                     "finds the folder of all assets or bundles; rename it, or do not publish it");
    return Error(ErrorCode::malformed, std::string("a published name does not begin with \"") +
                                           (path->folder == IdPath::Folder::assets ? "assets/" : "bundles/") +
                                           "\" and 64 lower-case hexadecimal digits: at this path, every game finds "
                                           "what has that id; rename it, or do not publish it");
}

}  // namespace fardel
