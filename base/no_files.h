// For *_none.cpp of a library without files: what each function says that would need one.
#pragma once

#include <fardel/base/result.h>

#include <string>
#include <string_view>

namespace fardel {

inline Error no_files(std::string_view subject) {
    return Error(ErrorCode::unsupported, std::string(subject) +
                                             ": this build of the library has no files; it reads "
                                             "bundles from memory and through readers");
}

}  // namespace fardel
