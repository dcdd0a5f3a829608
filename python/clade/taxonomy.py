"""Hierarchies of classes: made from what people have, asked by name, shown, and given back."""

from __future__ import annotations

import json
import os
from typing import Any, Callable, Iterable, Iterator, Mapping

from clade import _core, _tree_views
from clade._runtime import seed_of, settings, texts_of
from clade._tree_inputs import (
    FREE_SEPARATORS,
    Order,
    edge_columns,
    is_missing,
    is_name,
    levels_of,
    name_of,
    nested_entries,
    pairs_of,
)

__all__ = ["Taxonomy"]

Edge = tuple[str, str]
CoreTaxonomy = _core.Taxonomy


class Taxonomy:
    """A hierarchy of named classes with one root: a tree, or a DAG in which a class has several parents.

    It never changes. Nodes are asked for by name and come back as names; behind them are numbers, 0 for the root and
    parents before children, which :meth:`index` gives. Where there are several roots, a root named ``(root)`` is put
    above them. Make one with :meth:`of` from anything that states a hierarchy, or with the constructor of its kind.

    Parameters
    ----------
    hierarchy : object
        What :meth:`of` understands.

    Examples
    --------
    >>> animals = Taxonomy.from_nested({"mammal": ["cat", "dog"], "bird": {"owl": {}}})
    >>> animals.children("mammal")
    ['cat', 'dog']
    >>> animals.lowest_common_ancestors("cat", "owl")
    ['(root)']
    >>> print(animals)
    (root)
    ├── mammal
    │   ├── cat
    │   └── dog
    └── bird
        └── owl
    """

    _core: CoreTaxonomy

    def __init__(self, hierarchy: Any) -> None:
        self._core = Taxonomy.of(hierarchy)._core
        self._names: list[str] | None = None
        self._hash: int | None = None

    @classmethod
    def _wrapped(cls, core: CoreTaxonomy) -> Taxonomy:
        self = cls.__new__(cls)
        self._core = core
        self._names = None
        self._hash = None
        return self

    # Making one

    @classmethod
    def of(cls, hierarchy: Any) -> Taxonomy:
        """Any statement of a hierarchy as a taxonomy.

        Parameters
        ----------
        hierarchy : object
            A taxonomy; the name of a file (:meth:`read`); a directed graph of networkx; nested dicts
            (:meth:`from_nested`); a dict of parents or children, a frame with the columns ``parent`` and ``child``, or
            pairs of parent and child (:meth:`from_edges`); rows of levels or texts with ``/`` (:meth:`from_paths`); or
            texts without, the classes of a flat hierarchy (:meth:`flat`).
        """
        if isinstance(hierarchy, Taxonomy):
            return hierarchy
        if isinstance(hierarchy, _core.Taxonomy):
            return cls._wrapped(hierarchy)
        if isinstance(hierarchy, (str, os.PathLike)):
            return cls.read(hierarchy)
        if hasattr(hierarchy, "is_directed") and hasattr(hierarchy, "edges"):
            return cls.from_networkx(hierarchy)
        if isinstance(hierarchy, Mapping):
            nests = any(isinstance(value, Mapping) for value in hierarchy.values())
            return cls.from_nested(hierarchy) if nests else cls.from_edges(hierarchy)
        if hasattr(hierarchy, "columns"):
            return cls.from_edges(hierarchy) if edge_columns(hierarchy) else cls.from_paths(hierarchy)
        return cls._of_rows(hierarchy)

    @classmethod
    def _of_rows(cls, hierarchy: Any) -> Taxonomy:
        try:
            rows = list(hierarchy)
        except TypeError:
            raise TypeError(
                f"{type(hierarchy).__name__} is no hierarchy; expected a Taxonomy, a file name, edges, paths or a graph"
            ) from None
        if not rows:
            raise ValueError("no node in the hierarchy; expected at least one")
        if all(isinstance(row, str) for row in rows):
            return cls.from_paths(rows) if any("/" in row for row in rows) else cls.flat(rows)
        if all(is_name(row) for row in rows):
            return cls.flat(rows)
        if any(isinstance(row, Mapping) for row in rows):
            return cls.from_nested(rows)
        if all(len(row) == 2 for row in rows):
            return cls.from_edges(rows)
        return cls.from_paths(rows)

    @classmethod
    def from_edges(cls, edges: Any, order: Order = "auto", nodes: Iterable[Any] = ()) -> Taxonomy:
        """A taxonomy from its edges.

        Parameters
        ----------
        edges : object
            Pairs of names; a dict; or a frame, of which the columns ``parent`` and ``child``, or else the first two,
            are read. A missing parent says that a node has none.
        order : {"auto", "parent-child", "child-parent"}
            What stands first in a pair, or is the key of a dict. By default the parent, but in a dict whose values are
            single names (or None, for a root) the child.
        nodes : iterable
            Nodes in the order that they shall have, and those without edges.

        Examples
        --------
        >>> pairs = Taxonomy.from_edges([("top", "left"), ("top", "right")])
        >>> pairs == Taxonomy.from_edges({"left": "top", "right": "top"}, nodes=["top"])
        True
        >>> pairs == Taxonomy.from_edges({"top": ["left", "right"]})
        True
        """
        if order not in ("auto", "parent-child", "child-parent"):
            raise ValueError(f"order is {order!r}; expected auto, parent-child or child-parent")
        named = [name_of(node) for node in nodes]
        pairs: list[tuple[Any, Any]]
        if isinstance(edges, Mapping):
            is_single = all(is_name(value) for value in edges.values())
            by_child = order == "child-parent" or (order == "auto" and is_single)
            pairs = []
            for key, value in edges.items():
                others = [] if value is None else [value] if is_name(value) else list(value)
                if not others:
                    named.append(name_of(key))
                pairs.extend((other, key) if by_child else (key, other) for other in others)
        else:
            pairs = pairs_of(edges, order)
        texts: list[Edge] = []
        for parent, child in pairs:
            if is_missing(child):
                raise ValueError(f"edges: {name_of(parent)!r} has a child without a name; expected one")
            if is_missing(parent):
                named.append(name_of(child))
            else:
                texts.append((name_of(parent), name_of(child)))
        return cls._wrapped(_core.Taxonomy.from_edges(named, texts, False))

    @classmethod
    def from_paths(cls, paths: Any, separator: str = "/") -> Taxonomy:
        """A tree from the paths of its nodes; parents need no path of their own, and the root is implied.

        Each node is named by its whole path.

        Parameters
        ----------
        paths : object
            Texts whose parts are divided by `separator`; or rows of levels (lists, a two-dimensional array, a frame),
            in which empty texts and None fill the end of short rows.
        separator : str
            Between the parts of texts. The levels of rows are joined by ``/``, or, where names contain it, by ``::``.

        Examples
        --------
        >>> Taxonomy.from_paths(["sport/ball", "arts"]).names
        ['(root)', 'sport', 'arts', 'sport/ball']
        """
        if isinstance(paths, str):
            raise TypeError("paths are one text; expected a list of paths")
        rows = paths.to_numpy() if hasattr(paths, "to_numpy") else paths
        if not hasattr(rows, "__iter__"):
            raise TypeError(f"{type(paths).__name__} has no paths; expected texts or rows of levels")
        listed = list(rows)
        if all(isinstance(row, str) for row in listed):
            return cls._wrapped(_core.Taxonomy.from_paths(listed, separator))
        levels = [levels_of(row, number) for number, row in enumerate(listed)]
        joint = next((s for s in FREE_SEPARATORS if not any(s in part for row in levels for part in row)), None)
        if joint is None:
            raise ValueError("names contain every separator that could join their levels; expected some without '/'")
        return cls._wrapped(_core.Taxonomy.from_paths([joint.join(row) for row in levels], joint))

    @classmethod
    def from_nested(cls, nested: Any) -> Taxonomy:
        """A taxonomy from dicts whose keys are names and whose values are what is below: dicts, lists, names or None.

        A dict with a ``name`` and ``children`` is one node. A name in several places is one node with several parents.

        Examples
        --------
        >>> Taxonomy.from_nested({"top": {"left": ["both"], "right": ["both"]}}).parents("both")
        ['left', 'right']
        """
        nodes: list[str] = []
        edges: list[Edge] = []
        # In the order of the text, but not by recursion: hierarchies can be deep.
        waiting: list[tuple[str | None, str, Any]] = [(None, *entry) for entry in reversed(nested_entries(nested))]
        while waiting:
            parent, name, below = waiting.pop()
            nodes.append(name)
            if parent is not None:
                edges.append((parent, name))
            waiting.extend((name, *entry) for entry in reversed(nested_entries(below)))
        return cls._wrapped(_core.Taxonomy.from_edges(nodes, edges, False))

    @classmethod
    def from_networkx(cls, graph: Any) -> Taxonomy:
        """A taxonomy from a directed graph of networkx whose edges lead from parent to child."""
        if not graph.is_directed():
            raise ValueError("the graph has no directions; expected edges from parent to child (networkx.DiGraph)")
        edges = [(name_of(parent), name_of(child)) for parent, child in graph.edges()]
        return cls._wrapped(_core.Taxonomy.from_edges([name_of(node) for node in graph.nodes()], edges, False))

    @classmethod
    def flat(cls, names: Iterable[Any]) -> Taxonomy:
        """A root with one leaf per name."""
        return cls._wrapped(_core.Taxonomy.flat([name_of(name) for name in names]))

    @classmethod
    def read(cls, path: str | os.PathLike[str], **options: Any) -> Taxonomy:
        """Reads a file: edges, child lists, paths, nested JSON or OBO, compressed or not.

        Parameters
        ----------
        path : str or path
            The ending, or else the content, tells the format.
        **options
            Those of the command line: `taxonomy_format`, `edges` (``"child-parent"`` or ``"parent-child"``),
            `path_separator`, `encoding`.
        """
        core, _ = _core.read_taxonomy(os.fspath(path), texts_of(options), settings())
        return cls._wrapped(core)

    def write(self, path: str | os.PathLike[str], overwrite: bool = False, **options: Any) -> None:
        """Writes a file, in the format of its ending: .csv, .taxonomy, .paths, .json or .obo.

        Parameters
        ----------
        path : str or path
            What the file is to be called; it reads back as the same taxonomy.
        overwrite : bool
            Whether to replace a file that exists.
        **options
            Those of the command line: `to`, the format, and `parent_child`, the order of edges.
        """
        _core.write_taxonomy(self._core, os.fspath(path), texts_of({"force": overwrite, **options}), settings())

    def random_like(self, random_state: Any = None) -> Taxonomy:
        """A tree over the same nodes at the same levels with random edges, to find out what a hierarchy is worth."""
        return Taxonomy._wrapped(_core.Taxonomy.random_like(self._core, seed_of(random_state)))

    def subtree(self, node: Any) -> Taxonomy:
        """A node as root, with all that is below it."""
        top = self.index(node)
        ids = [top, *self._core.descendants(top).tolist()]
        kept = set(ids)
        edges = [(p, c) for p, c in self._core.edges().tolist() if p in kept and c in kept]
        order = sorted(ids, key=self._core.input_positions().__getitem__)
        names = self.names
        named = [(names[p], names[c]) for p, c in edges]
        return Taxonomy._wrapped(_core.Taxonomy.from_edges([names[n] for n in order], named, False))

    # Giving it back

    def to_edges(self) -> list[Edge]:
        """Pairs of parent and child, sorted by the number of the child; with those of a root that was put on top."""
        names = self.names
        return [(names[parent], names[child]) for parent, child in self._core.edges().tolist()]

    def to_frame(self) -> Any:
        """The edges as a frame of pandas with the columns ``parent`` and ``child``."""
        import pandas

        return pandas.DataFrame(self.to_edges(), columns=["parent", "child"])

    def to_dict(self) -> dict[str, list[str]]:
        """The children of each inner node."""
        return {name: self.children(name) for name in self.internal_nodes}

    def to_paths(self) -> list[tuple[str, ...]]:
        """The names on the way to each leaf, without those of a root that was put on top; in a DAG every way."""
        names = self.names
        skipped = 1 if self.has_virtual_root else 0
        paths: list[tuple[str, ...]] = []
        for leaf in self._core.leaves().tolist():
            unfinished: list[tuple[int, ...]] = [(leaf,)]
            while unfinished:
                path = unfinished.pop()
                parents = self._core.parents(path[0]).tolist()
                unfinished.extend((parent, *path) for parent in reversed(parents))
                if not parents:
                    paths.append(tuple(names[node] for node in path[skipped:]))
        return [path for path in paths if path]

    def to_nested(self) -> dict[str, Any]:
        """Dicts in dicts; leaves have empty ones. A node of several parents is the same dict below each."""
        nested: list[dict[str, Any]] = [{} for _ in range(len(self))]
        names = self.names
        for parent, child in self._core.edges().tolist():
            nested[parent][names[child]] = nested[child]
        return nested[0] if self.has_virtual_root else {names[0]: nested[0]}

    def to_networkx(self) -> Any:
        """A directed graph of networkx whose edges lead from parent to child."""
        import networkx

        graph = networkx.DiGraph()
        graph.add_nodes_from(self.names)
        graph.add_edges_from(self.to_edges())
        return graph

    # Asking

    @property
    def names(self) -> list[str]:
        """The names of all nodes by number, the root first."""
        if self._names is None:
            self._names = self._core.names()
        return list(self._names)

    @property
    def nodes(self) -> list[str]:
        """The same as `names`."""
        return self.names

    @property
    def root(self) -> str:
        """The name of the root."""
        return self._core.name(0)

    @property
    def leaves(self) -> list[str]:
        """The nodes that have no children."""
        return self._named(self._core.leaves())

    @property
    def internal_nodes(self) -> list[str]:
        """The nodes that have children, the root first."""
        return self._named(self._core.internal_nodes())

    @property
    def is_tree(self) -> bool:
        """Whether no node has several parents."""
        return self._core.is_tree

    @property
    def has_virtual_root(self) -> bool:
        """Whether the root was put above several, or implied."""
        return self._core.has_virtual_root

    @property
    def n_levels(self) -> int:
        """The number of nodes on the longest way from the root to a leaf."""
        return self._core.levels

    @property
    def levels(self) -> list[list[str]]:
        """The nodes of each depth, the root's level first."""
        levels: list[list[str]] = [[] for _ in range(self._core.levels)]
        for node, name in enumerate(self.names):
            levels[self._core.depth(node)].append(name)
        return levels

    def index(self, node: Any) -> int:
        """The number of a node."""
        found = int(self._core.find([name_of(node)])[0])
        if found < 0:
            raise KeyError(f"no class {name_of(node)!r}; expected a node of the taxonomy")
        return found

    def parents(self, node: Any) -> list[str]:
        """The nodes right above a node: none for the root, one in a tree, maybe several in a DAG."""
        return self._named(self._core.parents(self.index(node)))

    def children(self, node: Any) -> list[str]:
        """The nodes right below a node."""
        return self._named(self._core.children(self.index(node)))

    def ancestors(self, node: Any) -> list[str]:
        """All nodes above a node, the nearest first."""
        return self._named(self._core.ancestors(self.index(node)))

    def descendants(self, node: Any) -> list[str]:
        """All nodes below a node."""
        return self._named(self._core.descendants(self.index(node)))

    def leaves_below(self, node: Any) -> list[str]:
        """The leaves below a node, or the node itself if it is one."""
        return self._named(self._core.leaves_below(self.index(node)))

    def siblings(self, node: Any) -> list[str]:
        """The other nodes that have a parent in common with a node."""
        return self._named(self._core.siblings(self.index(node)))

    def depth(self, node: Any) -> int:
        """The number of edges on the longest way from the root."""
        return self._core.depth(self.index(node))

    def is_ancestor(self, above: Any, below: Any) -> bool:
        """Whether a way leads down from the one node to the other; no node is its own ancestor."""
        return self._core.is_ancestor(self.index(above), self.index(below))

    def is_leaf(self, node: Any) -> bool:
        """Whether a node has no children."""
        return len(self._core.children(self.index(node))) == 0

    def lowest_common_ancestors(self, a: Any, b: Any) -> list[str]:
        """The nodes at or above both with no other such node below them: one in a tree, maybe several in a DAG."""
        return self._named(self._core.lowest_common_ancestors(self.index(a), self.index(b)))

    def lca(self, a: Any, b: Any) -> str:
        """The lowest common ancestor; of several, in a DAG, the deepest, and of these the first."""
        return max(self.lowest_common_ancestors(a, b), key=self.depth)

    def distance(self, a: Any, b: Any) -> int:
        """The number of edges on the shortest way between two nodes, up or down."""
        return self._core.distance(self.index(a), self.index(b), settings())

    def summary(self) -> dict[str, Any]:
        """What `clade info --json` says: the numbers of nodes, edges, leaves and levels, tree or DAG."""
        facts: dict[str, Any] = json.loads(self._core.summary())
        return {name: value for name, value in facts.items() if name not in ("format", "warnings")}

    def tree_text(self, max_depth: int | None = None, max_nodes: int = 200, label: Callable[[str], str] = str) -> str:
        """The hierarchy as a text, a line per node.

        Parameters
        ----------
        max_depth : int, optional
            Levels below the root that are shown; what is below is counted.
        max_nodes : int
            The most lines; what is left out is counted.
        label : callable
            Makes a node's text from its name.
        """
        return _tree_views.tree_text(self._core, max_depth, max_nodes, label)

    # What Python expects of things

    def __len__(self) -> int:
        return len(self._core)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __contains__(self, node: object) -> bool:
        return is_name(node) and int(self._core.find([name_of(node)])[0]) >= 0

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Taxonomy):
            return NotImplemented
        return self._core == other._core

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash((tuple(self.names), self._core.edges().tobytes()))
        return self._hash

    def __getstate__(self) -> dict[str, Any]:
        return {"_core": self._core}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._core = state["_core"]
        self._names = None
        self._hash = None

    def __copy__(self) -> Taxonomy:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Taxonomy:
        return self

    def __str__(self) -> str:
        return self.tree_text()

    def __repr__(self) -> str:
        kind = "tree" if self.is_tree else "DAG"
        leaves = len(self._core.leaves())
        return f"<Taxonomy: a {kind} of {len(self)} nodes, {leaves} of them leaves, on {self.n_levels} levels>"

    def _repr_html_(self) -> str:
        return _tree_views.tree_html(self._core, repr(self)[1:-1])

    def _named(self, nodes: Iterable[int]) -> list[str]:
        if self._names is None:
            self._names = self._core.names()
        return [self._names[node] for node in nodes]
