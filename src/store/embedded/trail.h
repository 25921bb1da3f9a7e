// The last writes of a store as words, one each: by them a process sees whether what it knows has
// led to what is stored now, or whether that was put back and went another way.
#pragma once

#include <cstdint>
#include <string>

namespace cronce::embedded {

/// With the word of a write that leads to this position; the oldest words are forgotten.
std::string extend_trail(std::string trail, std::uint64_t position);
std::string last_word(const std::string& trail);
bool leads_from(const std::string& word, const std::string& trail);

}  // namespace cronce::embedded
