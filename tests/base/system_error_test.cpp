#include "kit/test.h"

#include <fardel/base/system_error.h>

#include <cerrno>
#include <map>

namespace fardel::tests::system_error_test {

const std::map<int, ErrorCode> kTable = {
    {ENOENT, ErrorCode::missing},
    {ENOTDIR, ErrorCode::missing},
    {EACCES, ErrorCode::denied},
    {EPERM, ErrorCode::denied},
    {EROFS, ErrorCode::denied},
    {EISDIR, ErrorCode::malformed},
    {ELOOP, ErrorCode::malformed},
    {ENXIO, ErrorCode::malformed},
    {ENODEV, ErrorCode::malformed},
    {ENOEXEC, ErrorCode::malformed},
    {ENAMETOOLONG, ErrorCode::limit},
    {EFBIG, ErrorCode::limit},
    {EOVERFLOW, ErrorCode::limit},
    {E2BIG, ErrorCode::limit},
    {ENOSPC, ErrorCode::no_space},
#ifdef EDQUOT  // Windows has no such number
    {EDQUOT, ErrorCode::no_space},
#endif
    {EBUSY, ErrorCode::busy},
    {ETXTBSY, ErrorCode::busy},
    {EEXIST, ErrorCode::conflict},
    {ENOTEMPTY, ErrorCode::conflict},
#ifdef ESTALE  // Windows has no such number
    {ESTALE, ErrorCode::unreachable},
#endif
    {ENOTCONN, ErrorCode::unreachable},
    {ETIMEDOUT, ErrorCode::unreachable},
#ifdef EHOSTDOWN  // Windows has no such number
    {EHOSTDOWN, ErrorCode::unreachable},
#endif
    {EHOSTUNREACH, ErrorCode::unreachable},
    {ENETUNREACH, ErrorCode::unreachable},
    {ECONNREFUSED, ErrorCode::unreachable},
    {ECONNRESET, ErrorCode::unreachable},
    {EPIPE, ErrorCode::cancelled},
};

TEST_CASE("system error: each number has the code of the table, and all others are io") {
    for (int number = 0; number < 200; ++number) {
        CAPTURE(number);
        const auto row = kTable.find(number);
        CHECK(error_code_of(number) == (row == kTable.end() ? ErrorCode::io : row->second));
    }
}

TEST_CASE("system error: the message is the subject and the system's sentence; the number stays through context") {
    const Error error = system_error(ENOENT, "maps/q3dm17.bsp");
    CHECK(error.message() == "maps/q3dm17.bsp: No such file or directory");
    CHECK(error.system_number() == ENOENT);
    Error copy = error;
    CHECK(std::move(copy).with_context("mount").system_number() == ENOENT);
    CHECK(Error(ErrorCode::io, "no call of the system").system_number() == 0);
}

TEST_CASE("system error: errors of std::filesystem are mapped in the same way") {
    const Error error = system_error(std::make_error_code(std::errc::no_space_on_device), "disk");
    CHECK(error.code() == ErrorCode::no_space);
    CHECK(error.system_number() == ENOSPC);
}

}  // namespace fardel::tests::system_error_test
