#include <fardel/format/bundle_version.h>

#include <fardel/base/ascii.h>
#include <fardel/format/limits.h>
#include <fardel/format/name.h>

namespace fardel {

Result<BundleVersion> BundleVersion::parse(std::string_view text) {
    if (text.size() > limits::kVersionBytesMax)
        return Error(ErrorCode::limit, "bundle version of " + std::to_string(text.size()) + " bytes; at most " +
                                           std::to_string(limits::kVersionBytesMax));
    if (!is_version(text))
        return Error(ErrorCode::malformed,
                     "bundle version \"" + printable(text) + "\": only letters, digits and . + - _ ~ may be in it");
    return BundleVersion(std::string(text));
}

}  // namespace fardel
