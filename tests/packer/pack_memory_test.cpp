#include "counted_memory.h"

#include <fardel/format/bundle_writer.h>
#include <fardel/packer/pack.h>

#include "kit/files.h"

namespace fardel::tests::pack_memory_test {

constexpr std::size_t kFilesPerFolder = 500;

// What packing that many small files takes at most at one time.
std::size_t memory_of_pack(std::size_t files) {
    const ScratchFolder folder;
    for (std::size_t i = 0; i < files; ++i)
        folder.write("files/folder" + std::to_string(i / kFilesPerFolder) + "/asset" + std::to_string(100'000 + i),
                     "small " + std::to_string(i));
    const std::vector<std::string> sources{folder.path("files")};
    const CountedMemory memory;
    PackPlan packed = value_of(pack_sources(sources, {.name = "small"}));
    REQUIRE(value_of(write_bundle(std::move(packed.plan), folder.path("out.fardel"), {.jobs = 1})).commit());
    return memory.bytes_at_most();
}

// Projects have a million files and more. What each of them takes is in docs/performance.md; this is a limit for one
// more field, list or copy per file. Lists of few files have more room to grow, and what lies in SystemMemory is not
// counted.
TEST_CASE("pack memory: one more small file takes at most 330 bytes") {
    if (!kMemoryIsCounted || sizeof(void*) != 8) {
        MESSAGE("SKIPPED: memory is counted with glibc's malloc on 64 bits, without sanitizers");
        return;
    }
    constexpr std::size_t kFew = 2'000, kMany = 6'000;
    const std::size_t few = memory_of_pack(kFew);
    const std::size_t many = memory_of_pack(kMany);
    CHECK((many - few) / (kMany - kFew) <= 330);
}

}  // namespace fardel::tests::pack_memory_test
