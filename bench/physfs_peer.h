// PhysicsFS over legacy archives: the peer that most games of this kind use. A process can have one at a time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fardel::bench {

class PhysfsPeer {
public:
    PhysfsPeer();
    ~PhysfsPeer();
    PhysfsPeer(const PhysfsPeer&) = delete;
    PhysfsPeer& operator=(const PhysfsPeer&) = delete;

    // The archives are in the game's order: a later archive wins.
    void mount(const std::vector<std::string>& archives);
    void unmount_all();
    bool exists(const char* name) const;
    // Opens, reads all of it, closes; returns the size. Ends the program on an error.
    std::uint64_t read(const std::string& name, std::vector<std::byte>& buffer) const;
    std::vector<std::string> names() const;  // every file

private:
    std::vector<std::string> mounted_;
};

}  // namespace fardel::bench
