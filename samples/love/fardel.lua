-- Fardel's C API for LuaJIT: bundles that a LÖVE game mounts and reads. One file to copy.
--
--     local vfs = assert(fardel.new())
--     assert(vfs:mount("game.fardel", {policy = "trust.policy"}))
--     local picture = love.graphics.newImage(assert(vfs:file_data("/images/hero.png")))
--
-- What can fail returns nil, a sentence for people, and the word of the code, "untrusted". libfardel.so.0 is looked for
-- in the folders of the variable FARDEL_LIBRARY_PATH, and then by the system's loader.

local ffi = require("ffi")

-- Made from the C headers by bindings/declare.
ffi.cdef [[
typedef int32_t fardel_code;
enum { FARDEL_OK = 0, FARDEL_ERROR_MISSING = 1, FARDEL_ERROR_CORRUPT = 2, FARDEL_ERROR_MALFORMED = 3, FARDEL_ERROR_LIMIT
    = 4, FARDEL_ERROR_UNTRUSTED = 5, FARDEL_ERROR_REVOKED = 6, FARDEL_ERROR_EXPIRED = 7, FARDEL_ERROR_ROLLBACK = 8,
    FARDEL_ERROR_UNSUPPORTED = 9, FARDEL_ERROR_CONFLICT = 10, FARDEL_ERROR_UNRESOLVED = 11, FARDEL_ERROR_DENIED = 12,
    FARDEL_ERROR_BUSY = 13, FARDEL_ERROR_UNREACHABLE = 14, FARDEL_ERROR_NO_SPACE = 15, FARDEL_ERROR_IO = 16,
    FARDEL_ERROR_CANCELLED = 17, FARDEL_ERROR_ARGUMENT = 100, FARDEL_ERROR_NO_MEMORY = 101 };
typedef struct fardel_error { size_t struct_size; fardel_code code; char text[500]; } fardel_error;
typedef struct fardel_id { uint8_t bytes[32]; } fardel_id;
typedef struct fardel_foreign_urls { char lines[520]; } fardel_foreign_urls;
typedef struct fardel_license_token { const void* bytes; size_t size_bytes; } fardel_license_token;
typedef struct fardel_reader { size_t struct_size; void* context; uint64_t size_bytes; fardel_code (*read_at)(void*
    context, uint64_t offset, void* buffer, size_t size_bytes, fardel_error* error); void (*prefetch)(void* context,
    uint64_t offset, uint64_t size_bytes); int32_t (*holds)(void* context, uint64_t offset, uint64_t size_bytes); void
    (*release)(void* context); } fardel_reader;
const char* fardel_code_name(fardel_code code);
uint32_t fardel_version(void);
const char* fardel_version_text(void);
void fardel_id_text(const fardel_id* id, char text[65]);
fardel_code fardel_id_parse(const char* text, fardel_id* id, fardel_error* error);
typedef struct fardel_vfs fardel_vfs;
typedef uint32_t fardel_mount_id;
typedef struct fardel_missing_dependency { size_t struct_size; fardel_mount_id mount; fardel_id bundle; const char*
    requirement; } fardel_missing_dependency;
typedef void (*fardel_dependency_missing)(void* context, const fardel_missing_dependency* missing);
typedef struct fardel_allocator { size_t struct_size; void* context; void* (*allocate)(void* context, size_t size_bytes,
    size_t alignment); void (*release)(void* context, void* memory, size_t size_bytes, size_t alignment); }
    fardel_allocator;
typedef struct fardel_executor { size_t struct_size; void* context; uint32_t thread_count; void (*run)(void* context,
    void (*task)(void* argument), void* argument); } fardel_executor;
typedef int32_t fardel_log_level;
enum { FARDEL_LOG_ERROR = 0, FARDEL_LOG_WARNING = 1, FARDEL_LOG_NOTE = 2 };
typedef void (*fardel_log)(void* context, fardel_log_level level, const char* text);
typedef struct fardel_recalled_mount { size_t struct_size; fardel_id bundle; const char* label; const char* reason;
    fardel_mount_id mount; } fardel_recalled_mount;
typedef void (*fardel_recalled)(void* context, const fardel_recalled_mount* recalled);
typedef struct fardel_vfs_options { size_t struct_size; uint64_t cache_bytes; fardel_dependency_missing
    dependency_missing; void* dependency_context; uint32_t flags; const char* digest_folder; fardel_recalled recalled;
    void* recalled_context; fardel_log log; void* log_context; const fardel_allocator* allocator; const fardel_executor*
    executor; uint32_t read_threads; } fardel_vfs_options;
enum { FARDEL_VFS_OPEN_NEEDS_CONTENT = 1, FARDEL_VFS_RECORDS_TRACE = 2 };
fardel_code fardel_vfs_create(const fardel_vfs_options* options, fardel_vfs** vfs, fardel_error* error);
void fardel_vfs_destroy(fardel_vfs* vfs);
enum { FARDEL_MOUNT_FOLD_CASE = 1, FARDEL_MOUNT_ALLOW_UNSIGNED = 2, FARDEL_MOUNT_WATCH = 4, FARDEL_MOUNT_IGNORE_DATES =
    8, FARDEL_MOUNT_REQUIRE_DEPENDENCIES = 16, FARDEL_MOUNT_PURE_ONLY = 32 };
typedef struct fardel_mount_options { size_t struct_size; const char* place; const char* policy_path; const char*
    policy_text; const char* label; uint64_t now_s; int32_t priority; uint32_t flags; const fardel_license_token*
    licenses; size_t license_count; const fardel_id* resolved; size_t resolved_count; const char* preference; const
    char* project_target; } fardel_mount_options;
fardel_code fardel_mount_file(fardel_vfs* vfs, const char* path, const fardel_mount_options* options, fardel_mount_id*
    mount, fardel_error* error);
fardel_code fardel_mount_memory(fardel_vfs* vfs, const void* bytes, size_t size_bytes, const fardel_mount_options*
    options, fardel_mount_id* mount, fardel_error* error);
fardel_code fardel_mount_reader(fardel_vfs* vfs, const fardel_reader* reader, const fardel_mount_options* options,
    fardel_mount_id* mount, fardel_error* error);
fardel_code fardel_appended_reader(const char* program, fardel_reader* reader, fardel_error* error);
typedef struct fardel_mount_request { size_t struct_size; const char* path; const void* bytes; size_t size_bytes; const
    fardel_reader* reader; const fardel_mount_options* options; } fardel_mount_request;
typedef struct fardel_mount_priority { fardel_mount_id mount; int32_t priority; } fardel_mount_priority;
typedef struct fardel_mount_change { size_t struct_size; const fardel_mount_id* unmounts; size_t unmount_count; const
    fardel_mount_request* const* mounts; size_t mount_count; const fardel_mount_priority* priorities; size_t
    priority_count; fardel_mount_id* new_mounts; } fardel_mount_change;
fardel_code fardel_apply(fardel_vfs* vfs, const fardel_mount_change* change, fardel_error* error);
fardel_code fardel_unmount(fardel_vfs* vfs, fardel_mount_id mount, fardel_error* error);
int fardel_is_tainted(const fardel_vfs* vfs);
fardel_code fardel_judge_again(fardel_vfs* vfs, const char* policy_text, uint64_t now_s, fardel_recalled recalled, void*
    context, size_t* count, fardel_error* error);
fardel_code fardel_missing_dependencies(const fardel_vfs* vfs, fardel_dependency_missing missing, void* context, size_t*
    count, fardel_error* error);
fardel_code fardel_prefer(fardel_vfs* vfs, const char* preference, fardel_error* error);
fardel_code fardel_prefer_in_mount(fardel_vfs* vfs, fardel_mount_id mount, const char* preference, fardel_error* error);
fardel_code fardel_variant_axes(const fardel_vfs* vfs, char* buffer, size_t size_bytes, size_t* needed_bytes,
    fardel_error* error);
typedef struct fardel_change { size_t struct_size; const char* path; int32_t has_before; int32_t has_after; fardel_id
    before; fardel_id after; } fardel_change;
typedef void (*fardel_changed)(void* context, const fardel_change* change);
fardel_code fardel_refresh(fardel_vfs* vfs, fardel_mount_id mount, fardel_changed changed, void* context, fardel_error*
    error);
fardel_code fardel_poll(fardel_vfs* vfs, fardel_changed changed, void* context, fardel_error* error);
fardel_code fardel_replace(fardel_vfs* vfs, fardel_mount_id mount, const fardel_mount_request* request, fardel_changed
    changed, void* context, fardel_error* error);
fardel_code fardel_replace_readers(fardel_vfs* vfs, const fardel_mount_id* mounts, size_t mount_count, const
    fardel_reader* readers, size_t reader_count, const fardel_mount_options* options, fardel_mount_id* new_mounts,
    fardel_changed changed, void* context, fardel_error* error);
fardel_code fardel_enter_pure(fardel_vfs* vfs, const char* policy_text, size_t* problems, fardel_error* error);
void fardel_leave_pure(fardel_vfs* vfs);
typedef int32_t fardel_node;
enum { FARDEL_NODE_NONE = 0, FARDEL_NODE_FOLDER = 1, FARDEL_NODE_FILE = 2, FARDEL_NODE_LINK = 3 };
enum { FARDEL_STAT_ASSET = 1, FARDEL_STAT_BUNDLE = 2, FARDEL_STAT_METADATA = 4 };
typedef struct fardel_stat { size_t struct_size; uint64_t size_bytes; fardel_node node; uint32_t has; fardel_id asset;
    fardel_id bundle; char content_type[128]; } fardel_stat;
fardel_code fardel_stat_path(const fardel_vfs* vfs, const char* path, fardel_stat* stat, fardel_error* error);
int fardel_exists(const fardel_vfs* vfs, const char* path);
typedef int32_t fardel_metadata_kind;
enum { FARDEL_METADATA_TEXT = 1, FARDEL_METADATA_NUMBER = 2, FARDEL_METADATA_INTEGER = 3, FARDEL_METADATA_BOOLEAN = 4 };
typedef struct fardel_metadata { size_t struct_size; const char* key; const char* text; double number; int64_t integer;
    fardel_metadata_kind kind; int32_t of_bundle; } fardel_metadata;
typedef void (*fardel_metadata_found)(void* context, const fardel_metadata* metadata);
fardel_code fardel_read_metadata(const fardel_vfs* vfs, const char* path, const char* key, fardel_metadata_found found,
    void* context, size_t* count, fardel_error* error);
typedef struct fardel_missing_content { size_t struct_size; const fardel_id* assets; size_t asset_count; fardel_id
    bundle; int32_t is_mounted; } fardel_missing_content;
typedef void (*fardel_content_missing)(void* context, const fardel_missing_content* missing);
enum { FARDEL_MISSING_CLOSURES = 1 };
fardel_code fardel_find_missing(const fardel_vfs* vfs, const char* const* paths, size_t path_count, uint32_t flags,
    fardel_content_missing missing, void* context, size_t* asset_count, fardel_error* error);
fardel_code fardel_read_link(const fardel_vfs* vfs, const char* path, char* buffer, size_t size_bytes, size_t*
    needed_bytes, fardel_error* error);
fardel_code fardel_read_trace(const fardel_vfs* vfs, char* buffer, size_t size_bytes, size_t* needed_bytes,
    fardel_error* error);
fardel_code fardel_read_trace_ahead(const fardel_vfs* vfs, const char* trace, size_t size_bytes, fardel_error* error);
typedef struct fardel_file fardel_file;
fardel_code fardel_open(const fardel_vfs* vfs, const char* path, fardel_file** file, fardel_error* error);
fardel_code fardel_open_from(const fardel_vfs* vfs, const fardel_file* from, const char* reference, fardel_file** file,
    fardel_error* error);
fardel_code fardel_open_any(const fardel_vfs* vfs, const char* path, const char* extensions, fardel_file** file,
    fardel_error* error);
fardel_code fardel_open_any_from(const fardel_vfs* vfs, const fardel_file* from, const char* reference, const char*
    extensions, fardel_file** file, fardel_error* error);
void fardel_close(fardel_file* file);
uint64_t fardel_file_size(const fardel_file* file);
fardel_id fardel_file_asset(const fardel_file* file);
fardel_id fardel_file_bundle(const fardel_file* file);
fardel_code fardel_read_at(const fardel_file* file, uint64_t offset, void* buffer, size_t size_bytes, size_t*
    read_bytes, fardel_error* error);
fardel_code fardel_read_all(const fardel_file* file, void* buffer, size_t size_bytes, fardel_error* error);
typedef int32_t (*fardel_file_read)(void* context, size_t index, const void* bytes, size_t size_bytes, fardel_code code,
    const char* text);
enum { FARDEL_BATCH_IN_ORDER = 1 };
typedef struct fardel_batch_options { size_t struct_size; uint64_t bytes_max; const char* extensions; uint32_t flags; }
    fardel_batch_options;
fardel_code fardel_read_files(const fardel_vfs* vfs, const char* const* paths, size_t path_count, const
    fardel_batch_options* options, fardel_file_read read, void* context, fardel_error* error);
typedef struct fardel_listing fardel_listing;
typedef struct fardel_entry { size_t struct_size; fardel_node node; char name[256]; } fardel_entry;
fardel_code fardel_listing_open(const fardel_vfs* vfs, const char* path, fardel_listing** listing, fardel_error* error);
fardel_code fardel_listing_next(fardel_listing* listing, fardel_entry* entry, fardel_error* error);
void fardel_listing_close(fardel_listing* listing);
typedef struct fardel_stream fardel_stream;
fardel_code fardel_stream_open(const fardel_file* file, fardel_stream** stream, fardel_error* error);
fardel_code fardel_stream_read(fardel_stream* stream, void* buffer, size_t size_bytes, size_t* read_bytes, fardel_error*
    error);
void fardel_stream_seek(fardel_stream* stream, uint64_t position);
uint64_t fardel_stream_position(const fardel_stream* stream);
void fardel_stream_close(fardel_stream* stream);
typedef struct fardel_view fardel_view;
fardel_code fardel_view_open(const fardel_file* file, uint64_t offset, size_t size_bytes, fardel_view** view,
    fardel_error* error);
const void* fardel_view_bytes(const fardel_view* view);
size_t fardel_view_size(const fardel_view* view);
void fardel_view_close(fardel_view* view);
typedef struct fardel_queue fardel_queue;
typedef uint64_t fardel_read_id;
typedef void (*fardel_read_done)(void* context, fardel_read_id read, fardel_code code, size_t read_bytes, const char*
    text);
typedef struct fardel_read_request { size_t struct_size; const fardel_file* file; uint64_t offset; void* buffer; size_t
    size_bytes; fardel_read_done done; void* context; int32_t priority; } fardel_read_request;
fardel_code fardel_queue_start(uint32_t threads, fardel_queue** queue, fardel_error* error);
fardel_code fardel_queue_submit(fardel_queue* queue, const fardel_read_request* const* requests, size_t request_count,
    fardel_read_id* reads, fardel_error* error);
int fardel_queue_cancel(fardel_queue* queue, fardel_read_id read);
void fardel_queue_wait(fardel_queue* queue);
void fardel_queue_close(fardel_queue* queue);
typedef int32_t fardel_mount_kind;
enum { FARDEL_MOUNTED_BUNDLE = 0, FARDEL_MOUNTED_FOLDER = 1, FARDEL_MOUNTED_ARCHIVE = 2, FARDEL_MOUNTED_PLAN = 3,
    FARDEL_MOUNTED_PROJECT = 4 };
enum { FARDEL_MOUNTED_TAINTED = 1, FARDEL_MOUNTED_HIDDEN = 2, FARDEL_MOUNTED_FOLDS_CASE = 4 };
typedef struct fardel_mount_description { size_t struct_size; const char* label; const char* place; const char* recall;
    const char* const* signers; size_t signer_count; size_t missing_count; size_t left_out_count; const char* left_out;
    fardel_id bundle; fardel_id layout; fardel_mount_id mount; int32_t priority; fardel_mount_kind kind; uint32_t flags;
    } fardel_mount_description;
typedef void (*fardel_mount_listed)(void* context, const fardel_mount_description* mount);
fardel_code fardel_mounts(const fardel_vfs* vfs, fardel_mount_listed listed, void* context, size_t* count, fardel_error*
    error);
typedef struct fardel_candidate { size_t struct_size; const fardel_mount_description* mount; const char* outcome; const
    char* name; const char* variant; const char* damage; uint64_t size_bytes; fardel_id asset; int32_t has_asset;
    uint32_t variants; } fardel_candidate;
typedef struct fardel_explanation { size_t struct_size; const char* path; const fardel_candidate* const* candidates;
    size_t candidate_count; const fardel_candidate* winner; const char* other_case; const char* const* tried; size_t
    tried_count; int32_t is_folder; } fardel_explanation;
typedef void (*fardel_explained)(void* context, const fardel_explanation* explanation);
fardel_code fardel_explain(const fardel_vfs* vfs, const char* path, const char* extensions, fardel_explained explained,
    void* context, fardel_error* error);
typedef struct fardel_conflict_side { fardel_mount_id mount; int32_t has_asset; fardel_id asset; } fardel_conflict_side;
typedef struct fardel_conflict { size_t struct_size; const char* path; const fardel_conflict_side* sides; size_t
    side_count; int32_t is_harmless; } fardel_conflict;
typedef void (*fardel_conflict_found)(void* context, const fardel_conflict* conflict);
fardel_code fardel_conflicts(const fardel_vfs* vfs, fardel_conflict_found found, void* context, size_t* count,
    fardel_error* error);
typedef int32_t fardel_need_kind;
enum { FARDEL_NEED_NAME = 0, FARDEL_NEED_BUNDLE = 1, FARDEL_NEED_REQUIREMENT = 2 };
enum { FARDEL_NEED_PATTERN = 1, FARDEL_NEED_OPTIONAL = 2, FARDEL_NEED_STATIC = 4 };
typedef struct fardel_unresolved_need { size_t struct_size; const char* name; const char* version; const char* reason;
    fardel_id bundle; fardel_mount_id mount; fardel_need_kind kind; uint32_t flags; } fardel_unresolved_need;
typedef void (*fardel_unresolved)(void* context, const fardel_unresolved_need* need);
fardel_code fardel_check_links(const fardel_vfs* vfs, fardel_unresolved found, void* context, int32_t* is_complete,
    fardel_error* error);
typedef struct fardel_figures { size_t struct_size; uint64_t cached_bytes; uint64_t hits; uint64_t misses; uint64_t
    decoded_bytes; uint64_t stalls; } fardel_figures;
fardel_code fardel_read_figures(const fardel_vfs* vfs, fardel_figures* figures, fardel_error* error);
typedef struct fardel_writable fardel_writable;
fardel_code fardel_writable_open(const char* path, uint64_t bytes_max, uint32_t files_max, fardel_writable** folder,
    fardel_error* error);
void fardel_writable_close(fardel_writable* folder);
fardel_code fardel_writable_write(fardel_writable* folder, const char* name, const void* bytes, size_t size_bytes,
    fardel_error* error);
fardel_code fardel_writable_read(const fardel_writable* folder, const char* name, void* buffer, size_t size_bytes,
    size_t* needed_bytes, fardel_error* error);
typedef struct fardel_writable_entry { size_t struct_size; const char* name; uint64_t size_bytes; uint64_t modified_s;
    int32_t is_folder; } fardel_writable_entry;
typedef void (*fardel_writable_found)(void* context, const fardel_writable_entry* entry);
fardel_code fardel_writable_stat(const fardel_writable* folder, const char* name, fardel_writable_found found, void*
    context, fardel_error* error);
fardel_code fardel_writable_list(const fardel_writable* folder, const char* name, fardel_writable_found found, void*
    context, fardel_error* error);
fardel_code fardel_writable_remove(fardel_writable* folder, const char* name, int32_t* removed, fardel_error* error);
fardel_code fardel_writable_use(const fardel_writable* folder, uint64_t* bytes, uint64_t* files, fardel_error* error);
typedef struct fardel_writable_file fardel_writable_file;
fardel_code fardel_writable_create(fardel_writable* folder, const char* name, fardel_writable_file** file, fardel_error*
    error);
fardel_code fardel_writable_append(fardel_writable_file* file, const void* bytes, size_t size_bytes, fardel_error*
    error);
fardel_code fardel_writable_commit(fardel_writable_file* file, fardel_error* error);
void fardel_writable_file_close(fardel_writable_file* file);
fardel_code fardel_user_data_folder(const char* organisation, const char* game, char* buffer, size_t size_bytes, size_t*
    needed_bytes, fardel_error* error);
void fardel_error_init(fardel_error* error, size_t struct_size);
void fardel_reader_init(fardel_reader* reader, size_t struct_size);
void fardel_allocator_init(fardel_allocator* allocator, size_t struct_size);
void fardel_executor_init(fardel_executor* executor, size_t struct_size);
void fardel_vfs_options_init(fardel_vfs_options* options, size_t struct_size);
void fardel_mount_options_init(fardel_mount_options* options, size_t struct_size);
void fardel_mount_request_init(fardel_mount_request* request, size_t struct_size);
void fardel_mount_change_init(fardel_mount_change* change, size_t struct_size);
void fardel_stat_init(fardel_stat* stat, size_t struct_size);
void fardel_entry_init(fardel_entry* entry, size_t struct_size);
void fardel_batch_options_init(fardel_batch_options* options, size_t struct_size);
void fardel_read_request_init(fardel_read_request* request, size_t struct_size);
void fardel_figures_init(fardel_figures* figures, size_t struct_size);
]]

