#include "kit/test.h"

#include <fardel/base/descriptor.h>

#include <fcntl.h>

#include <cerrno>

namespace fardel::tests::descriptor_test {

Descriptor open_null() { return Descriptor(::open("/dev/null", O_RDWR | O_CLOEXEC)); }
bool is_open(int number) { return ::fcntl(number, F_GETFD) >= 0; }

TEST_CASE("descriptor: it is closed at the end of its owner, once") {
    int number = -1;
    {
        Descriptor first = open_null();
        number = first.number();
        const Descriptor second = std::move(first);
        CHECK_FALSE(first);
        CHECK(second.number() == number);
        CHECK(is_open(number));
    }
    CHECK_FALSE(is_open(number));
}

TEST_CASE("descriptor: assignment closes what was owned") {
    Descriptor target = open_null();
    Descriptor source = open_null();
    const int closed = target.number();
    const int kept = source.number();
    target = std::move(source);
    CHECK_FALSE(is_open(closed));
    CHECK(target.number() == kept);
    Descriptor& self = target;
    target = std::move(self);
    CHECK(is_open(kept));
}

TEST_CASE("descriptor: a released one belongs to the caller; a closed one is gone") {
    Descriptor descriptor = open_null();
    const int number = descriptor.release();
    CHECK_FALSE(descriptor);
    CHECK(is_open(number));
    descriptor = Descriptor(number);
    descriptor.close();
    descriptor.close();
    CHECK_FALSE(descriptor);
    CHECK_FALSE(is_open(number));
}

TEST_CASE("descriptor: closing reports what the system reports") {
    Descriptor good = open_null();
    CHECK(good.close_reporting("file"));
    CHECK_FALSE(good);
    Descriptor none;
    const auto status = none.close_reporting("file");
    REQUIRE_FALSE(status);
    CHECK(status.error().system_number() == EBADF);
}

TEST_CASE("descriptor: a duplicate outlives the first, and is closed on exec") {
    Descriptor first = open_null();
    auto second = first.duplicate("file");
    REQUIRE(second);
    first.close();
    CHECK(::fcntl(second->number(), F_GETFD) == FD_CLOEXEC);
    CHECK_FALSE(Descriptor().duplicate("file"));
}

}  // namespace fardel::tests::descriptor_test
