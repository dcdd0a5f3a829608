"""Writes the modules whose classes mirror tables of methods: `python3 -m clade.generate [FOLDER]`.

A class per method, with an explicit constructor, comes from the table that the library has of a family of methods: its
parameters, defaults, ranges and texts stand in one place only, beside the method itself.
"""

from __future__ import annotations

import json
import re
import sys
import textwrap
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Callable, Mapping, Sequence

from clade import _core

_WIDTH = 120
_INDENT = "    "
_UPPER = {"svm": "SVM"}


@dataclass(frozen=True)
class Argument:
    """A keyword of a constructor."""

    name: str
    annotation: str
    default: str  # as Python writes it
    kind: str  # type, choices and default, as numpydoc shows them
    help: str


@dataclass(frozen=True)
class Method:
    """A class to be written."""

    class_name: str
    name: str  # of the method; empty: the class is not a method of the table
    base: str
    summary: str
    source: str
    page: str  # below docs/methods, without the ending; empty: none
    arguments: tuple[Argument, ...]


@dataclass(frozen=True)
class Family:
    """A module of classes: where they come from, and what they have in common."""

    module: str  # the file
    title: str  # its docstring
    imports: tuple[str, ...]  # beside those of the standard library
    methods: Callable[[], Sequence[Method]]
    common: Callable[[], Sequence[Argument]]  # keywords of all classes, after those of the method
    attributes: str = ""  # what fit() sets: the section of the docstring, as numpydoc has it
    example: Callable[[Method], str] = lambda method: ""  # the section with an example
    attribute: str = "_method"  # class attribute with the name of the method
    own: str = "_own"  # class attribute with the names of the method's own parameters


def keyword(name: str) -> str:
    """A parameter's name in Python.

    >>> keyword("lambda"), keyword("top-k")
    ('lambda_', 'top_k')
    """
    text = name.replace("-", "_")
    return text + "_" if text in ("lambda", "class", "from", "global") else text


def camel_case(name: str) -> str:
    """
    >>> camel_case("top-down-svm")
    'TopDownSVM'
    """
    return "".join(_UPPER.get(word, word.capitalize()) for word in name.split("-"))


def argument_of(parameter: Mapping[str, Any]) -> Argument:
    """A parameter of a method's table as a keyword."""
    default = parameter["default"]
    kind = parameter["type"]
    annotation = {"choice": "str", "string": "str", "bool": "bool", "int": "int", "float": "float"}[kind]
    if kind == "float" and default is not None:
        default = float(default)
    if default is None:
        annotation += " | None"
    if kind == "choice":
        shown = "{" + ", ".join(repr(choice) for choice in parameter["choices"]) + "}"
    else:
        shown = annotation.replace(" | None", " or None")
        if parameter.get("range"):
            shown += f" ({parameter['range']})"
    text = _with_keywords(parameter["help"])
    begins_with_choice = text.startswith(tuple(f"{choice}:" for choice in parameter.get("choices", ())))
    text = text + "." if begins_with_choice else _sentence(text)
    if default is None:
        text = text.replace("; auto:", "; None:")
    return Argument(keyword(parameter["name"]), annotation, repr(default), f"{shown}, default={default!r}", text)


def arguments_of(parameters: Sequence[Mapping[str, Any]]) -> tuple[Argument, ...]:
    return tuple(argument_of(parameter) for parameter in parameters)


def _with_keywords(text: str) -> str:
    """Parameters in backquotes by their names in Python."""
    names = re.sub(r"`([a-z0-9-]+)`", lambda match: f"`{keyword(match[1])}`", text)
    return names.replace("`seed`", "`random_state`")


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?", "!")) else ".")


def _wrapped(text: str, indent: int) -> list[str]:
    space = _INDENT * indent
    return textwrap.wrap(text, _WIDTH, initial_indent=space, subsequent_indent=space, break_long_words=False)


def _docstring(method: Method, arguments: Sequence[Argument], sections: Sequence[str]) -> list[str]:
    lines = _wrapped(f'"""{_sentence(_with_keywords(method.summary))}', 1)
    notes = []
    if method.name:
        notes.append(f"The method `{method.name}` of Clade.")
    if method.page:
        notes.append(f"Formulas, costs and advice: docs/methods/{method.page}.md.")
    if method.source and method.source != "Clade":
        notes.append(f"Source: {method.source}.")
    if notes:
        lines += ["", *_wrapped(" ".join(notes), 1)]
    lines += ["", f"{_INDENT}Parameters", f"{_INDENT}----------"]
    for argument in arguments:
        head = f"{_INDENT}{argument.name} : {argument.kind}"
        lines += [head, *_wrapped(argument.help, 2)]
    for section in sections:
        if section:
            lines += ["", *textwrap.indent(section.strip("\n"), _INDENT).splitlines()]
    return [*lines, f'{_INDENT}"""']


