// The confusion matrix over the hierarchy: rows and columns are nodes that can be opened into their children.
const mostMatrixRows = 40;
const mostPairs = 8;  // of a cell

class ConfusionMatrix {
  constructor(data) {
    this.data = data;
    this.tree = mapTree(data);
    this.pairs = [];
    for (let k = 0; k < data.pairs.length; k += 4) {
      const [truth, predicted, count, distance] = data.pairs.slice(k, k + 4);
      this.pairs.push({truth, predicted, count, distance});
    }
    this.findSeen();
    // Of several labels a sample has several pairs.
    this.noun = this.pairs.reduce((sum, {count}) => sum + count, 0) > data.support[0] ? 'label' : 'sample';
    this.open = new Set([0]);
    for (let node = 0; this.childrenOf(node).length === 1; this.open.add(node)) node = this.childrenOf(node)[0];
    this.box = make('div', {class: 'table confusion', 'data-name': 'confusion-matrix'});
    this.detail = make('div', {class: 'celldetail', 'aria-live': 'polite'});
    this.element = make('div', {class: 'confusionview'}, this.box, this.detail);
    this.draw();
    this.chooseCostliest();
  }

  chooseCostliest() {
    const costliest = this.costliest();
    costliest ? this.choose(costliest) : this.detail.replaceChildren();
  }

  // The cell whose wrong labels are farthest away in all.
  costliest() {
    const cost = (cell) => this.counts[cell.dataset.row]
                               .get(Number(cell.dataset.column))
                               .pairs.reduce((sum, {count, distance}) => sum + count * distance, 0);
    const wrong = [...this.box.querySelectorAll('td.wrong[data-row]')];
    return wrong.reduce((best, cell) => (best === null || cost(cell) > cost(best) ? cell : best), null);
  }

  // The nodes that have samples, true or predicted, with the number of the true ones.
  findSeen() {
    this.truth = new Map();
    this.seen = new Set();
    this.own = new Set();  // nodes that are labels themselves
    const climb = (node, visit) => {
      for (let at = node; at !== undefined; at = this.data.parents[at][0]) visit(at);
    };
    for (const {truth, predicted, count} of this.pairs) {
      this.own.add(truth).add(predicted);
      climb(truth, (node) => this.truth.set(node, (this.truth.get(node) ?? 0) + count));
      climb(truth, (node) => this.seen.add(node));
      climb(predicted, (node) => this.seen.add(node));
    }
  }

  childrenOf(node) { return this.tree.children[node].filter((child) => this.seen.has(child)); }

  // [{node, level, isOpen}] from top to bottom. An open node stands for labels at the node itself, where there are any.
  lines() {
    const lines = [];
    const add = (node, level) => {
      const isOpen = this.open.has(node) && this.childrenOf(node).length > 0;
      lines.push({node, level, isOpen, isShown: !isOpen || this.own.has(node)});
      if (!isOpen) return;
      const children =
          this.childrenOf(node).sort((a, b) => (this.truth.get(b) ?? 0) - (this.truth.get(a) ?? 0) || a - b);
      children.forEach((child) => add(child, level + 1));
    };
    add(0, 0);
    return lines;
  }

  // The line that stands for a label: its own, or that of the nearest node above.
  placeOf(node, places) {
    for (let at = node; at !== undefined; at = this.data.parents[at][0])
      if (places.has(at)) return places.get(at);
    return undefined;
  }

  draw() {
    const lines = this.lines();
    let shown = lines.filter((line) => line.isShown);
    this.leftOut = Math.max(0, shown.length - mostMatrixRows);
    if (this.leftOut > 0) {
      // The children of the node that was opened last stay, then the largest.
      const size = ({node}) => (this.data.parents[node][0] === this.latest ? 1e12 : 0) + (this.truth.get(node) ?? 0);
      const bySize = [...shown].sort((a, b) => size(b) - size(a));
      const kept = new Set(bySize.slice(0, mostMatrixRows));
      shown = shown.filter((line) => kept.has(line));
    }
    this.shown = shown;
    const places = new Map(shown.map(({node}, k) => [node, k]));
    this.counts = shown.map(() => new Map());
    for (const pair of this.pairs) {
      const [row, column] = [this.placeOf(pair.truth, places), this.placeOf(pair.predicted, places)];
      if (row === undefined || column === undefined) continue;
      const cell = this.counts[row].get(column) ?? {count: 0, pairs: []};
      cell.count += pair.count;
      cell.pairs.push(pair);
      this.counts[row].set(column, cell);
    }
    this.rowOf = new Map(shown.map((line, row) => [line, row]));
    const kept = lines.filter((line) => line.isOpen || this.rowOf.has(line));
    const table = make('table', {role: 'grid'}, make('caption', {}, this.caption()), this.head(), this.body(kept));
    table.addEventListener('keydown', (event) => this.press(event, table));
    table.addEventListener('click', (event) => this.click(event));
    const scroll = make('div', {class: 'scroll', role: 'region', 'aria-label': 'Confusion matrix'}, table);
    this.box.replaceChildren(
        button('Save as CSV', () => save('confusion-matrix.csv', 'text/csv', this.csv()), {class: 'save'}), scroll);
    const first = table.querySelector('td.wrong[data-row]') ?? table.querySelector('td[data-row]');
    first?.setAttribute('tabindex', 0);
  }

  caption() {
    const left = this.leftOut > 0 ? `; ${countText(this.leftOut)} nodes with fewer samples are left out` : '';
    return `Confusions over the hierarchy${left}`;
  }

  name(node) { return shortName(this.data, node, this.data.parents[node][0] ?? null); }

