// The hierarchy of the page: what explorer_data.h describes, and what follows from it.
function readHierarchy() {
  const element = document.getElementById('taxonomy-data');
  if (!element) return null;
  const data = JSON.parse(element.textContent);
  data.children = data.names.map(() => []);
  data.parents.forEach((parents, node) => parents.forEach((parent) => data.children[parent].push(node)));
  if (data.image) {
    data.words = data.words.map((word) => pixelName(data, word));
    data.common = data.common?.map((words) => words.map((word) => pixelName(data, word)));
  }
  return data;
}

// The row and the column of a pixel, where features have no names.
function pixelName(data, word) {
  const found = /^feature (\d+)$/.exec(word);
  if (!found) return word;
  const {height, width, by_rows: byRows} = data.image;
  const [feature, line] = [Number(found[1]), byRows ? width : height];
  const [along, across] = [Math.floor(feature / line), feature % line];
  return byRows ? `pixel (${along}, ${across})` : `pixel (${across}, ${along})`;
}

function nodeName(data, node) { return node === 0 && data.names[0] === '(root)' ? 'all classes' : data.names[node]; }

// The name without that of the parent, where it begins with it: names are often whole paths.
function shortName(data, node, parent) {
  const [name, above] = [data.names[node], parent === null ? '' : data.names[parent]];
  if (above && name.length > above.length + 1 && name.startsWith(above)) {
    const rest = name.slice(above.length).replace(/^[\s/>|:\\.-]+/, '');
    if (rest && rest.length < name.length - above.length) return rest;
  }
  return nodeName(data, node);
}

// From the root to the node, by the first parents.
function pathTo(data, node) {
  const path = [node];
  while (data.parents[path[0]].length > 0) path.unshift(data.parents[path[0]][0]);
  return path;
}

function quality(data, node) {
  const [support, predicted, correct] = [data.support[node], data.predicted[node], data.correct[node]];
  return {
    support,
    predicted,
    correct,
    precision: predicted > 0 ? correct / predicted : null,
    recall: support > 0 ? correct / support : null,
    f1: support + predicted > 0 ? (2 * correct) / (support + predicted) : null,
  };
}

// Where samples of children of the node went: a list of {child, went, count}.
function branchesOf(data, node) {
  const flat = data.branches[node] ?? [];
  const list = [];
  for (let k = 0; k < flat.length; k += 3) list.push({child: flat[k], went: flat[k + 1], count: flat[k + 2]});
  return list;
}

// [[word, weight], ...] of a node.
function wordsOf(data, lists, node) {
  const flat = lists[node];
  const words = [];
  for (let k = 0; k < flat.length; k += 2) words.push([data.words[flat[k]], flat[k + 1]]);
  return words;
}

function nodesCsv(data) {
  const rows = data.names.map((name, node) => {
    const q = quality(data, node);
    const parents = data.parents[node].map((parent) => data.names[parent]).join(';');
    return [name, parents, q.support, q.predicted, q.correct, q.precision ?? '', q.recall ?? '', q.f1 ?? ''];
  });
  return csvText([['node', 'parents', 'true', 'predicted', 'correct', 'precision', 'recall', 'f1'], ...rows]);
}
