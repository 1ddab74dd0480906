#include "transfer/server_faults.h"

#include <cstddef>
#include <string>
#include <utility>

namespace fardel {
namespace {

constexpr std::size_t kNamedMax = 4;

}  // namespace

Error join_faults(const std::vector<Error>& faults) {
    ErrorCode code = ErrorCode::missing;
    std::string text;
    std::size_t named = 0;
    for (const Error& fault : faults) {
        if (fault.code() != ErrorCode::missing)
            code = fault.code();
        // A server may have said the same twice.
        if (text.find(fault.message()) == std::string::npos && ++named <= kNamedMax)
            text += (text.empty() ? "" : "; ") + fault.message();
    }
    if (named > kNamedMax)
        text += "; and " + std::to_string(named - kNamedMax) + " more";
    return {code, std::move(text)};
}

}  // namespace fardel
