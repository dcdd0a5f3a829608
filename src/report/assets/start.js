// What is closed on the screen is open on paper.
function openForPrint() {
  const closed = [...document.querySelectorAll('details.example:not([open]), details.measure:not([open])')];
  addEventListener('beforeprint', () => closed.forEach((details) => {
    details.open = true;
  }));
  addEventListener('afterprint', () => closed.forEach((details) => {
    details.open = false;
  }));
}

function start() {
  document.querySelectorAll('.table').forEach(enhanceTable);
  document.querySelectorAll('figure').forEach(enhanceFigure);
  openForPrint();
  const data = readHierarchy();
  const explorer = document.getElementById('explorer-view');
  const branches = document.getElementById('branches-view');
  if (data && explorer) startExplorer(data, explorer);
  if (data && branches) startBranches(data, branches);
  const confusion = document.getElementById('confusion-view');
  if (data && confusion && data.pairs.length > 0) confusion.append(new ConfusionMatrix(data).element);
}
