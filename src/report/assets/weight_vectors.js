// Data of two features: the weights of a node and of those around it as arrows in the plane of the features.
const vectorPlane = {
  size: 320,
  margin: 34
};

function arrowSvg(from, to, colour, kind, title) {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const length = Math.hypot(dx, dy) || 1;
  const head = (turn) => {
    const [c, s] = [Math.cos(turn), Math.sin(turn)];
    return `L${(to[0] - (9 * (c * dx - s * dy)) / length).toFixed(1)} ${
        (to[1] - (9 * (s * dx + c * dy)) / length).toFixed(1)}`;
  };
  const [x, y] = to.map((one) => one.toFixed(1));
  return makeSvg(
      'path', {
        class: kind,
        d: `M${from[0]} ${from[1]}L${x} ${y}M${x} ${y}${head(0.4)}M${x} ${y}${head(-0.4)}`,
        stroke: colour,
        'stroke-width': 2,
        fill: 'none'
      },
      makeSvg('title', {}, title));
}

function vectorsSvg(data, vectors) {
  const {size, margin} = vectorPlane;
  const most = Math.max(...vectors.flatMap(({weights}) => [...weights].map(Math.abs))) || 1;
  const middle = [size / 2, size / 2];
  const at = ([x, y]) => [middle[0] + (x / most) * (size / 2 - margin), middle[1] - (y / most) * (size / 2 - margin)];
  const svg = makeSvg('svg', {
    xmlns: 'http://www.w3.org/2000/svg',
    viewBox: `0 0 ${size} ${size}`,
    'font-family': 'sans-serif',
    'font-size': 12
  });
  svg.append(
      makeSvg('rect', {width: size, height: size, fill: '#fff'}),
      makeSvg('path', {class: 'grid', d: `M8 ${middle[1]}H${size - 8}M${middle[0]} 8V${size - 8}`, stroke: '#ccc'}),
      makeSvg('text', {class: 'ink', x: size - 6, y: middle[1] - 5, 'text-anchor': 'end'}, featureName(data, 0)),
      makeSvg('text', {class: 'ink', x: middle[0] + 5, y: 16}, featureName(data, 1)));
  for (const {node, weights, colour, kind} of vectors) {
    const end = at(weights);
    const isLeft = end[0] < middle[0];
    svg.append(
        arrowSvg(middle, end, colour, kind, nodeName(data, node)),
        makeSvg(
            'text', {
              class: 'ink',
              x: (end[0] + (isLeft ? -5 : 5)).toFixed(1),
              y: (end[1] + 4).toFixed(1),
              'text-anchor': isLeft ? 'end' : 'start'
            },
            shortName(data, node, data.parents[node][0] ?? null)));
  }
  return svg;
}

// The node and its siblings, and the children of the node.
function vectorsBlock(data, node) {
  if (data.weights?.features !== 2) return [];
  const around = (nodes) => nodes.map((one) => ({node: one, weights: weightsOf(data, one)}))
                                .filter(({weights}) => weights !== null)
                                .slice(0, 30);
  const family = around([...new Set(data.parents[node].flatMap((parent) => data.children[parent]))]);
  const below = around(data.children[node]);
  const drawn = (list, isOwn) => list.map(
      (one) => ({...one, colour: isOwn(one.node) ? '#0072b2' : '#8a939c', kind: isOwn(one.node) ? 'line0' : 'above'}));
  const figure = (list, name, title) => (
      list.length > 0 ? [drawnFigure(`${name}-${fileName(nodeName(data, node))}`, title, vectorsSvg(data, list))] : []);
  return [make(
      'div', {class: 'pixels'},
      ...figure(drawn(family, (one) => one === node), 'vectors', 'Its weights, and those of its siblings'),
      ...figure(drawn(below, () => true), 'children-vectors', 'Weights of its children'))];
}
