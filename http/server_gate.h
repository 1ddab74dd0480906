// ServerGate: has one transfer of libcurl keep a ServerRule. It must stay where it is as long as the handle uses it.
#pragma once

#include "curl_library.h"

#include <fardel/base/result.h>
#include <fardel/http/server_list.h>

#include <string>
#include <string_view>

namespace fardel {

class ServerGate {
public:
    ServerGate() = default;
    ServerGate(const ServerGate&) = delete;
    ServerGate& operator=(const ServerGate&) = delete;

    // Sets the options of the handle, which will request the URL.
    void apply(const ServerRule& rule, CURL* handle, const std::string& url);
    // Whether a transfer that ended so was refused by the rule.
    bool has_refused(CURLcode code) const noexcept;
    static Error refusal(const std::string& url);

private:
    static curl_socket_t on_socket(void* self, curlsocktype purpose, curl_sockaddr* address);

    bool public_addresses_only_ = false;
    bool tls_only_ = false;
    bool port_443_only_ = false;
    bool is_refused_ = false;  // an address
};

// Whether a server of ServerRule::allowed_hosts, "host" or "host:port", is that of the URL.
bool is_server_of(std::string_view server, const std::string& url);

}  // namespace fardel
