// The explorer: the map, a field to search, the tree, and what is known about the chosen node.
const mostMatches = 200;

function matchesOf(data, lowerNames, text) {
  const wanted = text.trim().toLowerCase();
  const found = [];
  for (let node = 0; node < lowerNames.length; ++node)
    if (lowerNames[node].includes(wanted)) found.push(node);
  return found;
}

function matchList(data, found, go) {
  const list = make('ul', {class: 'matches'});
  for (const node of found.slice(0, mostMatches)) {
    list.append(make(
        'li', {}, button(nodeName(data, node), () => go(node), {class: 'link'}),
        make('span', {class: 'count'}, countText(data.support[node]))));
  }
  if (found.length > mostMatches)
    list.append(make('li', {class: 'muted'}, `and ${countText(found.length - mostMatches)} more`));
  return list;
}

// Where most samples are missed: the node to begin with.
function weakestLeaf(data) {
  let [weakest, most] = [0, 0];
  data.names.forEach((_, node) => {
    const missed = data.support[node] - data.correct[node];
    if (data.children[node].length === 0 && missed > most) [weakest, most] = [node, missed];
  });
  return pathTo(data, weakest).length < 100 ? weakest : 0;
}

function startExplorer(data, place) {
  const lowerNames = data.names.map((name) => name.toLowerCase());
  const field = make(
      'input', {type: 'search', id: 'search', placeholder: 'Search nodes', autocomplete: 'off', spellcheck: 'false'});
  const status = make('p', {class: 'muted', role: 'status', 'aria-live': 'polite'});
  const panel = make('div', {class: 'panel', 'aria-label': 'The chosen node', role: 'region'});
  const results = make('div', {class: 'results', hidden: ''});
  const map = new NodeMap(data, (node) => tree.reveal(node));
  const tree = new TreeList(data, (node) => {
    panel.replaceChildren(...nodePanel(data, node, go));
    map.reveal(node);
  });

  function go(node) {
    field.value = '';
    search();
    tree.reveal(node);
    tree.element.focus();
  }
  function search() {
    const isSearching = field.value.trim() !== '';
    tree.element.hidden = isSearching;
    results.hidden = !isSearching;
    const found = isSearching ? matchesOf(data, lowerNames, field.value) : [];
    results.replaceChildren(matchList(data, found, go));
    status.textContent = isSearching ? `${plural(found.length, 'node')} found` :
                                       plural(data.names.length, 'node') +
            (data.left_out > 0 ? `; ${countText(data.left_out)} with the fewest samples are left out` : '');
  }
  field.addEventListener('input', search);
  field.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown') (results.hidden ? tree.element : results.querySelector('button'))?.focus();
  });
  const bar =
      make('div', {class: 'searchbar'}, make('label', { for: 'search'
           }, 'Search'), field, button('Save all nodes as CSV', () => save('nodes.csv', 'text/csv', nodesCsv(data)), {
             class: 'save'
           }));
  place.append(
      map.element, bar, status,
      make('div', {class: 'explorer'}, make('div', {class: 'side'}, tree.element, results), panel));
  search();
  tree.reveal(weakestLeaf(data));
}