local function load_library()
    for folder in (os.getenv("FARDEL_LIBRARY_PATH") or ""):gmatch("[^:]+") do
        local path = folder .. "/libfardel.so.0"
        local file = io.open(path, "rb")
        if file then
            file:close()
            return ffi.load(path)
        end
    end
    return ffi.load("libfardel.so.0")
end

local C = load_library()
local fardel = {}

-- A struct with its own size in struct_size.
local function new_struct(name)
    local struct = ffi.new(name)
    struct.struct_size = ffi.sizeof(struct)
    return struct
end

local the_error = new_struct("fardel_error")  -- of one Lua state, and so of one thread

local function failure(code)
    return nil, ffi.string(the_error.text), ffi.string(C.fardel_code_name(code))
end

local function id_text(id)
    local text = ffi.new("char[65]")
    C.fardel_id_text(id, text)
    return ffi.string(text)
end

-- C ends a text at a NUL; the rest would be lost silently.
local function text_to(text)
    if text and text:find("\0", 1, true) then
        error("a text with NUL: " .. text:gsub("%z", "\\0"), 3)
    end
    return text
end

function fardel.version()
    return ffi.string(C.fardel_version_text())
end

---- Files

local File = {}
File.__index = File

local function new_file(pointer)
    local handle = ffi.gc(pointer[0], C.fardel_close)
    return setmetatable({handle = handle, size = tonumber(C.fardel_file_size(handle))}, File)
