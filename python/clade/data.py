"""Data sets: from arrays without a copy, from files of every format, from texts and frames."""

from __future__ import annotations

import html
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterable, Sequence, Union

import numpy as np
import numpy.typing as npt
import scipy.sparse

from clade import _core
from clade._answers import Answers
from clade._arrays import dataset_of, unmasked
from clade._core import Dataset as CoreDataset
from clade._core import Taxonomy as CoreTaxonomy
from clade._options import sorted_options
from clade._persist import scratch_file
from clade._runtime import logger, seed_of, settings, texts_of
from clade._tables import (
    column_options,
    is_frame,
    label_columns,
    read_frame,
    read_texts,
    text_field,
)
from clade.labels import ParsedLabels, core_taxonomy, parse_labels

if TYPE_CHECKING:
    import pandas

    from clade.taxonomy import Taxonomy

__all__ = ["Dataset", "read_data", "read_taxonomy", "synthetic_data", "synthetic_text", "wordnet_corpus"]

PathLike = Union[str, "os.PathLike[str]"]


def shown_taxonomy(taxonomy: _core.Taxonomy) -> Taxonomy:
    from clade.taxonomy import Taxonomy

    return Taxonomy.of(taxonomy)


def matrix_of(core: _core.Dataset) -> Any:
    """The features of all samples: an array or compressed rows, without a copy unless they are some of many rows."""
    parts = core.base_matrix()
    if isinstance(parts, tuple):
        offsets, columns, values = parts
        matrix: Any = scipy.sparse.csr_matrix(
            (values, columns, offsets), shape=(len(offsets) - 1, core.features), copy=False
        )
    else:
        matrix = parts
    rows = core.rows()
    return matrix if rows is None else matrix[rows]


