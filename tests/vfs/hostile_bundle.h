// A bundle of a signer who may bring data only, with more than data. A137.
#pragma once

#include "kit/class_samples.h"
#include "test_bundle.h"

namespace fardel::tests {

// What a painter signs who may bring data only: a picture, a note, and pictures that are none.
inline Bytes hostile_bundle(Author& painter) {
    BundleMaker maker;
    maker.add("good.tga", kTarga).add("note.txt", "a note");
    maker.add("qvm.tga", kQvm).add("object.tga", real_shared_object()).add("script.tga", real_script());
    maker.add_unpublished("hidden.tga", kElf).add_variants("choice.tga", {kElf, kQvm});
    return painter.sign(maker.write());
}
inline Bytes bundle_with_qvm(Author& painter) { return painter.sign(BundleMaker().add("vm/ui.qvm", kQvm).write()); }

inline const std::vector<std::string> kHostileNames = {"qvm.tga", "object.tga", "script.tga", "choice.tga"};

}  // namespace fardel::tests
