// Figures are saved as they are in the file: with the colours of a white page.
function enhanceFigure(figure) {
  const picture = figure.querySelector('svg');
  const name = `${figure.dataset.name}.svg`;
  const text = () => new XMLSerializer().serializeToString(picture);
  figure.prepend(button('Save as SVG', () => save(name, 'image/svg+xml', text()), {class: 'save'}));
}
