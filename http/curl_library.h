// CurlLibrary: the functions of libcurl, which is loaded at run time when a server is first used; owners of its
// handles.
//
// A program that uses no server loads neither libcurl nor the fifty libraries that it depends on. The build needs only
// the headers of libcurl. Any thread.
#pragma once

#include <fardel/base/result.h>
#include <fardel/http/server_list.h>

#include <curl/curl.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace fardel {

struct CurlLibrary {
    decltype(&::curl_global_init) global_init = nullptr;
    decltype(&::curl_free) free = nullptr;
    decltype(&::curl_strnequal) strnequal = nullptr;
    decltype(&::curl_slist_append) slist_append = nullptr;
    decltype(&::curl_slist_free_all) slist_free_all = nullptr;
    decltype(&::curl_easy_init) easy_init = nullptr;
    decltype(&::curl_easy_reset) easy_reset = nullptr;
    decltype(&::curl_easy_cleanup) easy_cleanup = nullptr;
    decltype(&::curl_easy_setopt) easy_setopt = nullptr;
    decltype(&::curl_easy_getinfo) easy_getinfo = nullptr;
    decltype(&::curl_easy_pause) easy_pause = nullptr;
    decltype(&::curl_easy_perform) easy_perform = nullptr;
    decltype(&::curl_easy_strerror) easy_strerror = nullptr;
    decltype(&::curl_multi_init) multi_init = nullptr;
    decltype(&::curl_multi_cleanup) multi_cleanup = nullptr;
    decltype(&::curl_multi_add_handle) multi_add_handle = nullptr;
    decltype(&::curl_multi_remove_handle) multi_remove_handle = nullptr;
    decltype(&::curl_multi_perform) multi_perform = nullptr;
    decltype(&::curl_multi_poll) multi_poll = nullptr;
    decltype(&::curl_multi_wakeup) multi_wakeup = nullptr;
    decltype(&::curl_multi_info_read) multi_info_read = nullptr;
    decltype(&::curl_url) url = nullptr;
    decltype(&::curl_url_get) url_get = nullptr;
    decltype(&::curl_url_set) url_set = nullptr;
    decltype(&::curl_url_cleanup) url_cleanup = nullptr;
};

// Loads and initialises the library on the first call. It stays loaded until the process ends. Returns nullptr if it is
// not installed, lacks a function or fails to initialise.
const CurlLibrary* find_curl_library();

// ---- For callers that know that the library is there ----------------------------------------------------------------

struct CurlDeleter {
    void operator()(CURL* handle) const noexcept { find_curl_library()->easy_cleanup(handle); }
    void operator()(CURLU* url) const noexcept { find_curl_library()->url_cleanup(url); }
    void operator()(curl_slist* list) const noexcept { find_curl_library()->slist_free_all(list); }
    void operator()(char* text) const noexcept { find_curl_library()->free(text); }
};
using Curl = std::unique_ptr<CURL, CurlDeleter>;
using CurlHeaders = std::unique_ptr<curl_slist, CurlDeleter>;

void append_header(CurlHeaders& headers, const std::string& line);

// Sets what all requests have in common: http and https only, no redirects, no signals.
void set_common_options(CURL* handle);

void allow_only_https(CURL* handle);

// The host of a URL, as it spells it, and its port or that of its scheme, in digits. Nothing: not a URL.
struct UrlServer {
    std::string host;
    std::string port;
};
std::optional<UrlServer> find_url_server(const std::string& url);

// What libcurl writes about a transfer that failed; more than the name of the failure.
using CurlMessage = std::array<char, CURL_ERROR_SIZE>;

// The error for a transfer that failed. What is printed of it, and of what follows, is made safe here. Of a certificate
// that is not valid today, the dates are asked for by one more connection, which keeps the rule of the transfer;
// nullptr: they are not.
Error transfer_error(CURLcode code, const CurlMessage& message, const std::string& url, const ServerRule* rule);

// Of the page of an error, kept for its message.
inline constexpr std::size_t kRefusalTextBytes = 512;

// An answer that is neither success nor absence.
struct RefusedRequest {
    long status = 0;
    std::string_view location;      // where a redirect leads
    std::string_view content_type;  // of the body
    std::string_view body;          // its beginning, at least the first line
};
Error status_error(const RefusedRequest& refused, const std::string& url);

// " of the type text/html" if that is a type of pages, which a log-in page or a proxy sends instead of a file; else
// empty.
std::string page_remark(std::string_view content_type);

}  // namespace fardel
