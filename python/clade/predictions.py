"""What models answer: labels with scores, and why."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from clade import _core
from clade._answers import Answers
from clade._runtime import settings
from clade.labels import no_labels

if TYPE_CHECKING:
    import pandas

__all__ = ["Explanation", "Explanations", "Predictions"]


class Predictions:
    """The labels of samples, best first, with their scores.

    Attributes
    ----------
    offsets : array of n_samples + 1
        The labels of sample i are those from offsets[i] up to offsets[i + 1].
    nodes : array
        The labels as numbers of nodes.
    scores : array
    """

    def __init__(
        self,
        arrays: tuple[Any, Any, Any],
        taxonomy: _core.Taxonomy,
        data: _core.Dataset,
        answers: Answers | None = None,
    ) -> None:
        self.offsets, self.nodes, self.scores = arrays
        self._taxonomy = taxonomy
        self._names = taxonomy.names()
        self._data = data
        self._answers = Answers() if answers is None else answers

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, sample: int) -> list[tuple[Any, float]]:
        """The labels of a sample with their scores."""
        if not -len(self) <= sample < len(self):
            raise IndexError("no such sample")
        begin, end = self.offsets[sample % len(self)], self.offsets[sample % len(self) + 1]
        labels = [self._answers.label(self._names[node]) for node in self.nodes[begin:end]]
        return list(zip(labels, self.scores[begin:end].tolist()))

    def __iter__(self) -> Iterator[list[tuple[Any, float]]]:
        return (self[sample] for sample in range(len(self)))

    def __repr__(self) -> str:
        return f"Predictions({len(self)} samples, {len(self.nodes)} labels)"

    @property
    def labels(self) -> Any:
        """An array of one label per sample, or a list of lists."""
        return self._answers.decode(self._names, self.offsets, self.nodes)

    @property
    def sample_names(self) -> list[str]:
        return self._data.sample_names() or [str(sample) for sample in range(len(self))]

    def to_frame(self) -> pandas.DataFrame:
        """The columns of a file of predictions: sample, rank, label and score."""
        import pandas

        counts = np.diff(self.offsets)
        first = np.repeat(self.offsets[:-1], counts)
        return pandas.DataFrame(
            {
                "sample": np.repeat(np.array(self.sample_names, dtype=object), counts),
                "rank": np.arange(len(self.nodes)) - first + 1,
                "label": [self._answers.label(self._names[node]) for node in self.nodes],
                "score": self.scores,
            }
        )

    def write(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Writes the file that `clade evaluate --predictions` reads."""
        # The file names nodes of the data's hierarchy.
        labels = no_labels(len(self))
        data = self._data.relabelled(self._taxonomy, labels.core())
        arrays = (self.offsets, self.nodes, self.scores)
        _core.write_predictions(arrays, data, os.fspath(path), overwrite, settings())

    def _repr_html_(self) -> str:
        from clade.html import table

        shown = [
            (name, label, score)
            for name, answers in zip(self.sample_names[:10], self)
            for label, score in answers
        ]
        return table(["sample", "label", "score"], shown, repr(self))


class Explanation:
    """Why a sample got its label: the steps down the hierarchy, with what decided at each.

    Attributes
    ----------
    sample : str
    label : str
    score : float or None
    steps : list of dict
        As in `clade predict --explain --json`: node, child, rival, probability (None if the model has none), margin,
        and reasons (features with their value and their contribution to the margin) or examples (training samples of a
        model with a kernel).
    """

    def __init__(self, document: dict[str, Any], text: str) -> None:
        self.sample: str = document["sample"]
        self.label: str = document["label"]
        self.score: float | None = document["score"]
        self.steps: list[dict[str, Any]] = document["steps"]
        self._text = text

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"Explanation(sample {self.sample!r}, label {self.label!r})"

    def _repr_html_(self) -> str:
        from clade.html import preformatted

        return preformatted(self._text)

    def to_frame(self) -> pandas.DataFrame:
        """A row per reason: the step, and the feature or the training sample that counted there."""
        import pandas

        rows = []
        for number, step in enumerate(self.steps, 1):
            base = {"step": number, "node": step["node"], "child": step["child"], "rival": step["rival"]}
            for reason in step["reasons"]:
                rows.append({**base, **reason})
            for example in step["examples"]:
                rows.append({**base, "training_sample": example["sample"], **_without(example, "sample")})
        return pandas.DataFrame(rows)


def _without(values: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in values.items() if key != name}


class Explanations(list[Explanation]):
    """The explanations of some samples, one for each label; print and notebooks show them one below the other."""

    @classmethod
    def of(cls, answer: tuple[str, Sequence[str]]) -> Explanations:
        """From what the library says: a document, and a text for each."""
        document, texts = answer
        return cls(Explanation(one, text) for one, text in zip(json.loads(document)["explanations"], texts))

    def __str__(self) -> str:
        return "".join(str(explanation) for explanation in self)

    def to_frame(self) -> pandas.DataFrame:
        """Those of all samples, with a column that names the sample."""
        import pandas

        frames = []
        for explanation in self:
            frame = explanation.to_frame()
            frame.insert(0, "sample", explanation.sample)
            frame.insert(1, "label", explanation.label)
            frames.append(frame)
        return pandas.concat(frames, ignore_index=True) if frames else pandas.DataFrame()

    def _repr_html_(self) -> str:
        return "".join(explanation._repr_html_() for explanation in self)


def node_matrix_frame(
    scores: npt.NDArray[np.float64], names: Sequence[str], samples: Sequence[str] | None
) -> pandas.DataFrame:
    import pandas

    return pandas.DataFrame(scores, columns=list(names), index=None if samples is None else list(samples), copy=False)
