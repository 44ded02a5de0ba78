// chrome_json FILE OUT: a capture as Chrome's JSON, for the Perfetto UI that `make bench` opens it in.
#include <cstdio>
#include <fstream>

#include "gait/read/xplane/reader.h"
#include "gait/write/chrome_json.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: chrome_json FILE OUT\n", stderr);
    return 2;
  }
  const auto trace = gait::xplane::ReadFile(argv[1]);
  if (!trace) return 3;
  std::ofstream file(argv[2], std::ios::binary);
  file << gait::write::ChromeJson(*trace);
  file.close();
  return file ? 0 : 1;
}
