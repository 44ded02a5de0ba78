#include "gait/analyze/operations/peaks.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

#include "gait/analyze/operations/peak_table.h"
#include "gait/analyze/run/describe.h"

namespace gait::analyze {
namespace {

constexpr double kTera = 1e12;
constexpr double kGiga = 1e9;

// Lower case, words apart by one space: "NVIDIA A100-SXM4-80GB" as " nvidia a100 sxm4 80gb ".
std::string Words(std::string_view name) {
  std::string words = " ";
  for (const char c : name) {
    const bool part = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (part) words += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (!part && words.back() != ' ') words += ' ';
  }
  return words + " ";
}

// All words of `match` begin a word of the name: "h100" is in "H100 80GB HBM3", "l4" not in "GL450".
bool HasWords(const std::string& words, std::string_view match) {
  size_t at = 0;
  while (at < match.size()) {
    const size_t end = std::min(match.find(' ', at), match.size());
    const std::string word = fmt::format(" {}", match.substr(at, end - at));
    size_t found = words.find(word);
    // "a100" is not "a1000"; a short name must be the whole word: "l4" is not "l40s".
    const auto other = [&](char next) {
      return word.size() <= 4 ? next != ' ' : std::isdigit(static_cast<unsigned char>(next)) != 0;
    };
    while (found != std::string::npos && other(words[found + word.size()])) {
      found = words.find(word, found + 1);
    }
    if (found == std::string::npos) return false;
    at = end + 1;
  }
  return true;
}

std::optional<double> Number(const Trace& trace, const Plane& plane, std::string_view key) {
  const auto value = trace.FindArg(plane.args, key);
  if (!value || value->is_string()) return std::nullopt;
  const auto number = value->number();
  return number && std::isfinite(*number) && *number > 0 ? number : std::nullopt;
}

// Captures of AMD devices name no model: what they say of the chip tells it.
std::string AmdModel(const Trace& trace, const Plane& plane) {
  const double major = Number(trace, plane, "compute_cap_major").value_or(0);
  const double minor = Number(trace, plane, "compute_cap_minor").value_or(0);
  const double cores = Number(trace, plane, "core_count").value_or(0);
  const double memory = Number(trace, plane, "memory_size").value_or(0);
  const double clock = Number(trace, plane, "clock_rate").value_or(0);
  if (major != 9) return {};
  constexpr double kMemoryOfMi325 = 220e9;
  constexpr double kClockOfMi355 = 2'300'000;  // kHz
  if (minor == 5) return clock > kClockOfMi355 ? "MI355X" : "MI350X";
  if (minor == 4 && cores == 228) return "MI300A";
  if (minor == 4) return memory > kMemoryOfMi325 ? "MI325X" : "MI300X";
  if (cores == 120) return "MI100";
  if (cores == 110) return "MI250X";
  if (cores == 104) return "MI250";
  return {};
}

const KnownDevice* FindKnown(std::string_view model) {
  const std::string words = Words(model);
  const auto table = KnownDeviceTable();
  // A100-SXM4-80GB, H100 80GB HBM3: order of words does not matter.
  const auto found =
      std::ranges::find_if(table, [&](const KnownDevice& known) { return HasWords(words, known.match); });
  return found == table.end() ? nullptr : &*found;
}

void Take(const KnownDevice& known, Peaks& peaks) {
  const auto set = [&](MathType type, double tera) {
    if (tera > 0) peaks.flops[static_cast<size_t>(type)] = tera * kTera;
  };
  set(MathType::kF64, known.f64_matrix);
  set(MathType::kF32, known.f32_matrix);
  set(MathType::kTf32, known.tf32);
  set(MathType::kF16, known.f16);
  set(MathType::kF8, known.f8);
  set(MathType::kI8, known.i8);
  set(MathType::kF4, known.f4);
  set(MathType::kVector, known.f32);
  set(MathType::kVector64, known.f64);
  peaks.bytes_per_second = known.gigabytes_per_second * kGiga;
  peaks.vendor = known.vendor;
  peaks.tensor_float = known.vendor == Vendor::kNvidia && known.tf32 > 0;
}

}  // namespace

std::string_view Name(MathType type) {
  switch (type) {
    case MathType::kF64:
      return "f64";
    case MathType::kF32:
      return "f32";
    case MathType::kTf32:
      return "tf32";
    case MathType::kF16:
      return "bf16";
    case MathType::kF8:
      return "fp8";
    case MathType::kI8:
      return "int8";
    case MathType::kF4:
      return "fp4";
    case MathType::kVector:
      return "f32 vector";
    case MathType::kVector64:
      return "f64 vector";
  }
  return "f32";
}

Peaks PeaksOfModel(std::string_view model) {
  Peaks peaks;
  if (const KnownDevice* known = FindKnown(model)) {
    Take(*known, peaks);
    peaks.device = known->name;
    peaks.from = fmt::format("data sheet of {}", known->name);
  }
  return peaks;
}

Peaks PeaksOf(const Trace& trace, const Plane& plane, const PeakOverride& given) {
  Peaks peaks;
  if (plane.kind == PlaneKind::kCpuDevice) {
    peaks.device = "CPU";
    peaks.from = "unknown: CPUs differ";
  } else {
    peaks.device = DeviceModel(trace, plane);
    Peaks known = PeaksOfModel(peaks.device);
    if (known.device.empty() && plane.kind == PlaneKind::kGpu) known = PeaksOfModel(AmdModel(trace, plane));
    if (!known.device.empty()) {
      peaks = known;
    } else {
      peaks.from = peaks.device.empty() ? "unknown: the capture does not say which device it is"
                                        : fmt::format("unknown: no data sheet of {} in gait", peaks.device);
    }
  }
  // What the profiler wrote down. TPU planes have it right; GPU planes have the memory's clock and width.
  const auto tera = Number(trace, plane, "peak_teraflops_per_second");
  const auto hbm = Number(trace, plane, "peak_hbm_bw_gigabytes_per_second");
  const auto memory = Number(trace, plane, "memory_bandwidth");
  if (tera) {
    peaks.flops[static_cast<size_t>(MathType::kF16)] = *tera * kTera;
    peaks.from = "the capture";
  }
  if (hbm) peaks.bytes_per_second = *hbm * kGiga;
  peaks.captured_bytes_per_second = hbm ? std::optional(*hbm * kGiga) : memory;
  if (!peaks.bytes_per_second) peaks.bytes_per_second = memory;
  if (given.flops) {
    for (const MathType type : {MathType::kF64, MathType::kF32, MathType::kTf32, MathType::kF16,
                                MathType::kF8, MathType::kI8, MathType::kF4}) {
      peaks.flops[static_cast<size_t>(type)] = given.flops;
    }
    peaks.from = "as given";
  }
  if (given.bytes_per_second) peaks.bytes_per_second = given.bytes_per_second;
  return peaks;
}

}  // namespace gait::analyze
