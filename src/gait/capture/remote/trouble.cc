#include "gait/capture/remote/trouble.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace gait::capture::remote {
namespace {

struct Words {
  Trouble trouble;
  std::string_view name;
  std::string_view what;  // behind the address
  bool with_detail;       // what the server said belongs to it
  std::string_view hint;
};

constexpr auto kWords = std::to_array<Words>({
    {Trouble::kNoSuchHost, "no_such_host", "there is no host of this name", true,
     "Give its address, or a name that this machine can look up."},
    {Trouble::kRefused, "refused", "nothing listens there", false,
     "It has to call gait.serve(PORT) or jax.profiler.start_server(PORT)."},
    {Trouble::kNoAnswer, "no_answer", "no answer", true,
     "Is the host up, and the port open? ssh -L PORT:localhost:PORT HOST goes around."},
    {Trouble::kNoProfiler, "no_profiler", "what listens there is no profiler server of JAX", true,
     "The port is the one of jax.profiler.start_server(PORT), or of gait.serve(PORT)."},
    {Trouble::kNoToken, "no_token", "it wants a token", false,
     "Give the token that gait.serve has there: GAIT_TOKEN=... gait capture ..."},
    {Trouble::kTokenStays, "token_stays",
     "it wants a token, and gait sends none to another machine: all on the way could read it", false,
     "Go through ssh: ssh -L PORT:localhost:PORT HOST, then GAIT_TOKEN=... gait capture PORT."},
    {Trouble::kBusy, "busy", "a profiler session is running there already", false,
     "A program has one at a time: wait until stop_trace or the other capture is done."},
    {Trouble::kNotRecorded, "not_recorded", "its profiler failed", true, "The program's own log says more."},
    {Trouble::kDeclined, "declined", "the program declined", true, ""},
    {Trouble::kEmpty, "empty", "the profiler recorded nothing", false,
     "Does the program compute at the time? A longer --duration sees more. Servers of JAX before 0.9 keep "
     "what "
     "they record to themselves: there, call gait.serve(PORT) in the program."},
    {Trouble::kTooLarge, "too_large", "the capture is larger than a message can be, 2 GiB", true,
     "Record for a shorter --duration, with --host-tracer 1, or without --python-tracer."},
    {Trouble::kNoCapture, "no_capture", "what it sent is no capture", true,
     "The port is the one of jax.profiler.start_server(PORT), or of gait.serve(PORT)."},
    {Trouble::kLost, "lost", "the connection broke while it was recorded", true,
     "The program may have ended. What it had recorded went with it."},
    {Trouble::kDeadline, "deadline", "the capture did not come in time", false,
     "Long captures take minutes to come: a longer --timeout, or a shorter --duration."},
    {Trouble::kGivenUp, "given_up", "given up", false, ""},
    {Trouble::kUnwritten, "unwritten", "the capture came but could not be written", true,
     "Free some space, or write into another directory with -o."},
});

const Words& WordsOf(Trouble trouble) { return *std::ranges::find(kWords, trouble, &Words::trouble); }

// gRPC's status codes.
constexpr int kCancelled = 1;
constexpr int kUnknown = 2;
constexpr int kDeadlineExceeded = 4;
constexpr int kAlreadyExists = 6;
constexpr int kResourceExhausted = 8;
constexpr int kUnimplemented = 12;
constexpr int kInternal = 13;
constexpr int kUnavailable = 14;

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace

std::string_view Name(Trouble trouble) { return WordsOf(trouble).name; }

std::optional<Trouble> TroubleOfName(std::string_view name) {
  const auto* const found = std::ranges::find(kWords, name, &Words::name);
  return found == kWords.end() ? std::nullopt : std::optional(found->trouble);
}

Trouble TroubleOfStatus(int code, std::string_view message) {
  switch (code) {
    case kCancelled:
      return Trouble::kGivenUp;
    case kDeadlineExceeded:
      return Trouble::kDeadline;
    case kAlreadyExists:
      return Trouble::kBusy;
    case kUnimplemented:
      return Trouble::kNoProfiler;
    case kResourceExhausted:
      return Trouble::kTooLarge;
    case kUnavailable:
      return Trouble::kLost;
    case kUnknown:
    case kInternal:
      // Servers say these for many things; their words tell.
      if (Contains(message, "nother profiling session") || Contains(message, "lready active")) {
        return Trouble::kBusy;
      }
      if (Contains(message, "serialize")) return Trouble::kTooLarge;
      return Trouble::kNotRecorded;
    default:
      return Trouble::kNotRecorded;
  }
}

Error Explain(Trouble trouble, std::string_view address, std::string_view detail) {
  const Words& words = WordsOf(trouble);
  std::string what = fmt::format("{}: {}", address, words.what);
  if (words.with_detail && !detail.empty()) what += fmt::format(" ({})", detail);
  return {ErrorKind::kUnreadable, what + ".", std::string(words.hint)};
}

}  // namespace gait::capture::remote
