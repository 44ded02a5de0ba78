// MathTypeOf: the data type in which an operation computes.
//
// A product (dot, convolution, GEMM, fused attention) computes in the type of its operands, a fusion in the
// type of the largest product inside. f32 products run as TF32 on NVIDIA devices that have TF32, and as bf16
// on a TPU, unless their precision says otherwise. Captures give the precision of library calls (in their
// backend_config), but not of fused products: these are taken to have the default precision. Everything else
// runs on the vector units: in f64 where the result is f64, else in f32.
#pragma once

#include "gait/analyze/operations/operation_index.h"
#include "gait/analyze/operations/peaks.h"

namespace gait::analyze {

MathType MathTypeOf(const Operation& operation, const Peaks& peaks);

}  // namespace gait::analyze
