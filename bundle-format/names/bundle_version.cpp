#include <fardel/format/bundle_version.h>

#include <fardel/format/limits.h>
#include <fardel/format/name.h>

#include <algorithm>

namespace fardel {
namespace {

bool is_version_character(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view(".+-_~").find(c) != std::string_view::npos;
}

}  // namespace

Result<BundleVersion> BundleVersion::parse(std::string_view text) {
    if (text.size() > limits::kVersionBytesMax)
        return Error(ErrorCode::limit, "bundle version of " + std::to_string(text.size()) + " bytes; at most " +
                                           std::to_string(limits::kVersionBytesMax));
    if (!std::ranges::all_of(text, is_version_character))
        return Error(ErrorCode::malformed,
                     "bundle version \"" + printable(text) + "\": only letters, digits and . + - _ ~ may be in it");
    return BundleVersion(std::string(text));
}

}  // namespace fardel
