// CurlLibrary: the functions of libcurl, which is loaded at run time when the first cache on a server is opened.
//
// A program that uses no server loads neither libcurl nor the fifty libraries that it depends on. The build needs only
// the headers of libcurl. Any thread.
#pragma once

#include <curl/curl.h>

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
    decltype(&::curl_easy_perform) easy_perform = nullptr;
    decltype(&::curl_easy_strerror) easy_strerror = nullptr;
    decltype(&::curl_url) url = nullptr;
    decltype(&::curl_url_get) url_get = nullptr;
    decltype(&::curl_url_set) url_set = nullptr;
    decltype(&::curl_url_cleanup) url_cleanup = nullptr;
};

// Loads and initialises the library on the first call. It stays loaded until the process ends. Returns nullptr if it is
// not installed, lacks a function or fails to initialise.
const CurlLibrary* find_curl_library();

}  // namespace fardel
