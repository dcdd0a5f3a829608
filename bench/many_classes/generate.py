#!/usr/bin/env python3
"""Text with very many classes, in the shape of Amazon-670K: generate.py OUT [--scale S] writes OUT/train.svm and
OUT/test.svm (svmlight: label,label,... feature:value ...). Scale 1: 490,000 training and 15,000 test documents, 136,000
features, some 76 in a document, 670,000 classes, 5 labels per document at most. Fixed seed.

Classes lie side by side on a line of topics: class c shares words with the classes of its group of 20 and of its
supergroup of 1,000. A document has one main class (Zipf sizes, every class at least once if there are enough labels) and
up to four more near it. Its words are those of its classes, of their group and supergroup, and of a background with Zipf
frequencies; values are inverse document frequencies, scaled by one number so that rows have a length of about one."""
import argparse
import os

import numpy

GROUP, SUPERGROUP = 20, 1000
WORDS = {"class": 8, "group": 25, "supergroup": 200}
SHARES = {"class": 0.35, "group": 0.25, "supergroup": 0.15}  # the rest: background


def topic_words(random, topics, count, features):
    """By topic its words: rarer words are more likely to be a topic's own."""
    return (features * random.random((topics, count)) ** 0.7).astype(numpy.int32)


def documents(random, count, classes, order, features, words, first):
    """Features (rows x tokens) and labels (rows x 5, -1: none) of some documents."""
    rank = classes * random.random(count) ** 1.6  # few frequent classes, many rare ones
    main = order[numpy.minimum(rank.astype(numpy.int64), classes - 1)]
    here = numpy.arange(first, first + count) % classes
    main = numpy.where(random.random(count) < 0.5, order[here], main)  # every class gets its turn
    near = main[:, None] + numpy.rint(random.laplace(0, 6, (count, 4))).astype(numpy.int64)
    labels = numpy.column_stack([main, numpy.clip(near, 0, classes - 1)])
    labels[:, 1:][random.random((count, 4)) < 0.1] = -1
    tokens = 88
    of = labels[numpy.arange(count)[:, None], random.integers(0, 5, (count, tokens))]
    of = numpy.where(of < 0, main[:, None], of)
    kind = random.random((count, tokens))
    drawn = (features * random.random((count, tokens)) ** 4).astype(numpy.int32)
    below = 0.0
    for name, size in (("class", 1), ("group", GROUP), ("supergroup", SUPERGROUP)):
        here = (kind >= below) & (kind < below + SHARES[name])
        topic = of[here] // size
        drawn[here] = words[name][topic, random.integers(0, WORDS[name], len(topic))]
        below += SHARES[name]
    return numpy.sort(drawn, axis=1), labels


def write(path, parts, tokens):
    with open(path, "wb") as file:
        for drawn, labels in parts:
            is_new = numpy.diff(drawn, axis=1, prepend=-1) > 0
            lines = []
            for row, new, own in zip(drawn, is_new, labels):
                name = b",".join(b"%d" % c for c in sorted(set(own[own >= 0].tolist())))
                lines.append(name + b" " + b" ".join([tokens[f] for f in row[new].tolist()]))
            file.write(b"\n".join(lines) + b"\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out")
    parser.add_argument("--scale", type=float, default=1.0, help="of documents, classes and features")
    parser.add_argument("--features", type=int, default=0, help="0: 136,000 x the root of the scale")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    classes = int(670_000 * args.scale)
    features = args.features or int(136_000 * args.scale**0.5)
    random = numpy.random.default_rng(args.seed)
    order = random.permutation(classes)
    words = {
        name: topic_words(random, (classes + size - 1) // size, WORDS[name], features)
        for name, size in (("class", 1), ("group", GROUP), ("supergroup", SUPERGROUP))
    }
    os.makedirs(args.out, exist_ok=True)
    step = 10_000

    def parts(count, first):
        for begin in range(0, count, step):
            size = min(step, count - begin)
            yield documents(random, size, classes, order, features, words, first + begin)

    sizes = {"train": int(490_000 * args.scale), "test": int(15_000 * args.scale**0.5)}
    tokens = None
    for name, count in sizes.items():
        made = list(parts(count, 0))
        if tokens is None:
            frequency = numpy.zeros(features)
            for drawn, _ in made:
                frequency += numpy.bincount(drawn.ravel(), minlength=features)
            idf = numpy.log((count + 1) / (frequency + 1)) + 1
            idf /= numpy.sqrt(76 * (frequency @ idf**2) / frequency.sum())
            tokens = [b"%d:%.3g" % (f + 1, idf[f]) for f in range(features)]
        write(os.path.join(args.out, name + ".svm"), made, tokens)


if __name__ == "__main__":
    main()