end

-- The id of the asset: 64 hexadecimal digits.
function File:asset()
    return id_text(C.fardel_file_asset(self.handle))
end

-- Reads into memory of the caller, such as ImageData:getFFIPointer(), and returns the number of bytes.
function File:read_into(memory, size_bytes, offset)
    local count = ffi.new("size_t[1]")
    local code = C.fardel_read_at(self.handle, offset or 0, memory, size_bytes, count, the_error)
    if code ~= C.FARDEL_OK then
        return failure(code)
    end
    return tonumber(count[0])
end

-- The content as a string. Every byte is verified.
function File:read()
    local memory = ffi.new("char[?]", self.size)
    local count, text, word = self:read_into(memory, self.size)
    if not count then
        return nil, text, word
    end
    return ffi.string(memory, count)
end

-- The file stays open until it is closed or collected.
function File:close()
    C.fardel_close(ffi.gc(self.handle, nil))
    self.handle = nil
end

---- The tree

local Vfs = {}
Vfs.__index = Vfs

function fardel.new()
    local pointer = ffi.new("fardel_vfs*[1]")
    local code = C.fardel_vfs_create(nil, pointer, the_error)
    if code ~= C.FARDEL_OK then
        return failure(code)
    end
    return setmetatable({handle = ffi.gc(pointer[0], C.fardel_vfs_destroy)}, Vfs)
