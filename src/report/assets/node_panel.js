// What is known about one node.
function statList(data, node) {
  const q = quality(data, node);
  const entries = [
    ['true samples', countText(q.support)], ['predicted', countText(q.predicted)], ['both', countText(q.correct)],
    ['precision', shareText(q.precision)], ['recall', shareText(q.recall)], ['F1', shareText(q.f1)]
  ];
  const list = make('dl', {class: 'stats'});
  for (const [name, value] of entries) list.append(make('div', {}, make('dt', {}, name), make('dd', {}, value)));
  return list;
}

function breadcrumbs(data, node, go) {
  const path = pathTo(data, node);
  const list = make('ol', {class: 'path', 'aria-label': 'Nodes above'});
  path.slice(0, -1).forEach((above, k) => {
    const name = shortName(data, above, k > 0 ? path[k - 1] : null);
    list.append(make('li', {}, button(name, () => go(above), {class: 'link'})));
  });
  return list;
}

// Which other nodes around have a word: the parent, or siblings.
function sharing(data, node) {
  const parents = data.parents[node];
  const siblings = [...new Set(parents.flatMap((parent) => data.children[parent]))].filter((other) => other !== node);
  const who = new Map();
  const note = (other, role) => {
    for (const [word] of wordsOf(data, data.for, other)) {
      if (!who.has(word)) who.set(word, {parent: [], sibling: []});
      who.get(word)[role].push(other);
    }
  };
  parents.forEach((parent) => note(parent, 'parent'));
  siblings.slice(0, 500).forEach((sibling) => note(sibling, 'sibling'));
  return who;
}

function sharedTags(shared, data) {
  if (!shared) return [];
  const names = (nodes) => nodes.slice(0, 6).map((node) => nodeName(data, node)).join(', ');
  const tags = [];
  if (shared.parent.length > 0) tags.push(make('span', {class: 'tag', title: names(shared.parent)}, 'parent'));
  if (shared.sibling.length > 0) {
    tags.push(make('span', {class: 'tag', title: names(shared.sibling)}, plural(shared.sibling.length, 'sibling')));
  }
  return tags;
}

function weightList(data, words, largest, shared, kind) {
  const list = make('ul', {class: `weights ${kind}`});
  for (const [word, weight] of words) {
    const bar = make('span', {class: weight < 0 ? 'bar negative' : 'bar', 'aria-hidden': 'true'});
    bar.style.width = `${(100 * Math.abs(weight)) / largest}%`;
    list.append(make(
        'li', {}, make('span', {class: 'word'}, word, ...sharedTags(shared.get(word), data)),
        make('span', {class: 'track'}, bar), make('span', {class: 'weight'}, weight.toPrecision(3))));
  }
  return list;
}

function sharedSentence(data, node, words, shared) {
  const own = words.map(([word]) => word);
  const withParent = own.filter((word) => shared.get(word)?.parent.length > 0);
  const withSiblings = own.filter((word) => shared.get(word)?.sibling.length > 0);
  const alone = own.length - new Set([...withParent, ...withSiblings]).size;
  const text = `Of ${plural(own.length, data.kind)} for this node, ${withParent.length} also speak for its parent, ` +
      `${withSiblings.length} for siblings, and ${alone} for neither.`;
  return make('p', {class: 'muted'}, text);
}

function tellingCsv(data, words, shared) {
  const names = (nodes) => (nodes ?? []).map((node) => data.names[node]).join(';');
  const rows =
      words.map(([word, weight]) => [word, weight, names(shared.get(word)?.parent), names(shared.get(word)?.sibling)]);
  return csvText([[data.kind, 'weight', 'also_for_parent', 'also_for_siblings'], ...rows]);
}

function wordsBlock(data, node) {
  const favour = wordsOf(data, data.for, node);
  const against = wordsOf(data, data.against, node);
  if (favour.length + against.length === 0) return [];
  const largest = Math.max(...[...favour, ...against].map(([, weight]) => Math.abs(weight)));
  const shared = sharing(data, node);
  const blocks = [make('h4', {}, `Most telling ${data.kind}s`), sharedSentence(data, node, favour, shared)];
  if (favour.length > 0) blocks.push(weightList(data, favour, largest, shared, 'for'));
  if (against.length > 0)
    blocks.push(make('h4', {}, 'Against'), weightList(data, against, largest, new Map(), 'against'));
  const name = `features-${fileName(nodeName(data, node))}.csv`;
  const text = () => tellingCsv(data, [...favour, ...against], shared);
  blocks.push(button('Save as CSV', () => save(name, 'text/csv', text()), {class: 'save csv'}));
  return blocks;
}

// Models without weights of features: by what the samples of the node stand out in the data.
function marksBlock(data, node) {
  const marks = data.marks ? wordsOf(data, data.marks, node) : [];
  if (marks.length === 0) return [];
  const largest = Math.max(...marks.map(([, difference]) => Math.abs(difference)));
  const list = weightList(data, marks, largest, new Map(), 'marks');
  return [
    make('h4', {}, 'How its samples stand out from its siblings\''),
    make('p', {class: 'muted'}, 'Difference of the means in these data, in standard deviations of the feature.'), list
  ];
}

function wentName(data, went, parent) {
  if (went === -1) return `no further than ${nodeName(data, parent)}`;
  if (went === -2) return `elsewhere, outside ${nodeName(data, parent)}`;
  return nodeName(data, went);
}

function countList(entries) {
  entries.sort((a, b) => b[1] - a[1]);
  const list = make('ul', {class: 'went'});
  for (const [name, count] of entries.slice(0, 6))
    list.append(make('li', {}, make('span', {}, name), make('b', {}, countText(count))));
  if (entries.length > 6) list.append(make('li', {class: 'muted'}, `and ${entries.length - 6} more`));
  return list;
}

function mistakesBlock(data, node) {
  const lost = [];
  const taken = [];
  for (const parent of data.parents[node]) {
    for (const {child, went, count} of branchesOf(data, parent)) {
      if (child === node && went !== node) lost.push([wentName(data, went, parent), count]);
      if (went === node && child !== node) taken.push([nodeName(data, child), count]);
    }
  }
  const blocks = [];
  if (lost.length > 0) blocks.push(make('h4', {}, 'Its samples that went astray'), countList(lost));
  if (taken.length > 0) blocks.push(make('h4', {}, 'Siblings taken for it'), countList(taken));
  return blocks;
}

// A node without siblings is never chosen against another.
function onlyChildNote(data, node) {
  const parents = data.parents[node];
  if (parents.length !== 1 || data.children[parents[0]].length > 1) return null;
  return make('p', {class: 'muted'}, `The only child of ${nodeName(data, parents[0])}, so nothing is decided here.`);
}

function nodePanel(data, node, go) {
  const others = data.parents[node].slice(1);
  const also = others.length > 0 ?
      make('p', {class: 'muted'}, `Also below ${others.map((parent) => nodeName(data, parent)).join(', ')}.`) :
      null;
  return [
    breadcrumbs(data, node, go), make('h3', {}, nodeName(data, node)), also, statList(data, node),
    onlyChildNote(data, node), ...pixelsBlock(data, node), ...mistakesBlock(data, node), ...marksBlock(data, node),
    ...wordsBlock(data, node), ...groupsBlock(data, node), ...decisionBlock(data, node), ...vectorsBlock(data, node),
    ...profileBlock(data, node)
  ].filter((block) => block !== null);
}