  opener(node, isOpen, isColumn) {
    const label = `${isOpen ? 'Close' : 'Open'} ${nodeName(this.data, node)}`;
    return button(
        isOpen ? '▾' : '▸', () => this.toggle(node, isColumn),
        {class: 'opener', 'aria-label': label, 'aria-expanded': isOpen});
  }

  toggle(node, isColumn) {
    this.latest = node;
    this.open.has(node) ? this.open.delete(node) : this.open.add(node);
    this.draw();
    this.chooseCostliest();
    const place = isColumn ? `thead th[data-node="${node}"] button` : `tbody th[data-node="${node}"] button`;
    (this.box.querySelector(place) ?? this.box.querySelector(`tbody th[data-node="${node}"] button`))?.focus();
  }

  head() {
    const cells = this.shown.map(({node, isOpen}) => {
      const isInner = this.childrenOf(node).length > 0 && !isOpen;
      const text = make('span', {class: 'tilted', title: nodeName(this.data, node)}, this.name(node));
      return make('th', {scope: 'col', 'data-node': node}, text, ...(isInner ? [this.opener(node, false, true)] : []));
    });
    return make('thead', {}, make('tr', {}, make('th', {scope: 'col', class: 'corner'}, 'true'), ...cells));
  }

  body(lines) {
    const body = make('tbody');
    for (const line of lines) {
      const isInner = this.childrenOf(line.node).length > 0;
      const title = make(
          'th', {scope: 'row', 'data-node': line.node, title: nodeName(this.data, line.node)},
          isInner ? this.opener(line.node, line.isOpen, false) : make('span', {class: 'opener'}), this.name(line.node));
      title.style.paddingInlineStart = `${Math.min(line.level, 12) * 14 + 6}px`;
      const row = this.rowOf.get(line) ?? -1;
      const cells = row < 0 ? [make('td', {colspan: this.shown.length, class: 'blank'})] :
                              this.shown.map((_, column) => this.cell(row, column));
      body.append(make('tr', {class: line.isOpen ? 'open' : null}, title, ...cells));
    }
    return body;
  }

  cell(row, column) {
    const found = this.counts[row].get(column);
    if (!found) return make('td', {class: 'n'});
    const total = [...this.counts[row].values()].reduce((sum, {count}) => sum + count, 0);
    const cell = shadedCell(found.count, total, row === column);
    cell.setAttribute('tabindex', -1);
    cell.dataset.row = row;
    cell.dataset.column = column;
    const [truth, predicted] = [this.shown[row].node, this.shown[column].node].map((node) => nodeName(this.data, node));
    cell.title =
        `${truth} → ${predicted}: ${plural(found.count, this.noun)}, ${((100 * found.count) / total).toFixed(1)} %`;
    return cell;
  }

  // ---- a cell

  click(event) {
    const cell = event.target.closest('td[data-row]');
    if (cell) this.choose(cell);
  }

  press(event, table) {
    const cell = event.target.closest('td[data-row]');
    if (!cell) return;
    const steps = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]};
    if (event.key === 'Enter' || event.key === ' ')
      this.choose(cell);
    else if (event.key in steps)
      this.walk(table, cell, ...steps[event.key]);
    else
      return;
    event.preventDefault();
  }

  // To the next cell in a direction that has samples.
  walk(table, cell, down, right) {
    let [row, column] = [Number(cell.dataset.row) + down, Number(cell.dataset.column) + right];
    for (; row >= 0 && column >= 0 && row < this.shown.length && column < this.shown.length;
         row += down, column += right) {
      const next = table.querySelector(`td[data-row="${row}"][data-column="${column}"]`);
      if (!next) continue;
      cell.setAttribute('tabindex', -1);
      next.setAttribute('tabindex', 0);
      return next.focus();
    }
  }

  choose(cell) {
    const {pairs} = this.counts[cell.dataset.row].get(Number(cell.dataset.column));
    this.box.querySelectorAll('td.chosen').forEach((other) => other.classList.remove('chosen'));
    cell.classList.add('chosen');
    const wrong = pairs.filter(({truth, predicted}) => truth !== predicted);
    wrong.sort((a, b) => b.count * b.distance - a.count * a.distance || a.truth - b.truth || a.predicted - b.predicted);
    const list = make('ul', {class: 'went'});
    for (const pair of wrong.slice(0, mostPairs)) list.append(this.pairItem(pair));
    if (wrong.length > mostPairs)
      list.append(make('li', {class: 'muted'}, `and ${countText(wrong.length - mostPairs)} more pairs`));
    this.detail.replaceChildren(
        make('h4', {}, cell.title), wrong.length > 0 ? list : make('p', {class: 'muted'}, 'No mistakes.'),
        ...this.examples(wrong));
  }

  pairItem({truth, predicted, count, distance}) {
    const text = `${nodeName(this.data, truth)} taken for ${nodeName(this.data, predicted)}`;
    return make(
        'li', {}, make('span', {}, text, make('span', {class: 'score'}, ` distance ${distance}`)),
        make('b', {}, countText(count)));
  }

  // The samples that the page has for the pairs.
  examples(pairs) {
    const names =
        pairs.slice(0, mostPairs).map(({truth, predicted}) => [this.data.names[truth], this.data.names[predicted]]);
    const found = [...document.querySelectorAll('.examples > details.example')].filter(
        ({dataset}) => names.some(([truth, predicted]) => dataset.true === truth && dataset.predicted === predicted));
    if (found.length === 0) return [];
    const copies = found.slice(0, 4).map((details) => details.cloneNode(true));
    copies[0].open = true;
    return [make('h4', {}, 'Samples'), ...copies];
  }

  csv() {
    const names = this.shown.map(({node}) => this.data.names[node]);
    const rows =
        names.map((name, row) => [name, ...names.map((_, column) => this.counts[row].get(column)?.count ?? 0)]);
    return csvText([['true', ...names], ...rows]);
  }
}
