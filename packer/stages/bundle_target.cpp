#include <fardel/packer/bundle_target.h>

#include <fardel/base/file.h>
#include <fardel/base/folder.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/name.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace fardel {
namespace {

constexpr std::string_view kBundleMagic = "FARDEL\r\n";

bool is_bundle(const ByteSource& source) {
    std::array<std::byte, kBundleMagic.size()> start;
    return source.size_bytes() >= start.size() && source.read_at(0, start) &&
           std::ranges::equal(start, std::as_bytes(std::span(kBundleMagic)));
}

// Returns the absolute path; links and ".." are resolved as far as the path exists.
std::string canonical_or_same(const std::string& path) {
    auto canonical = canonical_path(path);
    return canonical ? *std::move(canonical) : path;
}

// Whether a scan of the folder leaves the path out.
bool is_excluded(const std::string& path, const std::string& folder, std::span<const std::string> excludes) {
    const std::string name = relative_path(path, folder);
    return verify_name(name) &&
           std::ranges::any_of(excludes, [&](const std::string& glob) { return glob_matches(glob, name); });
}

}  // namespace

Status verify_bundle_target(const std::string& target, std::span<const std::string> sources,
                            std::span<const std::string> excludes) {
    const std::string path = canonical_or_same(target);
    for (const std::string& source : sources) {
        const std::string source_path = canonical_or_same(source);
        if (path == source_path)
            return Error(ErrorCode::conflict, target + ": is one of the sources; name another file with -o");
        if (is_at_or_below_path(source_path, path) && !is_excluded(path, source_path, excludes))
            return Error(ErrorCode::conflict, target + ": lies inside the source " + source +
                                                  " and would be packed the next time; write it elsewhere");
    }

    if (!file_exists(target))
        return ok();
    const auto existing = open_file_source(target);
    if (!existing)
        return existing.error();
    // A mistake in the name must not cost a file of another kind.
    if ((*existing)->size_bytes() != 0 && !is_bundle(**existing))
        return Error(
            ErrorCode::conflict,
            target +
                ": exists and is not a bundle, so it is not replaced; remove it first, or name another file with -o");
    return ok();
}

std::string name_of_target(const std::string& target) { return std::string(stem_of_path(target)); }

}  // namespace fardel
