// The map of the hierarchy: all nodes in one picture, as large as their samples and coloured by their quality. It is
// zoomed and moved by mouse, fingers and keys.
const narrowestColumn = 120;
const deepestZoom = 1e6;
const leastGap = 4;  // in pixels: only nodes of this height have a border

class NodeMap {
  constructor(data, choose) {
    this.data = data;
    this.choose = choose;
    this.tree = mapTree(data);
    this.colourBy = 'f1';
    this.sizeBy = 'support';
    this.active = 0;
    this.view = {top: 0, bottom: 1, left: 0};
    this.pointers = new Map();
    [this.width, this.height] = [1, 1];  // until it is on the page
    this.canvas = make('canvas', {
      class: 'map',
      tabindex: 0,
      role: 'application',
      'aria-roledescription': 'zoomable map',
      'aria-label': 'Map of the hierarchy. Arrow keys go to the parent, the children and the neighbours; Enter zooms ' +
          'to the chosen node; plus and minus zoom; shift with arrow keys moves; Escape shows everything.',
    });
    this.status = make('p', {class: 'muted mapstatus', 'aria-hidden': 'true'});
    // What is read aloud: only the chosen node, not every one that the mouse passes.
    this.spoken = make('p', {class: 'spoken', role: 'status', 'aria-live': 'polite'});
    this.element = make('div', {class: 'mapbox'}, this.bar(), this.canvas, this.foot());
    this.arrange();
    this.listen();
  }

  // ---- around the picture

  bar() {
    const choice = (label, field, words) => {
      const list = make('select', {}, ...words.map(([value, text]) => make('option', {value}, text)));
      list.addEventListener('change', () => {
        this[field] = list.value;
        this.arrange();
        this.draw();
      });
      return make('label', {}, `${label} `, list);
    };
    const small = (text, label, action) => button(text, action, {class: 'save', 'aria-label': label, title: label});
    return make(
        'div', {class: 'mapbar'},
        choice('Colour', 'colourBy', [['f1', 'F1'], ['recall', 'recall'], ['precision', 'precision']]),
        choice(
            'Size', 'sizeBy',
            [['support', 'true samples'], ['predicted', 'predicted samples'], ['classes', 'classes']]),
        this.legend(),
        make(
            'span', {class: 'zoom', role: 'group', 'aria-label': 'Zoom'}, small('+', 'Zoom in', () => this.zoom(0.5)),
            small('−', 'Zoom out', () => this.zoom(2)), small('Whole', 'Show everything', () => this.show(0)),
            small('Chosen', 'Zoom to the chosen node', () => this.show(this.active)),
            button('Save as SVG', () => save('map.svg', 'image/svg+xml', this.svgText()), {class: 'save'})));
  }

  legend() {
    this.gradient = make('span', {class: 'gradient', 'aria-hidden': 'true'});
    return make('span', {class: 'legend'}, '0 ', this.gradient, ' 1');
  }

  foot() {
    const hint =
        'Click to choose, double-click to zoom to a node, drag to move; the wheel zooms once the map is chosen, or ' +
        'with Ctrl. Keys: arrows, Enter, + and −, Escape.';
    return make('div', {class: 'mapfoot'}, this.status, this.spoken, make('p', {class: 'muted hint'}, hint));
  }

  say(node) {
    const q = quality(this.data, node);
    this.status.textContent = `${nodeName(this.data, node)}: ${plural(q.support, 'sample')}, F1 ${
        shareText(q.f1)}, precision ${shareText(q.precision)}, recall ${shareText(q.recall)}`;
  }

  // ---- geometry

  resize() {
    this.width = this.canvas.clientWidth;
    this.height = this.canvas.clientHeight;
    this.set(this.view);
  }

  arrange() {
    this.shares = mapShares(this.data, this.tree, this.sizeBy);
    this.columns = mapColumns(this.tree, this.shares);
    this.setColours();
  }

  // Columns that are visible at once.
  get visible() { return Math.min(this.tree.levels, this.width < 500 ? 4 : Math.floor(this.width / narrowestColumn)); }
  get columnWidth() { return this.width / this.visible; }

  across(level) { return (level - this.view.left) * this.columnWidth; }
  down(share) { return ((share - this.view.top) / (this.view.bottom - this.view.top)) * this.height; }

  nodeAt(x, y) {
    const column = this.columns[Math.floor(this.view.left + x / this.columnWidth)];
    if (!column) return null;
    const share = this.view.top + (y / this.height) * (this.view.bottom - this.view.top);
    const node = column[firstBelow(column, this.shares, share)];
    return node !== undefined && this.shares.top[node] <= share ? node : null;
  }

