#include "small_file.h"

#include <fardel/base/file.h>
#include <fardel/base/folder.h>
#include <fardel/base/shared_disk.h>

#include <cerrno>
#include <span>

namespace fardel {
namespace {

constexpr std::uint32_t kOwnerOnly = 0600;

Status write_new(const Descriptor& file, std::string_view text, const std::string& path) {
    FARDEL_TRY(write_whole(file, std::as_bytes(std::span(text)), path));
    FARDEL_TRY(sync_file(file, path));
    return sync_folder(folder_of_path(path));
}

Result<std::string> read_small_once(const std::string& path, std::size_t bytes_max, FileGuard guard) {
    const Links links = guard == FileGuard::secret ? Links::refused : Links::followed;
    auto file = open_regular_file(path, path, {.links = links});
    if (!file && links == Links::refused && file.error().system_number() == ELOOP)
        return Error(ErrorCode::denied,
                     path +
                         ": a secret key file must not be a link; give the file that it leads to, or a "
                         "copy made with 'install -m 600'");
    if (!file)
        return std::move(file).error();
    if (guard == FileGuard::secret)
        FARDEL_TRY(verify_owner_only(file->status, path, "secret key file"));
    return read_text(file->descriptor, bytes_max, path);
}

}  // namespace

Result<std::string> read_small_file(const std::string& path, std::size_t bytes_max, FileGuard guard) {
    return read_present([&] { return read_small_once(path, bytes_max, guard); });
}

Status write_secret_file(const std::string& path, std::string_view text) {
    auto file = create_file(path, path, kOwnerOnly);
    if (!file && file.error().code() == ErrorCode::conflict)
        return Error(ErrorCode::conflict, path + ": there is a file already; a key is never overwritten");
    if (!file)
        return std::move(file).error();
    Status status = write_new(*file, text, path);
    if (!status)
        (void)remove_file(path, path);
    return status;
}

}  // namespace fardel
