// ShownAssets: which assets of a mount that a pure policy shows in part are at visible paths.
//
// Look-ups compute them once, when a reference first needs them. Any thread.
#pragma once

#include <fardel/base/threads.h>

#include <mutex>
#include <optional>
#include <vector>

namespace fardel {

struct ShownAssets {
    Mutex lock;
    std::optional<std::vector<bool>> shown;  // by asset
};

}  // namespace fardel
