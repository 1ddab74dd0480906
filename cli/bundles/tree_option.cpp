#include "tree_option.h"

#include <fardel/base/file.h>
#include <fardel/base/invocation.h>
#include <fardel/format/name.h>
#include <fardel/hosting/tree_address.h>

#include <utility>

namespace fardel {
namespace {

TreeCredentials credentials_of_environment() {
    TreeCredentials credentials{.dav_user = variable("FARDEL_DAV_USER"),
                                .dav_password = variable("FARDEL_DAV_PASSWORD"),
                                .dav_token = variable("FARDEL_DAV_TOKEN"),
                                .upload_token = variable("FARDEL_UPLOAD_TOKEN"),
                                .aws_key_id = variable("AWS_ACCESS_KEY_ID"),
                                .aws_secret_key = variable("AWS_SECRET_ACCESS_KEY"),
                                .aws_session_token = variable("AWS_SESSION_TOKEN"),
                                .aws_region = variable("AWS_REGION")};
    if (credentials.aws_region.empty())
        credentials.aws_region = variable("AWS_DEFAULT_REGION");
    return credentials;
}

// Errors: malformed (the first line is empty), those of read_secret_line.
Result<std::string> read_token(const std::string& path) {
    FARDEL_TRY_ASSIGN(std::string token, read_secret_line(path, printable(path), "token file"));
    if (token.empty())
        return Error(ErrorCode::malformed, printable(path) + ": there is no token on its first line");
    return token;
}

}  // namespace

void add_token_option(CommandLine& line, std::string& token_file) {
    line.text("--token-file", "FILE", token_file,
              "The token for a 'fardel serve' (default: the variable FARDEL_UPLOAD_TOKEN)");
}

Result<std::unique_ptr<TreeTarget>> open_tree(const std::string& address, const std::string& token_file,
                                              std::stop_token stop) {
    TreeCredentials credentials = credentials_of_environment();
    if (!token_file.empty()) {
        FARDEL_TRY_ASSIGN(credentials.upload_token, read_token(token_file));
    }
    return open_tree_target(address, std::move(credentials), {.stop = std::move(stop)});
}

}  // namespace fardel
