// The static tree that a verb writes: an address on the command line, with secrets from the environment.
#pragma once

#include "console/command_line.h"

#include <fardel/base/result.h>
#include <fardel/hosting/tree_target.h>

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

namespace fardel {

// What an address may be, for help texts.
inline constexpr std::string_view kTreeHelp =
    "a folder, dav+https://HOST/FOLDER (FARDEL_DAV_USER and FARDEL_DAV_PASSWORD, or FARDEL_DAV_TOKEN), "
    "or s3://BUCKET/PREFIX?endpoint=URL&region=NAME&style=path|host (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, "
    "AWS_SESSION_TOKEN, AWS_REGION)";

void add_token_option(CommandLine& line, std::string& token_file);

// `token_file`: what --token-file gave; empty: the variable counts. Errors: those of open_tree_target; malformed (no
// token in the file).
Result<std::unique_ptr<TreeTarget>> open_tree(const std::string& address, const std::string& token_file,
                                              std::stop_token stop);

}  // namespace fardel