class Dataset:
    """Samples with features and labels over a hierarchy.

    Parameters
    ----------
    X : array, sparse matrix or frame of numbers of shape (n_samples, n_features)
        The features. Arrays of doubles or floats, row by row, and compressed rows (CSR) are used where they are: they
        must not change afterwards. A frame gives the names of the features, too.
    y : labels, optional
        A label per sample, sets of labels, or rows of levels; see `label_layout`.
    taxonomy : Taxonomy, edges, paths, graph or file name, optional
        The hierarchy of the labels. Without it, paths and levels make one; other labels are flat.
    feature_names, sample_names : sequences of str, optional
    label_layout : {'auto', 'names', 'sets', 'levels'}, default='auto'
    path_separator : str, optional
        Between the parts of labels that are paths.

    Examples
    --------
    >>> data = Dataset([[0.0, 1.0], [1.0, 0.0]], ["cat", "dog"], feature_names=["barks", "purrs"])
    >>> len(data), data.feature_names, data.y.tolist()
    (2, ['barks', 'purrs'], ['cat', 'dog'])
    >>> data[data.y == "dog"].X
    array([[1., 0.]])
    """

    _core: CoreDataset
    _answers: Answers

    def __init__(
        self,
        X: Any,
        y: Any = None,
        taxonomy: Any = None,
        *,
        feature_names: Sequence[str] | None = None,
        sample_names: Sequence[str] | None = None,
        label_layout: str = "auto",
        path_separator: str | None = None,
    ) -> None:
        if is_frame(X):
            feature_names = [str(name) for name in X.columns] if feature_names is None else feature_names
            X = X.to_numpy(dtype=np.float64)
        elif not scipy.sparse.issparse(X):
            X = np.asarray(unmasked(X))
        if X.ndim != 2:
            raise ValueError(f"X has {X.ndim} dimensions; expected 2: samples and features")
        labels = None if y is None else parse_labels(y, core_taxonomy(taxonomy), label_layout, path_separator)
        self._core = dataset_of(X, labels, feature_names, sample_names)
        self._answers = Answers() if labels is None else Answers.of_parsed(labels)
        self._report: dict[str, Any] = {}

    @classmethod
    def _of(cls, core: CoreDataset, answers: Answers | None = None, report: dict[str, Any] | None = None) -> Dataset:
        data = cls.__new__(cls)
        data._core = core
        data._answers = Answers() if answers is None else answers
        data._report = {} if report is None else report
        return data

    @classmethod
    def from_texts(
        cls,
        texts: Iterable[str],
        y: Any = None,
        taxonomy: Any = None,
        *,
        label_layout: str = "auto",
        path_separator: str | None = None,
        n_jobs: int | None = None,
        **options: Any,
    ) -> Dataset:
        """Texts, whose words become features: a table with one column of text (docs/formats/text.md).

        Parameters
        ----------
        texts : iterable of str
            The column is named as a series is, or "text".
        y, taxonomy, label_layout
            As for a data set of numbers.
        path_separator : str, optional
            Between the parts of labels that are paths. None: recognised as in files; '': labels are no paths.
        options
            Those of the command line about raw text, such as `stem="english"` or `word_runs=2`.
        """
        field = text_field(texts)
        texts = list(texts)
        tree = core_taxonomy(taxonomy)
        separator = path_separator if tree is None else ""
        labels = None if y is None else label_columns(y, label_layout, separator, [field])
        how = texts_of({"missing": "keep", **options})
        core, report = read_texts(texts, labels, how, settings(n_jobs), field=field)
        return cls._read(core, report, labels, y, tree, label_layout)

    @classmethod
    def from_frame(
        cls,
        frame: pandas.DataFrame,
        y: Any = None,
        taxonomy: Any = None,
        *,
        label_layout: str = "auto",
        path_separator: str | None = None,
        n_jobs: int | None = None,
        **options: Any,
    ) -> Dataset:
        """A table with columns of text, numbers, categories and dates, understood as in files (docs/formats/tables.md).

        Parameters
        ----------
        frame : pandas.DataFrame
        y : labels, the name of the column that has them, or the names of the columns of their levels
        taxonomy, label_layout
            As for a data set of numbers.
        path_separator : str, optional
            Between the parts of labels that are paths. None: recognised as in files; '': labels are no paths.
        options
            Those of the command line about tables, such as `text_columns=["title"]`.
        """
        if isinstance(y, str) or _names_columns(y, frame):
            named = y
            y = frame[named]
            frame = frame.drop(columns=[named] if isinstance(named, str) else named)
        tree = core_taxonomy(taxonomy)
        separator = path_separator if tree is None else ""
        taken = [str(name) for name in frame.columns]
        labels = None if y is None else label_columns(y, label_layout, separator, taken)
        how = texts_of(column_options(frame, {"missing": "keep", **options}))
        core, report = read_frame(frame, labels, how, settings(n_jobs))
        return cls._read(core, report, labels, y, tree, label_layout)

    @classmethod
    def _read(
        cls, core: CoreDataset, report: dict[str, Any], labels: Any, y: Any, tree: CoreTaxonomy | None, layout: str
    ) -> Dataset:
        if labels is None:
            return cls._of(core, None, report)
        if tree is None:
            return cls._of(core, Answers.of_columns(labels, core), report)
        parsed = parse_labels(y, tree, layout)
        return cls._of(core.relabelled(tree, parsed.core()), Answers.of_parsed(parsed), report)

    @property
    def X(self) -> Any:
        """The features: an array, or a `scipy.sparse.csr_matrix`, without a copy. Some samples of a set are copied."""
        return matrix_of(self._core)

    @property
    def y(self) -> Any:
        """The labels: an array of one per sample, a list of lists, or an array of rows of levels."""
        offsets, nodes = self._core.labels()
        return self._answers.decode(self._core.taxonomy.names(), offsets, nodes)

    @property
    def taxonomy(self) -> Taxonomy:
        return shown_taxonomy(self._core.taxonomy)

    @property
    def feature_names(self) -> list[str] | None:
        return self._core.feature_names()

    @property
    def sample_names(self) -> list[str] | None:
        return self._core.sample_names()

    @property
    def shape(self) -> tuple[int, int]:
        return self._core.samples, self._core.features

    @property
    def notes(self) -> list[str]:
        """What reading found, repaired or skipped."""
        return list(self._report.get("notes", []))

    @property
    def missing_values(self) -> int:
        matrix = self.X
        return int(np.isnan(matrix.data if self._core.is_sparse else matrix).sum())

    def __len__(self) -> int:
        return self._core.samples

    def __repr__(self) -> str:
        kind = "sparse" if self._core.is_sparse else "dense"
        nodes = len(self._core.taxonomy)
        return f"Dataset({len(self)} samples, {self._core.features} features, {kind}, {nodes} nodes)"

    def _repr_html_(self) -> str:
        rows = [
            ("samples", f"{len(self):,}"),
            ("features", f"{self._core.features:,}, {'sparse' if self._core.is_sparse else 'dense'}"),
            ("hierarchy", f"{len(self._core.taxonomy):,} nodes, {self._core.taxonomy.levels} levels"),
            *(("note", note) for note in self.notes),
        ]
        cells = "".join(f"<tr><th>{name}</th><td>{html.escape(text)}</td></tr>" for name, text in rows)
        return f"<table><caption>Dataset</caption>{cells}</table>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Dataset):
            return NotImplemented
        return not self._core.difference(other._core)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> Any:
        if self._core.is_text:
            # Its words, from which training learns anew, would be lost.
            raise TypeError("data with words cannot be pickled; expected the texts, or a file of them")
        parts = (self.X, self.taxonomy, *self._core.labels(), self.feature_names, self.sample_names)
        return _from_parts, (parts, self._answers, self._report)

    def difference(self, other: Dataset) -> str:
        """The first thing in which two data sets differ, in words; empty if they are equal."""
        return self._core.difference(other._core) or ""

    def subset(self, samples: Any) -> Dataset:
        """Some of the samples, by numbers or a mask, in the given order; their features are shared."""
        rows = np.asarray(samples)
        if rows.dtype == bool:
            if rows.shape != (len(self),):
                raise IndexError(f"a mask of {rows.size} for {len(self)} samples; expected as many")
            rows = np.flatnonzero(rows)
        if rows.ndim != 1 or (rows.size > 0 and rows.dtype.kind not in "iu"):
            raise IndexError("samples are chosen by whole numbers, a slice or a mask; expected one of them")
        numbers = rows.astype(np.int64)
        numbers = np.where(numbers < 0, numbers + len(self), numbers)
        return self._of(self._core.subset(np.ascontiguousarray(numbers)), self._answers, self._report)

    def __getitem__(self, samples: Any) -> Dataset:
        if isinstance(samples, slice):
            return self.subset(np.arange(*samples.indices(len(self))))
        return self.subset([samples] if isinstance(samples, (int, np.integer)) else samples)

    def split(
        self, test_share: float = 0.2, *, groups: Any = None, times: Any = None, random_state: Any = None
    ) -> tuple[Dataset, Dataset]:
        """A training and a test part, as `clade split` divides a file.

        Parameters
        ----------
        test_share : float, default=0.2
        groups : array, optional
            Samples of one group stay together.
        times : array, optional
            The latest samples are the test part.
        random_state : int, optional
        """
        if groups is not None and times is not None:
            raise ValueError("both groups and times; expected one of them")
        train, test = _core.split(
            self._core, test_share, seed_of(random_state), _numbered(groups, len(self)), _numbered(times, len(self))
        )
        return self.subset(train), self.subset(test)

    def folds(self, k: int = 10, *, groups: Any = None, random_state: Any = None) -> npt.NDArray[np.int64]:
        """The fold of every sample, 0 to k - 1: stratified by class, or with the samples of a group together."""
        found = _core.folds(self._core, k, seed_of(random_state), _numbered(groups, len(self)))
        return found.astype(np.int64)

    def subsample(self, per_class: int, *, random_state: Any = None) -> Dataset:
        """At most so many samples of every class, drawn at random."""
        return self.subset(_core.subsample(self._core, per_class, seed_of(random_state)))

    def prepare(
        self,
        *,
        subtree: str = "",
        single_labels: bool = False,
        without_duplicates: bool = False,
        merge_below: int = 0,
        n_jobs: int | None = None,
    ) -> Dataset:
        """Some of the samples, or other labels: what `clade split` keeps of a file (docs/split.md).

        Parameters
        ----------
        subtree : str
            Only samples at or below this node.
        single_labels : bool
            Only samples with exactly one label.
        without_duplicates : bool
            Of samples with the same features, the first.
        merge_below : int
            Classes with fewer samples become part of their parents.
        """
        core, notes = self._core.prepare(subtree, single_labels, without_duplicates, merge_below, settings(n_jobs))
        for note in notes:
            logger.info(note)
        return self._of(core, self._answers, {**self._report, "notes": [*self.notes, *notes]})

    def write(
        self, path: PathLike, *, taxonomy: PathLike | None = None, overwrite: bool = False, **options: Any
    ) -> list[str]:
        """Writes a file that every command reads; what its format cannot hold goes to a file beside it.

        Parameters
        ----------
        path : str or path
            The ending tells the format, unless the option `to` names it.
        taxonomy : str or path, optional
            Also write the hierarchy to this file.
        overwrite : bool, default=False
        options
            Those of `clade convert`, such as `to="libsvm"`.

        Returns
        -------
        list of str
            The files written.
        """
        how = texts_of({"force": overwrite, **options})
        tree = "" if taxonomy is None else os.fspath(taxonomy)
        return _core.write_data(self._core, os.fspath(path), tree, how, settings())

    def summary(self, *, n_jobs: int | None = None) -> dict[str, Any]:
        """What the data set holds and what is odd about it: the report of `clade info --json`."""
        text = self._core.summary(settings(n_jobs), self._report.get("format", ""), self.notes)
        found: dict[str, Any] = json.loads(text)
        return found

    def to_frame(self, label: str = "label") -> pandas.DataFrame:
        """The features with the labels as the last column; levels have a column each."""
        import pandas

        names = self.feature_names or [str(k) for k in range(self._core.features)]
        if self._core.is_sparse:
            frame = pandas.DataFrame.sparse.from_spmatrix(self.X, index=self.sample_names, columns=names)
        else:
            frame = pandas.DataFrame(self.X, index=self.sample_names, columns=names, copy=True)
        y = self.y
        if isinstance(y, np.ndarray) and y.ndim == 2:
            for k in range(y.shape[1]):
                frame[f"{label}_{k + 1}"] = y[:, k]
        else:
            frame[label] = y
        return frame


