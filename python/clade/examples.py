"""A small table to try things on."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas

__all__ = ["load_example"]

_SHOP = """\
title;description;price;brand;category
Bread knife 20 cm;serrated steel blade for crusty bread;19.90;Klinge;Home > Kitchen > Knives
Chef's knife;forged steel blade, sharp for meat and vegetables;49.50;Klinge;Home > Kitchen > Knives
Paring knife;small sharp blade for fruit;9.95;Santo;Home > Kitchen > Knives
Steak knife set;six serrated knives with wooden handle;29.00;Santo;Home > Kitchen > Knives
Frying pan 28 cm;non-stick pan for induction hobs;34.90;Santo;Home > Kitchen > Pots & Pans
Saucepan with lid;steel pot, 2 litres, for all hobs;27.50;Santo;Home > Kitchen > Pots & Pans
Cast iron pot;heavy pot with lid for stews;79.00;Gusto;Home > Kitchen > Pots & Pans
Grill pan;ribbed cast iron pan for meat;39.00;Gusto;Home > Kitchen > Pots & Pans
Garden hose 20 m;flexible hose for watering the lawn;24.90;Verde;Home > Garden
Lawn sprinkler;watering for lawns up to 200 square metres;18.50;Verde;Home > Garden
Hedge shears;long blades for hedges and bushes;32.00;Verde;Home > Garden
Hose reel;trolley for 50 m of garden hose;44.90;Gusto;Home > Garden
Television, 55 inch;4K screen with smart apps;549.00;Vista;Electronics > TV/Video
Television, 43 inch;HD screen, slim frame;329.00;Vista;Electronics > TV/Video
Blu-ray player;plays discs and streams video to your screen;119.00;Sonar;Electronics > TV/Video
Projector;full HD video on a 100 inch screen;399.00;Sonar;Electronics > TV/Video
Over-ear headphones;wireless sound with noise cancelling;149.00;Sonar;Electronics > Audio
Sports earphones;wireless, sweat-proof, deep bass sound;59.90;Sonar;Electronics > Audio
Bookshelf speakers;stereo sound with deep bass;199.00;Vista;Electronics > Audio
Bluetooth speaker;small, loud, wireless sound for outdoors;49.90;Vista;Electronics > Audio
"""


def load_example() -> pandas.DataFrame:
    """Twenty products of a shop: two texts, a price, a brand, and the category as a path.

    Examples
    --------
    >>> shop = load_example()
    >>> shop.shape, shop["category"][0]
    ((20, 5), 'Home > Kitchen > Knives')
    >>> from clade.pipeline import HierarchicalPipeline
    >>> pipeline = HierarchicalPipeline().fit(shop.drop(columns="category"), shop["category"])
    >>> pipeline.predict(["sharp blade for bread and meat"]).tolist()
    ['Home > Kitchen > Knives']
    """
    import pandas

    return pandas.read_csv(io.StringIO(_SHOP), sep=";")
