"""Fardel's C API as it is: constants, structs and functions, with their names in C.

Made from the C headers by bindings/declare. ``fardel.library.call`` calls a function by its name. The other modules of
this package do so; a program can do so, too, for what they do not offer.
"""

from __future__ import annotations

from ctypes import (
    CFUNCTYPE,
    POINTER,
    Structure,
    c_char,
    c_char_p,
    c_double,
    c_int,
    c_int32,
    c_int64,
    c_size_t,
    c_uint32,
    c_uint64,
    c_uint8,
    c_void_p,
)

# ---- fardel_types.h

FARDEL_OK = 0
FARDEL_ERROR_MISSING = 1
FARDEL_ERROR_CORRUPT = 2
FARDEL_ERROR_MALFORMED = 3
FARDEL_ERROR_LIMIT = 4
FARDEL_ERROR_UNTRUSTED = 5
FARDEL_ERROR_REVOKED = 6
FARDEL_ERROR_EXPIRED = 7
FARDEL_ERROR_ROLLBACK = 8
FARDEL_ERROR_UNSUPPORTED = 9
FARDEL_ERROR_CONFLICT = 10
FARDEL_ERROR_UNRESOLVED = 11
FARDEL_ERROR_DENIED = 12
FARDEL_ERROR_BUSY = 13
FARDEL_ERROR_UNREACHABLE = 14
FARDEL_ERROR_NO_SPACE = 15
FARDEL_ERROR_IO = 16
FARDEL_ERROR_CANCELLED = 17
FARDEL_ERROR_ARGUMENT = 100
FARDEL_ERROR_NO_MEMORY = 101
fardel_code = c_int32


class fardel_error(Structure):
    _fields_ = (("struct_size", c_size_t), ("code", fardel_code), ("text", c_char * 500))


class fardel_id(Structure):
    _fields_ = (("bytes", c_uint8 * 32),)


class fardel_foreign_urls(Structure):
    _fields_ = (("lines", c_char * 520),)


class fardel_license_token(Structure):
    _fields_ = (("bytes", c_void_p), ("size_bytes", c_size_t))


class fardel_reader(Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("context", c_void_p),
        ("size_bytes", c_uint64),
        ("read_at", CFUNCTYPE(fardel_code, c_void_p, c_uint64, c_void_p, c_size_t, POINTER(fardel_error))),
        ("prefetch", CFUNCTYPE(None, c_void_p, c_uint64, c_uint64)),
        ("holds", CFUNCTYPE(c_int32, c_void_p, c_uint64, c_uint64)),
        ("release", CFUNCTYPE(None, c_void_p)),
    )


# ---- fardel_cache.h

FARDEL_CACHE_SERVER_READ_ONLY = 1
FARDEL_CACHE_NO_MEMORY = 2


class fardel_cache(Structure):
    pass


class fardel_cache_lookup(Structure):
    pass


class fardel_cache_built(Structure):
    pass


class fardel_cache_options(Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("folder", c_char_p),
        ("url", c_char_p),
        ("token", c_char_p),
        ("boot_path", c_char_p),
        ("signed_by", POINTER(c_char_p)),
        ("signed_by_count", c_size_t),
        ("memory_bytes_max", c_uint64),
        ("boot_bytes_max", c_uint64),
        ("folder_bytes_max", c_uint64),
        ("threads", c_uint32),
        ("flags", c_uint32),
    )


class fardel_cache_key(Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("plugin", c_char_p),
        ("version", c_char_p),
        ("parameters", c_void_p),
        ("parameter_bytes", c_size_t),
        ("inputs", POINTER(fardel_id)),
        ("input_count", c_size_t),
    )


class fardel_lookup_options(Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("priority", c_int32),
        ("context", c_void_p),
        ("build", CFUNCTYPE(fardel_code, c_void_p, POINTER(fardel_cache_built), POINTER(fardel_error))),
    )


class fardel_cache_plugin(Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("plugin", c_char_p),
        ("hits", c_uint64),
        ("misses", c_uint64),
        ("builds", c_uint64),
        ("failed_builds", c_uint64),
        ("found_bytes", c_uint64),
        ("built_bytes", c_uint64),
        ("build_us", c_uint64),
    )


fardel_cache_plugin_listed = CFUNCTYPE(None, c_void_p, POINTER(fardel_cache_plugin))


class fardel_cache_layer(Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("layer", c_char_p),
        ("name", c_char_p),
        ("hits", c_uint64),
        ("misses", c_uint64),
        ("broken", c_uint64),
        ("refused", c_uint64),
        ("errors", c_uint64),
        ("read_bytes", c_uint64),
        ("written_bytes", c_uint64),
        ("waited_us", c_uint64),
        ("problem", c_char_p),
    )


fardel_cache_layer_listed = CFUNCTYPE(None, c_void_p, POINTER(fardel_cache_layer))


# ---- fardel_fetch.h

FARDEL_SERVERS_PUBLIC_ONLY = 1
FARDEL_TRUST_IGNORE_DATES = 1
FARDEL_INSTALL_UPDATE = 1


class fardel_store(Structure):
    pass


class fardel_fetch(Structure):
    pass


class fardel_servers(Structure):
    pass


class fardel_remote(Structure):
    pass


class fardel_read_ahead(Structure):
    pass


class fardel_project(Structure):
    pass


class fardel_channel_follow(Structure):
    pass


class fardel_install(Structure):
    pass


class fardel_stored_bundle(Structure):
    _fields_ = (("struct_size", c_size_t), ("file_bytes", c_uint64), ("held_bytes", c_uint64), ("bundle", fardel_id))


fardel_bundle_listed = CFUNCTYPE(None, c_void_p, POINTER(fardel_stored_bundle))


fardel_bundle_named = CFUNCTYPE(None, c_void_p, POINTER(fardel_id))


class fardel_stored_license(Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("token", fardel_license_token),
        ("pattern", c_char_p),
        ("comment", c_char_p),
        ("created_s", c_uint64),
        ("expires_s", c_uint64),
        ("bundle", fardel_id),
        ("issuer", c_uint8 * 32),
    )


fardel_license_listed = CFUNCTYPE(None, c_void_p, POINTER(fardel_stored_license))


class fardel_server_options(Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("urls", POINTER(c_char_p)),
        ("url_count", c_size_t),
        ("allowed_hosts", POINTER(c_char_p)),
        ("allowed_host_count", c_size_t),
        ("bytes_per_second_max", c_uint64),
        ("connections", c_uint32),
        ("flags", c_uint32),
        ("foreign_urls", POINTER(fardel_foreign_urls)),
    )


class fardel_trust_options(Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("policy_path", c_char_p),
        ("policy_text", c_char_p),
        ("now_s", c_uint64),
        ("flags", c_uint32),
    )


class fardel_store_addition(Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("file_bytes", c_uint64),
        ("written_bytes", c_uint64),
        ("shared_bytes", c_uint64),
        ("bundle", fardel_id),
        ("was_there", c_int32),
    )


fardel_store_progress = CFUNCTYPE(c_int32, c_void_p, c_uint64, c_uint64)


fardel_pin_listed = CFUNCTYPE(None, c_void_p, POINTER(fardel_id), c_char_p, c_uint64)


class fardel_collection_options(Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("bytes_max", c_uint64),
        ("unused_for_s", c_uint64),
        ("grace_s", c_uint64),
        ("now_s", c_uint64),
        ("is_without_grace", c_int32),
        ("is_dry_run", c_int32),
    )


class fardel_collected_bundle(Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("file_bytes", c_uint64),
        ("reason", c_char_p),
        ("bundle", fardel_id),
        ("is_removed", c_int32),
    )


fardel_bundle_collected = CFUNCTYPE(None, c_void_p, POINTER(fardel_collected_bundle))


class fardel_store_usage(Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("bundles", c_uint64),
        ("file_bytes", c_uint64),
        ("pack_bytes", c_uint64),
        ("unnamed_bytes", c_uint64),
        ("referred_bytes", c_uint64),
        ("condemned_bundles", c_uint64),
        ("pins", c_uint64),
    )


class fardel_planned_fetch(Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("bundle", fardel_id),
        ("name", c_char_p),
        ("version", c_char_p),
        ("licence", c_char_p),
        ("signers", POINTER(c_char_p)),
        ("signer_count", c_size_t),
        ("file_bytes", c_uint64),
        ("tables_bytes", c_uint64),
        ("fetch_bytes", c_uint64),
        ("left_bytes", c_uint64),
        ("requests", c_uint64),
    )


