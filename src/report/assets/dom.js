// Elements are made here and nowhere else; texts become text nodes, so that no name is ever taken for markup.
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

function button(text, action, attributes = {}) {
  const element = make('button', {type: 'button', ...attributes}, text);
  element.addEventListener('click', action);
  return element;
}

const wholeNumbers = new Intl.NumberFormat('en');

function countText(count) { return wholeNumbers.format(count); }

function shareText(share) { return share === null ? '–' : share.toFixed(4); }

function plural(count, noun) { return `${countText(count)} ${noun}${count === 1 ? '' : 's'}`; }

function save(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], {type}));
  const link = make('a', {href: url, download: name});
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

function csvField(value) {
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function csvText(rows) { return rows.map((row) => `${row.map(csvField).join(',')}\r\n`).join(''); }
