"""FLOPs of a transformer by its sizes, and what share of the devices' peak they are (MFU)."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from gait import _native
from gait._messages import OptionError
from gait.compat._lines import tell

FLOPS_PER_PARAMETER = 6  # and token: 2 forward, 4 backward


def _peak_of_one_device(mixed: bool) -> float | None:
    import jax

    peaks = _native.peak_flops(jax.local_devices()[0].device_kind)
    names = ("bf16",) if mixed else ("tf32", "f32", "bf16")
    return next((peaks[name] for name in names if name in peaks), None)


def detect_device_flops() -> float | None:
    """FLOP/s in bf16 of one device of the kind that this process has; None: no data sheet of it in gait."""
    return _peak_of_one_device(mixed=True)


class FLOPCounter:
    """FLOPs by the rule of 6 per parameter and token, and in detail by the sizes of the model.

    `peak_flops` is that of all devices together, as tokens a second are; found by itself when not given, None
    where gait knows no data sheet. MFU is nan then, in percent otherwise.
    """

    def __init__(
        self,
        num_params: int,
        model_dims: int | None,
        num_layers: int | None,
        num_heads: int | None,
        vocab_size: int | None,
        peak_flops: float | None = None,
        use_mixed_precision: bool = True,
    ):
        self.num_params = num_params
        self.model_dims = model_dims
        self.num_layers = num_layers
        self.num_heads = num_heads
        self.vocab_size = vocab_size
        self.use_mixed_precision = use_mixed_precision
        self.peak_flops = peak_flops
        if peak_flops is None:
            import jax

            peak = _peak_of_one_device(use_mixed_precision)
            self.peak_flops = None if peak is None else peak * jax.device_count()

    def estimate_flops_per_token(self) -> float:
        """Forward and backward."""
        return float(FLOPS_PER_PARAMETER * self.num_params)

    def estimate_flops_per_batch(self, batch_size: int, seq_len: int) -> float:
        return self.estimate_flops_per_token() * batch_size * seq_len

    def estimate_detailed_flops(self, batch_size: int, seq_len: int) -> dict[str, float]:
        """Of a batch, by part; attention grows with the square of the sequence, which 6N leaves out."""
        if self.model_dims is None or self.num_layers is None or self.vocab_size is None:
            raise OptionError("the detailed count needs model_dims, num_layers and vocab_size.")
        tokens = batch_size * seq_len
        dims = self.model_dims
        projections = 2.0 * 4 * dims * dims * tokens * self.num_layers
        scores = 2.0 * 2 * seq_len * dims * tokens * self.num_layers
        mlp = 2.0 * 2 * 4 * dims * dims * tokens * self.num_layers  # four times as wide inside
        logits = 2.0 * dims * self.vocab_size * tokens
        forward = projections + scores + mlp + logits
        return {
            "attention": projections + scores,
            "attention_projections": projections,
            "attention_scores": scores,
            "mlp": mlp,
            "logits": logits,
            "forward": forward,
            "backward": 2 * forward,
            "total": 3 * forward,
        }

    def compute_achieved_flops(self, tokens_per_sec: float) -> float:
        """FLOP/s."""
        return self.estimate_flops_per_token() * tokens_per_sec

    def compute_mfu(self, tokens_per_sec: float, batch_size: int = 1, seq_len: int = 1) -> float:
        """Percent of the peak; nan where the peak is unknown. `tokens_per_sec` are those of all devices."""
        if not self.peak_flops:
            return math.nan
        return 100 * self.compute_achieved_flops(tokens_per_sec) / self.peak_flops

    def print_summary(self, batch_size: int, seq_len: int, tokens_per_sec: float) -> None:
        tell("📈 FLOP statistics")
        tell(f"   Parameters:       {self.num_params:,}")
        tell(f"   FLOPs per token:  {self.estimate_flops_per_token():.3e}")
        tell(f"   FLOPs per batch:  {self.estimate_flops_per_batch(batch_size, seq_len):.3e}")
        tell(f"   Tokens per s:     {tokens_per_sec:,.1f}")
        tell(f"   Achieved:         {self.compute_achieved_flops(tokens_per_sec) / 1e12:.3f} TFLOP/s")
        if self.peak_flops:
            tell(f"   Peak:             {self.peak_flops / 1e12:.1f} TFLOP/s")
            tell(f"   MFU:              {self.compute_mfu(tokens_per_sec):.2f} %")
        else:
            tell("   MFU:              unknown: gait has no data sheet of this device; give peak_flops=")


def estimate_model_flops(params: Any, batch: Any, apply_fn: Callable[[Any, Any], Any]) -> float:
    """FLOPs of apply_fn(params, batch), once, as XLA counts them; nan where it does not.

    For the CPU where there is one: a GPU's compiler counts none before it has compiled.
    """
    import jax

    arguments = jax.eval_shape(
        lambda *given: given, params, batch
    )  # arrays would take the program to their device
    try:
        host = jax.local_devices(backend="cpu")[0]
    except RuntimeError:  # JAX_PLATFORMS=cuda
        host = None
    with jax.default_device(host):
        cost = jax.jit(apply_fn).lower(*arguments).cost_analysis()
    cost = cost[0] if isinstance(cost, (list, tuple)) and cost else cost
    return float(cost.get("flops", math.nan)) if isinstance(cost, dict) else math.nan


_NAMES = {
    "model_dims": "model_dims model_dim hidden_size d_model dim n_embd embed_dim hidden_dim".split(),
    "num_layers": "num_layers num_hidden_layers n_layers n_layer layers depth".split(),
    "num_heads": "num_heads num_attention_heads n_heads n_head heads".split(),
    "vocab_size": "vocab_size vocabulary vocabulary_size n_vocab num_embeddings".split(),
}


def _size(model: Any, name: str) -> int | None:
    """From the model or its configuration, under any of the names that such things have."""
    for owner in (model, getattr(model, "config", None), getattr(model, "cfg", None)):
        for candidate in _NAMES[name]:
            value = getattr(owner, candidate, None)
            if isinstance(value, int) and not isinstance(value, bool):
                return value
    return None


class _Series:
    """Parameters with numbers in their paths, by what stands before the number."""

    def __init__(self) -> None:
        self._trees: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))

    def add(self, before: str, number: int, below: str) -> None:
        self._trees[before][number].add(below)

    def layers(self) -> int:
        """Series of like trees are layers one after the other (an encoder's and a decoder's); others of one length are
        parts of the same layers."""
        alike = Counter((len(one), frozenset(next(iter(one.values())))) for one in self._trees.values())
        in_a_row: dict[int, int] = defaultdict(int)
        for (length, tree), count in alike.items():
            in_a_row[length] = max(in_a_row[length], count if any(tree) else 1)
        return sum(length * count for length, count in in_a_row.items())


def _layers_of(paths: Iterable[str]) -> int | None:
    """How many layers parameters have: numbers behind a word such as layer or block in their paths."""
    pattern = re.compile(r"(?:layers?|blocks?|\bh)\W*_?(\d+)(?:['\"]?\])?", re.IGNORECASE)
    series = _Series()
    for path in paths:
        if found := pattern.search(path):
            series.add(path[: found.start(1)], int(found[1]), path[found.end() :])
    return series.layers() or None


def _listed(leaves: Sequence[tuple[tuple[Any, ...], Any]]) -> int | None:
    """How many layers parameters have that lie in lists, or in dictionaries by number: the outermost ones of several
    parts. A part is a tree or a matrix: weight and bias in a tuple are one layer."""
    import jax

    for depth in range(max((len(path) for path, _ in leaves), default=0)):
        series = _Series()
        for path, leaf in leaves:
            if len(path) <= depth or not (len(path) > depth + 1 or len(getattr(leaf, "shape", ())) > 1):
                continue
            index = getattr(path[depth], "idx", getattr(path[depth], "key", None))
            if isinstance(index, int):
                keystr = jax.tree_util.keystr
                series.add(keystr(path[:depth]), index, keystr(path[depth + 1 :]))
        if (layers := series.layers()) > 1:
            return layers
    return None


def create_flop_counter_from_model(
    model: Any, params: Any, batch_size: int = 16, seq_len: int = 128, peak_flops: float | None = None
) -> FLOPCounter:
    """A counter for `params`, with the sizes that the model, its configuration or its parameters tell."""
    import jax

    leaves = jax.tree_util.tree_leaves_with_path(params)
    count = sum(math.prod(getattr(leaf, "shape", ())) for _, leaf in leaves)
    layers = _size(model, "num_layers")
    if layers is None:
        layers = _layers_of(jax.tree_util.keystr(path) for path, _ in leaves)
    if layers is None:
        layers = _listed(leaves)
    return FLOPCounter(
        num_params=count,
        model_dims=_size(model, "model_dims"),
        num_layers=layers,
        num_heads=_size(model, "num_heads"),
        vocab_size=_size(model, "vocab_size"),
        peak_flops=peak_flops,
    )
