// libcurl is linked: no Windows has one that programs may count on, and its TLS is the system's.
#include "curl_library.h"

namespace fardel {
namespace {

std::optional<CurlLibrary> initialise() {
    if (::curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        return std::nullopt;
    return CurlLibrary{.global_init = ::curl_global_init,
                       .free = ::curl_free,
                       .strnequal = ::curl_strnequal,
                       .slist_append = ::curl_slist_append,
                       .slist_free_all = ::curl_slist_free_all,
                       .easy_init = ::curl_easy_init,
                       .easy_reset = ::curl_easy_reset,
                       .easy_cleanup = ::curl_easy_cleanup,
                       .easy_setopt = ::curl_easy_setopt,
                       .easy_getinfo = ::curl_easy_getinfo,
                       .easy_pause = ::curl_easy_pause,
                       .easy_perform = ::curl_easy_perform,
                       .easy_strerror = ::curl_easy_strerror,
                       .multi_init = ::curl_multi_init,
                       .multi_cleanup = ::curl_multi_cleanup,
                       .multi_add_handle = ::curl_multi_add_handle,
                       .multi_remove_handle = ::curl_multi_remove_handle,
                       .multi_perform = ::curl_multi_perform,
                       .multi_poll = ::curl_multi_poll,
                       .multi_wakeup = ::curl_multi_wakeup,
                       .multi_info_read = ::curl_multi_info_read,
                       .url = ::curl_url,
                       .url_get = ::curl_url_get,
                       .url_set = ::curl_url_set,
                       .url_cleanup = ::curl_url_cleanup};
}

}  // namespace

const CurlLibrary* find_curl_library() {
    static const std::optional<CurlLibrary> library = initialise();
    return library ? &*library : nullptr;
}

}  // namespace fardel
