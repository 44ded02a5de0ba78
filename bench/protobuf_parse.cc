// protobuf_parse FILE: the ordinary way to read a capture in C++: protobuf's generated classes on an arena,
// then one pass over all events. Prints what it found, so that nothing is optimised away.
#include <cstdint>
#include <cstdio>

#include <fcntl.h>
#include <google/protobuf/arena.h>

#include "xplane.pb.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: protobuf_parse FILE\n");
    return 2;
  }
  const int file = open(argv[1], O_RDONLY | O_CLOEXEC);  // left to the end of the process
  google::protobuf::Arena arena;
  auto* space = google::protobuf::Arena::CreateMessage<gait::bench::XSpace>(&arena);
  if (file < 0 || !space->ParseFromFileDescriptor(file)) {
    std::fprintf(stderr, "%s: cannot be parsed\n", argv[1]);
    return 3;
  }

  int64_t events = 0;
  int64_t stats = 0;
  int64_t duration_ps = 0;
  for (const auto& plane : space->planes()) {
    for (const auto& line : plane.lines()) {
      for (const auto& event : line.events()) {
        ++events;
        stats += event.stats_size();
        duration_ps += event.duration_ps();
      }
    }
  }
  std::printf("%lld events, %lld stats, %lld ps\n", static_cast<long long>(events),
              static_cast<long long>(stats), static_cast<long long>(duration_ps));
  return 0;
}
