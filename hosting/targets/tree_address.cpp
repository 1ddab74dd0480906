#include <fardel/hosting/tree_address.h>

#include "targets/remote_targets.h"

#include <fardel/format/name.h>
#include <fardel/format/sha256.h>
#include <fardel/http/range_client.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace fardel {
namespace {

constexpr std::string_view kS3 = "s3://";
constexpr std::string_view kDav = "dav+";

Error bad_address(const std::string& address, std::string_view why) {
    return Error(ErrorCode::malformed, "\"" + printable(address, 400) + "\": " + std::string(why));
}

RemoteTreeOptions remote_options(const TreeConnection& connection) {
    return {.timeouts = {.connect = connection.connect_timeout, .stall = connection.stall_timeout},
            .attempts_max = connection.attempts_max,
            .first_pause = connection.first_pause,
            .stop = connection.stop};
}

// ---- WebDAV, and servers of Fardel ----------------------------------------------------------------------------------

HttpCredentials dav_credentials(TreeCredentials& credentials) {
    if (!credentials.dav_token.empty())
        return BearerToken{std::move(credentials.dav_token)};
    if (!credentials.dav_user.empty())
        return UserPassword{std::move(credentials.dav_user), std::move(credentials.dav_password)};
    return NoCredentials{};
}

Result<std::unique_ptr<TreeTarget>> open_dav(const std::string& address, TreeCredentials credentials,
                                             const TreeConnection& connection) {
    FARDEL_TRY_ASSIGN(std::string url, parse_server_url(address.substr(kDav.size()), "a WebDAV tree"));
    HttpCredentials secrets = dav_credentials(credentials);
    if (!std::holds_alternative<NoCredentials>(secrets) && url.starts_with("http://") && !is_loopback_url(url))
        return Error(ErrorCode::denied,
                     printable(url, 400) + ": a password or token would be sent unencrypted; use dav+https://");
    const RemoteTreeOptions options = remote_options(connection);
    FARDEL_TRY_ASSIGN(HttpConnection http, HttpConnection::open(std::move(secrets), options.timeouts));
    return make_dav_target(std::make_unique<RemoteTree>(std::move(url), std::move(http), options));
}

Result<std::unique_ptr<TreeTarget>> open_upload(const std::string& address, TreeCredentials credentials,
                                                const TreeConnection& connection) {
    FARDEL_TRY_ASSIGN(std::string url, parse_server_url(address, "a server"));
    if (credentials.upload_token.empty())
        return Error(ErrorCode::missing, printable(url, 400) +
                                             ": a registry wants an author's --key, and any other server a "
                                             "--token-file, or the variable FARDEL_UPLOAD_TOKEN");
    if (url.starts_with("http://") && !is_loopback_url(url))
        return Error(ErrorCode::denied, printable(url, 400) + ": the token would be sent unencrypted; use https://");
    const RemoteTreeOptions options = remote_options(connection);
    FARDEL_TRY_ASSIGN(HttpConnection http,
                      HttpConnection::open(BearerToken{std::move(credentials.upload_token)}, options.timeouts));
    return make_upload_target(std::make_unique<RemoteTree>(std::move(url), std::move(http), options));
}

// ---- Object stores --------------------------------------------------------------------------------------------------

struct S3Address {
    std::string bucket;
    std::string prefix;  // without '/' at its ends
    std::string endpoint;
    std::string region;
    bool bucket_in_host = false;
};

bool is_bucket(std::string_view text) {
    return text.size() >= 3 && text.size() <= 63 && text.front() != '.' && text.front() != '-' &&
           std::ranges::all_of(
               text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '-' || c == '.'; });
}

