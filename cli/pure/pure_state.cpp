#include "pure_state.h"

#include "console/output_file.h"
#include "pure_files.h"

#include <fardel/base/folder.h>
#include <fardel/base/system_error.h>

#include <charconv>
#include <filesystem>
#include <system_error>

namespace fs = std::filesystem;

namespace fardel {
namespace {

constexpr const char* kOpen = ".offer";
constexpr const char* kTaken = ".taken";

}  // namespace

Status PureState::open(const Hash& nonce, const Hash& connection, std::uint64_t expires_s) const {
    FARDEL_TRY(create_folders(folder_));
    return write_file(path_of(nonce, kOpen), connection.hex() + " " + std::to_string(expires_s) + "\n");
}

Result<PureNonce> PureState::take(const Hash& nonce, const Hash& connection, std::uint64_t now_s) const {
    const std::string path = path_of(nonce, kOpen);
    const auto bytes = read_file(path, 200);
    if (!bytes && bytes.error().code() == ErrorCode::missing)
        return fs::exists(path_of(nonce, kTaken)) ? PureNonce::replayed : PureNonce::unknown;
    if (!bytes)
        return bytes.error();

    const std::string_view text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
    std::uint64_t expires_s = 0;
    const auto owner = Hash::parse(text.substr(0, 64));
    const char* const end = text.data() + text.size();
    if (!owner || text.size() < 67 || std::from_chars(text.data() + 65, end, expires_s).ptr != end - 1)
        return Error(ErrorCode::malformed, path + ": not the file of an offer");
    if (*owner != connection)
        return PureNonce::other_connection;

    std::error_code failure;
    fs::rename(path, path_of(nonce, kTaken), failure);
    if (failure == std::errc::no_such_file_or_directory)
        return PureNonce::replayed;  // another program was faster
    if (failure)
        return system_error(failure, path);
    return now_s > expires_s ? PureNonce::expired : PureNonce::open;
}

}  // namespace fardel
