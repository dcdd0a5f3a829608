"""Trained models: the same files as those of the command line, and everything that can be asked of them."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from clade import _core
from clade._core import Dataset as CoreDataset
from clade._core import Model as CoreModel
from clade._core import Settings
from clade._inputs import data_for, shown_texts
from clade._options import option_names, sorted_options
from clade._persist import model_bytes, model_from_bytes, scratch_file
from clade._runtime import logger, settings, texts_of
from clade._scores import class_probabilities, level_table, ranked, ranked_table
from clade.data import Dataset, PathLike, shown_taxonomy
from clade.evaluation import Evaluation, reported
from clade.predictions import Explanations, Predictions, node_matrix_frame

if TYPE_CHECKING:
    import pandas

    from clade.html import Page
    from clade.taxonomy import Taxonomy

__all__ = ["Model", "read_model"]

_NO_FOLDS = np.zeros(0, dtype=np.int64)


def weights_of(sample_weight: Any) -> npt.NDArray[np.float64]:
    """Weights as the library takes them: none is an empty array."""
    return np.ascontiguousarray([] if sample_weight is None else sample_weight, dtype=np.float64)


class Model:
    """A trained classifier with everything that prediction needs: words, hierarchy, weights, what replaces gaps.

    It never changes. Models come from :func:`clade.train`, from :meth:`read`, or from an estimator.

    "Data" below is anything that has samples: a :class:`Dataset`, the name of a file, texts, a frame, or an array or
    sparse matrix of features. Words, columns and gaps are treated as in training. Options of reading files, such as
    `label_column`, may stand beside those of a method where data is the name of a file.

    Examples
    --------
    >>> from clade.data import Dataset
    >>> from clade.training import train
    >>> data = Dataset([[0.0, 1.0], [0.1, 0.9], [1.0, 0.0], [0.9, 0.2]], ["cat", "cat", "dog", "dog"])
    >>> model = train(data, "top-down-svm")
    >>> model.predict([[0.0, 0.8], [0.7, 0.1]]).tolist()
    ['cat', 'dog']
    """

    _core: CoreModel

    def __init__(self, core: CoreModel, training: dict[str, Any] | None = None) -> None:
        self._core = core
        self._bytes: int | None = None  # the size of its file, where that is known
        #: How it was trained, where that is known: why its classifier was chosen, what was tried, what was held out.
        self.training: dict[str, Any] = {} if training is None else training

    # Files

    @classmethod
    def read(cls, path: PathLike) -> Model:
        """Reads a model file; the weights stay in the file, which must not change."""
        model = cls(_core.read_model(os.fspath(path)))
        model._bytes = os.path.getsize(path)
        return model

    def save(self, path: PathLike, *, overwrite: bool = False) -> None:
        """Writes the file that `clade predict` reads."""
        self._core.write(os.fspath(path), overwrite)

    def to_bytes(self) -> bytes:
        """The bytes of the model's file."""
        return model_bytes(self._core)

    @classmethod
    def from_bytes(cls, content: bytes) -> Model:
        """The model of a file's bytes."""
        return cls(model_from_bytes(content))

    def __reduce__(self) -> Any:
        return _from_state, (self.to_bytes(), self.training)

    # What it is

    @property
    def classifier(self) -> str:
        return self._core.classifier

    @property
    def parameters(self) -> dict[str, str]:
        """The parameters of the classifier, as texts, by their names on the command line."""
        return dict(self._core.parameters)

    @property
    def taxonomy(self) -> Taxonomy:
        """The hierarchy of the classes. A class for "this inner node and nothing below it" is a leaf of its own."""
        return shown_taxonomy(self._core.taxonomy)

    @property
    def classes(self) -> list[str]:
        """The classes that it tells apart; an inner node among them means "this and nothing below it"."""
        return [self._core.taxonomy.name(int(node)) for node in self._class_nodes()]

    @property
    def features(self) -> int:
        """Their number."""
        return self._core.features

    @property
    def feature_names(self) -> list[str] | None:
        return self._core.feature_names()

    @property
    def columns(self) -> dict[str, str] | None:
        """The columns of the table that it was trained on, with their kinds; none if it was not."""
        columns = self._core.columns()
        return dict(columns) if columns else None

    @property
    def has_probabilities(self) -> bool:
        return self._core.has_probabilities

    @property
    def is_multilabel(self) -> bool:
        return self._core.is_multilabel

    @property
    def conformal(self) -> dict[str, Any] | None:
        """How it was calibrated for answers with a guarantee; None if it was not."""
        return self._core.conformal()

    @property
    def thresholds(self) -> dict[str, str]:
        """What decides on the label sets of a model for several labels, in words, and what that reached when it was
        chosen; empty for other models, and for those that decide in the way of their classifier."""
        summary = self.info()["summary"]
        return {name: text for name, text in summary.items() if name == "label sets" or name.startswith("held-out")}

    def info(self) -> dict[str, Any]:
        """The report of `clade info MODEL --json`."""
        found: dict[str, Any] = json.loads(self._core.json(self._size()))
        return found

    def _size(self) -> int:
        if self._bytes is None:
            with scratch_file("model.clade") as path:
                self._core.write(path, False)
                self._bytes = os.path.getsize(path)
        return self._bytes

    def __repr__(self) -> str:
        return (
            f"Model({self.classifier}, {self.features} features, {self._core.scored_nodes} nodes, "
            f"{self._core.samples} training samples)"
        )

    def __str__(self) -> str:
        return self._core.text("model", self._size())

    def _repr_html_(self) -> str:
        from clade.html import preformatted

        return preformatted(str(self))

    def telling_features(self, node: Any, top: int = 20) -> list[dict[str, Any]]:
        """What speaks for a class and against it at each decision on the way to it, as in `clade explain --json`.

        Parameters
        ----------
        node
            Its name.
        top : int, default=20
            Features for it, and as many against it.

        Returns
        -------
        list of dict
            `at`, the node that decides; `for` and `against`, the features with their weights, the largest first; of a
            model with a kernel, training samples.
        """
        found = json.loads(self._core.telling_features(str(node), top))
        decisions: list[dict[str, Any]] = found["decisions"]
        return decisions

    # Answers

    def predict(self, data: Any, *, n_jobs: int | None = None, **options: Any) -> Any:
        """The labels of samples, by name: an array of one each, or a list of lists where there may be several.

        A model knows the names of nodes and nothing else, as its file does: they are texts, also where an estimator
        was trained on numbers (`'7'` for 7). An estimator answers with the labels that it was given.

        Parameters
        ----------
        data
        options
            Those of `clade predict`: `top_k`, `policy`, `confidence`, `label_set`, `threshold`, `beam`,
            `align_features`.
        """
        return self.predictions(data, n_jobs=n_jobs, **options).labels

    def predictions(self, data: Any, *, n_jobs: int | None = None, **options: Any) -> Predictions:
        """The same with scores: what `clade predict` writes."""
        how, read = sorted_options(options, ["predict", "reading"], "predict")
        call = settings(n_jobs)
        core = self._data(data, None, read, call)
        return Predictions(_core.predict(self._core, core, how, call), self._core.taxonomy, core)

    def predict_ranked(
        self, data: Any, top_k: int = 5, *, align_features: bool = False, n_jobs: int | None = None, **options: Any
    ) -> tuple[npt.NDArray[Any], npt.NDArray[np.float64]]:
        """The best labels of each sample with their scores, best first.

        Returns
        -------
        labels : ndarray of shape (n_samples, k)
            None where the model gives fewer.
        scores : ndarray of shape (n_samples, k)
            NaN where the model gives fewer.
        """
        (read,) = sorted_options(options, ["reading"], "predict_ranked")
        call = settings(n_jobs)
        core = self._data(data, None, read, call)
        offsets, nodes, scores = ranked(self._core, core, top_k, align_features, call)
        return ranked_table(offsets, np.array(self._core.taxonomy.names(), dtype=str)[nodes], scores, top_k)

    def predict_proba(
        self, data: Any, *, align_features: bool = False, n_jobs: int | None = None, **options: Any
    ) -> npt.NDArray[np.float64]:
        """Probabilities of the classes, in the order of `classes`, where the model has them.

        With one label per sample they add up to 1. With several labels per sample each stands for itself.
        """
        if not self.has_probabilities:
            raise ValueError("the model has no probabilities; expected one that was trained with `calibrate`")
        (read,) = sorted_options(options, ["reading"], "predict_proba")
        call = settings(n_jobs)
        core = self._data(data, None, read, call)
        return class_probabilities(self._core, core, self._class_nodes(), align_features, call)

    def _class_nodes(self) -> npt.NDArray[np.int64]:
        """The nodes of `classes`."""
        tree = self._core.taxonomy
        nodes = {tree.fold(int(leaf)) for leaf in tree.leaves()}
        return np.array(sorted(nodes, key=tree.name), dtype=np.int64)

    def node_scores(
        self,
        data: Any,
        *,
        consistency: str = "descendants",
        align_features: bool = False,
        n_jobs: int | None = None,
        **options: Any,
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[Any]]:
        """A score from 0 to 1 for every node of the hierarchy; no node has less than one below it.

        Parameters
        ----------
        data
        consistency : {'descendants', 'ancestors'}, default='descendants'
            A node gets the largest score of itself and its descendants, or the smallest of itself and its ancestors.

        Returns
        -------
        scores : ndarray of shape (n_samples, n_nodes)
        names : ndarray of shape (n_nodes,)
            The nodes of the columns, the root first.
        """
        (read,) = sorted_options(options, ["reading"], "node_scores")
        call = settings(n_jobs)
        how = texts_of({"consistency": consistency, "align_features": align_features})
        scores = _core.node_scores(self._core, self._data(data, None, read, call), how, call)
        return scores, np.array(self._core.taxonomy.names()[: scores.shape[1]], dtype=str)

    def nodes(self, data: Any, **options: Any) -> pandas.DataFrame:
        """The same as a frame, with a column per node; the options are those of :meth:`node_scores`."""
        scores, names = self.node_scores(data, **options)
        samples = data.sample_names if isinstance(data, Dataset) else getattr(data, "index", None)
        return node_matrix_frame(scores, names.tolist(), samples)

    def predict_covering(
        self,
        data: Any,
        coverage: float = 0.9,
        *,
        set_size: int | None = None,
        guarantee: str = "complete",
        align_features: bool = False,
        n_jobs: int | None = None,
        **options: Any,
    ) -> npt.NDArray[Any]:
        """Nodes, as deep and as few as possible, that contain the truth with this probability (docs/conformal.md).

        Parameters
        ----------
        data
        coverage : float, default=0.9
        set_size : int, optional
            An answer has at most this many nodes. By default 1, or 10 if samples have several labels.
        guarantee : {'complete', 'correct'}, default='complete'
            Every true label is an answered node or below one; or every answered node is a true label or above one.

        Returns
        -------
        answers : ndarray of lists
            The names of the nodes of each sample, those with the highest scores first.
        """
        found = self.covering_predictions(
            data,
            coverage,
            set_size=set_size,
            guarantee=guarantee,
            align_features=align_features,
            n_jobs=n_jobs,
            **options,
        )
        answers = np.empty(len(found), dtype=object)
        for sample, labels in enumerate(found):
            answers[sample] = [label for label, _ in labels]
        return answers

    def covering_predictions(
        self,
        data: Any,
        coverage: float = 0.9,
        *,
        set_size: int | None = None,
        guarantee: str = "complete",
        align_features: bool = False,
        n_jobs: int | None = None,
        **options: Any,
    ) -> Predictions:
        """The same with scores: what `clade predict --coverage` writes."""
        (read,) = sorted_options(options, ["reading"], "predict_covering")
        call = settings(n_jobs)
        core = self._data(data, None, read, call)
        how = _coverage(coverage, set_size, guarantee, align_features)
        return Predictions(_core.predict_covering(self._core, core, how, call), self._core.taxonomy, core)

    def predict_levels(
        self, data: Any, *, n_jobs: int | None = None, **options: Any
    ) -> tuple[npt.NDArray[Any], npt.NDArray[np.float64]]:
        """The nodes on the way to the label, with their probabilities; for trees and one label per sample.

        Returns
        -------
        nodes : ndarray of shape (n_samples, n_levels)
            From the level below the root down; empty texts fill short rows.
        probabilities : ndarray of shape (n_samples, n_levels)
            NaN fills short rows.
        """
        how, read = sorted_options(options, ["predict", "reading"], "predict_levels")
        call = settings(n_jobs)
        core = self._data(data, None, read, call)
        found = _core.predict(self._core, core, how, call)
        return level_table(_core.levels(self._core, core, found, call))

    def explain(
        self,
        data: Any,
        labels: Sequence[Any] | None = None,
        *,
        reasons: int = 5,
        n_jobs: int | None = None,
        **options: Any,
    ) -> Explanations:
        """Why samples get their labels, or what speaks for others.

        Parameters
        ----------
        data
        labels : sequence of str, or of lists of them, optional
            What to explain for each sample; by default what is predicted.
        reasons : int, default=5
            Features, or training samples of a model with a kernel, at each node.

        Returns
        -------
        explanations : list of Explanation
            One for each sample; for each of its labels, where it may have several. Each can be printed and has a
            frame, and so have all of them together.
        """
        (read,) = sorted_options(options, ["reading"], "explain")
        call = settings(n_jobs)
        core = self._data(data, None, read, call)
        names = None
        if labels is not None:
            names = [[str(one)] if np.ndim(one) == 0 else [str(label) for label in one] for one in labels]
        return Explanations.of(_core.explain(self._core, core, names, reasons, call))

    def predict_file(
        self,
        input: PathLike,
        output: PathLike,
        *,
        keep: Sequence[str] = (),
        nodes_above: float | None = None,
        coverage: float | None = None,
        set_size: int | None = None,
        guarantee: str = "complete",
        overwrite: bool = False,
        n_jobs: int | None = None,
        **options: Any,
    ) -> int:
        """Predicts for a whole file, block by block, as `clade predict` does.

        Parameters
        ----------
        input, output : str or path
        keep : sequence of str
            Columns of the input to copy to the output.
        nodes_above : float, optional
            Write the nodes with a score above this instead of labels.
        coverage, set_size, guarantee
            As for :meth:`predict_covering`, whose answers are then written.
        options
            `to` ('csv' or 'json-lines'), `levels`, `consistency`, and those of prediction and reading.

        Returns
        -------
        int
            The number of samples.
        """
        shape = {name: options.pop(name) for name in ("to", "levels", "consistency") if name in options}
        how, read = sorted_options(options, ["predict", "reading"], "predict_file")
        how.update(texts_of({**shape, "overwrite": overwrite}))
        covering = None if coverage is None else _coverage(coverage, set_size, guarantee, False)
        done = _core.predict_file(
            self._core,
            os.fspath(input),
            os.fspath(output),
            list(keep),
            how,
            read,
            settings(n_jobs),
            nodes_above=nodes_above,
            covering=covering,
        )
        for note in done["notes"]:
            logger.info(note)
        count: int = done["samples"]
        return count

    # Measures

    def evaluate(
        self,
        data: Any,
        y: Any = None,
        *,
        breakdown: bool = True,
        folds: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        **options: Any,
    ) -> Evaluation:
        """Measures predictions against labels: the report of `clade evaluate MODEL DATA --json`.

        Parameters
        ----------
        data
        y : labels, optional
            Where they are not part of data.
        breakdown : bool, default=True
            Also precision, recall and support of every node.
        folds : array, optional
            The fold of each sample; measures are then means over the folds.
        options
            Those of `clade evaluate`, such as `bootstrap=True`, and of prediction (`policy`, `confidence`).
        """
        policy = {name: options.pop(name) for name in _POLICY if name in options}
        how, read = sorted_options(options, ["evaluate", "reading"], "evaluate")
        call = settings(n_jobs, random_state)
        core = self._data(data, y, {"missing": "keep", **read}, call)
        numbers = _NO_FOLDS if folds is None else np.ascontiguousarray(folds, dtype=np.int64)
        reports = _core.model_reports(self._core, core, how, texts_of(policy), numbers, breakdown, call)
        return reported(reports)

    def evaluate_coverage(
        self,
        data: Any,
        y: Any = None,
        *,
        coverage: float = 0.9,
        set_size: int | None = None,
        guarantee: str = "complete",
        align_features: bool = False,
        n_jobs: int | None = None,
        **options: Any,
    ) -> dict[str, Any]:
        """How often answers with a guarantee hold: the part `conformal` of `clade evaluate --coverage --json`."""
        (read,) = sorted_options(options, ["reading"], "evaluate_coverage")
        call = settings(n_jobs)
        core = self._data(data, y, {"missing": "keep", **read}, call)
        how = _coverage(coverage, set_size, guarantee, align_features)
        found: dict[str, Any] = json.loads(_core.evaluate_coverage(self._core, core, how, call))
        return found

    def compare(
        self,
        other: Model,
        data: Any,
        y: Any = None,
        *,
        names: tuple[str, str] = ("a", "b"),
        n_jobs: int | None = None,
        random_state: Any = None,
        **options: Any,
    ) -> dict[str, Any]:
        """Compares two models on the same samples by paired tests: `clade compare A B --data DATA --json`."""
        names_of_reading = option_names("reading")
        reading = {name: value for name, value in options.items() if name.replace("_", "-") in names_of_reading}
        how = texts_of({name: value for name, value in options.items() if name not in reading})
        read = {"missing": "keep", **texts_of(reading)}
        call = settings(n_jobs, random_state)
        own, others = self._data(data, y, read, call), other._data(data, y, read, call)
        text = _core.compare_models(self._core, own, other._core, others, how, names[0], names[1], call)
        found: dict[str, Any] = json.loads(text)
        return found

    def report(
        self,
        data: Any,
        y: Any = None,
        path: PathLike | None = None,
        *,
        name: str = "model",
        data_name: str | None = None,
        texts: Sequence[str] | None = None,
        overwrite: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        **options: Any,
    ) -> Page:
        """The page of `clade report`: one document of HTML that needs nothing else; a notebook shows it in a frame.

        Parameters
        ----------
        data
            With labels, which the model has not seen.
        y : labels, optional
            Where they are not part of data.
        path : str or path, optional
            Also write the page to this file.
        name, data_name : str
            What the page calls model and data.
        texts : sequence of str, optional
            To show for confused samples; by default those of data, or of its first column of text.
        options
            Those of `clade report`, such as `title` or `max_texts`.
        """
        from clade.html import Page

        how, read = sorted_options(options, ["model_page", "reading"], "report")
        call = settings(n_jobs, random_state)
        core = self._data(data, y, read, call)
        if data_name is None:
            data_name = os.fspath(data) if isinstance(data, (str, os.PathLike)) else "data"
        shown = shown_texts(self._core, data, read, core.samples, call) if texts is None else texts
        document, notes = _core.model_page(self._core, core, name, data_name, shown, how, call)
        page = Page(document, str(options.get("title", name)), notes, height=700)
        if path is not None:
            page.write(path, overwrite=overwrite)
        return page

    # Going on

    def continue_training(
        self,
        data: Any,
        y: Any = None,
        *,
        sample_weight: Any = None,
        epochs: int | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        **options: Any,
    ) -> Model:
        """A model that has also seen these samples, as `clade train --append` makes it; for online learners."""
        (read,) = sorted_options(options, ["reading"], "continue_training")
        call = settings(n_jobs, random_state)
        core = self._data(data, y, read, call)
        parameters = texts_of({"epochs": epochs})
        return Model(_core.continue_training(self._core, core, parameters, weights_of(sample_weight), call))

    def _data(self, data: Any, y: Any, read: Mapping[str, str], call: Settings) -> CoreDataset:
        if isinstance(data, tuple) and any(hasattr(part, "shape") for part in data):
            raise TypeError("data is a tuple of arrays; expected the features alone, with the labels as `y`")
        return data_for(self._core, data, y, read, call)


_POLICY = ("policy", "confidence", "align_features", "beam")


def _from_state(content: bytes, training: dict[str, Any]) -> Model:
    model = Model.from_bytes(content)
    model.training = training
    return model


def _coverage(coverage: float, set_size: int | None, guarantee: str, align_features: bool) -> _core.CoverageOptions:
    if set_size is not None and not 1 <= set_size <= 10:
        raise ValueError(f"set_size is {set_size}; expected a whole number from 1 to 10")
    return _core.CoverageOptions(coverage, set_size or 0, align_features, {"guarantee": guarantee})


def read_model(path: PathLike) -> Model:
    """Reads a model file of `clade train` or :meth:`Model.save`."""
    return Model.read(path)