Result<S3Address> parse_s3_address(const std::string& address) {
    S3Address parsed;
    std::string_view rest = std::string_view(address).substr(kS3.size());
    const auto question = rest.find('?');
    std::string_view path = rest.substr(0, question);
    while (path.ends_with('/'))
        path.remove_suffix(1);
    const auto slash = path.find('/');
    parsed.bucket = std::string(path.substr(0, slash));
    if (!is_bucket(parsed.bucket))
        return bad_address(address, "after s3:// comes the name of a bucket: 3 to 63 of [0-9a-z.-]");
    if (slash != std::string_view::npos) {
        parsed.prefix = std::string(path.substr(slash + 1));
        if (!is_tree_path(parsed.prefix))
            return bad_address(address, "the prefix may consist of [0-9a-z_.-] and '/'");
    }
    rest = question == std::string_view::npos ? std::string_view() : rest.substr(question + 1);
    while (!rest.empty()) {
        const std::string_view option = rest.substr(0, rest.find('&'));
        rest.remove_prefix(std::min(rest.size(), option.size() + 1));
        const auto equals = option.find('=');
        const std::string_view name = option.substr(0, equals);
        const std::string_view value = equals == std::string_view::npos ? "" : option.substr(equals + 1);
        if (name == "endpoint" && !value.empty())
            parsed.endpoint = std::string(value);
        else if (name == "region" && !value.empty())
            parsed.region = std::string(value);
        else if (name == "style" && (value == "path" || value == "host"))
            parsed.bucket_in_host = value == "host";
        else
            return bad_address(address, "the options are endpoint=URL, region=NAME and style=path or style=host");
    }
    return parsed;
}

Result<std::unique_ptr<TreeTarget>> open_s3(const std::string& address, TreeCredentials credentials,
                                            const TreeConnection& connection) {
    FARDEL_TRY_ASSIGN(S3Address s3, parse_s3_address(address));
    if (s3.region.empty())
        s3.region = credentials.aws_region.empty() ? "us-east-1" : credentials.aws_region;
    if (s3.endpoint.empty())
        s3.endpoint = "https://s3." + s3.region + ".amazonaws.com";
    FARDEL_TRY_ASSIGN(std::string bucket_url, parse_server_url(s3.endpoint, "an object store"));
    if (credentials.aws_key_id.empty() || credentials.aws_secret_key.empty())
        return Error(ErrorCode::missing,
                     "an object store needs the environment variables AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
    // The secret key only signs, but whoever reads the token has half of what lets him ask for others.
    if (!credentials.aws_session_token.empty() && bucket_url.starts_with("http://") && !is_loopback_url(bucket_url))
        return Error(
            ErrorCode::denied,
            printable(bucket_url, 400) + ": the session token would be sent unencrypted; use an endpoint of https://");
    if (s3.bucket_in_host)
        bucket_url.insert(bucket_url.find("://") + 3, s3.bucket + ".");
    else
        bucket_url += "/" + s3.bucket;
    RemoteTreeOptions options = remote_options(connection);
    // A signed request states the hash of its body, also of an empty one.
    options.read_headers = {"X-Amz-Content-Sha256: " + sha256_hex({})};
    FARDEL_TRY_ASSIGN(HttpConnection http,
                      HttpConnection::open(AwsCredentials{.key_id = std::move(credentials.aws_key_id),
                                                          .secret_key = std::move(credentials.aws_secret_key),
                                                          .session_token = std::move(credentials.aws_session_token),
                                                          .region = s3.region},
                                           options.timeouts));
    const std::string tree_url = s3.prefix.empty() ? bucket_url : bucket_url + "/" + s3.prefix;
    return open_s3_target(std::make_unique<RemoteTree>(tree_url, std::move(http), options), bucket_url,
                          s3.prefix.empty() ? "" : s3.prefix + "/");
}

}  // namespace

// ---- Any address ----------------------------------------------------------------------------------------------------

Result<std::unique_ptr<TreeTarget>> open_tree_target(const std::string& address, TreeCredentials credentials,
                                                     const TreeConnection& connection) {
    if (address.starts_with(kS3))
        return open_s3(address, std::move(credentials), connection);
    if (address.starts_with("dav+http://") || address.starts_with("dav+https://"))
        return open_dav(address, std::move(credentials), connection);
    if (address.starts_with("http://") || address.starts_with("https://"))
        return open_upload(address, std::move(credentials), connection);
    // A mistyped scheme would otherwise become a folder of that name.
    if (address.find("://") != std::string::npos)
        return bad_address(address, "a tree is a folder, https://HOST, dav+https://HOST/FOLDER or s3://BUCKET/PREFIX");
    return make_folder_target(address);
}

}  // namespace fardel
