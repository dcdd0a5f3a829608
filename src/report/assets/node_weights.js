// All weights of a node: as a plot over the features, and by groups of features.
function bytesOf(text) { return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)); }

// The weights of all features for a node, or null.
function weightsOf(data, node) {
  const packed = data.weights?.nodes[node];
  if (!packed) return null;
  const view = new DataView(bytesOf(packed[1]).buffer);
  return Float64Array.from({length: data.weights.features}, (_, f) => (view.getInt16(2 * f, true) * packed[0]) / 32767);
}

function featureName(data, feature) {
  const plain = data.feature_names?.[feature] ?? `feature ${feature}`;
  return data.image ? pixelName(data, plain) : plain;
}

// The means of what falls together where there are more features than pixels: the largest, by their absolute value.
function thinned(weights, most) {
  const step = Math.max(1, Math.ceil(weights.length / most));
  const points = [];
  for (let k = 0; k < weights.length; k += step) {
    let best = k;
    for (let j = k; j < Math.min(k + step, weights.length); ++j)
      if (Math.abs(weights[j]) > Math.abs(weights[best])) best = j;
    points.push([best, weights[best]]);
  }
  return points;
}

const profileSize = {
  width: 520,
  height: 170,
  left: 8,
  right: 8,
  top: 10,
  bottom: 26
};

function profileSvg(data, weights, above) {
  const {width, height, left, right, top, bottom} = profileSize;
  const most = Math.max(
      ...thinned(weights, 1)[0].slice(1).map(Math.abs), ...(above ? thinned(above, 1)[0].slice(1).map(Math.abs) : []));
  const across = (f) => left + ((f + 0.5) / weights.length) * (width - left - right);
  const middle = (height - bottom + top) / 2;
  const down = (weight) => middle - (weight / (most || 1)) * (middle - top);
  const svg = makeSvg('svg', {
    xmlns: 'http://www.w3.org/2000/svg',
    viewBox: `0 0 ${width} ${height}`,
    'font-family': 'sans-serif',
    'font-size': 12
  });
  svg.append(makeSvg('rect', {width, height, fill: '#fff'}));
  const room = width - left - right;
  if (above) {
    const path = thinned(above, room / 2)
                     .map(([f, w], k) => `${k === 0 ? 'M' : 'L'}${across(f).toFixed(1)} ${down(w).toFixed(1)}`)
                     .join('');
    svg.append(makeSvg('path', {class: 'above', d: path, fill: 'none', stroke: '#8a939c', 'stroke-width': 1}));
  }
  const thickness = Math.max(1, Math.min(14, (0.7 * room) / weights.length));
  for (const [f, weight] of thinned(weights, room)) {
    if (weight === 0) continue;
    const [y, zero] = [down(weight), down(0)];
    svg.append(makeSvg(
        'rect', {
          class: weight < 0 ? 'fill1' : 'fill0',
          x: (across(f) - thickness / 2).toFixed(1),
          y: Math.min(y, zero).toFixed(1),
          width: thickness.toFixed(1),
          height: Math.max(0.6, Math.abs(y - zero)).toFixed(1),
          fill: weight < 0 ? '#d55e00' : '#0072b2'
        },
        makeSvg('title', {}, `${featureName(data, f)}: ${weight.toPrecision(3)}`)));
  }
  svg.append(
      makeSvg('path', {class: 'axis', d: `M${left} ${middle}H${width - right}`, stroke: '#888', fill: 'none'}),
      makeSvg('text', {class: 'ink', x: left, y: height - 7}, featureName(data, 0)),
      makeSvg(
          'text', {class: 'ink', x: width - right, y: height - 7, 'text-anchor': 'end'},
          featureName(data, weights.length - 1)));
  return svg;
}

function weightsCsv(data, weights, above) {
  const rows = [...weights].map(
      (weight, f) => [featureName(data, f), weight.toPrecision(5), ...(above ? [above[f].toPrecision(5)] : [])]);
  return csvText([['feature', data.weights.kind, ...(above ? ['parent'] : [])], ...rows]);
}

