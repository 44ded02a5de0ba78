#include "gait/analyze/operations/peak_table.h"

namespace gait::analyze {
namespace {

constexpr Vendor kN = Vendor::kNvidia;
constexpr Vendor kA = Vendor::kAmd;
constexpr Vendor kG = Vendor::kGoogle;

// The comment behind a row names its source.
// clang-format off
constexpr KnownDevice kTable[] = {
    // name, words, vendor,             f64  matrix    f32  matrix   tf32     16      8   int8      4    GB/s
    {"NVIDIA GB300", "gb300", kN,       1.4,    1.4,    80,     80,  1250,  2500,  5000,   165, 15000,  8000},  // GB300 NVL72 data sheet, a 72nd
    {"NVIDIA B300", "b300", kN,        1.25,   1.25,    75,     75,  1125,  2250,  4500,   125, 13500,  8000},  // HGX B300 data sheet, an eighth
    {"NVIDIA GB200", "gb200", kN,        40,     40,    80,     80,  1250,  2500,  5000,  5000, 10000,  8000},  // GB200 NVL72 data sheet, a 72nd
    {"NVIDIA B200", "b200", kN,          37,     37,    75,     75,  1125,  2250,  4500,  4500,  9000,  8000},  // HGX B200 data sheet, an eighth
    {"NVIDIA B100", "b100", kN,          30,     30,    60,     60,   900,  1750,  3500,  3500,  7000,  8000},  // Blackwell architecture brief, HGX B100
    {"NVIDIA GH200 144G", "gh200 144g", kN, 34,   67,    67,     67,   494,   989,  1979,  1979,     0,  4900},  // GH200 data sheet, HBM3e
    {"NVIDIA GH200", "gh200", kN,        34,     67,    67,     67,   494,   989,  1979,  1979,     0,  4000},  // GH200 data sheet, HBM3
    {"NVIDIA H200 NVL", "h200 nvl", kN,  30,     60,    60,     60,   417,   835,  1671,  1671,     0,  4800},  // H200 data sheet
    {"NVIDIA H200", "h200", kN,          34,     67,    67,     67,   494,   989,  1979,  1979,     0,  4800},  // H200 data sheet
    {"NVIDIA H100 NVL", "h100 nvl", kN,  30,     60,    60,     60,   417,   835,  1671,  1671,     0,  3900},  // H100 data sheet
    {"NVIDIA H100 PCIe", "h100 pcie", kN, 26,    51,    51,     51,   378,   756,  1513,  1513,     0,  2000},  // H100 data sheet
    {"NVIDIA H100", "h100", kN,          34,     67,    67,     67,   494,   989,  1979,  1979,     0,  3350},  // H100 data sheet, SXM
    {"NVIDIA H800", "h800", kN,           1,      1,    67,     67,   494,   989,  1979,  1979,     0,  3350},  // H800 data sheet, SXM
    {"NVIDIA H20", "h20", kN,             1,      1,    44,     44,    74,   148,   296,   296,     0,  4000},  // H20 data sheet
    {"NVIDIA A100 80GB PCIe", "a100 80gb pcie", kN, 9.7, 19.5, 19.5, 19.5, 156, 312, 0,    624,     0,  1935},  // A100 data sheet
    {"NVIDIA A100 80GB", "a100 80gb", kN, 9.7, 19.5,  19.5,   19.5,   156,   312,     0,   624,     0,  2039},  // A100 data sheet, SXM
    {"NVIDIA A100", "a100", kN,         9.7,   19.5,  19.5,   19.5,   156,   312,     0,   624,     0,  1555},  // A100 data sheet, 40 GB
    {"NVIDIA A800", "a800", kN,         9.7,   19.5,  19.5,   19.5,   156,   312,     0,   624,     0,  2039},  // A800 data sheet, 80 GB
    {"NVIDIA A30", "a30", kN,           5.2,   10.3,  10.3,   10.3,    82,   165,     0,   330,     0,   933},  // A30 data sheet
    {"NVIDIA A40", "a40", kN,             0,      0,  37.4,   37.4,  74.8, 149.7,     0, 299.3,     0,   696},  // A40 data sheet
    {"NVIDIA RTX A6000", "rtx a6000", kN, 0,      0,  38.7,   38.7,  77.4, 154.8,     0, 309.7,     0,   768},  // RTX A6000 data sheet
    {"NVIDIA A10G", "a10g", kN,           0,      0,  31.5,   31.5,    35,    70,     0,   140,     0,   600},  // A10G data sheet
    {"NVIDIA A10", "a10", kN,             0,      0,  31.2,   31.2,  62.5,   125,     0,   250,     0,   600},  // A10 data sheet
    {"NVIDIA L40S", "l40s", kN,           0,      0,  91.6,   91.6,   183,   362,   733,   733,     0,   864},  // L40S data sheet
    {"NVIDIA L40", "l40", kN,             0,      0,  90.5,   90.5,  90.5,   181,   362,   362,     0,   864},  // L40 data sheet
    {"NVIDIA L4", "l4", kN,               0,      0,  30.3,   30.3,    60,   121,   242,   242,     0,   300},  // L4 data sheet, half of its sparse figures
    {"NVIDIA T4", "t4", kN,               0,      0,   8.1,    8.1,     0,    65,     0,   130,     0,   320},  // T4 data sheet
    {"Tesla V100S-PCIE", "v100s", kN,   8.2,    8.2,  16.4,   16.4,     0,   130,     0,     0,     0,  1134},  // V100 data sheet
    {"Tesla V100-PCIE", "v100 pcie", kN,  7,      7,    14,     14,     0,   112,     0,     0,     0,   900},  // V100 data sheet
    {"Tesla V100", "v100", kN,          7.8,    7.8,  15.7,   15.7,     0,   125,     0,     0,     0,   900},  // V100 data sheet, SXM2
    {"Tesla P100-PCIE", "p100 pcie", kN, 4.7,   4.7,   9.3,    9.3,     0,  18.7,     0,     0,     0,   732},  // P100 data sheet, 16 GB
    {"Tesla P100", "p100", kN,          5.3,    5.3,  10.6,   10.6,     0,  21.2,     0,     0,     0,   732},  // P100 data sheet, SXM2
    {"NVIDIA RTX PRO 6000 Blackwell", "rtx pro 6000", kN, 0, 0, 126, 126, 252, 504, 1008, 1008,  2015,  1792},  // RTX Blackwell PRO architecture paper
    {"NVIDIA RTX 6000 Ada", "rtx 6000 ada", kN, 0, 0, 91.1,   91.1,   182,   364,   728,   728,     0,   960},  // RTX 6000 Ada data sheet
    // GeForce: products with f32 sums, as XLA asks for them (half of the rate with f16 sums).
    {"NVIDIA GeForce RTX 5090", "rtx 5090", kN, 0, 0, 104.8, 104.8, 104.8, 209.5,   419,   838,  1676,  1792},  // RTX Blackwell architecture paper
    {"NVIDIA GeForce RTX 5080", "rtx 5080", kN, 0, 0,  56.3,  56.3,  56.3, 112.6, 225.1, 450.2, 900.4,   960},  // RTX Blackwell architecture paper
    {"NVIDIA GeForce RTX 4090", "rtx 4090", kN, 0, 0,  82.6,  82.6,  82.6, 165.2, 330.3, 660.6,     0,  1008},  // Ada architecture paper
    {"NVIDIA GeForce RTX 4080", "rtx 4080", kN, 0, 0,  48.7,  48.7,  48.7,  97.5, 194.9, 389.9,     0,   717},  // Ada architecture paper
    {"NVIDIA GeForce RTX 3090 Ti", "rtx 3090 ti", kN, 0, 0, 40, 40,    40,    80,     0,   320,     0,  1008},  // Ampere GA102 architecture paper
    {"NVIDIA GeForce RTX 3090", "rtx 3090", kN, 0, 0,  35.6,  35.6,  35.6,  71.2,     0, 284.7,     0,   936},  // Ampere GA102 architecture paper
    {"NVIDIA GeForce RTX 3080", "rtx 3080", kN, 0, 0,  29.8,  29.8,  29.8,  59.5,     0,   238,     0,   760},  // Ampere GA102 architecture paper
    {"NVIDIA GeForce RTX 3070", "rtx 3070", kN, 0, 0,  20.3,  20.3,  20.3,  40.6,     0, 162.6,     0,   448},  // Ampere GA102 architecture paper
    {"AMD Instinct MI355X", "mi355", kA, 78.6,  78.6, 157.3,  157.3,    0, 2516.6, 5033.2, 5033.2, 10066.3, 8000},  // MI355X data sheet
    {"AMD Instinct MI350X", "mi350", kA, 72.1,  72.1, 144.2,  144.2,    0, 2306.9, 4613.7, 4613.7,  9227.5, 8000},  // MI350X data sheet
    {"AMD Instinct MI325X", "mi325", kA, 81.7, 163.4, 163.4,  163.4, 653.7, 1307.4, 2614.9, 2614.9,     0,  6000},  // MI325X data sheet
    {"AMD Instinct MI300A", "mi300a", kA, 61.3, 122.6, 122.6, 122.6, 490.3,  980.6, 1961.2, 1961.2,     0,  5300},  // MI300A data sheet
    {"AMD Instinct MI300X", "mi300", kA, 81.7, 163.4, 163.4,  163.4, 653.7, 1307.4, 2614.9, 2614.9,     0,  5300},  // MI300X data sheet
    {"AMD Instinct MI250X", "mi250x", kA, 23.9, 47.9,  23.9,   47.9,     0,  191.5,      0,  191.5,     0,  1638},  // MI250X data sheet, one of two dies
    {"AMD Instinct MI250", "mi250", kA, 22.6,   45.3,  22.6,   45.3,     0,    181,      0,    181,     0,  1638},  // MI250 data sheet, one of two dies
    {"AMD Instinct MI210", "mi210", kA, 22.6,   45.3,  22.6,   45.3,     0,    181,      0,    181,     0,  1638},  // MI210 data sheet
    {"AMD Instinct MI100", "mi100", kA, 11.5,   11.5,  23.1,   46.1,     0,  184.6,      0,  184.6,     0,  1229},  // MI100 data sheet
    {"TPU v7", "tpu7", kG,                0,      0,     0,      0,     0, 1153.5, 2307,      0,     0,  3690},  // Cloud TPU documentation, half a chip
    {"TPU v7", "tpu v7", kG,              0,      0,     0,      0,     0, 1153.5, 2307,      0,     0,  3690},  // Cloud TPU documentation, half a chip
    {"TPU v7", "tpu v7x", kG,             0,      0,     0,      0,     0, 1153.5, 2307,      0,     0,  3690},  // Cloud TPU documentation, half a chip
    {"TPU v6e", "tpu v6", kG,             0,      0,     0,      0,     0,    918,    0,   1836,     0,  1640},  // Cloud TPU documentation
    {"TPU v6e", "tpu v6e", kG,            0,      0,     0,      0,     0,    918,    0,   1836,     0,  1640},  // Cloud TPU documentation
    {"TPU v5p", "tpu v5p", kG,            0,      0,     0,      0,     0,    459,    0,    918,     0,  2765},  // Cloud TPU documentation
    {"TPU v5e", "tpu v5e", kG,            0,      0,     0,      0,     0,    197,    0,    394,     0,   819},  // Cloud TPU documentation
    {"TPU v5e", "tpu v5 lite", kG,        0,      0,     0,      0,     0,    197,    0,    394,     0,   819},  // Cloud TPU documentation
    {"TPU v5p", "tpu v5", kG,             0,      0,     0,      0,     0,    459,    0,    918,     0,  2765},  // Cloud TPU documentation
    {"TPU v4", "tpu v4", kG,              0,      0,     0,      0,     0,    275,    0,    275,     0,  1228},  // Cloud TPU documentation
    {"TPU v3", "tpu v3", kG,              0,      0,     0,      0,     0,   61.5,    0,      0,     0,   450},  // Cloud TPU documentation, half a chip
    {"TPU v2", "tpu v2", kG,              0,      0,     0,      0,     0,     23,    0,      0,     0,   350},  // Cloud TPU documentation, half a chip
};
// clang-format on

}  // namespace

std::span<const KnownDevice> KnownDeviceTable() { return kTable; }

}  // namespace gait::analyze