def _from_parts(parts: tuple[Any, ...], answers: Answers, report: dict[str, Any]) -> Dataset:
    X, taxonomy, offsets, nodes, feature_names, sample_names = parts
    tree = taxonomy._core
    every_node = np.arange(len(tree), dtype=np.int32)
    labels = ParsedLabels(tree, "sets", every_node, every_node, nodes, offsets, "")
    return Dataset._of(dataset_of(X, labels, feature_names, sample_names), answers, report)


def _names_columns(y: Any, frame: Any) -> bool:
    """Are these names of the frame's columns, and not labels of its rows?"""
    columns = set(frame.columns)
    is_list = isinstance(y, list) and 0 < len(y) != len(frame)
    return is_list and all(isinstance(name, str) and name in columns for name in y)


def _numbered(values: Any, samples: int) -> npt.NDArray[np.int64] | None:
    """Groups or times by number, in their order."""
    if values is None:
        return None
    _, numbers = np.unique(np.asarray(values), return_inverse=True)
    if len(numbers) != samples:
        raise ValueError(f"{len(numbers)} groups or times for {samples} samples; expected one for each")
    found: npt.NDArray[np.int64] = numbers.astype(np.int64)
    return found


def paths_of(path: PathLike | Sequence[PathLike]) -> list[str]:
    if isinstance(path, (str, os.PathLike)):
        return [os.fspath(path)]
    return [os.fspath(one) for one in path]


