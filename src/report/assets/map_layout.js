// Where the nodes of the map are: a column for each level, and below one another in shares of its height. A node with
// several parents is drawn below its first.
const shareOfNone = 0.25;  // of a sample: nodes without samples can be seen, too

function mapTree(data) {
  const children = data.names.map(() => []);
  const level = data.names.map(() => 0);
  data.parents.forEach((parents, node) => {
    if (parents.length === 0) return;
    children[parents[0]].push(node);
    level[node] = level[parents[0]] + 1;  // parents come first
  });
  return {children, level, levels: level.reduce((most, one) => Math.max(most, one), 0) + 1};
}

function leavesBelow(data, tree) {
  const count = data.names.map((_, node) => (tree.children[node].length === 0 ? 1 : 0));
  for (let node = count.length - 1; node > 0; --node) count[data.parents[node][0]] += count[node];
  return count;
}

// {top, bottom} of every node, from 0 to 1. The children of a node fill it, but for samples that end at the node
// itself.
function mapShares(data, tree, sizeBy) {
  const size =
      sizeBy === 'classes' ? leavesBelow(data, tree) : data[sizeBy].map((count) => Math.max(count, shareOfNone));
  const top = new Float64Array(size.length);
  const bottom = new Float64Array(size.length);
  bottom[0] = 1;
  size.forEach((own, node) => {
    const below = tree.children[node];
    const sum = below.reduce((all, child) => all + size[child], 0);
    const unit = (bottom[node] - top[node]) / Math.max(sum, own);
    let at = top[node];
    for (const child of below) {
      top[child] = at;
      at += size[child] * unit;
      bottom[child] = at;
    }
  });
  return {top, bottom};
}

// The nodes of each level from top to bottom, by which what is visible is found fast.
function mapColumns(tree, shares) {
  const columns = Array.from({length: tree.levels}, () => []);
  tree.level.forEach((level, node) => columns[level].push(node));
  columns.forEach((column) => column.sort((a, b) => shares.top[a] - shares.top[b] || a - b));
  return columns;
}

// The place in a column of the first node that ends below a height.
function firstBelow(column, shares, height) {
  let [low, high] = [0, column.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (shares.bottom[column[middle]] > height)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}
