/** Finds what a caller may have meant. */

const SHOWN = 3;
const LINES_COMPARED = 20_000;
const LENGTH_COMPARED = 400;
const LEAST_SIMILARITY = 0.3;

/** Returns the lines of a note that share most words with the first line of a text that is not in it. */
export function nearestLines(content: string, wanted: string): string[] {
  const first = wanted.split('\n').find((line) => line.trim() !== '') ?? wanted;
  const lines = content.split('\n', LINES_COMPARED).map((text, index) => ({ text: text.trim(), index }));
  return nearest(lines, first, ({ text }) => text).map(
    ({ text, index }) => `line ${index + 1}: ${text.slice(0, LENGTH_COMPARED).toWellFormed()}`,
  );
}

/** Returns the items whose name is most like the wanted one, best first; none that have little in common with it. */
export function nearest<Item>(items: readonly Item[], wanted: string, nameOf: (item: Item) => string): Item[] {
  const pairs = pairsOf(wanted);
  return items
    .map((item) => ({ item, score: similarity(pairs, pairsOf(nameOf(item))) }))
    .filter(({ score }) => score >= LEAST_SIMILARITY)
    .sort((a, b) => b.score - a.score)
    .slice(0, SHOWN)
    .map(({ item }) => item);
}

/** Pairs of neighbouring letters, without regard to case. */
function pairsOf(text: string): Set<string> {
  const folded = text.slice(0, LENGTH_COMPARED).toLowerCase().normalize('NFC');
  const pairs = new Set<string>();
  for (let at = 0; at + 1 < folded.length; at++) pairs.add(folded.slice(at, at + 2));
  return pairs;
}

/** Returns the share of pairs that two texts have in common (Dice’s coefficient). */
function similarity(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return 0;
  return (2 * a.intersection(b).size) / (a.size + b.size);
}
