#include "kit/test.h"

#include <fardel/base/network.h>

#include "network_headers.h"

namespace fardel::tests::network_test {

SocketAddress described(const std::string& text) {
    sockaddr_in ipv4{};
    ipv4.sin_family = AF_INET;
    ipv4.sin_port = htons(8080);
    if (::inet_pton(AF_INET, text.c_str(), &ipv4.sin_addr) == 1)
        return describe_address(std::as_bytes(std::span(&ipv4, 1)));
    sockaddr_in6 ipv6{};
    ipv6.sin6_family = AF_INET6;
    ipv6.sin6_port = htons(8080);
    REQUIRE(::inet_pton(AF_INET6, text.c_str(), &ipv6.sin6_addr) == 1);
    return describe_address(std::as_bytes(std::span(&ipv6, 1)));
}

TEST_CASE("network: addresses that do not lead to the internet are not public") {
    for (const char* const text : {"0.0.0.0",
                                   "10.0.0.1",
                                   "10.255.255.255",
                                   "100.64.0.1",
                                   "100.127.255.255",
                                   "127.0.0.1",
                                   "127.255.0.1",
                                   "169.254.169.254",
                                   "172.16.0.1",
                                   "172.31.255.255",
                                   "192.0.0.1",
                                   "192.0.2.1",
                                   "192.88.99.1",
                                   "192.168.1.1",
                                   "198.18.0.1",
                                   "198.19.255.255",
                                   "198.51.100.1",
                                   "203.0.113.1",
                                   "224.0.0.1",
                                   "239.1.1.1",
                                   "240.0.0.1",
                                   "255.255.255.255",
                                   "::",
                                   "::1",
                                   "::ffff:127.0.0.1",
                                   "::ffff:8.8.8.8",
                                   "::127.0.0.1",
                                   "64:ff9b::7f00:1",
                                   "64:ff9b:1::1",
                                   "100::1",
                                   "fc00::1",
                                   "fd12:3456::1",
                                   "fe80::1",
                                   "fec0::1",
                                   "ff02::1",
                                   "2001::1",
                                   "2001:db8::1",
                                   "2002:7f00:1::1",
                                   "3fff::1",
                                   "4000::1",
                                   "1fff::1"}) {
        CAPTURE(text);
        CHECK_FALSE(described(text).is_public);
        CHECK(described(text).port == 8080);
    }
}

TEST_CASE("network: addresses just outside the special ranges are public") {
    for (const char* const text :
         {"1.0.0.0",     "9.255.255.255",   "11.0.0.0",    "100.63.255.255", "100.128.0.0", "126.255.255.255",
          "128.0.0.0",   "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0",  "192.0.1.0",
          "192.0.3.0",   "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0",  "203.0.112.255",
          "203.0.114.0", "223.255.255.255", "2000::1",     "2001:200::1",    "2001:db7::1", "2001:db9::1",
          "2003::1",     "2606:4700::1",    "3ffe::1",     "3fff:1000::1"}) {
        CAPTURE(text);
        CHECK(described(text).is_public);
    }
}

TEST_CASE("network: what is cut short, or of another family, is not public") {
    sockaddr_in6 ipv6{};
    ipv6.sin6_family = AF_INET6;
    REQUIRE(::inet_pton(AF_INET6, "2606:4700::1", &ipv6.sin6_addr) == 1);
    const auto bytes = std::as_bytes(std::span(&ipv6, 1));
    for (std::size_t size = 0; size < bytes.size(); ++size)
        CHECK_FALSE(describe_address(bytes.first(size)).is_public);
    CHECK(describe_address(bytes).is_public);
    ipv6.sin6_family = AF_UNIX;
    CHECK_FALSE(describe_address(bytes).is_public);
}

}  // namespace fardel::tests::network_test
