#include "curl_library.h"

#include <fardel/format/name.h>
#include <fardel/http/range_client.h>

namespace fardel {
namespace {

const CurlLibrary& curl_functions() { return *find_curl_library(); }

using CurlUrl = std::unique_ptr<CURLU, CurlDeleter>;

bool has_part(CURLU* url, CURLUPart part) {
    char* text = nullptr;
    const bool has = curl_functions().url_get(url, part, &text, 0) == CURLUE_OK && text != nullptr && *text != '\0';
    const std::unique_ptr<char, CurlDeleter> owned(text);
    return has;
}

Result<std::string> part_of(CURLU* url, CURLUPart part, unsigned flags = 0) {
    char* text = nullptr;
    if (curl_functions().url_get(url, part, &text, flags) != CURLUE_OK)
        return Error(ErrorCode::malformed, "not a complete URL");
    const std::unique_ptr<char, CurlDeleter> owned(text);
    return std::string(text);
}

ErrorCode code_of(CURLcode code) {
    switch (code) {
        case CURLE_SSL_CACERT_BADFILE:  // this system trusts no authority
        case CURLE_PEER_FAILED_VERIFICATION: return ErrorCode::untrusted;
        case CURLE_OUT_OF_MEMORY:  // also if a header is too long
        case CURLE_WEIRD_SERVER_REPLY:
        case CURLE_UNSUPPORTED_PROTOCOL:
        case CURLE_BAD_CONTENT_ENCODING:
        case CURLE_HTTP2:
        case CURLE_HTTP2_STREAM: return ErrorCode::malformed;
        case CURLE_PARTIAL_FILE: return ErrorCode::corrupt;
        default: return ErrorCode::unreachable;
    }
}

}  // namespace

void append_header(CurlHeaders& headers, const std::string& line) {
    curl_slist* const longer = curl_functions().slist_append(headers.get(), line.c_str());
    if (longer != nullptr) {
        static_cast<void>(headers.release());
        headers.reset(longer);
    }
}

void set_common_options(CURL* handle) {
#if LIBCURL_VERSION_NUM >= 0x075500
    curl_functions().easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    curl_functions().easy_setopt(handle, CURLOPT_PROTOCOLS, CURLPROTO_HTTP | CURLPROTO_HTTPS);
#endif
    curl_functions().easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 0L);
    curl_functions().easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
    curl_functions().easy_setopt(handle, CURLOPT_USERAGENT, "fardel");
}

void allow_only_https(CURL* handle) {
#if LIBCURL_VERSION_NUM >= 0x075500
    curl_functions().easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "https");
#else
    curl_functions().easy_setopt(handle, CURLOPT_PROTOCOLS, CURLPROTO_HTTPS);
#endif
}

Error transfer_error(CURLcode code, const std::string& url) {
    return Error(code_of(code), printable(url, 400) + ": " + curl_functions().easy_strerror(code));
}

Error status_error(long status, const std::string& url) {
    const std::string text = printable(url, 400) + ": the server answers " + std::to_string(status);
    if (status >= 300 && status < 400)
        return Error(ErrorCode::denied, text + ", a redirect, which is not followed");
    if (status == 401 || status == 403 || status == 407)
        return Error(ErrorCode::denied, text);
    if (status == 405 || status == 501)
        return Error(ErrorCode::denied, text + ": it does not support this method");
    if (status == 408 || status == 423 || status == 425 || status == 429 || status == 503)
        return Error(ErrorCode::busy, text);
    if (status == 413)
        return Error(ErrorCode::limit, text + ": the object is too large for it");
    if (status == 416)
        return Error(ErrorCode::corrupt, text + ": the file is shorter than it should be");
    if (status == 507)
        return Error(ErrorCode::no_space, text);
    if (status >= 500)
        return Error(ErrorCode::unreachable, text);
    return Error(status >= 200 && status < 300 ? ErrorCode::malformed : ErrorCode::io, text);
}

std::optional<UrlServer> find_url_server(const std::string& text) {
    const CurlUrl url(curl_functions().url());
    if (!url || curl_functions().url_set(url.get(), CURLUPART_URL, text.c_str(), 0) != CURLUE_OK)
        return std::nullopt;
    auto host = part_of(url.get(), CURLUPART_HOST);
    auto port = part_of(url.get(), CURLUPART_PORT, CURLU_DEFAULT_PORT);
    if (!host || !port)
        return std::nullopt;
    return UrlServer{.host = *std::move(host), .port = *std::move(port)};
}

Result<std::string> parse_server_url(const std::string& text, std::string_view what) {
    const CurlUrl url(curl_functions().url());
    const auto refused = [&](const std::string& why) {
        return Error(ErrorCode::malformed, "\"" + printable(text, 400) + "\": " + why);
    };
    if (!url ||
        curl_functions().url_set(url.get(), CURLUPART_URL, text.c_str(), CURLU_NON_SUPPORT_SCHEME) != CURLUE_OK ||
        text.find('\0') != std::string::npos)
        return refused("not a URL");
    FARDEL_TRY_ASSIGN(const std::string scheme, part_of(url.get(), CURLUPART_SCHEME));
    if (scheme != "http" && scheme != "https")
        return refused("the URL of " + std::string(what) + " must begin with http:// or https://");
    if (has_part(url.get(), CURLUPART_USER) || has_part(url.get(), CURLUPART_PASSWORD))
        return refused("the URL must contain no user and no password; use a token");
    if (has_part(url.get(), CURLUPART_QUERY) || has_part(url.get(), CURLUPART_FRAGMENT))
        return refused("the URL of " + std::string(what) + " must contain no '?' and no '#'");
    FARDEL_TRY_ASSIGN(std::string whole, part_of(url.get(), CURLUPART_URL));
    while (whole.ends_with('/'))
        whole.pop_back();
    return whole;
}

}  // namespace fardel