  // The nodes that can be seen, with their rectangles in pixels.
  cells() {
    const cells = [];
    const first = Math.max(0, Math.floor(this.view.left));
    const last = Math.min(this.tree.levels, Math.ceil(this.view.left + this.visible));
    for (let level = first; level < last; ++level) {
      const column = this.columns[level];
      for (let k = firstBelow(column, this.shares, this.view.top); k < column.length; ++k) {
        const node = column[k];
        const y = this.down(this.shares.top[node]);
        if (y >= this.height) break;
        cells.push({node, x: this.across(level), y, height: this.down(this.shares.bottom[node]) - y});
      }
    }
    return cells;
  }

  // ---- drawing

  colour(node) { return this.colours[node]; }

  // Of all nodes, once for each measure and scheme: drawing must be fast.
  setColours() {
    const none = isDark() ? [58, 64, 70] : [222, 226, 230];
    this.colours = this.data.names.map((_, node) => {
      const share = quality(this.data, node)[this.colourBy];
      return share === null ? none : colourAt(qualityStops, share);
    });
    const stops = isDark() ? qualityStops.dark : qualityStops.light;
    this.gradient.style.background =
        `linear-gradient(90deg, ${stops.map(([share, colour]) => `${colourText(colour)} ${100 * share}%`).join(', ')})`;
  }

