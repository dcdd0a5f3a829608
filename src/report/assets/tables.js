// Tables can be sorted by any column, and saved as CSV with the exact numbers.
function cellValue(cell) { return cell.dataset.v ?? cell.textContent; }

function compareCells(a, b) {
  const [x, y] = [Number.parseFloat(a), Number.parseFloat(b)];
  if (!Number.isNaN(x) && !Number.isNaN(y)) return x - y;
  if (Number.isNaN(x) !== Number.isNaN(y)) return Number.isNaN(x) ? 1 : -1;
  return a.localeCompare(b);
}

function sortTable(table, column, header) {
  const direction = header.getAttribute('aria-sort') === 'descending' ? 1 : -1;
  const body = table.tBodies[0];
  const rows = [...body.rows].map((row) => [cellValue(row.cells[column]), row]);
  rows.sort((a, b) => direction * compareCells(a[0], b[0]));
  for (const other of table.tHead.rows[0].cells) other.removeAttribute('aria-sort');
  header.setAttribute('aria-sort', direction < 0 ? 'descending' : 'ascending');
  body.append(...rows.map(([, row]) => row));
}

function tableCsv(table) {
  const head = [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
  const body = [...table.tBodies[0].rows].map((row) => [...row.cells].map(cellValue));
  return csvText([head, ...body]);
}

function enhanceTable(box) {
  const table = box.querySelector('table');
  [...table.tHead.rows[0].cells].forEach((header, column) => {
    const title = header.textContent;
    header.replaceChildren(button(title, () => sortTable(table, column, header)));
  });
  const name = `${box.dataset.name}.csv`;
  box.prepend(button('Save as CSV', () => save(name, 'text/csv', tableCsv(table)), {class: 'save'}));
}

function tableBox(name, caption, columns, rows) {
  const head =
      make('tr', {}, ...columns.map((column, k) => make('th', {scope: 'col', class: k > 0 ? 'n' : null}, column)));
  const body = make('tbody');
  for (const row of rows) {
    body.append(make('tr', {}, ...row.map((cell, k) => (k === 0 ? make('th', {scope: 'row'}, cell) : cell))));
  }
  const table = make('table', {}, make('caption', {}, caption), make('thead', {}, head), body);
  const scroll = make('div', {class: 'scroll', role: 'region', tabindex: 0, 'aria-label': caption}, table);
  const box = make('div', {class: 'table', 'data-name': name}, scroll);
  enhanceTable(box);
  return box;
}
