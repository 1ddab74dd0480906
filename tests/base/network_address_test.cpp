#include <fardel/base/network_address.h>

#include "kit/test.h"

namespace fardel::tests::network_address_test {

std::string subscriber_of(const std::string& text) { return format_subscriber(find_network_address(text).value()); }

TEST_CASE("network address: an IPv4 address has one spelling, however it came, and an IPv6 network is one subscriber") {
    for (const char* const text : {"192.0.2.1", "2001:db8::1", "::1", "0.0.0.0"})
        CHECK(format_network_address(find_network_address(text).value()) == text);
    CHECK(format_network_address(find_network_address("::ffff:192.0.2.1").value()) == "192.0.2.1");
    CHECK(find_network_address("::FFFF:c000:0201") == find_network_address("192.0.2.1"));
    CHECK(subscriber_of("::ffff:192.0.2.1") == "192.0.2.1");
    CHECK(subscriber_of("2001:db8:1:2:3:4:5:6") == "2001:db8:1:2::/64");
    CHECK(find_network_address("127.3.2.1")->is_loopback());
    CHECK(find_network_address("::1")->is_loopback());
    CHECK_FALSE(find_network_address("::2")->is_loopback());
    using namespace std::string_literals;
    for (const std::string& wrong : {""s, "x"s, "1.2.3"s, "1.2.3.4.5"s, "256.1.1.1"s, "1.2.3.4:5"s, "[::1]"s, "::1%lo"s,
                                     " 1.2.3.4"s, "1.2.3.4\0"s, "1.2.3.4\0x"s, ":::"s, "unknown"s})
        CHECK_FALSE(find_network_address(wrong));
}

TEST_CASE("address range: it contains its first and last address, and neither the one before nor the one behind") {
    const auto contains = [](const std::string& range, const std::string& address) {
        return find_address_range(range).value().contains(find_network_address(address).value());
    };
    CHECK(contains("192.0.2.1", "192.0.2.1"));
    CHECK_FALSE(contains("192.0.2.1", "192.0.2.2"));
    CHECK(contains("10.16.0.0/12", "10.16.0.0"));
    CHECK(contains("10.16.0.0/12", "10.31.255.255"));
    CHECK(contains("10.16.0.0/12", "::ffff:10.31.255.255"));
    CHECK_FALSE(contains("10.16.0.0/12", "10.32.0.0"));
    CHECK_FALSE(contains("10.16.0.0/12", "10.15.255.255"));
    CHECK(contains("0.0.0.0/0", "255.255.255.255"));
    CHECK_FALSE(contains("0.0.0.0/0", "2001:db8::1"));
    CHECK(contains("2001:db8::/33", "2001:db8:7fff:ffff::1"));
    CHECK_FALSE(contains("2001:db8::/33", "2001:db8:8000::"));
    CHECK(contains("::1", "::1"));
    for (const char* const wrong : {"", "/8", "10.0.0.0/", "10.0.0.0/33", "::/129", "10.0.0.1/8", "10.0.0.0/8x",
                                    "10.0.0.0/-1", "2001:db8::1/32", "host/8", "10.0.0.0/8/8"})
        CHECK_FALSE(find_address_range(wrong));
}

}  // namespace fardel::tests::network_address_test
