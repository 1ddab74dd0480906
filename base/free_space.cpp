#include <fardel/base/free_space.h>

#include <filesystem>
#include <system_error>

namespace fardel {

Status verify_free_space(const std::string& folder, std::uint64_t size_bytes, std::string_view subject) {
    std::error_code failure;
    const std::filesystem::space_info space = std::filesystem::space(folder, failure);
    // A file system that does not know says that it has no bytes at all.
    if (failure || space.capacity == 0 || space.available >= size_bytes)
        return ok();
    return Error(ErrorCode::no_space, std::string(subject) + " needs " + std::to_string(size_bytes) +
                                          " bytes, and the disk has " + std::to_string(space.available) +
                                          " bytes free");
}

}  // namespace fardel
