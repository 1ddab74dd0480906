// Files of licence tokens.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/statement.h>

#include <span>
#include <string>
#include <vector>

namespace fardel {

// Errors: missing, denied, io, and those of parse_license_token.
Result<Envelope> read_license_token(const std::string& path);
Result<std::vector<Envelope>> read_license_tokens(std::span<const std::string> paths);

}  // namespace fardel
