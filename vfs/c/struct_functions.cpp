// The functions of fardel.h and fardel_pure.h that set structs of callers without macros.

#include <fardel/vfs/fardel.h>
#include <fardel/vfs/fardel_pure.h>

#include <fardel/format/c_interface.h>

using namespace fardel::c;

void fardel_error_init(fardel_error* error, size_t struct_size) {
    init(fardel_error FARDEL_ERROR_INIT, error, struct_size);
}

void fardel_reader_init(fardel_reader* reader, size_t struct_size) {
    init(fardel_reader FARDEL_READER_INIT, reader, struct_size);
}

void fardel_allocator_init(fardel_allocator* allocator, size_t struct_size) {
    init(fardel_allocator FARDEL_ALLOCATOR_INIT, allocator, struct_size);
}

void fardel_executor_init(fardel_executor* executor, size_t struct_size) {
    init(fardel_executor FARDEL_EXECUTOR_INIT, executor, struct_size);
}

void fardel_vfs_options_init(fardel_vfs_options* options, size_t struct_size) {
    init(fardel_vfs_options FARDEL_VFS_OPTIONS_INIT, options, struct_size);
}

void fardel_mount_options_init(fardel_mount_options* options, size_t struct_size) {
    init(fardel_mount_options FARDEL_MOUNT_OPTIONS_INIT, options, struct_size);
}

void fardel_mount_request_init(fardel_mount_request* request, size_t struct_size) {
    init(fardel_mount_request FARDEL_MOUNT_REQUEST_INIT, request, struct_size);
}

void fardel_mount_change_init(fardel_mount_change* change, size_t struct_size) {
    init(fardel_mount_change FARDEL_MOUNT_CHANGE_INIT, change, struct_size);
}

void fardel_stat_init(fardel_stat* stat, size_t struct_size) { init(fardel_stat FARDEL_STAT_INIT, stat, struct_size); }

void fardel_entry_init(fardel_entry* entry, size_t struct_size) {
    init(fardel_entry FARDEL_ENTRY_INIT, entry, struct_size);
}

void fardel_batch_options_init(fardel_batch_options* options, size_t struct_size) {
    init(fardel_batch_options FARDEL_BATCH_OPTIONS_INIT, options, struct_size);
}

void fardel_read_request_init(fardel_read_request* request, size_t struct_size) {
    init(fardel_read_request FARDEL_READ_REQUEST_INIT, request, struct_size);
}

void fardel_figures_init(fardel_figures* figures, size_t struct_size) {
    init(fardel_figures FARDEL_FIGURES_INIT, figures, struct_size);
}

void fardel_pure_server_options_init(fardel_pure_server_options* options, size_t struct_size) {
    init(fardel_pure_server_options FARDEL_PURE_SERVER_OPTIONS_INIT, options, struct_size);
}
