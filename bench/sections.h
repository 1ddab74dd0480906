// The sections of the benchmark, one file each.
#pragma once

#include "scene.h"
#include "table.h"

namespace fardel::bench {

void bench_mount(const Scene& scene, Table& table);
void bench_lookup(const Scene& scene, Table& table);
void bench_read(const Scene& scene, Table& table);
void bench_level(const Scene& scene, Table& table);
void bench_store(const Scene& scene, Table& table);
void bench_verify(const Scene& scene, Table& table);
void bench_pack(const Scene& scene, Table& table);
void bench_build(const Scene& scene, Table& table);
void bench_pure(const Scene& scene, Table& table);
void bench_peers(const Scene& scene, Table& table);
void bench_growth(const Scene& scene, Table& table);
void bench_bundles(const Scene& scene, Table& table);

}  // namespace fardel::bench
