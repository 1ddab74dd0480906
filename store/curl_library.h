// CurlLibrary: the functions of libcurl, taken from its shared library when the first cache on a server is opened.
//
// A program that never asks a server loads neither libcurl nor the fifty libraries that libcurl needs. Only headers of
// libcurl are needed to build. Any thread.
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

// Loads and starts the library on the first call; it stays loaded until the process ends. nullptr: it is not installed,
// lacks a function or does not start.
const CurlLibrary* find_curl_library();

}  // namespace fardel
