// PureState: a folder in which a server that is run from a shell remembers its offers, one file each. What PureOffers
// is to a server in one process. Several processes may use one folder: a file is renamed when its offer is taken, and
// only one of them can do that.
#pragma once

#include <fardel/format/ids.h>
#include <fardel/format/result.h>
#include <fardel/vfs/pure_check.h>

#include <cstdint>
#include <string>
#include <utility>

namespace fardel {

class PureState {
public:
    explicit PureState(std::string folder) : folder_(std::move(folder)) {}

    // Makes the folder if it is not there. Errors: denied, no_space, io.
    Status open(const Hash& nonce, const Hash& connection, std::uint64_t expires_s) const;
    // Errors: malformed (a file that this class has not written), denied, io.
    Result<PureNonce> take(const Hash& nonce, const Hash& connection, std::uint64_t now_s) const;

private:
    std::string path_of(const Hash& nonce, const char* ending) const { return folder_ + "/" + nonce.hex() + ending; }
    std::string folder_;
};

}  // namespace fardel
