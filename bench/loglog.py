"""Growth as exponents, and as a picture with two logarithmic axes (SVG)."""

import math
from xml.sax.saxutils import escape

COLOURS = ["#0b63a5", "#d1495b", "#2a9d5c", "#8f5fc2", "#c77f0a", "#3d7f8c", "#7a7a7a", "#b0418e", "#8c6d46", "#4f5bd5"]
WIDTH, HEIGHT = 300, 230  # of a panel
LEFT, TOP, GAP_X, GAP_Y = 58, 34, 74, 72
LEAST = 1  # powers of ten that an axis spans: what hardly grows should look so


def exponent(sizes, values):
    """The slope of the line through (log size, log value) with the least squares: values grow like sizes^slope."""
    x, y = [math.log(size) for size in sizes], [math.log(value) for value in values]
    middle_x, middle_y = sum(x) / len(x), sum(y) / len(y)
    return sum((a - middle_x) * (b - middle_y) for a, b in zip(x, y)) / sum((a - middle_x) ** 2 for a in x)


def short(value):
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:g}{letter}"
    return f"{value:g}"


class Axis:
    """From data to a length, by logarithms. Ends a little outside of the data; ticks at 1, 2 and 5 times powers of ten, or
    only at the powers where that would be many."""

    def __init__(self, values, length):
        self.low, self.high = math.log10(min(values)), math.log10(max(values))
        space = max(0.06 * (self.high - self.low), (LEAST - self.high + self.low) / 2)
        self.low, self.high, self.length = self.low - space, self.high + space, length
        powers = range(math.floor(self.low), math.ceil(self.high) + 1)
        steps = (1,) if self.high - self.low > 2.5 else (1, 2, 5)
        self.ticks = [step * 10.0**power for power in powers for step in steps if self.low <= math.log10(step) + power <= self.high]

    def at(self, value):
        return (math.log10(value) - self.low) / (self.high - self.low) * self.length


def panel(left, top, title, across, up, lines):
    """`lines` is {name: (colour, sizes, values)}."""
    x = Axis([size for _, sizes, _ in lines.values() for size in sizes], WIDTH)
    y = Axis([value for _, _, values in lines.values() for value in values], HEIGHT)
    parts = [f'<g transform="translate({left},{top})">', f'<rect width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#999"/>',
             f'<text x="0" y="-10" font-weight="bold">{escape(title)}</text>',
             f'<text x="{WIDTH / 2}" y="{HEIGHT + 34}" text-anchor="middle">{escape(across)}</text>',
             f'<text transform="translate(-44,{HEIGHT / 2}) rotate(-90)" text-anchor="middle">{escape(up)}</text>']
    for tick in x.ticks:
        at = x.at(tick)
        parts.append(f'<path d="M{at:.1f} 0V{HEIGHT}" stroke="#ddd"/><text x="{at:.1f}" y="{HEIGHT + 16}" text-anchor="middle">{short(tick)}</text>')
    for tick in y.ticks:
        at = HEIGHT - y.at(tick)
        parts.append(f'<path d="M0 {at:.1f}H{WIDTH}" stroke="#ddd"/><text x="-6" y="{at + 4:.1f}" text-anchor="end">{short(tick)}</text>')
    # A dotted line that grows in proportion.
    slope = HEIGHT / (y.high - y.low) * (x.high - x.low) / WIDTH
    across_half = min(WIDTH / 2, HEIGHT / 2 / slope)
    parts.append(f'<path d="M{WIDTH / 2 - across_half:.1f} {HEIGHT / 2 + slope * across_half:.1f}L{WIDTH / 2 + across_half:.1f} '
                 f'{HEIGHT / 2 - slope * across_half:.1f}" stroke="#888" stroke-dasharray="2 4"/>')
    for name, (colour, sizes, values) in lines.items():
        points = [(x.at(size), HEIGHT - y.at(value)) for size, value in zip(sizes, values)]
        parts.append(f'<polyline points="{" ".join(f"{a:.1f},{b:.1f}" for a, b in points)}" fill="none" stroke="{colour}" stroke-width="1.8">'
                     f"<title>{escape(name)}</title></polyline>")
        parts += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="2.6" fill="{colour}"/>' for a, b in points]
    return parts + ["</g>"]


def picture(rows, names):
    """`rows` is a list of rows of (title, label across, label up, {name: (sizes, values)}). A name has the same colour in
    all panels."""
    colour = {name: COLOURS[k % len(COLOURS)] for k, name in enumerate(names)}
    columns = max(len(row) for row in rows)
    width = LEFT + columns * WIDTH + (columns - 1) * GAP_X + 20
    legend = TOP + len(rows) * (HEIGHT + GAP_Y) + 8
    per_line = 4
    height = legend + 20 * math.ceil(len(names) / per_line) + 4
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">',
             '<rect width="100%" height="100%" fill="#fff"/>']
    for r, row in enumerate(rows):
        for c, (title, across, up, lines) in enumerate(row):
            with_colours = {name: (colour[name], *line) for name, line in lines.items()}
            parts += panel(LEFT + c * (WIDTH + GAP_X), TOP + r * (HEIGHT + GAP_Y), title, across, up, with_colours)
    for k, name in enumerate(names):
        a, b = LEFT + (k % per_line) * (width - LEFT) / per_line, legend + 20 * (k // per_line)
        parts.append(f'<path d="M{a:.0f} {b}h24" stroke="{colour[name]}" stroke-width="3"/><text x="{a + 30:.0f}" y="{b + 4}">{escape(name)}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"