end

local flags = {
    fold_case = C.FARDEL_MOUNT_FOLD_CASE,
    allow_unsigned = C.FARDEL_MOUNT_ALLOW_UNSIGNED,
    watch = C.FARDEL_MOUNT_WATCH,
    ignore_dates = C.FARDEL_MOUNT_IGNORE_DATES,
    require_dependencies = C.FARDEL_MOUNT_REQUIRE_DEPENDENCIES,
}

-- Mounts the bundle at a path of the disk and returns the number of the mount. Options: policy (a file), policy_text,
-- at (the folder of the published names), label, preference (variants), priority, and the Booleans of `flags`.
function Vfs:mount(path, options)
    local wanted = new_struct("fardel_mount_options")
    for name, value in pairs(options or {}) do
        if flags[name] then
            wanted.flags = bit.bor(wanted.flags, value and flags[name] or 0)
        elseif name == "priority" then
            wanted.priority = value
        elseif name == "policy" then
            wanted.policy_path = text_to(value)
        elseif name == "at" then
            wanted.place = text_to(value)
        elseif name == "policy_text" or name == "label" or name == "preference" then
            wanted[name] = text_to(value)
        else
            error("no option of a mount: " .. name, 2)
        end
    end
    local mount = ffi.new("fardel_mount_id[1]")
    local code = C.fardel_mount_file(self.handle, text_to(path), wanted, mount, the_error)
    if code ~= C.FARDEL_OK then
        return failure(code)
    end
    return mount[0]