function profileBlock(data, node) {
  const weights = weightsOf(data, node);
  if (!weights || weights.length < 2) return [];
  const parent = data.parents[node][0] ?? 0;
  const above = weightsOf(data, parent);
  const isWeight = data.weights.kind === 'weight';
  const title = isWeight ? 'Weights of all features' : 'Differences in all features';
  const note = (isWeight ? 'Blue speaks for the node, orange against it, compared with its rivals.' :
                           'Blue: larger than among its siblings, in standard deviations; orange: smaller.') +
      (above ? ` The grey line is its parent, ${nodeName(data, parent)}.` : '');
  const name = `weights-${fileName(nodeName(data, node))}`;
  const saving = button(
      'Save as CSV', () => save(`${name}.csv`, 'text/csv', weightsCsv(data, weights, above)), {class: 'save csv'});
  return [drawnFigure(name, title, profileSvg(data, weights, above), make('figcaption', {}, note), saving)];
}

// ---- groups

function groupRows(data, shares) {
  const whole = data.groups.features.reduce((sum, count) => sum + count, 0);
  return data.groups.names.map(
      (name, g) => ({name, share: shares[g] / 1000, expected: data.groups.features[g] / whole}));
}

function groupsSvg(rows) {
  const [width, line, names, numbers] = [520, 22, 190, 52];
  const height = rows.length * line + 6;
  const most = Math.max(...rows.flatMap(({share, expected}) => [share, expected]), 0.01);
  const room = width - names - numbers;
  const svg = makeSvg('svg', {
    xmlns: 'http://www.w3.org/2000/svg',
    viewBox: `0 0 ${width} ${height}`,
    'font-family': 'sans-serif',
    'font-size': 12
  });
  svg.append(makeSvg('rect', {width, height, fill: '#fff'}));
  rows.forEach(({name, share, expected}, k) => {
    const y = k * line + 4;
    const short = name.length > 28 ? `${name.slice(0, 27)}…` : name;
    const x = names + (room * expected) / most;
    svg.append(
        makeSvg(
            'text', {class: 'ink', x: names - 8, y: y + 12.5, 'text-anchor': 'end'}, short, makeSvg('title', {}, name)),
        makeSvg('rect', {
          class: 'fill0',
          x: names,
          y: y + 2,
          width: ((room * share) / most).toFixed(1),
          height: 13,
          rx: 2,
          fill: '#0072b2'
        }),
        makeSvg('path', {class: 'axis', d: `M${x.toFixed(1)} ${y - 1}v19`, stroke: '#555', 'stroke-width': 1.5}),
        makeSvg('text', {class: 'ink', x: width, y: y + 12.5, 'text-anchor': 'end'}, `${(100 * share).toFixed(1)} %`));
  });
  return svg;
}

function groupFigure(data, node, shares, title, name) {
  const rows = groupRows(data, shares);
  const file = `${name}-${fileName(nodeName(data, node))}`;
  const csv = () => csvText([
    ['group', 'share_of_weight', 'share_of_features'],
    ...rows.map(({name, share, expected}) => [name, share, expected.toPrecision(4)])
  ]);
  return drawnFigure(
      file, title, groupsSvg(rows),
      make('figcaption', {}, 'Share of the sum of absolute weights; the mark is the group\'s share of the features.'),
      button('Save as CSV', () => save(`${file}.csv`, 'text/csv', csv()), {class: 'save csv'}));
}

function groupsBlock(data, node) {
  if (!data.groups) return [];
  const blocks = [];
  const [own, decision] = [data.groups.nodes[node], data.groups.decisions[node]];
  if (own) blocks.push(groupFigure(data, node, own, 'Groups of features that tell it from its siblings', 'groups'));
  if (decision)
    blocks.push(
        groupFigure(data, node, decision, 'Groups of features that tell its children apart', 'children-groups'));
  return blocks;
}
