// The signer of fardel_tools.h, and how its functions sign with it.
#pragma once

#include <fardel/format/c_interface.h>
#include <fardel/format/signer.h>
#include <fardel/tools/fardel_tools.h>

#include <memory>
#include <string>

struct fardel_signer {
    std::unique_ptr<fardel::Signer> signer;
    std::string key_path;  // of a key file; empty: the key is elsewhere
};

namespace fardel::c {

// What an author states, as the caller's options say; the bundle's part is empty.
fardel_code read_sign_options(const fardel_sign_options* given, Statement& statement, const Report& report);

// Borrows the caller's signer for code that wants to own one.
std::unique_ptr<Signer> borrow_signer(fardel_signer& signer);

}  // namespace fardel::c
