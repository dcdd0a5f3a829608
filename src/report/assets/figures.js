// Figures are saved as they are drawn; those of the file have the colours of a white page.
function enhanceFigure(figure) {
  const name = `${figure.dataset.name}.svg`;
  const text = () => new XMLSerializer().serializeToString(figure.querySelector('svg'));
  figure.prepend(button('Save as SVG', () => save(name, 'image/svg+xml', text()), {class: 'save'}));
}
