// Which Fardel this program is, as cmake/FardelCommit.cmake found out when the build was configured.
#pragma once

#include <string_view>

namespace fardel {

// `0.1.0 (c7ad91d84139, 2026-11-28)`: the version, the commit and its day in UTC; the version alone where the sources
// came without a commit.
std::string_view version_text() noexcept;

}  // namespace fardel
