#include <fardel/packer/bundle_target.h>

#include <fardel/format/byte_source.h>
#include <fardel/format/name.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace fs = std::filesystem;

namespace fardel {
namespace {

constexpr std::string_view kBundleMagic = "FARDEL\r\n";

bool is_bundle(const ByteSource& source) {
    std::array<std::byte, kBundleMagic.size()> start;
    return source.size_bytes() >= start.size() && source.read_at(0, start) &&
           std::ranges::equal(start, std::as_bytes(std::span(kBundleMagic)));
}

// Returns the absolute path; links and ".." are resolved as far as the path exists.
fs::path canonical_path(const fs::path& path) {
    std::error_code failure;
    fs::path canonical = fs::weakly_canonical(fs::absolute(path, failure), failure);
    return failure ? path : canonical;
}

bool is_inside(const fs::path& path, const fs::path& folder) {
    const auto [in_folder, in_path] = std::ranges::mismatch(folder, path);
    return in_folder == folder.end();
}

// Whether a scan of the folder leaves the path out.
bool is_excluded(const fs::path& path, const fs::path& folder, std::span<const std::string> excludes) {
    const std::string name = path.lexically_relative(folder).generic_string();
    return verify_name(name) &&
           std::ranges::any_of(excludes, [&](const std::string& glob) { return glob_matches(glob, name); });
}

}  // namespace

Status verify_bundle_target(const std::string& target, std::span<const std::string> sources,
                            std::span<const std::string> excludes) {
    const fs::path path = canonical_path(target);
    for (const std::string& source : sources) {
        const fs::path source_path = canonical_path(source);
        if (path == source_path)
            return Error(ErrorCode::conflict, target + ": is one of the sources; name another file with -o");
        if (is_inside(path, source_path) && !is_excluded(path, source_path, excludes))
            return Error(ErrorCode::conflict, target + ": lies inside the source " + source +
                                                  " and would be packed the next time; write it elsewhere");
    }

    std::error_code failure;
    if (!fs::exists(target, failure))
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

std::string name_of_target(const std::string& target) { return fs::path(target).stem().string(); }

}  // namespace fardel