def _names(variable: str, names: Sequence[str]) -> list[str]:
    if not names:
        return [f"{_INDENT}{variable}: ClassVar[tuple[str, ...]] = ()"]
    lines = [f"{_INDENT}{variable}: ClassVar[tuple[str, ...]] = ("]
    lines += [f'{_INDENT * 2}"{name}",' for name in names]
    return [*lines, f"{_INDENT})"]


def _class(family: Family, method: Method, common: Sequence[Argument]) -> list[str]:
    arguments = [*method.arguments, *common]
    lines = [f"class {method.class_name}({method.base}):"]
    lines += _docstring(method, arguments, (family.attributes, family.example(method)))
    lines += ["", f'{_INDENT}{family.attribute}: ClassVar[str] = "{method.name}"']
    lines += _names(family.own, [argument.name for argument in method.arguments])
    lines += ["", f"{_INDENT}def __init__(", f"{_INDENT * 2}self,", f"{_INDENT * 2}*,"]
    lines += [f"{_INDENT * 2}{a.name}: {a.annotation} = {_quoted(a.default)}," for a in arguments]
    lines += [f"{_INDENT}) -> None:"]
    lines += [f"{_INDENT * 2}self.{a.name} = {a.name}" for a in arguments]
    return lines


def _quoted(default: str) -> str:
    """Texts in double quotes, as everywhere else."""
    return json.dumps(default[1:-1]) if default.startswith("'") else default


def module_text(family: Family) -> str:
    """The module of a family."""
    methods = list(family.methods())
    common = list(family.common())
    origin = "Written by `python3 -m clade.generate` from the table of methods: change that, not this."
    lines = [f'"""{family.title}', "", origin, '"""', ""]
    lines += ["from __future__ import annotations", "", "from typing import Any, ClassVar", "", *family.imports, ""]
    lines += ["__all__ = ["]
    lines += [f'{_INDENT}"{name}",' for name in sorted(method.class_name for method in methods)]
    lines += ["]"]
    for method in methods:
        lines += ["", "", *_class(family, method, common)]
    return "\n".join(lines) + "\n"


# Classifiers.

_NOUNS = ("svm", "perceptron", "hieron", "forest")  # names that say by themselves that they classify

_FITTED = """
Attributes
----------
classes_ : ndarray
    The labels that can be predicted, sorted.
taxonomy_ : Taxonomy
    The hierarchy of the labels.
model_ : Model
    What was learnt; a model as the command line writes it.
n_features_in_ : int
    Number of features.
feature_names_in_ : ndarray of str
    Their names, if `X` had names of columns that are texts.
"""


_EXAMPLE = """
Examples
--------
>>> from clade import {name}
>>> X = [[0, 0], [0, 1], [1, 0], [1, 1]] * 10
>>> y = ["a/x", "a/y", "b/x", "b/y"] * 10
>>> {name}().fit(X, y).predict([[1, 1]])
array(['b/y'], dtype='<U3')
"""


def classifier_name(name: str) -> str:
    """
    >>> classifier_name("path-svm"), classifier_name("blend")
    ('PathSVM', 'BlendClassifier')
    """
    return camel_case(name) + ("" if name.rsplit("-", 1)[-1] in _NOUNS else "Classifier")


def _by_label(argument: Argument) -> Argument:
    """Weights of classes may also be a dict, as everywhere in scikit-learn."""
    if argument.name != "class_weight":
        return argument
    text = f"{argument.help[:-1]}; a dict gives the samples of a label a weight."
    return replace(argument, annotation="Any", kind=argument.kind.replace("}", "}, dict or None"), help=text)


def _classifiers() -> list[Method]:
    methods = []
    for entry in json.loads(_core.classifiers()):
        name = entry["name"]
        arguments = tuple(_by_label(argument) for argument in arguments_of(entry["parameters"]))
        is_online = any(argument.name == "epochs" for argument in arguments)
        base = "OnlineClassifier" if is_online else "HierarchicalClassifier"
        methods.append(Method(classifier_name(name), name, base, entry["help"], entry["source"], name, arguments))
    budget = (
        Argument("budget", "float", "60.0", "float, default=60.0", "Seconds; no more classifiers are tried then."),
        Argument("folds", "int", "3", "int, default=3", "Folds of the cross-validation."),
        Argument("most_samples", "int", "3000", "int, default=3000", "A stratified part of larger data is used."),
    )
    default = "the classifier that suits the kind of the data, as Clade takes it when none is named"
    best = "some classifiers are cross-validated on the data, and the best by hierarchical F1 is taken"
    return [
        *methods,
        Method("DefaultClassifier", "", "ChosenClassifier", default, "", "", ()),
        Method("AutoClassifier", "", "TriedClassifier", best, "", "", budget),
    ]


