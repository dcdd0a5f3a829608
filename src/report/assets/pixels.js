// Where features are pixels: what a node looks like, and which pixels speak for it.
function pixelImage(data, values, colourOf) {
  const {height, width, by_rows: byRows} = data.image;
  const canvas = make('canvas', {width, height});
  const pen = canvas.getContext('2d');
  const picture = pen.createImageData(width, height);
  for (let row = 0; row < height; ++row) {
    for (let column = 0; column < width; ++column) {
      const value = values[byRows ? row * width + column : column * height + row];
      picture.data.set([...colourOf(value), 255], 4 * (row * width + column));
    }
  }
  pen.putImageData(picture, 0, 0);
  return makeSvg(
      'svg',
      {xmlns: 'http://www.w3.org/2000/svg', viewBox: `0 0 ${width} ${height}`, width: 8 * width, height: 8 * height},
      makeSvg('rect', {width, height, fill: '#fff'}),
      makeSvg(
          'image',
          {href: canvas.toDataURL(), width, height, style: 'image-rendering: pixelated', preserveAspectRatio: 'none'}));
}

// How much every feature tells the children of a node apart: the root of the sum of squares of their weights.
function strengthsOf(data, node) {
  const all = data.children[node].map((child) => weightsOf(data, child)).filter((weights) => weights !== null);
  if (all.length === 0) return null;
  return all[0].map((_, f) => Math.sqrt(all.reduce((sum, weights) => sum + weights[f] ** 2, 0)));
}

// Where colours are full. A few pixels at the border often have far larger weights than all others.
function fullColour(values) {
  const sizes = values.map(Math.abs).filter((size) => size > 0).sort();
  return sizes.length > 0 ? sizes[Math.floor(0.98 * (sizes.length - 1))] : 1;
}

function pixelFigure(data, node, name, title, values, stops) {
  const most = fullColour(values);
  const svg = pixelImage(data, values, (value) => colourAt(stops, value / most));
  return drawnFigure(`${name}-${fileName(nodeName(data, node))}`, title, svg);
}

function meanFigure(data, node) {
  const packed = data.means?.nodes[node];
  if (!packed) return null;
  const svg = pixelImage(data, bytesOf(packed), (value) => [value, value, value]);
  return drawnFigure(`mean-${fileName(nodeName(data, node))}`, 'Mean of its samples', svg);
}

function pixelsBlock(data, node) {
  if (!data.image) return [];
  const figures = [meanFigure(data, node)];
  const weights = weightsOf(data, node);
  const isWeight = data.weights?.kind === 'weight';
  if (weights)
    figures.push(pixelFigure(
        data, node, 'pixels', isWeight ? 'Pixels for and against it' : 'Brighter and darker than its siblings', weights,
        differenceStops));
  const strengths = strengthsOf(data, node);
  if (strengths)
    figures.push(
        pixelFigure(data, node, 'children-pixels', 'Pixels that tell its children apart', strengths, differenceStops));
  const shown = figures.filter((figure) => figure !== null);
  return shown.length > 0 ? [make('div', {class: 'pixels'}, ...shown)] : [];
}
