// A copy of a followed channel that decodes is the one encoding of its texts.
#include "require.h"

#include <fardel/format/name.h>
#include "channel/kept_channels.h"

#include <cstdint>

using namespace fardel;

int fuzz_kept_channel(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const auto files = decode_kept_channel(bytes);
    if (files)
        require(encode_kept_channel(*files) == bytes);
    else
        require(printable(files.error().message(), 2000) == files.error().message());
    return 0;
}
