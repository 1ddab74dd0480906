// MicrohttpdLibrary: the functions of libmicrohttpd, which is loaded at run time when a server starts. Programs that
// start none do not load it and the libraries that it depends on. The build needs only its header.
#pragma once

#include <microhttpd.h>

namespace fardel {

struct MicrohttpdLibrary {
    decltype(&::MHD_start_daemon) start_daemon = nullptr;
    decltype(&::MHD_stop_daemon) stop_daemon = nullptr;
    decltype(&::MHD_add_connection) add_connection = nullptr;
    decltype(&::MHD_get_connection_info) get_connection_info = nullptr;
    decltype(&::MHD_lookup_connection_value) lookup_connection_value = nullptr;
    decltype(&::MHD_queue_response) queue_response = nullptr;
    decltype(&::MHD_create_response_from_fd_at_offset64) create_response_from_fd_at_offset64 = nullptr;
    decltype(&::MHD_create_response_from_callback) create_response_from_callback = nullptr;
    decltype(&::MHD_create_response_from_buffer) create_response_from_buffer = nullptr;
    decltype(&::MHD_add_response_header) add_response_header = nullptr;
    decltype(&::MHD_get_connection_values) get_connection_values = nullptr;
    decltype(&::MHD_destroy_response) destroy_response = nullptr;
    decltype(&::MHD_suspend_connection) suspend_connection = nullptr;
    decltype(&::MHD_resume_connection) resume_connection = nullptr;
};

// Loads the library on the first call; it stays loaded until the process ends. Returns nullptr if it is not installed
// or lacks a function. Any thread.
const MicrohttpdLibrary* find_microhttpd_library();

}  // namespace fardel