class fardel_fetch_plan(Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("bundles", POINTER(POINTER(fardel_planned_fetch))),
        ("bundle_count", c_size_t),
        ("fetch_bytes", c_uint64),
        ("requests", c_uint64),
    )


class fardel_fetch_progress(Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("received_bytes", c_uint64),
        ("total_bytes", c_uint64),
        ("bytes_per_second", c_uint64),
        ("seconds_left", c_int64),
    )


class fardel_fetch_outcome(Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("text", c_char_p),
        ("received_bytes", c_uint64),
        ("requests", c_uint64),
        ("code", fardel_code),
    )


class fardel_fetch_options(Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("servers", POINTER(fardel_server_options)),
        ("trust", POINTER(fardel_trust_options)),
        ("bundles", POINTER(fardel_id)),
        ("bundle_count", c_size_t),
        ("names", POINTER(c_char_p)),
        ("name_count", c_size_t),
        ("closures", POINTER(c_char_p)),
        ("closure_count", c_size_t),
        ("assets", POINTER(fardel_id)),
        ("asset_count", c_size_t),
        ("tags", POINTER(c_char_p)),
        ("tag_count", c_size_t),
        ("context", c_void_p),
        ("planned", CFUNCTYPE(None, c_void_p, POINTER(fardel_fetch), POINTER(fardel_fetch_plan))),
        ("progress", CFUNCTYPE(None, c_void_p, POINTER(fardel_fetch), POINTER(fardel_fetch_progress))),
        ("ended", CFUNCTYPE(None, c_void_p, POINTER(fardel_fetch), POINTER(fardel_fetch_outcome))),
        ("source", c_char_p),
        ("source_bytes_max", c_uint64),
        ("fault", CFUNCTYPE(None, c_void_p, POINTER(fardel_fetch), fardel_code, c_char_p)),
    )


class fardel_project_options(Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("trust", POINTER(fardel_trust_options)),
        ("mounted", POINTER(fardel_id)),
        ("mounted_count", c_size_t),
    )


class fardel_channel_options(Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("name", c_char_p),
        ("root_text", c_char_p),
        ("state_folder", c_char_p),
        ("servers", POINTER(fardel_server_options)),
        ("now_s", c_uint64),
    )


class fardel_channel_bundle(Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("bundle", fardel_id),
        ("name", c_char_p),
        ("version", c_char_p),
        ("recall", c_char_p),
        ("file_bytes", c_uint64),
    )


class fardel_channel_state(Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("root_version", c_uint64),
        ("release_version", c_uint64),
        ("head_version", c_uint64),
        ("fresh_until_s", c_uint64),
        ("bundles", POINTER(POINTER(fardel_channel_bundle))),
        ("bundle_count", c_size_t),
        ("policy_text", c_char_p),
        ("failure_text", c_char_p),
        ("failure", fardel_code),
        ("has_new_recalls", c_int32),
    )


fardel_channel_reported = CFUNCTYPE(None, c_void_p, POINTER(fardel_channel_state))


class fardel_installed_bundle(Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("bundle", fardel_id),
        ("name", c_char_p),
        ("version", c_char_p),
        ("root", c_char_p),
        ("resolved", POINTER(fardel_id)),
        ("resolved_count", c_size_t),
        ("author", POINTER(c_uint8)),
    )


class fardel_installed_set(Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("release", c_uint64),
        ("bundles", POINTER(POINTER(fardel_installed_bundle))),
        ("bundle_count", c_size_t),
        ("policy_text", c_char_p),
        ("fetch", POINTER(fardel_fetch_plan)),
    )


fardel_installed_reported = CFUNCTYPE(None, c_void_p, POINTER(fardel_installed_set))


class fardel_install_options(Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("lock", c_char_p),
        ("channel", POINTER(fardel_channel_options)),
        ("names", POINTER(c_char_p)),
        ("name_count", c_size_t),
        ("context", c_void_p),
        ("planned", CFUNCTYPE(None, c_void_p, POINTER(fardel_install), POINTER(fardel_installed_set))),
        ("progress", CFUNCTYPE(None, c_void_p, POINTER(fardel_install), POINTER(fardel_fetch_progress))),
        ("ended", CFUNCTYPE(None, c_void_p, POINTER(fardel_install), POINTER(fardel_fetch_outcome),
            POINTER(fardel_installed_set))),
        ("flags", c_uint32),
        ("accepted_authors", POINTER(c_char_p)),
        ("accepted_author_count", c_size_t),
    )


# ---- fardel.h

FARDEL_LOG_ERROR = 0
FARDEL_LOG_WARNING = 1
FARDEL_LOG_NOTE = 2
FARDEL_VFS_OPEN_NEEDS_CONTENT = 1
FARDEL_VFS_RECORDS_TRACE = 2
FARDEL_MOUNT_FOLD_CASE = 1
FARDEL_MOUNT_ALLOW_UNSIGNED = 2
FARDEL_MOUNT_WATCH = 4
FARDEL_MOUNT_IGNORE_DATES = 8
FARDEL_MOUNT_REQUIRE_DEPENDENCIES = 16
FARDEL_MOUNT_PURE_ONLY = 32
FARDEL_NODE_NONE = 0
FARDEL_NODE_FOLDER = 1
FARDEL_NODE_FILE = 2
FARDEL_NODE_LINK = 3
FARDEL_STAT_ASSET = 1
FARDEL_STAT_BUNDLE = 2
FARDEL_STAT_METADATA = 4
FARDEL_METADATA_TEXT = 1
FARDEL_METADATA_NUMBER = 2
FARDEL_METADATA_INTEGER = 3
FARDEL_METADATA_BOOLEAN = 4
FARDEL_MISSING_CLOSURES = 1
FARDEL_BATCH_IN_ORDER = 1
FARDEL_MOUNTED_BUNDLE = 0
FARDEL_MOUNTED_FOLDER = 1
FARDEL_MOUNTED_ARCHIVE = 2
FARDEL_MOUNTED_PLAN = 3
FARDEL_MOUNTED_PROJECT = 4
FARDEL_MOUNTED_TAINTED = 1
FARDEL_MOUNTED_HIDDEN = 2
FARDEL_MOUNTED_FOLDS_CASE = 4
FARDEL_NEED_NAME = 0
FARDEL_NEED_BUNDLE = 1
FARDEL_NEED_REQUIREMENT = 2
FARDEL_NEED_PATTERN = 1
FARDEL_NEED_OPTIONAL = 2
FARDEL_NEED_STATIC = 4
fardel_mount_id = c_uint32
fardel_log_level = c_int32
fardel_node = c_int32
fardel_metadata_kind = c_int32
fardel_read_id = c_uint64
fardel_mount_kind = c_int32
fardel_need_kind = c_int32


class fardel_vfs(Structure):
    pass


class fardel_file(Structure):
    pass


class fardel_listing(Structure):
    pass


class fardel_stream(Structure):
    pass


class fardel_view(Structure):
    pass


class fardel_queue(Structure):
    pass


class fardel_writable(Structure):
    pass


class fardel_writable_file(Structure):
    pass


class fardel_missing_dependency(Structure):
    _fields_ = (("struct_size", c_size_t), ("mount", fardel_mount_id), ("bundle", fardel_id), ("requirement", c_char_p))


fardel_dependency_missing = CFUNCTYPE(None, c_void_p, POINTER(fardel_missing_dependency))


class fardel_allocator(Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("context", c_void_p),
        ("allocate", CFUNCTYPE(c_void_p, c_void_p, c_size_t, c_size_t)),
        ("release", CFUNCTYPE(None, c_void_p, c_void_p, c_size_t, c_size_t)),
    )


class fardel_executor(Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("context", c_void_p),
        ("thread_count", c_uint32),
        ("run", CFUNCTYPE(None, c_void_p, CFUNCTYPE(None, c_void_p), c_void_p)),
    )


fardel_log = CFUNCTYPE(None, c_void_p, fardel_log_level, c_char_p)


class fardel_recalled_mount(Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("bundle", fardel_id),
        ("label", c_char_p),
        ("reason", c_char_p),
        ("mount", fardel_mount_id),
    )


fardel_recalled = CFUNCTYPE(None, c_void_p, POINTER(fardel_recalled_mount))


class fardel_vfs_options(Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("cache_bytes", c_uint64),
        ("dependency_missing", fardel_dependency_missing),
        ("dependency_context", c_void_p),
        ("flags", c_uint32),
        ("digest_folder", c_char_p),
        ("recalled", fardel_recalled),
        ("recalled_context", c_void_p),
        ("log", fardel_log),
        ("log_context", c_void_p),
        ("allocator", POINTER(fardel_allocator)),
        ("executor", POINTER(fardel_executor)),
        ("read_threads", c_uint32),
    )