# What every estimator is told about its labels, and about the work.
LABEL_ARGUMENTS = (
    Argument(
        "taxonomy",
        "Any",
        "None",
        "Taxonomy, edges, paths, graph or file name, default=None",
        "The hierarchy of the labels. None: labels that are paths, or rows of levels, make it; others are flat.",
    ),
    Argument(
        "label_layout",
        "str",
        "'auto'",
        "{'auto', 'names', 'sets', 'levels', 'indicator'}, default='auto'",
        "How `y` is laid out: a label per sample, sets of labels, rows of levels, or a column of 0 and 1 per class. The "
        "columns of an indicator are named by a frame, in any order; those of an array are the classes 0, 1, 2, ..., "
        "which needs `taxonomy` None. 'auto': lists of lists are sets; sparse matrices, arrays of 0 and 1 with several "
        "columns, and frames of 0 and 1 whose columns are classes are indicators; other arrays and frames with two "
        "dimensions have levels.",
    ),
    Argument(
        "path_separator",
        "str | None",
        "None",
        "str or None, default=None",
        "Between the parts of labels that are paths. None: recognised; '': labels are no paths.",
    ),
)
RUN_ARGUMENTS = (
    Argument(
        "n_jobs",
        "int | None",
        "None",
        "int or None, default=None",
        "Threads; None or -1: one per core. It never changes a result.",
    ),
    Argument(
        "random_state",
        "Any",
        "None",
        "int, RandomState, Generator or None, default=None",
        "The seed. None: that of the command line, 1, so that results repeat.",
    ),
)


def _classifier_common() -> list[Argument]:
    tables = {name: json.loads(text) for name, text in _core.options().items()}
    return [
        *LABEL_ARGUMENTS,
        Argument(
            "select",
            "Any",
            "None",
            "str, selector or None, default=None",
            "Features are first selected on the training samples with this method: its name, or a selector of Clade.",
        ),
        Argument(
            "select_parameters",
            "dict[str, Any] | None",
            "None",
            "dict or None, default=None",
            "Parameters of `select` where it is a name.",
        ),
        Argument(
            "features",
            "Any",
            "None",
            "FeatureRanking, str or None, default=None",
            "A ranking, or the name of its file, whose features are used at each node.",
        ),
        Argument(
            "top",
            "int | float | str | None",
            "None",
            "int, float, str or None, default=None",
            "Features of the ranking to use at each node: a number, or a share such as '10%' or 0.1. None: all.",
        ),
        Argument(
            "missing",
            "str | None",
            "None",
            "{None, 'error', 'keep', 'mean', 'zero', 'drop-sample'}, default=None",
            "What to do with missing values (NaN). None: kept where the classifier takes them, otherwise an error.",
        ),
        *arguments_of(tables["decide"]),
        Argument(
            "conformal",
            "str | None",
            "None",
            "str or None, default=None",
            "Calibrate for `predict_covering`: 'cross:5' or 'split:20%'.",
        ),
        Argument(
            "conformal_by_class",
            "bool",
            "False",
            "bool, default=False",
            "With `conformal`: the coverage holds for every class.",
        ),
        *arguments_of(tables["predict"]),
        *RUN_ARGUMENTS,
    ]


def _classifier_example(method: Method) -> str:
    has_features = method.name != "prior"  # which always answers the same
    return _EXAMPLE.format(name=method.class_name) if has_features else ""


CLASSIFIERS = Family(
    module="classifiers.py",
    title="The classifiers of Clade as estimators of scikit-learn.",
    imports=(
        "from clade._estimator import HierarchicalClassifier",
        "from clade._variants import ChosenClassifier, OnlineClassifier, TriedClassifier",
    ),
    methods=_classifiers,
    common=_classifier_common,
    attributes=_FITTED,
    example=_classifier_example,
)


def families() -> tuple[Family, ...]:
    from clade._generate_selectors import SELECTORS  # which imports this module

    return (CLASSIFIERS, SELECTORS)


def main(arguments: Sequence[str]) -> int:
    folder = Path(arguments[0]) if arguments else Path(__file__).resolve().parent
    for family in families():
        (folder / family.module).write_text(module_text(family), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
