#include "server_gate.h"

#include <fardel/base/ascii.h>
#include <fardel/base/network.h>
#include <fardel/format/name.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <span>

namespace fardel {
namespace {

constexpr std::uint16_t kHttpsPort = 443;
constexpr std::size_t kHostBytesMax = 260;  // a name of 253 characters and a port

struct HostPort {
    std::string_view host;
    std::string_view port;  // empty: all ports
};

// "[::1]:80": the brackets are a part of the host.
HostPort split_server(std::string_view text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos || text.ends_with(']'))
        return {.host = text, .port = {}};
    return {.host = text.substr(0, colon), .port = text.substr(colon + 1)};
}

bool is_host_character(char c) { return is_ascii_letter_or_digit(c) || c == '.' || c == '-' || c == '_'; }

bool is_host(std::string_view host) {
    if (host.starts_with('[') && host.ends_with(']')) {
        host = host.substr(1, host.size() - 2);
        return !host.empty() && std::ranges::all_of(host, [](char c) { return is_host_character(c) || c == ':'; });
    }
    return !host.empty() && std::ranges::all_of(host, is_host_character);
}

bool is_port(std::string_view port) {
    std::uint16_t number = 0;
    const auto read = std::from_chars(port.data(), port.data() + port.size(), number);
    return read.ec == std::errc() && read.ptr == port.data() + port.size() && number != 0;
}

}  // namespace

Status verify_allowed_host(std::string_view text) {
    const HostPort parts = split_server(text);
    const bool has_port = parts.host.size() != text.size();
    if (text.size() <= kHostBytesMax && is_host(parts.host) && (!has_port || is_port(parts.port)))
        return ok();
    return Error(ErrorCode::malformed, "\"" + printable(text, 100) +
                                           "\": a server is allowed as HOST or HOST:PORT, for example "
                                           "lan.example.org:8080");
}

bool is_server_of(std::string_view server, const std::string& url) {
    const std::optional<UrlServer> found = find_url_server(url);
    const HostPort allowed = split_server(server);
    return found && lower_ascii_text(found->host) == lower_ascii_text(allowed.host) &&
           (allowed.port.empty() || found->port == allowed.port);
}

void ServerGate::apply(const ServerRule& rule, CURL* handle, const std::string& url) {
    if (std::ranges::any_of(rule.allowed_hosts, [&](const std::string& host) { return is_server_of(host, url); }))
        return;
    public_addresses_only_ = rule.public_addresses_only;
    tls_only_ = rule.tls_only;
    port_443_only_ = rule.port_443_only;
    if (tls_only_)
        allow_only_https(handle);
    if (!public_addresses_only_ && !port_443_only_)
        return;
    const CurlLibrary& curl = *find_curl_library();
    curl.easy_setopt(handle, CURLOPT_NOPROXY, "*");
    curl.easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, &ServerGate::on_socket);
    curl.easy_setopt(handle, CURLOPT_OPENSOCKETDATA, this);
}

// libcurl asks for a socket for each address that it tries.
curl_socket_t ServerGate::on_socket(void* self, curlsocktype, curl_sockaddr* address) {
    auto& gate = *static_cast<ServerGate*>(self);
    const SocketAddress found =
        describe_address({reinterpret_cast<const std::byte*>(&address->addr), address->addrlen});
    if ((gate.public_addresses_only_ && !found.is_public) || (gate.port_443_only_ && found.port != kHttpsPort)) {
        gate.is_refused_ = true;
        return CURL_SOCKET_BAD;
    }
    return open_socket(address->family, address->socktype, address->protocol);
}

bool ServerGate::has_refused(CURLcode code) const noexcept {
    return code != CURLE_OK && (is_refused_ || (tls_only_ && code == CURLE_UNSUPPORTED_PROTOCOL));
}

Error ServerGate::refusal(const std::string& url) {
    return Error(ErrorCode::denied, printable(url, 400) +
                                        ": not a server at a public address with https, which is required of "
                                        "servers that others name, unless they are allowed by name");
}

}  // namespace fardel
