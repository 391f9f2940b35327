/**
 * The greedy O(ND) difference algorithm (E. W. Myers, "An O(ND) Difference Algorithm and Its Variations", Algorithmica
 * 1986) over tokens, adapted to long texts: once both texts agree for long enough, everything before is final, and the
 * search starts again at the next difference. Memory and time therefore grow with the largest change, not with the
 * text.
 */
import type { Budget } from './budget.ts';
import type { Edit } from './diff.ts';
import { commonPrefix, sameToken, type TokenScale, Tokens } from './tokens.ts';

/** The stretch [aFrom, aTo) of the old text is replaced by [bFrom, bTo) of the new text; UTF-16 offsets. */
export interface Hunk {
  aFrom: number;
  aTo: number;
  bFrom: number;
  bTo: number;
}

/** Returns edits as hunks, which also have their place in the new text. */
export function hunksOf(edits: readonly Edit[]): Hunk[] {
  let shift = 0;
  return edits.map(({ at, remove, insert }) => {
    const hunk = { aFrom: at, aTo: at + remove, bFrom: at + shift, bTo: at + shift + insert.length };
    shift += insert.length - remove;
    return hunk;
  });
}

/** The cost of one search beyond its steps: its setup, slicing, and one more edit in the result. */
const searchCost = 200;

/**
 * The furthest points reached. Row d holds d + 1 of them, for the diagonals -d, -d + 2 … d; -1 where no path leads. A
 * point is stored as its x, the number of old tokens before it; on diagonal k, y is x - k.
 */
class SearchTrail {
  #points = new Int32Array(256);

  /** Returns the points, grown to hold row `d`, which starts at index d (d + 1) / 2. */
  upTo(d: number): Int32Array {
    const needed = ((d + 1) * (d + 2)) / 2;
    if (needed > this.#points.length) {
      const grown = new Int32Array(needed * 2);
      grown.set(this.#points);
      this.#points = grown;
    }
    return this.#points;
  }
}

/** Returns the point reached from `left` on the diagonal below by removing one more token; -1 for none. */
function afterRemoval(a: Tokens, left: number): number {
  return left >= 0 && a.has(left) ? left + 1 : -1;
}

/** Returns the point reached from `above` on diagonal `k` + 1 by inserting one more token; -1 for none. */
function afterInsertion(b: Tokens, above: number, k: number): number {
  return above >= 0 && b.has(above - k - 1) ? above : -1;
}

/** Returns the changes on the path to index `lastPlace` of row `lastD`, in order, touching ones joined. */
function retrace(points: Int32Array, a: Tokens, b: Tokens, lastD: number, lastPlace: number): Hunk[] {
  const hunks: Hunk[] = [];
  let place = lastPlace;
  for (let d = lastD; d > 0; d--) {
    const row = (d * (d - 1)) / 2;
    const k = 2 * place - d;
    const removal = place > 0 ? afterRemoval(a, points[row + place - 1] ?? -1) : -1;
    const insertion = place < d ? afterInsertion(b, points[row + place] ?? -1, k) : -1;
    const inserts = insertion >= removal;
    const x = Math.max(insertion, removal);
    const y = x - k;
    const hunk = {
      aFrom: a.start(inserts ? x : x - 1),
      aTo: a.start(x),
      bFrom: b.start(inserts ? y - 1 : y),
      bTo: b.start(y),
    };
    const later = hunks.at(-1);
    if (later !== undefined && later.aFrom === hunk.aTo && later.bFrom === hunk.bTo) {
      later.aFrom = hunk.aFrom;
      later.bFrom = hunk.bFrom;
    } else {
      hunks.push(hunk);
    }
    if (!inserts) place--;
  }
  return hunks.reverse();
}

interface Meeting {
  readonly hunks: Hunk[];
  /** Token index in either text at which the search ended. */
  readonly aAt: number;
  readonly bAt: number;
}

/**
 * Returns the shortest edit path from the start of both to their ends or to the first certain agreement; null past a
 * limit.
 */
function search(
  a: Tokens,
  b: Tokens,
  scale: TokenScale,
  maxChanges: number,
  budget: Budget,
  trail: SearchTrail,
): Meeting | null {
  for (let d = 0; d <= maxChanges && budget.work > 0; d++) {
    budget.work -= d + 1;
    const points = trail.upTo(d);
    const before = (d * (d - 1)) / 2;
    for (let place = 0; place <= d; place++) {
      const k = 2 * place - d;
      const removal = place > 0 ? afterRemoval(a, points[before + place - 1] ?? -1) : -1;
      const insertion = place < d ? afterInsertion(b, points[before + place] ?? -1, k) : -1;
      const entry = d === 0 ? 0 : Math.max(removal, insertion);
      let x = entry;
      let certain = false;
      while (x >= 0 && !certain && a.has(x) && b.has(x - k) && sameToken(a, x, b, x - k, budget)) {
        x++;
        certain = x - entry >= scale.certainSpans && a.start(x) - a.start(entry) >= scale.certainUnits;
      }
      budget.work -= x - entry;
      points[before + d + place] = x;
      if (certain || (x >= 0 && !a.has(x) && !b.has(x - k))) {
        return { hunks: retrace(points, a, b, d, place), aAt: a.start(x), bAt: b.start(x - k) };
      }
    }
  }
  return null;
}

/**
 * Compares two stretches token by token. Both ends of `within` must be token boundaries in both texts.
 *
 * @returns the hunks found, in order, and `rest`: the part not compared when a limit was reached (treat it as one
 * hunk), or null.
 */
export function compareTokens(
  a: string,
  b: string,
  within: Hunk,
  scale: TokenScale,
  maxChanges: number,
  budget: Budget,
): { hunks: Hunk[]; rest: Hunk | null } {
  let trail: SearchTrail | undefined; // created at the first difference, because most stretches between shared lines have none
  const hunks: Hunk[] = [];
  let { aFrom, bFrom } = within;
  const { aTo, bTo } = within;
  while (aFrom < aTo || bFrom < bTo) {
    const shared = commonPrefix(a, aFrom, b, bFrom, Math.min(aTo - aFrom, bTo - bFrom));
    if (aFrom + shared === aTo && bFrom + shared === bTo) break;
    const step = scale.back(a, aFrom, aFrom + shared, b, bFrom + shared) - aFrom;
    aFrom += step;
    bFrom += step;
    budget.work -= searchCost;
    if (aFrom === aTo || bFrom === bTo) {
      hunks.push({ aFrom, aTo, bFrom, bTo });
      break;
    }
    const aTokens = new Tokens(a, aFrom, aTo, scale);
    const bTokens = new Tokens(b, bFrom, bTo, scale);
    trail ??= new SearchTrail();
    const found = search(aTokens, bTokens, scale, maxChanges, budget, trail);
    if (found === null) return { hunks, rest: { aFrom, aTo, bFrom, bTo } };
    for (const hunk of found.hunks) hunks.push(hunk);
    aFrom = found.aAt;
    bFrom = found.bAt;
  }
  return { hunks, rest: null };
}
