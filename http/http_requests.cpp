#include "curl_library.h"
#include "server_gate.h"

#include <fardel/base/clock.h>
#include <fardel/format/name.h>
#include <fardel/format/shown_date.h>
#include <fardel/http/range_client.h>

#include <algorithm>
#include <cstdlib>

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

// The variable that names the proxy for a URL, as libcurl reads it; nullptr: none is set. Of those that hosts are
// exempt from (no_proxy) it knows nothing, so it answers only "if a proxy was asked, which".
const char* find_proxy_variable(std::string_view url) {
    const bool is_https = url.starts_with("https:");
    for (const char* const name :
         {is_https ? "https_proxy" : "http_proxy", is_https ? "HTTPS_PROXY" : "", "all_proxy", "ALL_PROXY"})
        if (const char* const value = std::getenv(name); value != nullptr && *value != '\0')
            return name;
    return nullptr;
}

// Whether the failure is that of the proxy that the variable names: libcurl's message says to whom it tried to connect.
bool is_about_proxy(CURLcode code, std::string_view message, const char* variable) {
    const auto proxy = find_url_server(std::getenv(variable));
    return code == CURLE_COULDNT_RESOLVE_PROXY || code == CURLE_PROXY ||
           (proxy && message.find(" " + proxy->host + " port " + proxy->port) != std::string_view::npos);
}

// " (it is valid from Jan  1 00:00:00 2026 GMT to …)" of the certificate that the server of a URL shows; empty: it
// shows none now. libcurl keeps nothing of a certificate that it refuses, so this asks for it once more, without
// judging it, and sends no request.
std::string certificate_dates(const std::string& url, const ServerRule& rule) {
    constexpr long kWaitMs = 2'000;  // nothing else is transferred meanwhile
    const CurlLibrary& curl = curl_functions();
    const Curl handle(curl.easy_init());
    if (!handle)
        return {};
    set_common_options(handle.get());
    // The name may lead to another address this time.
    ServerGate gate;
    gate.apply(rule, handle.get(), url);
    allow_only_https(handle.get());
    curl.easy_setopt(handle.get(), CURLOPT_URL, url.c_str());
    curl.easy_setopt(handle.get(), CURLOPT_CONNECT_ONLY, 1L);
    curl.easy_setopt(handle.get(), CURLOPT_SSL_VERIFYPEER, 0L);
    curl.easy_setopt(handle.get(), CURLOPT_CERTINFO, 1L);
    curl.easy_setopt(handle.get(), CURLOPT_TIMEOUT_MS, kWaitMs);
    curl_certinfo* chain = nullptr;
    if (curl.easy_perform(handle.get()) != CURLE_OK ||
        curl.easy_getinfo(handle.get(), CURLINFO_CERTINFO, &chain) != CURLE_OK || chain == nullptr ||
        chain->num_of_certs < 1)
        return {};
    std::string from;
    std::string to;
    for (const curl_slist* line = chain->certinfo[0]; line != nullptr; line = line->next) {
        const std::string_view text = line->data;
        if (text.starts_with("Start date:"))
            from = printable(text.substr(11), 40);
        else if (text.starts_with("Expire date:"))
            to = printable(text.substr(12), 40);
    }
    return from.empty() || to.empty() ? std::string() : " (it is valid from " + from + " to " + to + ")";
}

// "http://a/game/bundles/x", which leads to "https://b/other/bundles/x": what is to be replaced in the URL that was
// given. Nothing if what follows differs: then nobody knows where the whole tree is.
std::string redirect_advice(std::string_view from, std::string_view to) {
    std::size_t common = 0;
    for (std::size_t i = 1; i <= std::min(from.size(), to.size()) && from[from.size() - i] == to[to.size() - i]; ++i)
        if (from[from.size() - i] == '/')
            common = i;
    const std::string_view here = from.substr(0, from.size() - common);
    const std::string_view there = to.substr(0, to.size() - common);
    const bool is_url = there.starts_with("http://") || there.starts_with("https://");
    if (common == 0 || !is_url || there.size() <= there.find("://") + 3)
        return "give the address of the server itself";
    return "give the URL with " + printable(there, 400) + " instead of " + printable(here, 400);
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

Error transfer_error(CURLcode code, const CurlMessage& message, const std::string& url, const ServerRule* rule) {
    const std::string_view detail = message.data();
    std::string text = detail.empty() ? curl_functions().easy_strerror(code) : printable(detail, 200);
    if (const char* const variable = find_proxy_variable(url);
        variable != nullptr && is_about_proxy(code, text, variable))
        text += std::string("; that is the proxy of the variable ") + variable;
    if (text.find("expired") != std::string::npos || text.find("not yet valid") != std::string::npos)
        text += (rule != nullptr ? certificate_dates(url, *rule) : std::string()) +
                "; the clock of this machine says " + shown_date(system_now()) +
                ": if that is right, only the server's owner can mend it";
    return Error(code_of(code), printable(url, 400) + ": " + text);
}

std::string page_remark(std::string_view content_type) {
    return content_type.starts_with("text/")
               ? " of the type " + printable(content_type.substr(0, content_type.find(';')), 40) +
                     ": a page instead of the file, such as that of a log-in to this network or of a proxy"
               : std::string();
}

Error status_error(const RefusedRequest& refused, const std::string& url) {
    const long status = refused.status;
    std::string text = printable(url, 400) + ": the server answers " + std::to_string(status);
    if (status >= 300 && status < 400)
        return Error(ErrorCode::denied,
                     text + ", a redirect" +
                         (refused.location.empty() ? "" : " to " + printable(refused.location, 400)) +
                         "; redirects are not followed, so " + redirect_advice(url, refused.location));
    // Pages for people say nothing in their first line.
    if (const std::string said = printable(refused.body.substr(0, refused.body.find_first_of("\r\n")), 200);
        !said.empty() && refused.content_type.starts_with("text/plain"))
        text += ": " + said;
    if (status == 401 || status == 403 || status == 407)
        return Error(ErrorCode::denied, text);
    if (status == 405 || status == 501)
        return Error(ErrorCode::denied, text + "; it does not support this method");
    if (status == 408 || status == 423 || status == 425 || status == 429 || status == 503)
        return Error(ErrorCode::busy, text);
    if (status == 413)
        return Error(ErrorCode::limit, text + "; the file is too large for it");
    if (status == 416)
        return Error(ErrorCode::corrupt, text + "; the file there is shorter than it should be");
    if (status == 507)
        return Error(ErrorCode::no_space, text + "; the disk or the quota of the server is full");
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
        return refused("not a URL; one begins with https:// or http://");
    FARDEL_TRY_ASSIGN(const std::string scheme, part_of(url.get(), CURLUPART_SCHEME));
    if (scheme != "http" && scheme != "https")
        return refused("the URL of " + std::string(what) + " must begin with http:// or https://");
    if (has_part(url.get(), CURLUPART_USER) || has_part(url.get(), CURLUPART_PASSWORD))
        return refused(
            "the URL must contain no user and no password; what writes takes a token from a file, and fetching needs "
            "none");
    if (has_part(url.get(), CURLUPART_QUERY) || has_part(url.get(), CURLUPART_FRAGMENT))
        return refused("the URL of " + std::string(what) + " must contain no '?' and no '#'");
    FARDEL_TRY_ASSIGN(std::string whole, part_of(url.get(), CURLUPART_URL));
    while (whole.ends_with('/'))
        whole.pop_back();
    return whole;
}

}  // namespace fardel
