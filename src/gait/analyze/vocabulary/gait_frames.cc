#include "gait/analyze/vocabulary/gait_frames.h"

#include <algorithm>
#include <array>
#include <utility>

namespace gait::analyze {
namespace {

// gait's own files whose names nobody else has, and functions of files whose names others may have.
using FileAndFunction = std::pair<std::string_view, std::string_view>;
constexpr std::array<std::string_view, 8> kGaitFiles = {"_inflight.py",   "_jax_launches.py", "_ending.py",
                                                        "_term.py",       "_countdown.py",    "_periods.py",
                                                        "_on_request.py", "_exits.py"};
constexpr std::array<FileAndFunction, 14> kGaitFunctions = {{{"_jax.py", "wait_for_devices"},
                                                             {"_jax.py", "_wait_for_launches"},
                                                             {"_jax.py", "is_recording"},
                                                             {"_waits.py", "add"},
                                                             {"_waits.py", "remove"},
                                                             {"_blocks.py", "end"},
                                                             {"_capture.py", "begin"},
                                                             {"_capture.py", "end"},
                                                             {"_capture.py", "_start"},
                                                             {"_capture.py", "_close"},
                                                             {"_trace.py", "__enter__"},
                                                             {"_trace.py", "__exit__"},
                                                             {"_trace.py", "_enter"},
                                                             {"_trace.py", "_leave"}}};
// Those that wait for what the program has launched.
constexpr std::array<FileAndFunction, 2> kGaitWaits = {
    {{"_inflight.py", "wait"}, {"_jax.py", "wait_for_devices"}}};

template <size_t N>
bool IsAmong(const PythonName& python, const std::array<FileAndFunction, N>& functions) {
  return std::ranges::find(functions, FileAndFunction{python.file, python.function}) != functions.end();
}

}  // namespace

bool IsGaitsFrame(const PythonName& python) {
  return std::ranges::find(kGaitFiles, python.file) != kGaitFiles.end() || IsAmong(python, kGaitFunctions);
}

bool IsGaitsWait(const PythonName& python) { return IsAmong(python, kGaitWaits); }

}  // namespace gait::analyze
