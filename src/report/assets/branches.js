// Where the samples of every inner node's children went, node by node; a node is drawn when it is opened.
const widestMatrix = 10;
const mostRows = 300;

function branchTable(data, node) {
  const rows = new Map();
  for (const {child, went, count} of branchesOf(data, node)) {
    if (!rows.has(child)) rows.set(child, new Map());
    rows.get(child).set(went, count);
  }
  return rows;
}

function shadedCell(count, whole, isRight) {
  const share = whole > 0 ? count / whole : 0;
  const cell = make(
      'td', {class: `n cell ${isRight ? 'right' : 'wrong'}`, 'data-v': count, title: `${(100 * share).toFixed(1)} %`},
      count > 0 ? countText(count) : '');
  cell.style.setProperty('--v', share.toFixed(3));
  return cell;
}

function rowTotal(counts) { return [...counts.values()].reduce((sum, count) => sum + count, 0); }

function fullMatrix(data, node, rows, columns) {
  const title = (child) => shortName(data, child, node);
  const cells = [...rows].map(
      ([child, counts]) =>
          [title(child),
           ...[...columns, -1, -2].map((went) => shadedCell(counts.get(went) ?? 0, rowTotal(counts), went === child))]);
  return [['true child', ...columns.map(title), 'no further', 'elsewhere'], cells];
}

function wideMatrix(data, node, rows) {
  const cells = [...rows].map(([child, counts]) => {
    const total = rowTotal(counts);
    const others = [...counts].filter(([went]) => went >= 0 && went !== child).sort((a, b) => b[1] - a[1]);
    const named =
        others.slice(0, 3).map(([went, count]) => `${shortName(data, went, node)} ${countText(count)}`).join(', ');
    const sum = others.reduce((all, [, count]) => all + count, 0);
    return [
      shortName(data, child, node), shadedCell(counts.get(child) ?? 0, total, true), shadedCell(sum, total, false),
      shadedCell(counts.get(-1) ?? 0, total, false), shadedCell(counts.get(-2) ?? 0, total, false),
      make('td', {}, named)
    ];
  });
  return [['true child', 'same child', 'other children', 'no further', 'elsewhere', 'mostly to'], cells];
}

// Only the children with most samples, where there are very many.
function largestRows(rows) {
  if (rows.size <= mostRows) return rows;
  const sorted = [...rows].sort((a, b) => rowTotal(b[1]) - rowTotal(a[1]));
  return new Map(sorted.slice(0, mostRows));
}

function seenChildren(data, node, rows) {
  const seen = new Set(rows.keys());
  for (const counts of rows.values()) counts.forEach((_, went) => seen.add(went));
  return data.children[node].filter((child) => seen.has(child));
}

function branchBody(data, node) {
  const all = branchTable(data, node);
  const rows = largestRows(all);
  const seen = seenChildren(data, node, all);
  const [columns, cells] =
      seen.length <= widestMatrix ? fullMatrix(data, node, rows, seen) : wideMatrix(data, node, rows);
  const inner = [...rows.keys()].filter((child) => child in data.branches);
  inner.sort((a, b) => data.support[b] - data.support[a]);
  const more = all.size - rows.size;
  return [
    tableBox(`branches-${node}`, `${nodeName(data, node)}: where the samples of its children went`, columns, cells),
    ...(more > 0 ? [make('p', {class: 'muted'}, `${countText(more)} children with fewer samples are left out.`)] : []),
    ...inner.map((child) => branchDetails(data, child, node))
  ];
}

function branchSummary(data, node, parent) {
  const list = branchesOf(data, node);
  const whole = list.reduce((sum, {count}) => sum + count, 0);
  const right = list.reduce((sum, {child, went, count}) => sum + (child === went ? count : 0), 0);
  return make(
      'summary', {}, make('span', {class: 'name'}, shortName(data, node, parent)), ' ',
      make(
          'span', {class: 'score'},
          `${plural(data.support[node], 'sample')}, ${
              ((100 * right) / Math.max(1, whole)).toFixed(0)} % to the right child`));
}

function branchDetails(data, node, parent) {
  const details = make('details', {class: 'branch'}, branchSummary(data, node, parent));
  let isDrawn = false;
  details.addEventListener('toggle', () => {
    if (!details.open || isDrawn) return;
    isDrawn = true;
    details.append(...branchBody(data, node));
  });
  return details;
}

function startBranches(data, place) {
  if (!('0' in data.branches)) return;
  const root = branchDetails(data, 0, null);
  root.open = true;
  place.append(root);
}
