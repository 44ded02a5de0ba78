// MathTypeOf: in which data type an operation computes.
//
// Of a product (dot, convolution, GEMM, fused attention): the type of its operands, of a fusion those of the
// largest product inside. f32 products run as TF32 on NVIDIA devices that have it and as bf16 on a TPU,
// unless their precision says otherwise; captures give the precision of library calls (in their
// backend_config), not of fused products, which are taken to have the default one. Everything else runs on
// the vector units: in f64 where the result is f64, else in f32.
#pragma once

#include "gait/analyze/operations/operation_index.h"
#include "gait/analyze/operations/peaks.h"

namespace gait::analyze {

MathType MathTypeOf(const Operation& operation, const Peaks& peaks);

}  // namespace gait::analyze
