// Pictures that scripts draw: SVG elements, and colours that follow the page.
function makeSvg(tag, attributes = {}, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

const darkScheme = matchMedia('(prefers-color-scheme: dark)');
const paperScheme = matchMedia('print');

function isDark() { return darkScheme.matches && !paperScheme.matches; }

// Stops of [share, [red, green, blue]]: orange is wrong, blue is right, as everywhere on the page.
const qualityStops = {
  light: [
    [0, [204, 85, 16]], [0.4, [240, 164, 104]], [0.7, [243, 224, 203]], [0.85, [181, 210, 229]], [1, [60, 136, 189]]
  ],
  dark: [[0, [226, 104, 36]], [0.4, [158, 88, 48]], [0.7, [78, 68, 64]], [0.85, [48, 90, 118]], [1, [62, 146, 198]]],
};
const differenceStops = {
  light:
      [[-1, [202, 80, 10]], [-0.4, [240, 170, 115]], [0, [250, 250, 248]], [0.4, [130, 182, 216]], [1, [0, 92, 150]]],
  dark: [[-1, [255, 140, 66]], [-0.4, [150, 84, 44]], [0, [28, 32, 36]], [0.4, [44, 100, 138]], [1, [110, 196, 248]]],
};

function colourAt(stops, value) {
  const list = isDark() ? stops.dark : stops.light;
  const at = Math.max(list[0][0], Math.min(list[list.length - 1][0], value));
  const next = Math.max(1, list.findIndex(([share]) => share >= at));
  const [[low, from], [high, to]] = [list[next - 1], list[next]];
  const part = (at - low) / (high - low);
  return from.map((one, k) => Math.round(one + part * (to[k] - one)));
}

function colourText(colour) { return `rgb(${colour.join(', ')})`; }

// Black or white, whichever is easier to read on a colour.
function inkOn([red, green, blue]) { return 0.299 * red + 0.587 * green + 0.114 * blue > 140 ? '#14181c' : '#f6f8fa'; }

function pageColour(name) { return getComputedStyle(document.documentElement).getPropertyValue(name).trim(); }

// A figure that a script draws, with the button that saves it.
function drawnFigure(name, title, svg, ...below) {
  const picture = make('div', {class: 'picture', role: 'img', 'aria-label': title}, svg);
  const figure = make('figure', {class: 'drawn', 'data-name': name}, make('h4', {}, title), picture, ...below);
  enhanceFigure(figure);
  return figure;
}

function fileName(text) { return text.replace(/[^A-Za-z0-9._-]+/g, '-').slice(0, 60); }