end

function Vfs:unmount(mount)
    local code = C.fardel_unmount(self.handle, mount, the_error)
    if code ~= C.FARDEL_OK then
        return failure(code)
    end
    return true
end

-- Whether something is mounted that no policy vouches for.
function Vfs:is_tainted()
    return C.fardel_is_tainted(self.handle) == 1
end

-- Chooses variants, of all mounts or of one: "texture=astc,png lang=fr,en triangles<=20000".
function Vfs:prefer(preference, mount)
    local code
    if mount then
        code = C.fardel_prefer_in_mount(self.handle, mount, text_to(preference), the_error)
    else
        code = C.fardel_prefer(self.handle, text_to(preference), the_error)
    end
    if code ~= C.FARDEL_OK then
        return failure(code)
    end
    return true
end

function Vfs:exists(path)
    return C.fardel_exists(self.handle, text_to(path)) == 1
end

-- The names in a folder, in the order of their bytes; of folders, with "/" behind them.
function Vfs:list(path)
    local pointer = ffi.new("fardel_listing*[1]")
    local code = C.fardel_listing_open(self.handle, text_to(path), pointer, the_error)
    local names, entry = {}, new_struct("fardel_entry")
    while code == C.FARDEL_OK do
        code = C.fardel_listing_next(pointer[0], entry, the_error)
        if entry.node == C.FARDEL_NODE_NONE then
            break
        end
        names[#names + 1] = ffi.string(entry.name) .. (entry.node == C.FARDEL_NODE_FOLDER and "/" or "")
    end
    C.fardel_listing_close(pointer[0])
    if code ~= C.FARDEL_OK then
        return failure(code)
    end
    return names
end

-- Opens an asset. extensions, "tga,jpg,png": the path may lack its extension, or have another of these.
function Vfs:open(path, extensions)
    local pointer = ffi.new("fardel_file*[1]")
    local code
    if extensions then
        code = C.fardel_open_any(self.handle, text_to(path), text_to(extensions), pointer, the_error)
    else
        code = C.fardel_open(self.handle, text_to(path), pointer, the_error)
    end
    if code ~= C.FARDEL_OK then
        return failure(code)
    end
    return new_file(pointer)
end

-- The content of an asset as a string.
function Vfs:read(path)
    local file, text, word = self:open(path)
    if not file then
        return nil, text, word
    end
    local content
    content, text, word = file:read()
    file:close()
    return content, text, word
end

-- The content as FileData, which LÖVE loads pictures, sounds, fonts and texts from. Its name is the path, because LÖVE
-- chooses decoders by extension.
function Vfs:file_data(path)
    local content, text, word = self:read(path)
    if not content then
        return nil, text, word
    end
    return love.filesystem.newFileData(content, path)
end

-- Files that are open stay readable.
function Vfs:close()
    C.fardel_vfs_destroy(ffi.gc(self.handle, nil))
    self.handle = nil
end

return fardel
