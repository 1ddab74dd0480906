#include "pure_state.h"

#include "console/output_file.h"
#include "pure_files.h"

#include <fardel/base/file.h>
#include <fardel/base/folder.h>
#include <fardel/base/text_fields.h>

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace fardel {
namespace {

constexpr const char* kOpen = ".offer";
constexpr const char* kTaken = ".taken";
constexpr const char* kNewest = ".newest";

}  // namespace

Status PureState::open(const PureOffer& offer, const Hash& connection, UnixTime expires) const {
    FARDEL_TRY(create_folders(folder_));
    // First: if this program is killed in between, no offer of the connection is open, instead of two.
    FARDEL_TRY(write_file(path_of(connection, kNewest), offer.nonce.hex()));
    return write_file(path_of(offer.nonce, kOpen),
                      fmt::format("{} {} {}\n", connection.hex(), offer.epoch.hex(), expires.seconds));
}

Result<PureState::Claim> PureState::claim(const Hash& nonce, const Hash& connection, UnixTime now) const {
    const std::string path = path_of(nonce, kOpen);
    const auto bytes = read_file(path, 200);
    if (!bytes && bytes.error().code() == ErrorCode::missing)
        return Claim{.nonce = file_exists(path_of(nonce, kTaken)) ? PureNonce::replayed : PureNonce::unknown};
    if (!bytes)
        return bytes.error();

    std::string_view text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
    const auto owner = Hash::parse(read_until(text, ' '));
    const auto epoch = Hash::parse(read_until(text, ' '));
    const auto expires = parse_decimal(read_until(text, '\n'), UINT64_MAX);
    if (!owner || !epoch || !expires || !text.empty())
        return Error(ErrorCode::malformed, path + ": not the file of an offer");
    if (*owner != connection)
        return Claim{.nonce = PureNonce::other_connection};
    // A client that may choose among several offers answers for the content of a moment that it chooses, too.
    const std::string own = nonce.hex();
    const auto newest = read_file(path_of(connection, kNewest), own.size());
    if (!newest || !std::ranges::equal(*newest, std::as_bytes(std::span(own))))
        return Claim{.nonce = PureNonce::replayed};

    if (Status renamed = rename_file(path, path_of(nonce, kTaken), path); !renamed) {
        if (renamed.error().code() == ErrorCode::missing)
            return Claim{.nonce = PureNonce::replayed};  // another program was faster
        return std::move(renamed).error();
    }
    if (now.seconds > *expires)
        return Claim{.nonce = PureNonce::expired};
    return Claim{.nonce = PureNonce::open, .epoch = *epoch};
}

}  // namespace fardel