class fardel_mount_options(Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("place", c_char_p),
        ("policy_path", c_char_p),
        ("policy_text", c_char_p),
        ("label", c_char_p),
        ("now_s", c_uint64),
        ("priority", c_int32),
        ("flags", c_uint32),
        ("licenses", POINTER(fardel_license_token)),
        ("license_count", c_size_t),
        ("resolved", POINTER(fardel_id)),
        ("resolved_count", c_size_t),
        ("preference", c_char_p),
        ("project_target", c_char_p),
    )


class fardel_mount_request(Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("path", c_char_p),
        ("bytes", c_void_p),
        ("size_bytes", c_size_t),
        ("reader", POINTER(fardel_reader)),
        ("options", POINTER(fardel_mount_options)),
    )


class fardel_mount_priority(Structure):
    _fields_ = (("mount", fardel_mount_id), ("priority", c_int32))


class fardel_mount_change(Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("unmounts", POINTER(fardel_mount_id)),
        ("unmount_count", c_size_t),
        ("mounts", POINTER(POINTER(fardel_mount_request))),
        ("mount_count", c_size_t),
        ("priorities", POINTER(fardel_mount_priority)),
        ("priority_count", c_size_t),
        ("new_mounts", POINTER(fardel_mount_id)),
    )


class fardel_change(Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("path", c_char_p),
        ("has_before", c_int32),
        ("has_after", c_int32),
        ("before", fardel_id),
        ("after", fardel_id),
    )


fardel_changed = CFUNCTYPE(None, c_void_p, POINTER(fardel_change))


class fardel_stat(Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("size_bytes", c_uint64),
        ("node", fardel_node),
        ("has", c_uint32),
        ("asset", fardel_id),
        ("bundle", fardel_id),
        ("content_type", c_char * 128),
    )


class fardel_metadata(Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("key", c_char_p),
        ("text", c_char_p),
        ("number", c_double),
        ("integer", c_int64),
        ("kind", fardel_metadata_kind),
        ("of_bundle", c_int32),
    )


fardel_metadata_found = CFUNCTYPE(None, c_void_p, POINTER(fardel_metadata))


class fardel_missing_content(Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("assets", POINTER(fardel_id)),
        ("asset_count", c_size_t),
        ("bundle", fardel_id),
        ("is_mounted", c_int32),
    )


fardel_content_missing = CFUNCTYPE(None, c_void_p, POINTER(fardel_missing_content))


fardel_file_read = CFUNCTYPE(c_int32, c_void_p, c_size_t, c_void_p, c_size_t, fardel_code, c_char_p)


class fardel_batch_options(Structure):
    _fields_ = (("struct_size", c_size_t), ("bytes_max", c_uint64), ("extensions", c_char_p), ("flags", c_uint32))


class fardel_entry(Structure):
    _fields_ = (("struct_size", c_size_t), ("node", fardel_node), ("name", c_char * 256))


fardel_read_done = CFUNCTYPE(None, c_void_p, fardel_read_id, fardel_code, c_size_t, c_char_p)


class fardel_read_request(Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("file", POINTER(fardel_file)),
        ("offset", c_uint64),
        ("buffer", c_void_p),
        ("size_bytes", c_size_t),
        ("done", fardel_read_done),
        ("context", c_void_p),
        ("priority", c_int32),
    )


class fardel_mount_description(Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("label", c_char_p),
        ("place", c_char_p),
        ("recall", c_char_p),
        ("signers", POINTER(c_char_p)),
        ("signer_count", c_size_t),
        ("missing_count", c_size_t),
        ("left_out_count", c_size_t),
        ("left_out", c_char_p),
        ("bundle", fardel_id),
        ("layout", fardel_id),
        ("mount", fardel_mount_id),
        ("priority", c_int32),
        ("kind", fardel_mount_kind),
        ("flags", c_uint32),
    )


fardel_mount_listed = CFUNCTYPE(None, c_void_p, POINTER(fardel_mount_description))


class fardel_candidate(Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("mount", POINTER(fardel_mount_description)),
        ("outcome", c_char_p),
        ("name", c_char_p),
        ("variant", c_char_p),
        ("damage", c_char_p),
        ("size_bytes", c_uint64),
        ("asset", fardel_id),
        ("has_asset", c_int32),
        ("variants", c_uint32),
    )


class fardel_explanation(Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("path", c_char_p),
        ("candidates", POINTER(POINTER(fardel_candidate))),
        ("candidate_count", c_size_t),
        ("winner", POINTER(fardel_candidate)),
        ("other_case", c_char_p),
        ("tried", POINTER(c_char_p)),
        ("tried_count", c_size_t),
        ("is_folder", c_int32),
    )


fardel_explained = CFUNCTYPE(None, c_void_p, POINTER(fardel_explanation))


class fardel_conflict_side(Structure):
    _fields_ = (("mount", fardel_mount_id), ("has_asset", c_int32), ("asset", fardel_id))


class fardel_conflict(Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("path", c_char_p),
        ("sides", POINTER(fardel_conflict_side)),
        ("side_count", c_size_t),
        ("is_harmless", c_int32),
    )


fardel_conflict_found = CFUNCTYPE(None, c_void_p, POINTER(fardel_conflict))


class fardel_unresolved_need(Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("name", c_char_p),
        ("version", c_char_p),
        ("reason", c_char_p),
        ("bundle", fardel_id),
        ("mount", fardel_mount_id),
        ("kind", fardel_need_kind),
        ("flags", c_uint32),
    )


fardel_unresolved = CFUNCTYPE(None, c_void_p, POINTER(fardel_unresolved_need))


class fardel_figures(Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("cached_bytes", c_uint64),
        ("hits", c_uint64),
        ("misses", c_uint64),
        ("decoded_bytes", c_uint64),
        ("stalls", c_uint64),
    )


class fardel_writable_entry(Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("name", c_char_p),
        ("size_bytes", c_uint64),
        ("modified_s", c_uint64),
        ("is_folder", c_int32),
    )


fardel_writable_found = CFUNCTYPE(None, c_void_p, POINTER(fardel_writable_entry))


# ---- fardel_tools.h

FARDEL_NO_ASSET = 4294967295
FARDEL_ASSET_STREAMED = 1
FARDEL_NAME_PRIVATE = 1
FARDEL_NAME_EXTENDS = 2
FARDEL_REFERENCE_OPTIONAL = 1
FARDEL_CONSUME_PATTERN = 1
FARDEL_CONSUME_OPTIONAL = 2
FARDEL_FOR_BALANCED = 0
FARDEL_FOR_LOAD = 1
FARDEL_FOR_SIZE = 2
FARDEL_SEVERITY_ERROR = 0
FARDEL_SEVERITY_WARNING = 1
FARDEL_SEVERITY_NOTE = 2
FARDEL_PACK_STRICT = 1
FARDEL_PACK_FROM_SCRATCH = 2
FARDEL_VERIFY_IGNORE_DATES = 1
FARDEL_VERIFY_LOCAL_LAYOUT = 2
fardel_purpose = c_int32
fardel_severity = c_int32


class fardel_signer(Structure):
    pass


class fardel_plan(Structure):
    pass


class fardel_public_key(Structure):
    _fields_ = (("bytes", c_uint8 * 32),)


fardel_sign_message = CFUNCTYPE(fardel_code, c_void_p, c_void_p, c_size_t, POINTER(c_uint8))


class fardel_sign_options(Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("channel", c_char_p),
        ("comment", c_char_p),
        ("epoch", c_uint64),
        ("created_s", c_uint64),
        ("expires_s", c_uint64),
    )


class fardel_written_bundle(Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("bundle", fardel_id),
        ("layout", fardel_id),
        ("path", c_char_p),
        ("name", c_char_p),
        ("version", c_char_p),
        ("assets", c_uint64),
        ("names", c_uint64),
        ("raw_bytes", c_uint64),
        ("stored_bytes", c_uint64),
        ("file_bytes", c_uint64),
        ("is_signed", c_int32),
    )


fardel_bundle_written = CFUNCTYPE(None, c_void_p, POINTER(fardel_written_bundle))


fardel_tool_progress = CFUNCTYPE(c_int32, c_void_p, c_char_p, c_uint64, c_uint64)


class fardel_planned_asset(Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("bytes", c_void_p),
        ("size_bytes", c_size_t),
        ("path", c_char_p),
        ("key", c_char_p),
        ("content_type", c_char_p),
        ("flags", c_uint32),
    )


