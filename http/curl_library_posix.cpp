#include "curl_library.h"

#include <optional>

#include <dlfcn.h>

namespace fardel {
namespace {

// Every release of libcurl since 2006 has version 4 of the binary interface.
#ifdef __APPLE__
constexpr const char* kFileNames[] = {"libcurl.4.dylib"};
#else
constexpr const char* kFileNames[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};
#endif

template <class Function>
bool find_function(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(::dlsym(library, name));
    return function != nullptr;
}

std::optional<CurlLibrary> load(const char* file_name) {
    void* const library = ::dlopen(file_name, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr)
        return std::nullopt;
    CurlLibrary curl;
    const bool whole =
        find_function(library, "curl_global_init", curl.global_init) &&
        find_function(library, "curl_free", curl.free) && find_function(library, "curl_strnequal", curl.strnequal) &&
        find_function(library, "curl_slist_append", curl.slist_append) &&
        find_function(library, "curl_slist_free_all", curl.slist_free_all) &&
        find_function(library, "curl_easy_init", curl.easy_init) &&
        find_function(library, "curl_easy_reset", curl.easy_reset) &&
        find_function(library, "curl_easy_cleanup", curl.easy_cleanup) &&
        find_function(library, "curl_easy_setopt", curl.easy_setopt) &&
        find_function(library, "curl_easy_getinfo", curl.easy_getinfo) &&
        find_function(library, "curl_easy_pause", curl.easy_pause) &&
        find_function(library, "curl_easy_perform", curl.easy_perform) &&
        find_function(library, "curl_easy_strerror", curl.easy_strerror) &&
        find_function(library, "curl_multi_init", curl.multi_init) &&
        find_function(library, "curl_multi_cleanup", curl.multi_cleanup) &&
        find_function(library, "curl_multi_add_handle", curl.multi_add_handle) &&
        find_function(library, "curl_multi_remove_handle", curl.multi_remove_handle) &&
        find_function(library, "curl_multi_perform", curl.multi_perform) &&
        find_function(library, "curl_multi_poll", curl.multi_poll) &&
        find_function(library, "curl_multi_wakeup", curl.multi_wakeup) &&
        find_function(library, "curl_multi_info_read", curl.multi_info_read) &&
        find_function(library, "curl_url", curl.url) && find_function(library, "curl_url_get", curl.url_get) &&
        find_function(library, "curl_url_set", curl.url_set) &&
        find_function(library, "curl_url_cleanup", curl.url_cleanup);
    // All functions or none: a library that lacks one is too old, and counts as absent.
    if (!whole || curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        return std::nullopt;
    return curl;
}

std::optional<CurlLibrary> load_any() {
    for (const char* const file_name : kFileNames)
        if (auto curl = load(file_name))
            return curl;
    return std::nullopt;
}

}  // namespace

const CurlLibrary* find_curl_library() {
    static const std::optional<CurlLibrary> library = load_any();
    return library ? &*library : nullptr;
}

}  // namespace fardel
