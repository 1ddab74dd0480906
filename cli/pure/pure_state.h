// PureState: a folder in which a server that is run from a shell keeps its offers, one file per offer, and one per
// connection that names its newest offer; the counterpart of PureOffers for a server that keeps running. Several
// programs may use one folder: an offer is claimed by renaming its file, and only one of them can succeed.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/ids.h>
#include <fardel/vfs/pure_check.h>

#include <string>
#include <utility>

namespace fardel {

class PureState {
public:
    explicit PureState(std::string folder) : folder_(std::move(folder)) {}

    // Creates the folder if it is missing. Older offers of the connection become void. Errors: denied, no_space, io.
    Status open(const PureOffer& offer, const Hash& connection, UnixTime expires) const;
    struct Claim {
        PureNonce nonce = PureNonce::unknown;
        Hash epoch;  // the key of the offer's epoch; zero unless the nonce is open
    };
    // Errors: malformed (a file that was not written by this class), denied, io.
    Result<Claim> claim(const Hash& nonce, const Hash& connection, UnixTime now) const;

private:
    // `name`: the nonce of an offer, or a connection.
    std::string path_of(const Hash& name, const char* ending) const { return folder_ + "/" + name.hex() + ending; }
    std::string folder_;
};

}  // namespace fardel
