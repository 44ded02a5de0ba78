"""A corpus that needs no download: sentences from a small grammar, as bytes."""

import numpy as np

SUBJECTS = ("the compiler", "a kernel", "the optimizer", "the host", "a stream", "every device")
VERBS = ("fuses", "launches", "waits for", "copies", "reduces", "profiles", "overlaps", "measures")
OBJECTS = ("the gradients", "a matrix", "the next batch", "two buffers", "the weights", "the step")
ENDINGS = (".", " again.", " before the step ends.", " on the device.", " in one pass.")

VOCABULARY = 256


def make_corpus(length: int, seed: int = 0) -> np.ndarray:
    """At least `length` tokens; the same seed gives the same text."""
    rng = np.random.default_rng(seed)
    sentences: list[str] = []
    size = 0
    while size < length:
        words = (rng.choice(SUBJECTS), rng.choice(VERBS), rng.choice(OBJECTS))
        sentences.append(" ".join(words) + rng.choice(ENDINGS))
        size += len(sentences[-1]) + 1
    return np.frombuffer(" ".join(sentences).encode(), dtype=np.uint8)


def sample_batch(corpus: np.ndarray, rng: np.random.Generator, batch: int, context: int) -> np.ndarray:
    """`batch` random windows of `context` + 1 tokens, int32."""
    starts = rng.integers(0, len(corpus) - context - 1, size=batch)
    return np.stack([corpus[s : s + context + 1] for s in starts]).astype(np.int32)
