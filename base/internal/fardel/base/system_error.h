// Maps errno values to Fardel's error codes; this is the only such table.
//
//     missing      ENOENT ENOTDIR
//     denied       EACCES EPERM EROFS
//     malformed    EISDIR ELOOP ENXIO ENODEV ENOEXEC          the name leads to something of another kind
//     limit        ENAMETOOLONG EFBIG EOVERFLOW E2BIG
//     no_space     ENOSPC EDQUOT
//     busy         EBUSY ETXTBSY
//     conflict     EEXIST ENOTEMPTY
//     unreachable  ESTALE ENOTCONN ETIMEDOUT EHOSTDOWN EHOSTUNREACH ENETUNREACH ECONNREFUSED ECONNRESET
//     cancelled    EPIPE                                      the reader of a pipe is gone
//     io           all others
//
// A caller that must distinguish numbers of one code uses Error::system_number().
#pragma once

#include <fardel/base/result.h>

#include <string_view>
#include <system_error>

namespace fardel {

ErrorCode error_code_of(int number) noexcept;

// Returns an error "<subject>: <the system's message>" whose system_number() is `number`.
Error system_error(int number, std::string_view subject);
// The same for errors of std::filesystem.
Error system_error(const std::error_code& failure, std::string_view subject);

}  // namespace fardel
