// Measures the full verification of a bundle.
#include "sections.h"
#include "stopwatch.h"

#include <fardel/verifier/verify_bundle.h>

namespace fardel::bench {

void bench_verify(const Scene& scene, Table& table) {
    table.heading("Verify everything");
    for (const unsigned jobs : {1u, 2u}) {
        std::uint64_t bytes = 0;
        const double seconds = best_seconds(2, [&] {
            VerifyOptions options;
            options.jobs = jobs;
            const VerifyReport report = must(verify_bundle(must(open_file_source(scene.bundle)), options));
            bytes = report.sizes.raw_bytes_proved;
        });
        table.add({"the game, " + std::to_string(jobs) + " threads", static_cast<double>(bytes) / seconds / 1e6, 0,
                   "MB/s", true, "", ""});
    }
}

}  // namespace fardel::bench
