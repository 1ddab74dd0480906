// A text that parses as a set file names files in its own folder and below, and a set file of the same paths parses to
// the same.
#include "physfs/bundle_set_text.h"
#include "require.h"

#include <fardel/format/name.h>

#include <cstdint>
#include <filesystem>

using namespace fardel;

int fuzz_bundle_set(const std::uint8_t* data, std::size_t size) {
    const auto paths = parse_bundle_set({reinterpret_cast<const char*>(data), size});
    if (!paths) {
        require(printable(paths.error().message(), 2000) == paths.error().message());
        return 0;
    }
    std::string text = std::string(kBundleSetStart) + "1\n";
    for (const std::string& path : *paths) {
        require(!path.empty() && path.find('\0') == path.npos && path.find('\n') == path.npos);
        const std::filesystem::path joined = (std::filesystem::path("/folder") / path).lexically_normal();
        require(joined.string().starts_with("/folder"));
        text += path + "\r\n";  // a path may end in a carriage return
    }
    const auto again = parse_bundle_set(text);
    require(again && *again == *paths);
    return 0;
}
