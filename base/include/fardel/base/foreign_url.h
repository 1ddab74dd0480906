// ForeignUrl: a URL that a server, a lock file or another text of a stranger has named. A value.
//
// It converts to no text, so that nothing connects to it as if the user had named it: a game server that names
// "http://192.168.0.1/" would have its players ask the routers at their homes. ServerList::of_strangers()
// (<fardel/http/server_list.h>) opens it, by a rule.
#pragma once

#include <string>
#include <utility>

namespace fardel {

class ForeignUrl {
public:
    explicit ForeignUrl(std::string text) : text_(std::move(text)) {}

    // To show and to write it; for people, printable() comes first.
    const std::string& named() const noexcept { return text_; }

    friend bool operator==(const ForeignUrl&, const ForeignUrl&) = default;

private:
    std::string text_;
};

}  // namespace fardel
