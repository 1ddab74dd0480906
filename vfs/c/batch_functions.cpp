// The function of fardel.h that reads many files in one call.

#include "c_handles.h"

#include <fardel/format/c_interface.h>
#include <fardel/vfs/vfs.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace fardel::c {
namespace {

constexpr std::size_t kBatchOptionsBytesLeast = offsetof(fardel_batch_options, flags) + sizeof(std::uint32_t);
constexpr std::size_t kPathsMax = 1u << 20;  // of one call; more were never set

fardel_code read_batch_options(const fardel_batch_options* given, BatchOptions& how,
                               std::optional<NameExtensions>& extensions, const Report& report) {
    fardel_batch_options taken = FARDEL_BATCH_OPTIONS_INIT;
    if (const fardel_code bad = read_options(given, kBatchOptionsBytesLeast, taken, report); bad != FARDEL_OK)
        return bad;
    if ((taken.flags & ~std::uint32_t{FARDEL_BATCH_IN_ORDER}) != 0)
        return report.fail(FARDEL_ERROR_UNSUPPORTED, "a flag that this version of the library does not know");
    how.in_order = (taken.flags & FARDEL_BATCH_IN_ORDER) != 0;
    how.bytes_max = taken.bytes_max;
    if (taken.extensions == nullptr)
        return FARDEL_OK;
    auto parsed = NameExtensions::parse(taken.extensions);
    if (!parsed)
        return report.fail(parsed.error());
    extensions = *std::move(parsed);
    return FARDEL_OK;
}

}  // namespace
}  // namespace fardel::c

using namespace fardel;
using namespace fardel::c;

fardel_code fardel_read_files(const fardel_vfs* vfs, const char* const* paths, size_t path_count,
                              const fardel_batch_options* options, fardel_file_read read, void* context,
                              fardel_error* error) {
    const bool given = vfs != nullptr && (paths != nullptr || path_count == 0) && path_count <= kPathsMax &&
                       read != nullptr &&
                       std::all_of(paths, paths + path_count, [](const char* path) { return path != nullptr; });
    return call(error, given, [&](const Report& report) {
        BatchOptions how;
        std::optional<NameExtensions> extensions;
        if (const fardel_code bad = read_batch_options(options, how, extensions, report); bad != FARDEL_OK)
            return bad;
        std::vector<LookUp> wanted;
        for (std::size_t i = 0; i < path_count; ++i)
            wanted.emplace_back(paths[i], extensions ? &*extensions : nullptr);
        const auto receive = [&](std::size_t index, const Result<std::span<const std::byte>>& content) {
            return (content ? read(context, index, content->data(), content->size(), FARDEL_OK, "")
                            : read(context, index, nullptr, 0, code_of(content.error().code()),
                                   content.error().message().c_str())) == 0;
        };
        return report.end(vfs->vfs.read_files(wanted, receive, how));
    });
}
