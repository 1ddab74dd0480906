#include <fardel/base/free_space.h>

#include <fardel/base/utf8_path.h>

#include <system_error>

namespace fardel {

std::optional<std::uint64_t> find_free_bytes(const std::string& folder) {
    std::error_code failure;
    const std::filesystem::space_info space = std::filesystem::space(path_from_utf8(folder), failure);
    // A file system that does not know says that it has no bytes at all.
    return failure || space.capacity == 0 ? std::nullopt : std::optional<std::uint64_t>(space.available);
}

Status verify_free_space(const std::string& folder, std::uint64_t size_bytes, std::string_view subject) {
    const auto free_bytes = find_free_bytes(folder);
    if (!free_bytes || *free_bytes >= size_bytes)
        return ok();
    return Error(ErrorCode::no_space, std::string(subject) + " needs " + std::to_string(size_bytes) +
                                          " bytes, and the disk has " + std::to_string(*free_bytes) + " bytes free");
}

}  // namespace fardel
