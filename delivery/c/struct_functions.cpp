// The functions of fardel_fetch.h that set structs of callers without macros.

#include "c_handles.h"

using namespace fardel::c;

void fardel_server_options_init(fardel_server_options* options, size_t struct_size) {
    init(fardel_server_options FARDEL_SERVER_OPTIONS_INIT, options, struct_size);
}

void fardel_trust_options_init(fardel_trust_options* options, size_t struct_size) {
    init(fardel_trust_options FARDEL_TRUST_OPTIONS_INIT, options, struct_size);
}

void fardel_fetch_options_init(fardel_fetch_options* options, size_t struct_size) {
    init(fardel_fetch_options FARDEL_FETCH_OPTIONS_INIT, options, struct_size);
}

void fardel_project_options_init(fardel_project_options* options, size_t struct_size) {
    init(fardel_project_options FARDEL_PROJECT_OPTIONS_INIT, options, struct_size);
}

void fardel_channel_options_init(fardel_channel_options* options, size_t struct_size) {
    init(fardel_channel_options FARDEL_CHANNEL_OPTIONS_INIT, options, struct_size);
}

void fardel_install_options_init(fardel_install_options* options, size_t struct_size) {
    init(fardel_install_options FARDEL_INSTALL_OPTIONS_INIT, options, struct_size);
}

void fardel_collection_options_init(fardel_collection_options* options, size_t struct_size) {
    init(fardel_collection_options FARDEL_COLLECTION_OPTIONS_INIT, options, struct_size);
}

void fardel_store_addition_init(fardel_store_addition* addition, size_t struct_size) {
    init(fardel_store_addition FARDEL_STORE_ADDITION_INIT, addition, struct_size);
}

void fardel_store_usage_init(fardel_store_usage* usage, size_t struct_size) {
    init(fardel_store_usage FARDEL_STORE_USAGE_INIT, usage, struct_size);
}
