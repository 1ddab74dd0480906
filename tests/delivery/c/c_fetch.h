// What tests of the C API for fetching share: a store, servers, and a fetch that is polled to its end.
#pragma once

#include "kit/files.h"

#include <fardel/delivery/fardel_fetch.h>

namespace fardel::tests {

class CStore {
public:
    explicit CStore(const ScratchFolder& scratch) {
        REQUIRE(fardel_store_open(scratch.path("store").c_str(), 1, &store_, nullptr) == FARDEL_OK);
    }
    ~CStore() { fardel_store_close(store_); }
    CStore(const CStore&) = delete;
    CStore& operator=(const CStore&) = delete;
    operator fardel_store*() const { return store_; }  // NOLINT: the C functions expect the raw pointer

private:
    fardel_store* store_ = nullptr;
};

// The servers of one test, and options that name them.
class CServers {
public:
    explicit CServers(std::string url) : url_(std::move(url)), text_(url_.c_str()) {
        options.urls = &text_;
        options.url_count = 1;
    }
    CServers(const CServers&) = delete;
    CServers& operator=(const CServers&) = delete;
    fardel_server_options options = FARDEL_SERVER_OPTIONS_INIT;

private:
    std::string url_;
    const char* text_;
};

// Polls as a game does, once per frame, for at most 20 seconds.
inline void run_fetch(const fardel_store* store, const fardel_fetch_options& options) {
    fardel_fetch* fetch = nullptr;
    fardel_error error = FARDEL_ERROR_INIT;
    const fardel_code started = fardel_fetch_start(store, &options, &fetch, &error);
    CAPTURE(error.text);
    REQUIRE(started == FARDEL_OK);
    std::int32_t ended = 0;
    for (int frame = 0; frame < 4000 && ended == 0; ++frame)
        REQUIRE(fardel_fetch_poll(fetch, 5, &ended, nullptr) == FARDEL_OK);
    fardel_fetch_close(fetch);
}

}  // namespace fardel::tests
