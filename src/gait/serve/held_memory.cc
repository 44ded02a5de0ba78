#include "gait/serve/held_memory.h"

#include <malloc.h>
#include <unistd.h>

#include <fstream>

namespace gait::serve {

size_t HeldMemory() {
  size_t all = 0;
  size_t resident = 0;
  size_t of_files = 0;
  std::ifstream("/proc/self/statm") >> all >> resident >> of_files;
  return (resident - of_files) * static_cast<size_t>(::sysconf(_SC_PAGE_SIZE));
}

void ReturnFreed() { ::malloc_trim(0); }

}  // namespace gait::serve
