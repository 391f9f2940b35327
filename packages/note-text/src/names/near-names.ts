import { foldPath } from '../paths.ts';

/** Names that share less of their letters with a wanted one are not near. */
const LEAST = 0.4;

/** Finds values by names that are written like a given one: with other endings, further words, or a slip. */
export class NearNames<Value> {
  readonly #named: { readonly value: Value; readonly size: number }[] = [];
  /** The places of names by each three letters in a row. */
  readonly #places = new Map<string, number[]>();

  add(name: string, value: Value): void {
    const parts = partsOf(name);
    const place = this.#named.push({ value, size: parts.size }) - 1;
    for (const part of parts) {
      const places = this.#places.get(part);
      if (places === undefined) this.#places.set(part, [place]);
      else places.push(place);
    }
  }

  /** Returns the values with the nearest names, best first. */
  find(name: string, most: number): Value[] {
    const parts = partsOf(name);
    const shared = new Map<number, number>();
    for (const part of parts) {
      for (const place of this.#places.get(part) ?? []) shared.set(place, (shared.get(place) ?? 0) + 1);
    }
    const scored: { readonly value: Value; readonly score: number }[] = [];
    for (const [place, count] of shared) {
      const { value, size } = this.#named[place] ?? { size: 0 };
      const score = (2 * count) / (parts.size + size);
      if (value !== undefined && score >= LEAST) scored.push({ value, score });
    }
    return scored
      .sort((a, b) => b.score - a.score)
      .slice(0, most)
      .map(({ value }) => value);
  }
}

function partsOf(name: string): ReadonlySet<string> {
  // The beginning of a name counts more than what is within it.
  const letters = [...`  ${foldPath(name).slice(0, 200)} `];
  return new Set(letters.slice(2).map((letter, at) => `${letters[at]}${letters[at + 1]}${letter}`));
}
