// What tells the children of a node apart, and how much of that is common to it, the node above and those beside it.
function strongestOf(data, node) { return data.strongest ? wordsOf(data, data.strongest, node) : []; }

// The inner nodes beside a node whose decisions are known.
function decidingSiblings(data, node) {
  const siblings = new Set(data.parents[node].flatMap((parent) => data.children[parent]));
  siblings.delete(node);
  return [...siblings].filter((sibling) => data.strongest[sibling].length > 0).slice(0, 500);
}

// [{word, strength, isAbove, beside}]: is it among the strongest at a parent, and at which siblings.
function sharedStrengths(data, node) {
  const above = new Set(data.parents[node].flatMap((parent) => strongestOf(data, parent).map(([word]) => word)));
  const siblings = decidingSiblings(data, node)
                       .map((sibling) => [sibling, new Set(strongestOf(data, sibling).map(([word]) => word))]);
  const common = new Set(data.common?.[node] ?? []);
  return strongestOf(data, node).map(([word, strength]) => ({
                                       word,
                                       strength,
                                       isAbove: above.has(word),
                                       isCommon: common.has(word),
                                       beside:
                                           siblings.filter(([, words]) => words.has(word)).map(([sibling]) => sibling)
                                     }));
}

function decisionSentence(data, node, entries) {
  const count = (test) => entries.filter(test).length;
  const isRoot = data.parents[node].length === 0;
  const where = isRoot ? '' :
                         ` ${count((one) => one.isAbove)} of them also decide above, at its parent; ` +
          `${count((one) => one.beside.length > 0)} at siblings (↔ counts these); ${
                             count((one) => !one.isAbove && one.beside.length === 0)} only here.`;
  const how = data.selection ? `as ${data.selection} ranked them` : 'by their weights for the children';
  return make('p', {class: 'muted'}, `The ${plural(entries.length, 'feature')} that matter most, ${how}.${where}`);
}

function strengthItem(data, entry, most, node) {
  const bar = make('span', {class: entry.isAbove || entry.isCommon ? 'bar common' : 'bar', 'aria-hidden': 'true'});
  bar.style.width = `${(100 * Math.abs(entry.strength)) / (most || 1)}%`;
  const names = (nodes) =>
      nodes.slice(0, 6).map((one) => shortName(data, one, data.parents[node][0] ?? null)).join(', ');
  const tags = [];
  if (entry.beside.length > 0)
    tags.push(make(
        'span', {
          class: 'tag',
          title: `also at ${names(entry.beside)}`,
          'aria-label': `also at ${plural(entry.beside.length, 'sibling')}`
        },
        `↔ ${entry.beside.length}`));
  return make(
      'li', {}, make('span', {class: 'word', title: entry.word}, entry.word, ...tags),
      make('span', {class: 'track'}, bar), make('span', {class: 'weight'}, entry.strength.toPrecision(3)));
}

function strengthList(data, entries, most, node) {
  const list = make('ul', {class: 'weights'});
  for (const entry of entries) list.append(strengthItem(data, entry, most, node));
  return list;
}

function decisionCsv(data, node, entries) {
  const rows = entries.map(
      (one) =>
          [one.word, one.strength, one.isAbove ? 'yes' : 'no',
           one.beside.map((sibling) => data.names[sibling]).join(';'), one.isCommon ? 'yes' : 'no']);
  return csvText([['feature', 'strength', 'also_at_parent', 'also_at_siblings', 'common'], ...rows]);
}

function decisionBlock(data, node) {
  if (!data.strongest || data.strongest[node].length === 0) return [];
  const entries = sharedStrengths(data, node);
  const most = Math.max(...entries.map((one) => Math.abs(one.strength)));
  const isShared = (one) => one.isAbove || one.isCommon;
  const parts = [
    ['Common with the nodes above', entries.filter(isShared)],
    ['Specific to this node', entries.filter((one) => !isShared(one))]
  ];
  const isRoot = data.parents[node].length === 0;
  const lists = isRoot ?
      [strengthList(data, entries, most, node)] :
      parts.filter(([, some]) => some.length > 0)
          .map(
              ([title, some]) =>
                  make('div', {}, make('h5', {}, `${title} (${some.length})`), strengthList(data, some, most, node)));
  const name = `decision-${fileName(nodeName(data, node))}.csv`;
  return [
    make('h4', {}, 'What tells its children apart'), decisionSentence(data, node, entries),
    make('div', {class: 'columns'}, ...lists),
    button('Save as CSV', () => save(name, 'text/csv', decisionCsv(data, node, entries)), {class: 'save csv'})
  ];
}
