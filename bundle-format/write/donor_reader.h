// DonorReader: reads stored blocks of a bundle and compares them with their hashes. Whoever asks for one after the
// other finds the next ones read by another thread meanwhile.
#pragma once

#include <fardel/base/executor.h>
#include <fardel/base/result.h>
#include <fardel/format/bundle.h>
#include <fardel/format/manifest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace fardel {

class DonorReader {
public:
    // `executor`: one thread of it reads ahead; nullptr: the caller's thread does all.
    DonorReader(std::shared_ptr<const Bundle> bundle, std::shared_ptr<Executor> executor);

    struct Block {
        BlockRecord record;
        std::span<const std::byte> stored;  // valid until the next call
    };
    // Errors: corrupt, malformed, limit (the block is larger than any can be), io.
    Result<Block> read(std::uint32_t block);

private:
    class Run;

    std::shared_ptr<const Bundle> bundle_;
    std::shared_ptr<Executor> executor_;
    std::shared_ptr<Run> run_;   // nullptr: none was read so far
    std::shared_ptr<Run> next_;  // goes on where run_ ends; nullptr: nothing is read ahead
};

}  // namespace fardel
