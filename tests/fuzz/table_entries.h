// Entries of tables for heads that fuzz targets make.
#pragma once

#include <fardel/format/head.h>
#include <fardel/format/manifest.h>

#include <cstdint>
#include <vector>

// A table without records is left out.
inline void add_table(std::vector<fardel::TableEntry>& tables, fardel::TableKind kind, std::uint64_t count) {
    if (count != 0)
        tables.push_back({.kind = kind,
                          .record_bytes = fardel::record_bytes(kind),
                          .length_bytes = count * fardel::record_bytes(kind),
                          .count = count});
}
