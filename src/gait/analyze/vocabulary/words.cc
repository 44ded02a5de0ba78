#include "gait/analyze/vocabulary/words.h"

#include <cctype>
#include <utility>

namespace gait::analyze {

Words WordsOf(std::string_view name) {
  Words words;
  std::string word;
  const auto end = [&] {
    if (!word.empty()) words.push_back(std::move(word));
    word.clear();
  };
  for (size_t i = 0; i < name.size(); ++i) {
    const auto c = static_cast<unsigned char>(name[i]);
    if (std::isalnum(c) == 0) {
      end();
      continue;
    }
    const bool next_is_lower =
        i + 1 < name.size() && std::islower(static_cast<unsigned char>(name[i + 1])) != 0;
    const bool last_is_lower = i > 0 && std::islower(static_cast<unsigned char>(name[i - 1])) != 0;
    if (std::isupper(c) != 0 && (last_is_lower || (next_is_lower && word.size() > 1))) end();
    word += static_cast<char>(std::tolower(c));
  }
  end();
  return words;
}

}  // namespace gait::analyze