class fardel_planned_reference(Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("spelling", c_char_p),
        ("name", c_char_p),
        ("bundle", POINTER(fardel_id)),
        ("foreign", fardel_id),
        ("asset", c_uint32),
        ("flags", c_uint32),
    )


class fardel_write_options(Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("signer", POINTER(fardel_signer)),
        ("sign", POINTER(fardel_sign_options)),
        ("written", fardel_bundle_written),
        ("progress", fardel_tool_progress),
        ("context", c_void_p),
        ("level", c_int32),
        ("jobs", c_uint32),
        ("purpose", fardel_purpose),
    )


fardel_pack_message = CFUNCTYPE(None, c_void_p, fardel_severity, c_char_p)


class fardel_pack_options(Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("output", c_char_p),
        ("name", c_char_p),
        ("version", c_char_p),
        ("excludes", POINTER(c_char_p)),
        ("exclude_count", c_size_t),
        ("requirements", POINTER(c_char_p)),
        ("requirement_count", c_size_t),
        ("signer", POINTER(fardel_signer)),
        ("written", fardel_bundle_written),
        ("message", fardel_pack_message),
        ("progress", fardel_tool_progress),
        ("context", c_void_p),
        ("created_s", c_uint64),
        ("level", c_int32),
        ("jobs", c_uint32),
        ("flags", c_uint32),
        ("purpose", fardel_purpose),
        ("target", c_char_p),
    )


class fardel_finding(Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("severity", fardel_severity),
        ("code", fardel_code),
        ("rule", c_char_p),
        ("where", c_char_p),
        ("text", c_char_p),
    )


fardel_found = CFUNCTYPE(None, c_void_p, POINTER(fardel_finding))


class fardel_verified_bundle(Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("errors", c_uint64),
        ("warnings", c_uint64),
        ("notes", c_uint64),
        ("bundle", fardel_id),
        ("layout", fardel_id),
        ("name", c_char * 256),
        ("version", c_char * 128),
        ("assets", c_uint64),
        ("names", c_uint64),
        ("file_bytes", c_uint64),
        ("raw_bytes", c_uint64),
        ("signatures", c_uint64),
    )


class fardel_verify_options(Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("policy_path", c_char_p),
        ("policy_text", c_char_p),
        ("licenses", POINTER(fardel_license_token)),
        ("license_count", c_size_t),
        ("now_s", c_uint64),
        ("found", fardel_found),
        ("progress", fardel_tool_progress),
        ("context", c_void_p),
        ("jobs", c_uint32),
        ("findings_max", c_uint32),
        ("flags", c_uint32),
    )


# ---- fardel_archives.h


# ---- fardel_pure.h

FARDEL_PURE_OFFER_BYTES = 624
FARDEL_PURE_ANSWER_BYTES = 240
FARDEL_PURE_VERDICT_BYTES = 108
FARDEL_PURE_MISSING = 0
FARDEL_PURE_WRONG = 1
FARDEL_PURE_UNSIGNED = 2
FARDEL_PURE_REVOKED = 3
FARDEL_PURE_NOT_ALLOWED = 4
FARDEL_PURE_EXTRA = 5
fardel_pure_fault = c_int32


class fardel_pure_server(Structure):
    pass


class fardel_pure_bundle(Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("bundle", fardel_id),
        ("mount_point", c_char_p),
        ("name", c_char_p),
        ("fold_case", c_int32),
    )


fardel_pure_bundle_listed = CFUNCTYPE(None, c_void_p, POINTER(fardel_pure_bundle))


fardel_pure_channel_listed = CFUNCTYPE(None, c_void_p, c_char_p, POINTER(fardel_id))


class fardel_pure_problem(Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("fault", fardel_pure_fault),
        ("has_bundle", c_int32),
        ("bundle", fardel_id),
        ("name", c_char_p),
        ("text", c_char_p),
    )


fardel_pure_problem_found = CFUNCTYPE(None, c_void_p, POINTER(fardel_pure_problem))


fardel_pure_report_made = CFUNCTYPE(None, c_void_p, c_char_p, c_size_t)


fardel_pure_refused = CFUNCTYPE(None, c_void_p, c_char_p, c_char_p)


class fardel_pure_server_options(Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("policy_text", c_char_p),
        ("bundle_paths", POINTER(c_char_p)),
        ("bundle_path_count", c_size_t),
        ("readers", POINTER(fardel_reader)),
        ("reader_count", c_size_t),
        ("sources", POINTER(c_char_p)),
        ("source_count", c_size_t),
        ("valid_s", c_uint32),
        ("offers_per_minute", c_uint32),
        ("offers_at_once", c_uint32),
        ("flags", c_uint32),
    )


