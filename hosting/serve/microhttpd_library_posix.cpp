#include "serve/microhttpd_library.h"

#include <optional>

#include <dlfcn.h>

namespace fardel {
namespace {

#ifdef __APPLE__
constexpr const char* kMicrohttpdFile = "libmicrohttpd.12.dylib";
#else
constexpr const char* kMicrohttpdFile = "libmicrohttpd.so.12";
#endif

template <class Function>
bool find_symbol(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(::dlsym(library, name));
    return function != nullptr;
}

std::optional<MicrohttpdLibrary> load_microhttpd() {
    void* const file = ::dlopen(kMicrohttpdFile, RTLD_NOW | RTLD_LOCAL);
    if (file == nullptr)
        return std::nullopt;
    MicrohttpdLibrary library;
    const bool whole =
        find_symbol(file, "MHD_start_daemon", library.start_daemon) &&
        find_symbol(file, "MHD_stop_daemon", library.stop_daemon) &&
        find_symbol(file, "MHD_add_connection", library.add_connection) &&
        find_symbol(file, "MHD_get_connection_info", library.get_connection_info) &&
        find_symbol(file, "MHD_lookup_connection_value", library.lookup_connection_value) &&
        find_symbol(file, "MHD_queue_response", library.queue_response) &&
        find_symbol(file, "MHD_create_response_from_fd_at_offset64", library.create_response_from_fd_at_offset64) &&
        find_symbol(file, "MHD_create_response_from_callback", library.create_response_from_callback) &&
        find_symbol(file, "MHD_create_response_from_buffer", library.create_response_from_buffer) &&
        find_symbol(file, "MHD_add_response_header", library.add_response_header) &&
        find_symbol(file, "MHD_get_connection_values", library.get_connection_values) &&
        find_symbol(file, "MHD_destroy_response", library.destroy_response) &&
        find_symbol(file, "MHD_suspend_connection", library.suspend_connection) &&
        find_symbol(file, "MHD_resume_connection", library.resume_connection);
    return whole ? std::optional(library) : std::nullopt;
}

}  // namespace

const MicrohttpdLibrary* find_microhttpd_library() {
    static const std::optional<MicrohttpdLibrary> library = load_microhttpd();
    return library ? &*library : nullptr;
}

}  // namespace fardel
