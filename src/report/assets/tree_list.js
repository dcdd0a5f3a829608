// A tree of any size as a list of which only the visible rows exist. Keys as the ARIA pattern of a tree wants them.
const rowHeight = 30;

class TreeList {
  constructor(data, choose) {
    this.data = data;
    this.choose = choose;
    this.expanded = new Set(['0']);
    this.active = 0;
    this.space = make('div', {class: 'space', role: 'presentation'});
    this.element =
        make('div', {class: 'tree', role: 'tree', tabindex: 0, 'aria-label': 'Hierarchy of classes'}, this.space);
    this.element.addEventListener('scroll', () => requestAnimationFrame(() => this.draw()));
    this.element.addEventListener('keydown', (event) => this.press(event));
    this.space.addEventListener('click', (event) => this.click(event));
    this.space.addEventListener('dblclick', (event) => this.doubleClick(event));
    this.flatten();
  }

  // The rows that can be seen by scrolling. A node of a DAG has a row below each of its parents.
  flatten() {
    this.rows = [];
    this.add(0, null, '0', 1, 1, 1, -1);
    this.space.style.height = `${this.rows.length * rowHeight}px`;
  }

  add(node, parent, key, level, place, siblings, above) {
    const own = this.rows.push({node, parent, key, level, place, siblings, above}) - 1;
    if (!this.expanded.has(key)) return;
    const children = this.data.children[node];
    children.forEach((child, k) => this.add(child, node, `${key}/${child}`, level + 1, k + 1, children.length, own));
  }

  draw() {
    const first = Math.max(0, Math.floor(this.element.scrollTop / rowHeight) - 5);
    const last = Math.min(this.rows.length, first + Math.ceil(this.element.clientHeight / rowHeight) + 10);
    const rows = [];
    for (let k = first; k < last; ++k) rows.push(this.row(k));
    this.space.replaceChildren(...rows);
    this.element.setAttribute('aria-activedescendant', `tree-row-${this.active}`);
  }

  row(number) {
    const {node, parent, key, level, place, siblings} = this.rows[number];
    const isInner = this.data.children[node].length > 0;
    const isOpen = this.expanded.has(key);
    const q = quality(this.data, node);
    const element = make(
        'div', {
          id: `tree-row-${number}`,
          class: 'row',
          role: 'treeitem',
          'data-row': number,
          'aria-level': level,
          'aria-posinset': place,
          'aria-setsize': siblings,
          'aria-selected': number === this.active,
          'aria-expanded': isInner ? isOpen : null,
        },
        make(
            'span', {class: isInner ? 'twisty' : 'twisty leaf', 'aria-hidden': 'true'},
            isInner ? (isOpen ? '▾' : '▸') : '·'),
        make('span', {class: 'name'}, shortName(this.data, node, parent)),
        make('span', {class: 'meter', title: `F1 ${shareText(q.f1)}`}, make('span', {class: 'fill'})),
        make('span', {class: 'count'}, countText(q.support)));
    element.style.top = `${number * rowHeight}px`;
    element.style.paddingInlineStart = `${Math.min(level - 1, 12) * 18 + 6}px`;
    element.querySelector('.fill').style.width = `${100 * (q.f1 ?? 0)}%`;
    return element;
  }

  activate(number) {
    this.active = Math.max(0, Math.min(this.rows.length - 1, number));
    const top = this.active * rowHeight;
    const height = this.element.clientHeight;
    if (top < this.element.scrollTop) this.element.scrollTop = top;
    if (top + rowHeight > this.element.scrollTop + height) this.element.scrollTop = top + rowHeight - height;
    this.draw();
    this.choose(this.rows[this.active].node);
  }

  toggle(number) {
    const {key, node} = this.rows[number];
    if (this.data.children[node].length === 0) return;
    this.expanded.has(key) ? this.expanded.delete(key) : this.expanded.add(key);
    this.flatten();
    this.active = this.rows.findIndex((row) => row.key === key);
    this.draw();
  }

  // Opens what is above the node, and goes to it.
  reveal(node) {
    const path = pathTo(this.data, node);
    path.slice(0, -1).forEach((_, k) => this.expanded.add(path.slice(0, k + 1).join('/')));
    this.flatten();
    const key = path.join('/');
    this.activate(this.rows.findIndex((row) => row.key === key));
  }

  click(event) {
    const row = event.target.closest('.row');
    if (!row) return;
    const number = Number(row.dataset.row);
    if (event.target.closest('.twisty'))
      this.toggle(number);
    else
      this.activate(number);
  }

  doubleClick(event) {
    const row = event.target.closest('.row');
    if (row && !event.target.closest('.twisty')) this.toggle(Number(row.dataset.row));
  }

  press(event) {
    const row = this.rows[this.active];
    const isOpen = this.expanded.has(row.key);
    const isInner = this.data.children[row.node].length > 0;
    const page = Math.max(1, Math.floor(this.element.clientHeight / rowHeight) - 1);
    const actions = {
      ArrowDown: () => this.activate(this.active + 1),
      ArrowUp: () => this.activate(this.active - 1),
      ArrowRight: () => (isInner && !isOpen ? this.toggle(this.active) : isInner && this.activate(this.active + 1)),
      ArrowLeft: () => (isInner && isOpen ? this.toggle(this.active) : row.above >= 0 && this.activate(row.above)),
      Home: () => this.activate(0),
      End: () => this.activate(this.rows.length - 1),
      PageDown: () => this.activate(this.active + page),
      PageUp: () => this.activate(this.active - page),
      Enter: () => this.toggle(this.active),
      ' ': () => this.toggle(this.active),
    };
    if (!(event.key in actions) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    actions[event.key]();
  }
}