# The library of each function, what it returns, and its parameters.
FUNCTIONS: dict[str, tuple[str, object, tuple[object, ...]]] = {
    "fardel_cache_options_init": ("fardel-c-cache", None, (POINTER(fardel_cache_options), c_size_t)),
    "fardel_cache_open": ("fardel-c-cache", fardel_code, (
        POINTER(fardel_cache_options),
        POINTER(POINTER(fardel_cache)),
        POINTER(fardel_error),
    )),
    "fardel_cache_add_bundle": ("fardel-c-cache", fardel_code, (
        POINTER(fardel_cache),
        c_char_p,
        POINTER(fardel_error),
    )),
    "fardel_cache_close": ("fardel-c-cache", fardel_code, (POINTER(fardel_cache), POINTER(fardel_error))),
    "fardel_cache_key_init": ("fardel-c-cache", None, (POINTER(fardel_cache_key), c_size_t)),
    "fardel_cache_key_id": ("fardel-c-cache", fardel_code, (
        POINTER(fardel_cache_key),
        POINTER(fardel_id),
        POINTER(fardel_error),
    )),
    "fardel_lookup_options_init": ("fardel-c-cache", None, (POINTER(fardel_lookup_options), c_size_t)),
    "fardel_cache_add_bytes": ("fardel-c-cache", fardel_code, (
        POINTER(fardel_cache_built),
        c_void_p,
        c_size_t,
        POINTER(fardel_error),
    )),
    "fardel_cache_get": ("fardel-c-cache", fardel_code, (
        POINTER(fardel_cache),
        POINTER(fardel_cache_key),
        POINTER(fardel_lookup_options),
        POINTER(POINTER(fardel_cache_lookup)),
        POINTER(fardel_error),
    )),
    "fardel_lookup_poll": ("fardel-c-cache", fardel_code, (
        POINTER(fardel_cache_lookup),
        c_uint32,
        POINTER(c_int32),
        POINTER(fardel_error),
    )),
    "fardel_lookup_bytes": ("fardel-c-cache", fardel_code, (
        POINTER(fardel_cache_lookup),
        POINTER(c_void_p),
        POINTER(c_size_t),
        POINTER(fardel_error),
    )),
    "fardel_lookup_set_priority": ("fardel-c-cache", None, (POINTER(fardel_cache_lookup), c_int32)),
    "fardel_lookup_cancel": ("fardel-c-cache", None, (POINTER(fardel_cache_lookup),)),
    "fardel_lookup_release": ("fardel-c-cache", None, (POINTER(fardel_cache_lookup),)),
    "fardel_cache_put": ("fardel-c-cache", fardel_code, (
        POINTER(fardel_cache),
        POINTER(fardel_cache_key),
        c_void_p,
        c_size_t,
        POINTER(fardel_error),
    )),
    "fardel_cache_list_plugins": ("fardel-c-cache", fardel_code, (
        POINTER(fardel_cache),
        fardel_cache_plugin_listed,
        c_void_p,
        POINTER(c_size_t),
        POINTER(fardel_error),
    )),
    "fardel_cache_list_layers": ("fardel-c-cache", fardel_code, (
        POINTER(fardel_cache),
        fardel_cache_layer_listed,
        c_void_p,
        POINTER(c_size_t),
        POINTER(fardel_error),
    )),
    "fardel_store_open": ("fardel-c-delivery", fardel_code, (
        c_char_p,
        c_int32,
        POINTER(POINTER(fardel_store)),
        POINTER(fardel_error),
    )),
    "fardel_store_close": ("fardel-c-delivery", None, (POINTER(fardel_store),)),
    "fardel_store_list": ("fardel-c-delivery", fardel_code, (
        POINTER(fardel_store),
        fardel_bundle_listed,
        c_void_p,
        POINTER(c_size_t),
        POINTER(fardel_error),
    )),
    "fardel_store_find": ("fardel-c-delivery", fardel_code, (
        POINTER(fardel_store),
        c_char_p,
        POINTER(fardel_id),
        POINTER(fardel_error),
    )),
    "fardel_store_closure": ("fardel-c-delivery", fardel_code, (
        POINTER(fardel_store),
        POINTER(fardel_id),
        fardel_bundle_named,
        c_void_p,
        POINTER(fardel_error),
    )),
    "fardel_store_reader": ("fardel-c-delivery", fardel_code, (
        POINTER(fardel_store),
        POINTER(fardel_id),
        POINTER(fardel_reader),
        POINTER(fardel_error),
    )),
    "fardel_store_add_license": ("fardel-c-delivery", fardel_code, (
        POINTER(fardel_store),
        POINTER(fardel_license_token),
        POINTER(fardel_error),
    )),
    "fardel_store_list_licenses": ("fardel-c-delivery", fardel_code, (
        POINTER(fardel_store),
        fardel_license_listed,
        c_void_p,
        POINTER(c_size_t),
        POINTER(fardel_error),
    )),
    "fardel_server_options_init": ("fardel-c-delivery", None, (POINTER(fardel_server_options), c_size_t)),
    "fardel_trust_options_init": ("fardel-c-delivery", None, (POINTER(fardel_trust_options), c_size_t)),
    "fardel_store_addition_init": ("fardel-c-delivery", None, (POINTER(fardel_store_addition), c_size_t)),
    "fardel_store_add": ("fardel-c-delivery", fardel_code, (
        POINTER(fardel_store),
        c_char_p,
        POINTER(fardel_trust_options),
        fardel_store_progress,
        c_void_p,
        POINTER(fardel_store_addition),
        POINTER(fardel_error),
    )),
    "fardel_store_export": ("fardel-c-delivery", fardel_code, (
        POINTER(fardel_store),
        POINTER(fardel_id),
        c_char_p,
        fardel_store_progress,
        c_void_p,
        POINTER(fardel_error),
    )),
    "fardel_store_pin": ("fardel-c-delivery", fardel_code, (
        POINTER(fardel_store),
        POINTER(fardel_id),
        c_char_p,
        c_uint64,
        POINTER(fardel_error),
    )),
    "fardel_store_unpin": ("fardel-c-delivery", fardel_code, (
        POINTER(fardel_store),
        POINTER(fardel_id),
        c_char_p,
        POINTER(fardel_error),
    )),
    "fardel_store_list_pins": ("fardel-c-delivery", fardel_code, (
        POINTER(fardel_store),
        fardel_pin_listed,
        c_void_p,
        POINTER(c_size_t),
        POINTER(fardel_error),
    )),
    "fardel_store_remove": ("fardel-c-delivery", fardel_code, (
        POINTER(fardel_store),
        POINTER(fardel_id),
        c_size_t,
        POINTER(fardel_error),
    )),
    "fardel_collection_options_init": ("fardel-c-delivery", None, (POINTER(fardel_collection_options), c_size_t)),
    "fardel_store_collect": ("fardel-c-delivery", fardel_code, (
        POINTER(fardel_store),
        POINTER(fardel_collection_options),
        fardel_bundle_collected,
        c_void_p,
        POINTER(c_uint64),
        POINTER(fardel_error),
    )),
    "fardel_store_usage_init": ("fardel-c-delivery", None, (POINTER(fardel_store_usage), c_size_t)),
    "fardel_store_read_usage": ("fardel-c-delivery", fardel_code, (
        POINTER(fardel_store),
        POINTER(fardel_store_usage),
        POINTER(fardel_error),
    )),
    "fardel_fetch_options_init": ("fardel-c-delivery", None, (POINTER(fardel_fetch_options), c_size_t)),
    "fardel_fetch_start": ("fardel-c-delivery", fardel_code, (
        POINTER(fardel_store),
        POINTER(fardel_fetch_options),
        POINTER(POINTER(fardel_fetch)),
        POINTER(fardel_error),
    )),
    "fardel_fetch_poll": ("fardel-c-delivery", fardel_code, (
        POINTER(fardel_fetch),
        c_uint32,
        POINTER(c_int32),
        POINTER(fardel_error),
    )),
    "fardel_fetch_accept": ("fardel-c-delivery", None, (POINTER(fardel_fetch),)),
    "fardel_fetch_refuse": ("fardel-c-delivery", None, (POINTER(fardel_fetch), c_char_p)),
    "fardel_fetch_cancel": ("fardel-c-delivery", None, (POINTER(fardel_fetch),)),
    "fardel_fetch_close": ("fardel-c-delivery", None, (POINTER(fardel_fetch),)),
    "fardel_servers_open": ("fardel-c-delivery", fardel_code, (
        POINTER(fardel_server_options),
        POINTER(POINTER(fardel_servers)),
        POINTER(fardel_error),
    )),
    "fardel_servers_stop": ("fardel-c-delivery", None, (POINTER(fardel_servers),)),
    "fardel_servers_close": ("fardel-c-delivery", None, (POINTER(fardel_servers),)),
    "fardel_remote_open": ("fardel-c-delivery", fardel_code, (
        POINTER(fardel_store),
        POINTER(fardel_servers),
        POINTER(fardel_id),
        POINTER(fardel_trust_options),
        POINTER(POINTER(fardel_remote)),
        POINTER(fardel_error),
    )),
    "fardel_remote_close": ("fardel-c-delivery", None, (POINTER(fardel_remote),)),
    "fardel_remote_reader": ("fardel-c-delivery", fardel_code, (
        POINTER(fardel_remote),
        POINTER(fardel_reader),
        POINTER(fardel_error),
    )),
    "fardel_remote_dependencies": ("fardel-c-delivery", fardel_code, (
        POINTER(fardel_remote),
        fardel_bundle_named,
        c_void_p,
        POINTER(fardel_error),
    )),
    "fardel_remote_want": ("fardel-c-delivery", fardel_code, (
        POINTER(fardel_remote),
        POINTER(fardel_id),
        c_size_t,
        c_int32,
        POINTER(fardel_error),
    )),
    "fardel_remote_is_here": ("fardel-c-delivery", fardel_code, (
        POINTER(fardel_remote),
        POINTER(fardel_id),
        POINTER(c_int32),
        POINTER(fardel_error),
    )),
    "fardel_read_ahead_start": ("fardel-c-delivery", fardel_code, (
        POINTER(fardel_servers),
        POINTER(POINTER(fardel_remote)),
        c_size_t,
        POINTER(POINTER(fardel_read_ahead)),
        POINTER(fardel_error),
    )),
    "fardel_read_ahead_wait": ("fardel-c-delivery", None, (POINTER(fardel_read_ahead),)),
    "fardel_read_ahead_close": ("fardel-c-delivery", None, (POINTER(fardel_read_ahead),)),
    "fardel_project_options_init": ("fardel-c-delivery", None, (POINTER(fardel_project_options), c_size_t)),
    "fardel_project_open": ("fardel-c-delivery", fardel_code, (
        POINTER(fardel_store),
        POINTER(fardel_servers),
        POINTER(fardel_project_options),
        POINTER(POINTER(fardel_project)),
        POINTER(fardel_error),
    )),
    "fardel_project_poll": ("fardel-c-delivery", fardel_code, (
        POINTER(fardel_project),
        POINTER(c_int32),
        POINTER(fardel_error),
    )),
    "fardel_project_root": ("fardel-c-delivery", fardel_code, (
        POINTER(fardel_project),
        POINTER(fardel_id),
        POINTER(fardel_error),
    )),
    "fardel_project_bundles": ("fardel-c-delivery", fardel_code, (
        POINTER(fardel_project),
        fardel_bundle_named,
        c_void_p,
        POINTER(c_size_t),
        POINTER(fardel_error),
    )),
    "fardel_project_readers": ("fardel-c-delivery", fardel_code, (
        POINTER(fardel_project),
        POINTER(fardel_reader),
        c_size_t,
        POINTER(fardel_error),
    )),
    "fardel_project_stop": ("fardel-c-delivery", None, (POINTER(fardel_project),)),
    "fardel_project_close": ("fardel-c-delivery", None, (POINTER(fardel_project),)),
    "fardel_channel_options_init": ("fardel-c-delivery", None, (POINTER(fardel_channel_options), c_size_t)),
    "fardel_channel_accepted": ("fardel-c-delivery", fardel_code, (
        POINTER(fardel_store),
        POINTER(fardel_channel_options),
        fardel_channel_reported,
        c_void_p,
        POINTER(fardel_error),
    )),
    "fardel_channel_follow_start": ("fardel-c-delivery", fardel_code, (
        POINTER(fardel_store),
        POINTER(fardel_channel_options),
        POINTER(POINTER(fardel_channel_follow)),
        POINTER(fardel_error),
    )),
    "fardel_channel_follow_poll": ("fardel-c-delivery", fardel_code, (
        POINTER(fardel_channel_follow),
        c_uint32,
        fardel_channel_reported,
        c_void_p,
        POINTER(c_int32),
        POINTER(fardel_error),
    )),
    "fardel_channel_follow_cancel": ("fardel-c-delivery", None, (POINTER(fardel_channel_follow),)),
    "fardel_channel_follow_close": ("fardel-c-delivery", None, (POINTER(fardel_channel_follow),)),
    "fardel_install_options_init": ("fardel-c-delivery", None, (POINTER(fardel_install_options), c_size_t)),
    "fardel_install_start": ("fardel-c-delivery", fardel_code, (
        POINTER(fardel_store),
        POINTER(fardel_install_options),
        POINTER(POINTER(fardel_install)),
        POINTER(fardel_error),
    )),
    "fardel_install_poll": ("fardel-c-delivery", fardel_code, (
        POINTER(fardel_install),
        c_uint32,
        POINTER(c_int32),
        POINTER(fardel_error),
    )),
    "fardel_install_accept": ("fardel-c-delivery", None, (POINTER(fardel_install),)),
    "fardel_install_refuse": ("fardel-c-delivery", None, (POINTER(fardel_install), c_char_p)),
    "fardel_install_cancel": ("fardel-c-delivery", None, (POINTER(fardel_install),)),
    "fardel_install_close": ("fardel-c-delivery", None, (POINTER(fardel_install),)),
    "fardel_install_conflict": ("fardel-c-delivery", c_char_p, (POINTER(fardel_install), c_size_t)),
    "fardel_install_author": ("fardel-c-delivery", c_char_p, (POINTER(fardel_install), c_size_t)),
    "fardel_install_read": ("fardel-c-delivery", fardel_code, (
        POINTER(fardel_store),
        c_char_p,
        POINTER(fardel_channel_options),
        fardel_installed_reported,
        c_void_p,
        POINTER(fardel_error),
    )),
    "fardel_install_remove": ("fardel-c-delivery", fardel_code, (
        POINTER(fardel_store),
        c_char_p,
        POINTER(c_char_p),
        c_size_t,
        POINTER(fardel_error),
    )),
    "fardel_code_name": ("fardel", c_char_p, (fardel_code,)),
    "fardel_version": ("fardel", c_uint32, ()),
    "fardel_version_text": ("fardel", c_char_p, ()),
    "fardel_id_text": ("fardel", None, (POINTER(fardel_id), POINTER(c_char))),
    "fardel_id_parse": ("fardel", fardel_code, (c_char_p, POINTER(fardel_id), POINTER(fardel_error))),
    "fardel_vfs_create": ("fardel", fardel_code, (
        POINTER(fardel_vfs_options),
        POINTER(POINTER(fardel_vfs)),
        POINTER(fardel_error),
    )),
    "fardel_vfs_destroy": ("fardel", None, (POINTER(fardel_vfs),)),
    "fardel_mount_file": ("fardel", fardel_code, (
        POINTER(fardel_vfs),
        c_char_p,
        POINTER(fardel_mount_options),
        POINTER(fardel_mount_id),
        POINTER(fardel_error),
    )),
    "fardel_mount_memory": ("fardel", fardel_code, (
        POINTER(fardel_vfs),
        c_void_p,
        c_size_t,
        POINTER(fardel_mount_options),
        POINTER(fardel_mount_id),
        POINTER(fardel_error),
    )),
    "fardel_mount_reader": ("fardel", fardel_code, (
        POINTER(fardel_vfs),
        POINTER(fardel_reader),
        POINTER(fardel_mount_options),
        POINTER(fardel_mount_id),
        POINTER(fardel_error),
    )),
    "fardel_appended_reader": ("fardel", fardel_code, (c_char_p, POINTER(fardel_reader), POINTER(fardel_error))),
    "fardel_apply": ("fardel", fardel_code, (POINTER(fardel_vfs), POINTER(fardel_mount_change), POINTER(fardel_error))),
    "fardel_unmount": ("fardel", fardel_code, (POINTER(fardel_vfs), fardel_mount_id, POINTER(fardel_error))),
    "fardel_is_tainted": ("fardel", c_int, (POINTER(fardel_vfs),)),
    "fardel_judge_again": ("fardel", fardel_code, (
        POINTER(fardel_vfs),
        c_char_p,
        c_uint64,
        fardel_recalled,
        c_void_p,
        POINTER(c_size_t),
        POINTER(fardel_error),
    )),
    "fardel_missing_dependencies": ("fardel", fardel_code, (
        POINTER(fardel_vfs),
        fardel_dependency_missing,
        c_void_p,
        POINTER(c_size_t),
        POINTER(fardel_error),
    )),
    "fardel_prefer": ("fardel", fardel_code, (POINTER(fardel_vfs), c_char_p, POINTER(fardel_error))),
    "fardel_prefer_in_mount": ("fardel", fardel_code, (
        POINTER(fardel_vfs),
        fardel_mount_id,
        c_char_p,
        POINTER(fardel_error),
    )),
    "fardel_variant_axes": ("fardel", fardel_code, (
        POINTER(fardel_vfs),
        POINTER(c_char),
        c_size_t,
        POINTER(c_size_t),
        POINTER(fardel_error),
    )),
    "fardel_refresh": ("fardel", fardel_code, (
        POINTER(fardel_vfs),
        fardel_mount_id,
        fardel_changed,
        c_void_p,
        POINTER(fardel_error),
    )),
    "fardel_poll": ("fardel", fardel_code, (POINTER(fardel_vfs), fardel_changed, c_void_p, POINTER(fardel_error))),
    "fardel_replace": ("fardel", fardel_code, (
        POINTER(fardel_vfs),
        fardel_mount_id,
        POINTER(fardel_mount_request),
        fardel_changed,
        c_void_p,
        POINTER(fardel_error),
    )),
    "fardel_replace_readers": ("fardel", fardel_code, (
        POINTER(fardel_vfs),
        POINTER(fardel_mount_id),
        c_size_t,
        POINTER(fardel_reader),
        c_size_t,
        POINTER(fardel_mount_options),
        POINTER(fardel_mount_id),
        fardel_changed,
        c_void_p,
        POINTER(fardel_error),
    )),
    "fardel_enter_pure": ("fardel", fardel_code, (
        POINTER(fardel_vfs),
        c_char_p,
        POINTER(c_size_t),
        POINTER(fardel_error),
    )),
    "fardel_leave_pure": ("fardel", None, (POINTER(fardel_vfs),)),
    "fardel_stat_path": ("fardel", fardel_code, (
        POINTER(fardel_vfs),
        c_char_p,
        POINTER(fardel_stat),
        POINTER(fardel_error),
    )),
    "fardel_exists": ("fardel", c_int, (POINTER(fardel_vfs), c_char_p)),
    "fardel_read_metadata": ("fardel", fardel_code, (
        POINTER(fardel_vfs),
        c_char_p,
        c_char_p,
        fardel_metadata_found,
        c_void_p,
        POINTER(c_size_t),
        POINTER(fardel_error),
    )),
    "fardel_find_missing": ("fardel", fardel_code, (
        POINTER(fardel_vfs),
        POINTER(c_char_p),
        c_size_t,
        c_uint32,
        fardel_content_missing,
        c_void_p,
        POINTER(c_size_t),
        POINTER(fardel_error),
    )),
    "fardel_read_link": ("fardel", fardel_code, (
        POINTER(fardel_vfs),
        c_char_p,
        POINTER(c_char),
        c_size_t,
        POINTER(c_size_t),
        POINTER(fardel_error),
    )),
    "fardel_read_trace": ("fardel", fardel_code, (
        POINTER(fardel_vfs),
        POINTER(c_char),
        c_size_t,
        POINTER(c_size_t),
        POINTER(fardel_error),
    )),
    "fardel_read_trace_ahead": ("fardel", fardel_code, (
        POINTER(fardel_vfs),
        c_char_p,
        c_size_t,
        POINTER(fardel_error),
    )),
    "fardel_open": ("fardel", fardel_code, (
        POINTER(fardel_vfs),
        c_char_p,
        POINTER(POINTER(fardel_file)),
        POINTER(fardel_error),
    )),
    "fardel_open_from": ("fardel", fardel_code, (
        POINTER(fardel_vfs),
        POINTER(fardel_file),
        c_char_p,
        POINTER(POINTER(fardel_file)),
        POINTER(fardel_error),
    )),
    "fardel_open_any": ("fardel", fardel_code, (
        POINTER(fardel_vfs),
        c_char_p,
        c_char_p,
        POINTER(POINTER(fardel_file)),
        POINTER(fardel_error),
    )),
    "fardel_open_any_from": ("fardel", fardel_code, (
        POINTER(fardel_vfs),
        POINTER(fardel_file),
        c_char_p,
        c_char_p,
        POINTER(POINTER(fardel_file)),
        POINTER(fardel_error),
    )),
    "fardel_close": ("fardel", None, (POINTER(fardel_file),)),
    "fardel_file_size": ("fardel", c_uint64, (POINTER(fardel_file),)),
    "fardel_file_asset": ("fardel", fardel_id, (POINTER(fardel_file),)),
    "fardel_file_bundle": ("fardel", fardel_id, (POINTER(fardel_file),)),
    "fardel_read_at": ("fardel", fardel_code, (
        POINTER(fardel_file),
        c_uint64,
        c_void_p,
        c_size_t,
        POINTER(c_size_t),
        POINTER(fardel_error),
    )),
    "fardel_read_all": ("fardel", fardel_code, (POINTER(fardel_file), c_void_p, c_size_t, POINTER(fardel_error))),
    "fardel_read_files": ("fardel", fardel_code, (
        POINTER(fardel_vfs),
        POINTER(c_char_p),
        c_size_t,
        POINTER(fardel_batch_options),
        fardel_file_read,
        c_void_p,
        POINTER(fardel_error),
    )),
    "fardel_listing_open": ("fardel", fardel_code, (
        POINTER(fardel_vfs),
        c_char_p,
        POINTER(POINTER(fardel_listing)),
        POINTER(fardel_error),
    )),
    "fardel_listing_next": ("fardel", fardel_code, (
        POINTER(fardel_listing),
        POINTER(fardel_entry),
        POINTER(fardel_error),
    )),
    "fardel_listing_close": ("fardel", None, (POINTER(fardel_listing),)),
    "fardel_stream_open": ("fardel", fardel_code, (
        POINTER(fardel_file),
        POINTER(POINTER(fardel_stream)),
        POINTER(fardel_error),
    )),
    "fardel_stream_read": ("fardel", fardel_code, (
        POINTER(fardel_stream),
        c_void_p,
        c_size_t,
        POINTER(c_size_t),
        POINTER(fardel_error),
    )),
    "fardel_stream_seek": ("fardel", None, (POINTER(fardel_stream), c_uint64)),
    "fardel_stream_position": ("fardel", c_uint64, (POINTER(fardel_stream),)),
    "fardel_stream_close": ("fardel", None, (POINTER(fardel_stream),)),
    "fardel_view_open": ("fardel", fardel_code, (
        POINTER(fardel_file),
        c_uint64,
        c_size_t,
        POINTER(POINTER(fardel_view)),
        POINTER(fardel_error),
    )),
    "fardel_view_bytes": ("fardel", c_void_p, (POINTER(fardel_view),)),
    "fardel_view_size": ("fardel", c_size_t, (POINTER(fardel_view),)),
    "fardel_view_close": ("fardel", None, (POINTER(fardel_view),)),
    "fardel_queue_start": ("fardel", fardel_code, (c_uint32, POINTER(POINTER(fardel_queue)), POINTER(fardel_error))),
    "fardel_queue_submit": ("fardel", fardel_code, (
        POINTER(fardel_queue),
        POINTER(POINTER(fardel_read_request)),
        c_size_t,
        POINTER(fardel_read_id),
        POINTER(fardel_error),
    )),
    "fardel_queue_cancel": ("fardel", c_int, (POINTER(fardel_queue), fardel_read_id)),
    "fardel_queue_wait": ("fardel", None, (POINTER(fardel_queue),)),
    "fardel_queue_close": ("fardel", None, (POINTER(fardel_queue),)),
    "fardel_mounts": ("fardel", fardel_code, (
        POINTER(fardel_vfs),
        fardel_mount_listed,
        c_void_p,
        POINTER(c_size_t),
        POINTER(fardel_error),
    )),
    "fardel_explain": ("fardel", fardel_code, (
        POINTER(fardel_vfs),
        c_char_p,
        c_char_p,
        fardel_explained,
        c_void_p,
        POINTER(fardel_error),
    )),
    "fardel_conflicts": ("fardel", fardel_code, (
        POINTER(fardel_vfs),
        fardel_conflict_found,
        c_void_p,
        POINTER(c_size_t),
        POINTER(fardel_error),
    )),
    "fardel_check_links": ("fardel", fardel_code, (
        POINTER(fardel_vfs),
        fardel_unresolved,
        c_void_p,
        POINTER(c_int32),
        POINTER(fardel_error),
    )),
    "fardel_read_figures": ("fardel", fardel_code, (
        POINTER(fardel_vfs),
        POINTER(fardel_figures),
        POINTER(fardel_error),
    )),
    "fardel_writable_open": ("fardel", fardel_code, (
        c_char_p,
        c_uint64,
        c_uint32,
        POINTER(POINTER(fardel_writable)),
        POINTER(fardel_error),
    )),
    "fardel_writable_close": ("fardel", None, (POINTER(fardel_writable),)),
    "fardel_writable_write": ("fardel", fardel_code, (
        POINTER(fardel_writable),
        c_char_p,
        c_void_p,
        c_size_t,
        POINTER(fardel_error),
    )),
    "fardel_writable_read": ("fardel", fardel_code, (
        POINTER(fardel_writable),
        c_char_p,
        c_void_p,
        c_size_t,
        POINTER(c_size_t),
        POINTER(fardel_error),
    )),
    "fardel_writable_stat": ("fardel", fardel_code, (
        POINTER(fardel_writable),
        c_char_p,
        fardel_writable_found,
        c_void_p,
        POINTER(fardel_error),
    )),
    "fardel_writable_list": ("fardel", fardel_code, (
        POINTER(fardel_writable),
        c_char_p,
        fardel_writable_found,
        c_void_p,
        POINTER(fardel_error),
    )),
    "fardel_writable_remove": ("fardel", fardel_code, (
        POINTER(fardel_writable),
        c_char_p,
        POINTER(c_int32),
        POINTER(fardel_error),
    )),
    "fardel_writable_use": ("fardel", fardel_code, (
        POINTER(fardel_writable),
        POINTER(c_uint64),
        POINTER(c_uint64),
        POINTER(fardel_error),
    )),
    "fardel_writable_create": ("fardel", fardel_code, (
        POINTER(fardel_writable),
        c_char_p,
        POINTER(POINTER(fardel_writable_file)),
        POINTER(fardel_error),
    )),
    "fardel_writable_append": ("fardel", fardel_code, (
        POINTER(fardel_writable_file),
        c_void_p,
        c_size_t,
        POINTER(fardel_error),
    )),
    "fardel_writable_commit": ("fardel", fardel_code, (POINTER(fardel_writable_file), POINTER(fardel_error))),
    "fardel_writable_file_close": ("fardel", None, (POINTER(fardel_writable_file),)),
    "fardel_user_data_folder": ("fardel", fardel_code, (
        c_char_p,
        c_char_p,
        POINTER(c_char),
        c_size_t,
        POINTER(c_size_t),
        POINTER(fardel_error),
    )),
    "fardel_error_init": ("fardel", None, (POINTER(fardel_error), c_size_t)),
    "fardel_reader_init": ("fardel", None, (POINTER(fardel_reader), c_size_t)),
    "fardel_allocator_init": ("fardel", None, (POINTER(fardel_allocator), c_size_t)),
    "fardel_executor_init": ("fardel", None, (POINTER(fardel_executor), c_size_t)),
    "fardel_vfs_options_init": ("fardel", None, (POINTER(fardel_vfs_options), c_size_t)),
    "fardel_mount_options_init": ("fardel", None, (POINTER(fardel_mount_options), c_size_t)),
    "fardel_mount_request_init": ("fardel", None, (POINTER(fardel_mount_request), c_size_t)),
    "fardel_mount_change_init": ("fardel", None, (POINTER(fardel_mount_change), c_size_t)),
    "fardel_stat_init": ("fardel", None, (POINTER(fardel_stat), c_size_t)),
    "fardel_entry_init": ("fardel", None, (POINTER(fardel_entry), c_size_t)),
    "fardel_batch_options_init": ("fardel", None, (POINTER(fardel_batch_options), c_size_t)),
    "fardel_read_request_init": ("fardel", None, (POINTER(fardel_read_request), c_size_t)),
    "fardel_figures_init": ("fardel", None, (POINTER(fardel_figures), c_size_t)),
    "fardel_key_create": ("fardel-c-tools", fardel_code, (
        c_char_p,
        c_char_p,
        c_char_p,
        POINTER(fardel_public_key),
        POINTER(fardel_error),
    )),
    "fardel_signer_open": ("fardel-c-tools", fardel_code, (
        c_char_p,
        c_char_p,
        POINTER(POINTER(fardel_signer)),
        POINTER(fardel_error),
    )),
    "fardel_signer_create": ("fardel-c-tools", fardel_code, (
        POINTER(fardel_public_key),
        fardel_sign_message,
        c_void_p,
        POINTER(POINTER(fardel_signer)),
        POINTER(fardel_error),
    )),
    "fardel_signer_key": ("fardel-c-tools", fardel_public_key, (POINTER(fardel_signer),)),
    "fardel_signer_close": ("fardel-c-tools", None, (POINTER(fardel_signer),)),
    "fardel_sign_options_init": ("fardel-c-tools", None, (POINTER(fardel_sign_options), c_size_t)),
    "fardel_sign_file": ("fardel-c-tools", fardel_code, (
        c_char_p,
        POINTER(fardel_signer),
        POINTER(fardel_sign_options),
        POINTER(fardel_error),
    )),
    "fardel_plan_create": ("fardel-c-tools", fardel_code, (POINTER(POINTER(fardel_plan)), POINTER(fardel_error))),
    "fardel_plan_destroy": ("fardel-c-tools", None, (POINTER(fardel_plan),)),
    "fardel_planned_asset_init": ("fardel-c-tools", None, (POINTER(fardel_planned_asset), c_size_t)),
    "fardel_plan_add_asset": ("fardel-c-tools", fardel_code, (
        POINTER(fardel_plan),
        POINTER(fardel_planned_asset),
        POINTER(c_uint32),
        POINTER(fardel_error),
    )),
    "fardel_plan_add_name": ("fardel-c-tools", fardel_code, (
        POINTER(fardel_plan),
        c_char_p,
        c_uint32,
        c_char_p,
        c_uint32,
        POINTER(fardel_error),
    )),
    "fardel_planned_reference_init": ("fardel-c-tools", None, (POINTER(fardel_planned_reference), c_size_t)),
    "fardel_plan_add_reference": ("fardel-c-tools", fardel_code, (
        POINTER(fardel_plan),
        c_uint32,
        POINTER(fardel_planned_reference),
        POINTER(fardel_error),
    )),
    "fardel_plan_add_consume": ("fardel-c-tools", fardel_code, (
        POINTER(fardel_plan),
        c_char_p,
        c_uint32,
        POINTER(fardel_error),
    )),
    "fardel_plan_add_dependency": ("fardel-c-tools", fardel_code, (
        POINTER(fardel_plan),
        POINTER(fardel_id),
        c_char_p,
        c_char_p,
        c_int32,
        POINTER(fardel_error),
    )),
    "fardel_plan_set_text": ("fardel-c-tools", fardel_code, (
        POINTER(fardel_plan),
        c_uint32,
        c_char_p,
        c_char_p,
        POINTER(fardel_error),
    )),
    "fardel_plan_set_number": ("fardel-c-tools", fardel_code, (
        POINTER(fardel_plan),
        c_uint32,
        c_char_p,
        c_double,
        POINTER(fardel_error),
    )),
    "fardel_plan_set_integer": ("fardel-c-tools", fardel_code, (
        POINTER(fardel_plan),
        c_uint32,
        c_char_p,
        c_int64,
        POINTER(fardel_error),
    )),
    "fardel_plan_set_flag": ("fardel-c-tools", fardel_code, (
        POINTER(fardel_plan),
        c_uint32,
        c_char_p,
        c_int32,
        POINTER(fardel_error),
    )),
    "fardel_write_options_init": ("fardel-c-tools", None, (POINTER(fardel_write_options), c_size_t)),
    "fardel_plan_write": ("fardel-c-tools", fardel_code, (
        POINTER(fardel_plan),
        c_char_p,
        POINTER(fardel_write_options),
        POINTER(fardel_error),
    )),
    "fardel_pack_options_init": ("fardel-c-tools", None, (POINTER(fardel_pack_options), c_size_t)),
    "fardel_pack_sources": ("fardel-c-tools", fardel_code, (
        POINTER(c_char_p),
        c_size_t,
        POINTER(fardel_pack_options),
        POINTER(fardel_error),
    )),
    "fardel_pack_project": ("fardel-c-tools", fardel_code, (
        c_char_p,
        POINTER(fardel_pack_options),
        POINTER(fardel_error),
    )),
    "fardel_enable_projects": ("fardel-c-tools", fardel_code, (POINTER(fardel_vfs), POINTER(fardel_error))),
    "fardel_verified_bundle_init": ("fardel-c-tools", None, (POINTER(fardel_verified_bundle), c_size_t)),
    "fardel_verify_options_init": ("fardel-c-tools", None, (POINTER(fardel_verify_options), c_size_t)),
    "fardel_verify_file": ("fardel-c-tools", fardel_code, (
        c_char_p,
        POINTER(fardel_verify_options),
        POINTER(fardel_verified_bundle),
        POINTER(fardel_error),
    )),
    "fardel_verify_reader": ("fardel-c-tools", fardel_code, (
        POINTER(fardel_reader),
        POINTER(fardel_verify_options),
        POINTER(fardel_verified_bundle),
        POINTER(fardel_error),
    )),
    "fardel_enable_archives": ("fardel-c-archives", fardel_code, (POINTER(fardel_vfs), POINTER(fardel_error))),
    "fardel_pure_read_policy": ("fardel", fardel_code, (
        c_char_p,
        fardel_pure_bundle_listed,
        c_void_p,
        POINTER(fardel_id),
        POINTER(c_size_t),
        POINTER(fardel_error),
    )),
    "fardel_pure_read_channels": ("fardel", fardel_code, (
        c_char_p,
        fardel_pure_channel_listed,
        c_void_p,
        POINTER(c_size_t),
        POINTER(fardel_error),
    )),
    "fardel_pure_problems": ("fardel", fardel_code, (
        POINTER(fardel_vfs),
        fardel_pure_problem_found,
        c_void_p,
        POINTER(c_size_t),
        POINTER(fardel_error),
    )),
    "fardel_pure_read_report": ("fardel", fardel_code, (
        c_char_p,
        fardel_pure_problem_found,
        c_void_p,
        POINTER(c_size_t),
        POINTER(fardel_error),
    )),
    "fardel_pure_read_offer": ("fardel", fardel_code, (
        c_void_p,
        c_size_t,
        POINTER(fardel_id),
        POINTER(fardel_foreign_urls),
        POINTER(fardel_error),
    )),
    "fardel_pure_answer": ("fardel", fardel_code, (
        POINTER(fardel_vfs),
        c_void_p,
        c_size_t,
        c_char_p,
        c_char_p,
        c_void_p,
        fardel_pure_report_made,
        c_void_p,
        POINTER(fardel_error),
    )),
    "fardel_pure_read_verdict": ("fardel", fardel_code, (
        c_void_p,
        c_size_t,
        fardel_pure_refused,
        c_void_p,
        POINTER(c_int32),
        POINTER(fardel_error),
    )),
    "fardel_pure_server_options_init": ("fardel", None, (POINTER(fardel_pure_server_options), c_size_t)),
    "fardel_pure_server_create": ("fardel", fardel_code, (
        POINTER(fardel_pure_server_options),
        POINTER(POINTER(fardel_pure_server)),
        POINTER(fardel_error),
    )),
    "fardel_pure_server_destroy": ("fardel", None, (POINTER(fardel_pure_server),)),
    "fardel_pure_server_begin_epoch": ("fardel", fardel_code, (POINTER(fardel_pure_server), POINTER(fardel_error))),
    "fardel_pure_server_offer": ("fardel", fardel_code, (
        POINTER(fardel_pure_server),
        c_char_p,
        c_char_p,
        c_uint64,
        c_void_p,
        POINTER(fardel_error),
    )),
    "fardel_pure_server_check": ("fardel", fardel_code, (
        POINTER(fardel_pure_server),
        c_void_p,
        c_size_t,
        c_char_p,
        c_char_p,
        c_uint64,
        c_void_p,
        POINTER(c_int32),
        POINTER(fardel_error),
    )),
}