  draw() {
    if (this.width === 0) return;
    const scale = devicePixelRatio || 1;
    const [width, height] = [Math.round(this.width * scale), Math.round(this.height * scale)];
    if (this.canvas.width !== width || this.canvas.height !== height) Object.assign(this.canvas, {width, height});
    const pen = this.canvas.getContext('2d');
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, this.width, this.height);
    for (const cell of this.merged(this.cells())) this.drawCell(pen, cell);
    this.drawActive(pen);
    this.canvas.style.touchAction = this.isWhole() ? 'pan-y' : 'none';
  }

  // Neighbours that share a line of pixels become one cell with their mean colour.
  merged(cells) {
    const result = [];
    let [run, height] = [[], 0];
    const flush = () => {
      if (run.length === 0) return;
      const sum = run.reduce((all, {node}) => all.map((one, k) => one + this.colours[node][k]), [0, 0, 0]);
      result.push({...run[0], height, colour: sum.map((one) => Math.round(one / run.length))});
      [run, height] = [[], 0];
    };
    for (const cell of cells) {
      if (run.length > 0 && run[0].x !== cell.x) flush();
      if (cell.height >= 1) {
        flush();
        result.push({...cell, colour: this.colours[cell.node]});
        continue;
      }
      run.push(cell);
      height += cell.height;
      if (height >= 1) flush();
    }
    flush();
    return result;
  }

  drawCell(pen, {node, x, y, height, colour}) {
    const gap = height >= leastGap ? 1 : 0;
    pen.fillStyle = colourText(colour);
    pen.fillRect(x, y, this.columnWidth - 1.5, Math.max(height - gap, 0.5));
    const [from, to] = [Math.max(y, 0), Math.min(y + height, this.height)];
    if (to - from < 15) return;
    pen.fillStyle = inkOn(colour);
    const lines = this.cellLines(node, to - from);
    const middle = (from + to) / 2;
    lines.forEach((text, k) => {
      pen.font = `${k === 0 ? 13 : 11.5}px system-ui, sans-serif`;
      pen.textBaseline = 'middle';
      pen.globalAlpha = k === 0 ? 1 : 0.8;
      const fit = this.fitting(pen, text);
      if (k === 0 || fit === text) pen.fillText(fit, x + 6, middle + (k - (lines.length - 1) / 2) * 16);
    });
    pen.globalAlpha = 1;
  }

  cellLines(node, height) {
    const parents = this.data.parents[node];
    const name = shortName(this.data, node, parents.length > 0 ? parents[0] : null);
    if (height < 36) return [name];
    const q = quality(this.data, node);
    return [name, `${countText(q.support)} · ${shareText(q[this.colourBy]).slice(0, 5)}`];
  }

  // The text, cut where the column ends.
  fitting(pen, text) {
    const room = this.columnWidth - 12;
    if (text.length < 400 && pen.measureText(text).width <= room) return text;
    let [low, high] = [0, Math.min(text.length, 200)];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (pen.measureText(`${text.slice(0, middle)}…`).width <= room)
        low = middle;
      else
        high = middle - 1;
    }
    return low > 0 ? `${text.slice(0, low)}…` : '';
  }

  drawActive(pen) {
    const x = this.across(this.tree.level[this.active]);
    const y = this.down(this.shares.top[this.active]);
    const height = this.down(this.shares.bottom[this.active]) - y;
    pen.strokeStyle = pageColour('--ink');
    pen.lineWidth = 2.5;
    const [from, to] = [Math.max(y, 0) + 1, Math.min(y + Math.max(height, 3), this.height) - 2];
    if (to > from) pen.strokeRect(x + 1.5, from, this.columnWidth - 4, to - from);
  }

  svgText() {
    const svg = makeSvg('svg', {
      xmlns: 'http://www.w3.org/2000/svg',
      viewBox: `0 0 ${this.width} ${this.height}`,
      width: this.width,
      height: this.height,
      'font-family': 'sans-serif'
    });
    const pen = this.canvas.getContext('2d');
    for (const {node, x, y, height} of this.cells()) {
      if (height < 0.2) continue;
      const [from, to] = [Math.max(y, 0), Math.min(y + height, this.height)];
      const colour = this.colour(node);
      const place = {x: x.toFixed(1), y: from.toFixed(2), width: (this.columnWidth - 1.5).toFixed(1)};
      const gap = height >= leastGap ? 1 : 0;
      svg.append(makeSvg(
          'rect', {...place, height: Math.max(to - from - gap, 0.2).toFixed(2), fill: colourText(colour)},
          makeSvg('title', {}, nodeName(this.data, node))));
      if (to - from < 15) continue;
      pen.font = '13px system-ui, sans-serif';
      const text = this.fitting(pen, this.cellLines(node, 0)[0]);
      svg.append(makeSvg(
          'text', {x: (x + 6).toFixed(1), y: ((from + to) / 2 + 4.5).toFixed(1), 'font-size': 13, fill: inkOn(colour)},
          text));
    }
    return new XMLSerializer().serializeToString(svg);
  }

  // ---- moving

  isWhole() { return this.view.top <= 0 && this.view.bottom >= 1; }

  set(view, isSmooth = false) {
    const span = Math.min(1, Math.max(1 / deepestZoom, view.bottom - view.top));
    const top = Math.min(1 - span, Math.max(0, view.top));
    const left = Math.min(this.tree.levels - this.visible, Math.max(0, view.left));
    const goal = {top, bottom: top + span, left};
    cancelAnimationFrame(this.frame);
    if (!isSmooth || matchMedia('(prefers-reduced-motion: reduce)').matches) {
      this.view = goal;
      this.frame = requestAnimationFrame(() => this.draw());
      return;
    }
    const [from, begin] = [this.view, performance.now()];
    const step = (now) => {
      const part = Math.min(1, Math.max(0, (now - begin) / 280));
      const eased = 1 - (1 - part) ** 3;
      const between = (key) => from[key] + eased * (goal[key] - from[key]);
      this.view = {top: between('top'), bottom: between('bottom'), left: between('left')};
      this.draw();
      if (part < 1) this.frame = requestAnimationFrame(step);
    };
    this.frame = requestAnimationFrame(step);
  }

  // By a factor, around a height in pixels.
  zoom(factor, y = this.height / 2) {
    const {top, bottom, left} = this.view;
    const span = Math.min(1, Math.max(1 / deepestZoom, (bottom - top) * factor));
    const share = y / this.height;
    const at = top + share * (bottom - top);
    this.set({top: at - share * span, bottom: at + (1 - share) * span, left});
  }

  move(x, y) {
    const span = this.view.bottom - this.view.top;
    this.set({
      top: this.view.top - (y / this.height) * span,
      bottom: this.view.bottom - (y / this.height) * span,
      left: this.view.left - x / this.columnWidth
    });
  }

  // Zooms so that a node fills the height, with its parent beside it.
  show(node) {
    const [top, bottom] = [this.shares.top[node], this.shares.bottom[node]];
    const margin = node === 0 ? 0 : 0.04 * (bottom - top);
    this.set({top: top - margin, bottom: bottom + margin, left: this.tree.level[node] - 1}, true);
  }

  // Chooses a node that was chosen elsewhere, and moves to it if it is outside.
  reveal(node) {
    this.active = node;
    const level = this.tree.level[node];
    const {top, bottom, left} = this.view;
    const goal = {top, bottom, left: Math.min(level, Math.max(level + 1 - this.visible, left))};
    const middle = (this.shares.top[node] + this.shares.bottom[node]) / 2;
    if (this.shares.bottom[node] <= top || this.shares.top[node] >= bottom)
      Object.assign(goal, {top: middle - (bottom - top) / 2, bottom: middle + (bottom - top) / 2});
    this.set(goal);
    this.say(node);
    this.spoken.textContent = this.status.textContent;
  }

  // Chooses a node of the map, and keeps it visible.
  pick(node) {
    this.choose(node);
    if (this.active !== node) this.reveal(node);
  }

  // ---- events

  listen() {
    new ResizeObserver(() => this.resize()).observe(this.canvas);
    for (const scheme of [darkScheme, paperScheme])
      scheme.addEventListener('change', () => {
        this.setColours();
        this.draw();
      });
    this.canvas.addEventListener('keydown', (event) => this.press(event));
    this.canvas.addEventListener('wheel', (event) => {
      if (document.activeElement !== this.canvas && !event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) return this.move(-event.deltaX, 0);
      this.zoom(1.0015 ** Math.max(-400, Math.min(400, event.deltaY)), event.offsetY);
    }, {passive: false});
    this.canvas.addEventListener('dblclick', (event) => {
      const node = this.nodeAt(event.offsetX, event.offsetY);
      if (node !== null) this.show(node);
    });
    this.canvas.addEventListener('pointerdown', (event) => this.grab(event));
    this.canvas.addEventListener('pointermove', (event) => this.drag(event));
    for (const kind of ['pointerup', 'pointercancel'])
      this.canvas.addEventListener(kind, (event) => this.release(event));
    this.canvas.addEventListener('pointerleave', () => this.say(this.active));
  }

  grab(event) {
    this.pointers.set(event.pointerId, {x: event.offsetX, y: event.offsetY});
    if (this.pointers.size === 1) this.travelled = 0;
  }

  drag(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) {
      const node = this.nodeAt(event.offsetX, event.offsetY);
      this.canvas.style.cursor = node === null ? 'default' : 'pointer';
      return node === null ? undefined : this.say(node);
    }
    const now = {x: event.offsetX, y: event.offsetY};
    const other = [...this.pointers].find(([id]) => id !== event.pointerId)?.[1];
    if (other) {
      this.travelled = Infinity;
      const distance = (a, b) => Math.max(20, Math.hypot(a.x - b.x, a.y - b.y));
      this.zoom(distance(before, other) / distance(now, other), (now.y + other.y) / 2);
    } else {
      this.travelled += Math.hypot(now.x - before.x, now.y - before.y);
      if (this.travelled > 4) {
        this.canvas.setPointerCapture(event.pointerId);
        this.move(now.x - before.x, now.y - before.y);
      }
    }
    this.pointers.set(event.pointerId, now);
  }

  release(event) {
    const wasDown = this.pointers.delete(event.pointerId);
    if (!wasDown || event.type !== 'pointerup' || this.travelled > 4) return;
    const node = this.nodeAt(event.offsetX, event.offsetY);
    if (node !== null) this.pick(node);
  }

  neighbour(step) {
    const column = this.columns[this.tree.level[this.active]];
    return column[column.indexOf(this.active) + step] ?? this.active;
  }

  largestChild() {
    const size = (node) => this.shares.bottom[node] - this.shares.top[node];
    return this.tree.children[this.active].reduce(
               (best, child) => (best === null || size(child) > size(best) ? child : best), null) ??
        this.active;
  }

  press(event) {
    const moves =
        {ArrowUp: [0, 60], ArrowDown: [0, -60], ArrowLeft: [this.columnWidth, 0], ArrowRight: [-this.columnWidth, 0]};
    const actions = event.shiftKey && event.key in moves ? {[event.key]: () => this.move(...moves[event.key])} : {
      ArrowUp: () => this.pick(this.neighbour(-1)),
      ArrowDown: () => this.pick(this.neighbour(1)),
      ArrowLeft: () => this.pick(this.data.parents[this.active][0] ?? this.active),
      ArrowRight: () => this.pick(this.largestChild()),
      Enter: () => this.show(this.active),
      '+': () => this.zoom(0.5),
      '=': () => this.zoom(0.5),
      '-': () => this.zoom(2),
      Home: () => this.pick(0),
      Escape: () => this.show(0),
      0: () => this.show(0),
    };
    if (!(event.key in actions) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    actions[event.key]();
  }
}
