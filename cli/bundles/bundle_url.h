// The URL of a bundle in a static tree on a server, as people copy it from a page.
#pragma once

#include <fardel/format/ids.h>

#include <optional>
#include <string>
#include <string_view>

namespace fardel {

struct BundleUrl {
    std::string tree;  // "https://example.org/mygame"
    BundleId bundle;
};

// Whether it is meant to be one: no file is looked for.
bool is_url(std::string_view word);
// Takes "https://example.org/mygame/bundles/<64 digits>.fardel" apart; nothing if it is another URL.
std::optional<BundleUrl> find_bundle_url(std::string_view url);

}  // namespace fardel