def read_data(path: PathLike | Sequence[PathLike], *, n_jobs: int | None = None, **options: Any) -> Dataset:
    """Reads a data file, a folder of documents, or several files of one format as one.

    Parameters
    ----------
    path : str, path, or a sequence of them
    options
        Those of the command line, with underscores: `taxonomy="tree.csv"`, `label_column="category"`,
        `text_columns=["title", "body"]`, `stem="english"`, `format="csv"` (docs/reference.md). Missing values are
        kept as NaN unless `missing` says otherwise: training decides on them.

    Examples
    --------
    >>> data = read_data("train.arff", storage="dense")  # doctest: +SKIP
    """
    asked = dict(options)
    taxonomy = asked.get("taxonomy")
    tree = None
    if taxonomy is not None and not isinstance(taxonomy, (str, Path)):
        tree = core_taxonomy(asked.pop("taxonomy"))
    if tree is not None:
        with scratch_file("taxonomy.json") as file:
            _core.write_taxonomy(tree, file, {}, settings())
            return read_data(path, n_jobs=n_jobs, taxonomy=file, **asked)
    how = texts_of({"missing": "keep", **asked})
    core, report = _core.read_data(paths_of(path), how, None, settings(n_jobs))
    for note in report["notes"]:
        logger.info(note)
    return Dataset._of(core, None, report)


