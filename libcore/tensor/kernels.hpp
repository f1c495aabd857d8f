// Every kernel, a folder a topic: an operation of autograd uses several of them. A folder holds the interface
// with shapes and sources, how the work is cut into tasks, the functions that an instruction set provides
// (*_table.hpp) and their vector code (simd_*.cpp, compiled once for each), and the naive form.
//
// In the float build results have the same bits whatever the tiles, the vector width and the number of
// threads (libcore/README.md); in the double build the kernels are the naive ones.
//
// "accumulate" adds the finished sum to what is there; otherwise the output is overwritten. Outputs never
// alias inputs unless it says so. All kernels parallelise inside through parallel_for.
#pragma once

#include "tensor/kernels/activation/activation.hpp"                  // IWYU pragma: export
#include "tensor/kernels/additive_attention/additive_attention.hpp"  // IWYU pragma: export
#include "tensor/kernels/argmax/argmax.hpp"                          // IWYU pragma: export
#include "tensor/kernels/attention/attention.hpp"                    // IWYU pragma: export
#include "tensor/kernels/convolution/convolution.hpp"                // IWYU pragma: export
#include "tensor/kernels/dropout/dropout.hpp"                        // IWYU pragma: export
#include "tensor/kernels/elementwise/elementwise.hpp"                // IWYU pragma: export
#include "tensor/kernels/embedding/embedding.hpp"                    // IWYU pragma: export
#include "tensor/kernels/fourier/fourier.hpp"                        // IWYU pragma: export
#include "tensor/kernels/gemm/gemm.hpp"                              // IWYU pragma: export
#include "tensor/kernels/isa.hpp"                                    // IWYU pragma: export
#include "tensor/kernels/loss/loss.hpp"                              // IWYU pragma: export
#include "tensor/kernels/norm/norm.hpp"                              // IWYU pragma: export
#include "tensor/kernels/optimizer/optimizer.hpp"                    // IWYU pragma: export
#include "tensor/kernels/pooling/pooling.hpp"                        // IWYU pragma: export
#include "tensor/kernels/recurrent/recurrent.hpp"                    // IWYU pragma: export
#include "tensor/kernels/recurrent/simple_recurrent.hpp"             // IWYU pragma: export
#include "tensor/kernels/reduction/reduction.hpp"                    // IWYU pragma: export
#include "tensor/kernels/rotary/rotary.hpp"                          // IWYU pragma: export
