// The cells of one sequence at one step on one thread, once for each vector width.
#pragma once

#include "tensor/matrix.hpp"

namespace headwater::kernels {

// Pointers to H numbers, to G·H (gates, x, product and their gradients).
struct LstmRow {
  const float* x;
  const float* product;  // h·w
  float* gates;          // may be x
  float* c;              // in: before; out: after
  float* h;              // out
};
struct LstmGradientRow {
  const float* gates;
  const float* c;           // after
  const float* previous_c;  // null: 0
  const float* dy;
  const float* dproduct;  // of h·w at the next step, times wᵀ
  float* dc;              // in: of c after; out: of c before
  float* dx;
};
struct GruRow {
  const float* x;
  const float* product;  // h·w + b
  float* gates;          // may be x
  float* h;              // in: before; out: after
  float* inner;          // out
};
struct GruGradientRow {
  const float* gates;
  const float* inner;
  const float* previous;  // h; null: 0
  const float* dy;
  const float* dproduct;
  float* dh;      // in and out: what flows past the products
  float* dx;      // out
  float* dgates;  // out: of the products, as dx but for the candidate's columns
};

// A row of the simpler simple recurrent unit. Each pointer is to H numbers.
struct SsruRow {
  const float* x;
  const float* gate;
  const float* previous;  // c before; null: 0
  float* f;               // out; may be gate
  float* c;               // out; may be previous
  float* h;               // out
};
struct SsruGradientRow {
  const float* x;
  const float* f;
  const float* previous;  // c before; null: 0
  const float* c;         // after
  const float* dh;
  float* dc;     // in: of c after, from the next token; out: of c before
  float* dx;     // out
  float* dgate;  // out
};

struct RecurrentTable {
  void (*lstm)(Index H, const LstmRow& row);
  void (*lstm_backward)(Index H, const LstmGradientRow& row);
  void (*gru)(Index H, const GruRow& row);
  void (*gru_backward)(Index H, const GruGradientRow& row);
  // With the reset before: z, r and inner = r*h; then, of the product inner·w_n, n and h.
  void (*gru_gates)(Index H, const GruRow& row);
  void (*gru_candidate)(Index H, const GruRow& row);
  // Back: of z and n; then, dproduct being that of inner, of r.
  void (*gru_candidate_backward)(Index H, const GruGradientRow& row);
  void (*gru_gates_backward)(Index H, const GruGradientRow& row);
  void (*ssru)(Index H, const SsruRow& row);
  void (*ssru_backward)(Index H, const SsruGradientRow& row);
};

}  // namespace headwater::kernels
