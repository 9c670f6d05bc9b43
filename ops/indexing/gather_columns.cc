#include "elements/dispatch.h"
#include "gemm/constant_matrices.h"
#include "gemm/panels.h"
#include "indexing/indices.h"
#include "infer/infer.h"
#include "kernels/gemm.h"
#include "kernels/kernels_for.h"
#include "partition/parallel.h"
#include "registration.h"

namespace linnet {
namespace {

/// Where the columns of a matrix are stored.
struct ColumnPlaces {
  int64_t depth = 0, columns = 0;
  std::optional<GemmPanels> panels{};  ///< nullopt: row-major.

  PackedColumn of(int64_t column) const {
    return panels ? packed_column(*panels, column, depth) : PackedColumn{column, columns};
  }
};

/// y[i, :] = w[:, indices[i]]
template <class T>
class GatherColumnsKernel final : public Kernel {
 public:
  /// packed: w in the layout of places.panels, if that is set.
  GatherColumnsKernel(const ColumnPlaces& places, Tensor packed) : places_(places), packed_(std::move(packed)) {}

  void run(KernelContext& context) const override {
    const Indices indices(context.input(0));
    check_indices(indices, places_.columns, 1);
    const T* w = static_cast<const T*>(packed_ ? packed_.raw() : context.input(1).raw());
    T* y = static_cast<T*>(context.output(0).raw());
    const int64_t depth = places_.depth;
    parallel_items(context.executor(), indices.size(), depth, [&](int64_t i, int64_t end, int) {
      for (; i < end; ++i) {
        const PackedColumn column = places_.of(indices.wrapped(i, places_.columns));
        for (int64_t k = 0; k < depth; ++k) y[i * depth + k] = w[column.begin + k * column.pitch];
      }
    });
  }

  bool reads(int input) const override { return input != 1 || !packed_; }
  std::string describe() const override { return packed_ ? "from the weights of a product" : ""; }

 private:
  ColumnPlaces places_;
  Tensor packed_;
};

/// GatherColumns, in the internal domain "linnet": the columns of a matrix that `indices` specifies, each as a row. A
/// constant matrix is read in the layout that MatMul packs it into, so that both share one copy.
/// indices: int32/int64 in [-n, n), checked when the model runs.
/// w: float32, float16 or bfloat16 [k, n].
/// output: [dims of indices, k], w's dtype.
class GatherColumns final : public Op {
 public:
  explicit GatherColumns(const NodeSpec&) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 2, 2);
    require_dtype_in(in[0], kIndexTypes, "indices");
    require_weights(in[1], "w");
    require_rank(in[1], 2, "w");
    if (!in[0].has_rank()) return {Fact(in[1].dtype, std::nullopt)};
    Dims dims = *in[0].dims;
    dims.push_back(in[1].has_rank() ? in[1].dim(0) : Dim());
    return {Fact(in[1].dtype, dims)};
  }

  Precision computes_in(std::span<const Fact>) const override { return Precision::kAny; }

  KernelPtr compile(const CompileInput& in) const override {
    if (const Tensor* w = in.constant(1); w && !multiplies_bfloat16(in)) {
      if (KernelPtr kernel = with_weights_of(in, 1, [&]<class Type>() { return of_product<Type>(*w, in); })) {
        return kernel;
      }
    }
    const ColumnPlaces places{in.shape(1)[0], in.shape(1)[1]};
    return dispatch_width(in.dtype(1), [&]<class T>() -> KernelPtr {
      return std::make_unique<GatherColumnsKernel<T>>(places, Tensor());
    });
  }

 private:
  /// Returns nullptr if products do not pack w in its own dtype.
  template <class Type>
  static KernelPtr of_product(const Tensor& w, const CompileInput& in) {
    using B = typename Type::B;
    if (w.dtype() != dtype_of<B>) return nullptr;
    MatrixProduct product;
    product.k = w.dim(0);
    product.n = w.dim(1);
    const GemmPanels panels = choose_panels(kernels_for<GemmKernels<Type>>(in.isa()), product.n, product.k);
    return std::make_unique<GatherColumnsKernel<B>>(ColumnPlaces{product.k, product.n, panels},
                                                    packed_matrices<Type>(product, panels, w, in));
  }
};

}  // namespace

LINNET_REGISTER(gather_columns)(Registry& registry) {
  registry.add<GatherColumns>("GatherColumns", {.since = 1, .domain = kInternalDomain});
}

}  // namespace linnet
