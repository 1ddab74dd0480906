// A whole text from a server, whose size the server says.
#pragma once

#include <fardel/base/result.h>
#include <fardel/http/range_client.h>

#include <cstddef>
#include <optional>
#include <stop_token>
#include <string>

namespace fardel {

struct FetchedText {
    std::string text;
    std::optional<Error> failure;
};

// Error: cancelled. What the server does wrong is FetchedText::failure.
Result<FetchedText> fetch_text(RangeClient& client, const std::string& url, std::size_t bytes_max,
                               const std::stop_token& stop, bool bypasses_caches = false);

}  // namespace fardel