def read_taxonomy(path: PathLike, **options: Any) -> Taxonomy:
    """Reads a hierarchy, in any of the formats of `clade formats`; the options are those of :meth:`Taxonomy.read`."""
    from clade.taxonomy import Taxonomy

    return Taxonomy.read(path, **options)


def synthetic_data(*, n_jobs: int | None = None, random_state: Any = None, **options: Any) -> Dataset:
    """Samples around the nodes of a random hierarchy, as `clade synth` makes them (docs/synth.md).

    Parameters
    ----------
    depth : int, default=3
        Levels of classes below the root.
    fanout : int, default=3
        Children of every inner node.
    features : int, default=20
        Number of features.
    samples : int, default=200
        Number of samples.
    decay : float, default=0.5
        Variance of a level's weights relative to the level above.
    single_label : bool, default=False
        One label per sample.

    Examples
    --------
    >>> len(synthetic_data(depth=2, fanout=2, features=5, samples=30))
    30
    """
    (how,) = sorted_options(options, ["synthetic_data"], "synthetic_data")
    return Dataset._of(_core.synthetic_data(how, settings(n_jobs, random_state)))


def synthetic_text(
    *, n_jobs: int | None = None, random_state: Any = None, **options: Any
) -> tuple[list[str], Any, Taxonomy]:
    """Texts of generated topics, their labels (an array, or lists if there are several), and the hierarchy of these.

    Parameters
    ----------
    documents : int, default=20000
        Number of documents.
    first : int, default=0
        Number of the first document; others of the same seed, to test on.
    levels : list of int, default=[10, 80, 500]
        Nodes at each depth below the root; the last are the classes.
    words : int, default=50000
        Size of the vocabulary.
    length : float, default=64
        Words of a document, on average.
    topic : float, default=0.34
        Largest share of a document's words that speak of its classes and the nodes above.
    labels : int, default=1
        Most labels of a document.
    inner : float, default=0
        Share of documents labelled above the classes.
    noise : float, default=0.02
        Share of documents with a wrong label.
    dag : float, default=0
        Share of nodes below the first level with two parents.

    Examples
    --------
    >>> texts, y, taxonomy = synthetic_text(documents=20, levels=[2, 6], words=500)  # doctest: +SKIP
    """
    (how,) = sorted_options(options, ["synthetic_text"], "synthetic_text")
    texts, offsets, nodes, tree = _core.synthetic_text(how, settings(n_jobs, random_state))
    return texts, Answers().decode(tree.names(), offsets, nodes), shown_taxonomy(tree)


def wordnet_corpus(*, n_jobs: int | None = None, **options: Any) -> tuple[list[str], Any, Taxonomy]:
    """Texts that explain the nouns of WordNet, their labels (lists, or an array with `tree`), and the hierarchy of these.

    What the labels are: docs/wordnet.md. The package wordnet-base of Debian, or another WordNet, must be there.

    Parameters
    ----------
    wordnet : str, default="/usr/share/wordnet"
        Folder with WordNet's files.
    min_size : int, default=50
        Fewest documents below a class.
    tree : bool, default=False
        What a noun is a kind of first counts alone: classes form a tree, and documents have one label.

    Examples
    --------
    >>> texts, y, taxonomy = wordnet_corpus(min_size=500, tree=True)  # doctest: +SKIP
    """
    (how,) = sorted_options(options, ["wordnet_corpus"], "wordnet_corpus")
    texts, offsets, nodes, tree, _ = _core.wordnet_corpus(how, settings(n_jobs))
    return texts, Answers().decode(tree.names(), offsets, nodes), shown_taxonomy(tree)
