#include "layer_health.h"

#include "kit/test.h"

namespace fardel::tests::layer_health_test {

using namespace std::chrono_literals;

TEST_CASE("layer health: three errors in a row exclude a layer, two and an answer do not") {  // A108
    LayerHealth health(1000ms);
    const Error error(ErrorCode::unreachable, "gone");
    health.add(1ms, 0, &error);
    health.add(1ms, 0, &error);
    health.add(1ms, 0, nullptr);
    health.add(1ms, 0, &error);
    health.add(1ms, 0, &error);
    CHECK_FALSE(health.is_out());
    health.add(1ms, 0, &error);
    CHECK(health.is_out());
    CHECK(health.reason() == "3 errors in a row, the last: unreachable: gone");
    health.add(1ms, 0, nullptr);
    CHECK(health.is_out());
}

TEST_CASE("layer health: the average of the last answers counts") {  // A108
    LayerHealth health(1000ms);
    for (int i = 0; i < 20; ++i)
        health.add(900ms, 0, nullptr);
    CHECK_FALSE(health.is_out());
    health.add(2s, 0, nullptr);
    CHECK(health.is_out());
    CHECK(health.reason().starts_with("slow: "));

    LayerHealth first(1000ms);
    first.add(3900ms, 0, nullptr);
    CHECK_FALSE(first.is_out());
    first.add(200ms, 0, nullptr);
    CHECK(first.is_out());

    LayerHealth recovers(1000ms);
    recovers.add(3s, 0, nullptr);
    for (int i = 0; i < 8; ++i)
        recovers.add(0ms, 0, nullptr);
    recovers.add(3s, 0, nullptr);
    CHECK_FALSE(recovers.is_out());
}

TEST_CASE("layer health: a large transfer may take longer") {
    LayerHealth health(1000ms);
    for (int i = 0; i < 20; ++i)
        health.add(30s, 240u << 20, nullptr);
    CHECK_FALSE(health.is_out());
}

TEST_CASE("layer health: refused records are counted with the first reason, and the layer stays in use") {  // A109
    LayerHealth health(2s);
    CHECK(health.refused() == 0);
    for (int i = 0; i < 1000; ++i)
        health.add_refusal("reason " + std::to_string(i));
    CHECK(health.refused() == 1000);
    CHECK(health.first_refusal() == "reason 0");
    CHECK_FALSE(health.is_out());
}

TEST_CASE("layer health: one final refusal is enough") {
    LayerHealth health(1000ms);
    health.give_up(Error(ErrorCode::no_space, "full"));
    CHECK(health.reason() == "no_space: full");
}

}  // namespace fardel::tests::layer_health_test
