/** Finds the stretches that both sides of a merge changed alike. All offsets count UTF-16 units. */

import type { Budget } from './budget.ts';
import { hasLetter, hasWords, newWordsIn, type Piece, piecesIn, wordsOf } from './contained.ts';
import type { Hunk } from './myers.ts';
import { type Insertion, insertionsIn, type Region, type Stretch, type Texts } from './runs.ts';
import { isInsideWord } from './whole-words.ts';
import { ClientLines, linesOfParts, stretchesBefore } from './written-lines.ts';

/** A region of the base that the client changed, and what the stored text and the client have there instead. */
export interface Place {
  readonly ofBase: Region;
  readonly ofStored: Region;
  readonly ofClient: Region;
  /** The client's changes; `a` is the base, `b` the client's text. */
  readonly changes: readonly Hunk[];
  /** Whether both changed the same words, so that each write begins where the client's text does. */
  readonly isWords?: boolean;
}

/** Remaining part of one stored write's insertion at one position. */
interface StoredWrite {
  readonly text: string;
  /** Positions of its letters in the stored text, in order. */
  readonly parts: readonly Region[];
  /** The letters together with the remaining base letters, as if only this write had changed the place. */
  readonly withBase: Letters;
  /** The letters by stretch, if base text separates several stretches. */
  readonly pieces: readonly Letters[];
}

interface Letters {
  readonly text: string;
  readonly parts: readonly Region[];
}

/**
 * Returns, in order, the stretches of one place that both sides changed alike. Both made the same change when their
 * texts are equal. Each stored write is also compared by itself: when the client inserted all that the write did, the
 * client went on writing without having seen the merged text, and when the write inserted all that the client did,
 * somebody wrote on before this request arrived. Anything else counts as two changes: two people who wrote ` (1)` and
 * ` (2)` wrote two things, although these share letters.
 */
export function commonStretches(texts: Texts, place: Place, budget: Budget): Common {
  const { stored, client } = texts;
  const { ofStored, ofClient, changes } = place;
  const length = ofStored.to - ofStored.from;
  if (length === 0 || ofClient.from === ofClient.to) return { alike: [], gone: [] };
  if (stored.slice(ofStored.from, ofStored.to) === client.slice(ofClient.from, ofClient.to)) {
    return { alike: [{ inStored: ofStored.from, inClient: ofClient.from, length }], gone: [] };
  }
  if (budget.work <= 0) return { alike: [], gone: [] };
  const insertions = insertionsIn(texts.insertions, ofStored);
  // Somebody may have gone on with a word of another write, the client itself among them.
  const joinedInsertions = joinedInWords(stored, insertions);
  let writes = writesAt(stored, joinedInsertions, ofStored, budget);
  const gone: Region[] = [];
  const whole = writesInClient(texts, writes, place, gone, budget);
  if (whole.length === 0 && joinedInsertions.length < insertions.length) {
    writes = writesAt(stored, insertions, ofStored, budget);
    whole.push(...writesInClient(texts, writes, place, gone, budget));
  }
  const own = place.isWords === true ? withoutBlanks(client, ofClient) : ofClient;
  if (whole.length === 0) whole.push(...clientInWrite(client, own, writes, place, ofStored, budget));
  const found = besideChanges(client, whole, place);
  // What the client inserted can be part of a write even where the client kept text beside it that the write removed.
  for (const { bFrom, bTo } of changes) {
    const next = found.findIndex(({ inClient, length: found }) => inClient + found > bFrom);
    const [before, after] = next === -1 ? [found.at(-1), undefined] : [found[next - 1], found[next]];
    if (bFrom === bTo || (after !== undefined && after.inClient < bTo)) continue;
    const from = before === undefined ? ofStored.from : before.inStored + before.length;
    const rest = { from, to: after?.inStored ?? ofStored.to };
    const part = clientInWrite(client, { from: bFrom, to: bTo }, writes, place, rest, budget);
    found.splice(next === -1 ? found.length : next, 0, ...part);
  }
  return { alike: found, gone };
}

/**
 * Stretches that both sides changed alike, and words of the base that the stored side wrote again but the client
 * removed.
 */
export interface Common {
  readonly alike: readonly Stretch[];
  readonly gone: readonly Region[];
}

function withoutBlanks(text: string, { from, to }: Region): Region {
  const blanks = text.slice(from, to).match(/^[ \t]*/)?.[0].length ?? 0;
  return { from: from + blanks, to: from + Math.max(blanks, text.slice(from, to).trimEnd().length) };
}

/** Joins insertions that meet inside a word, as one of the first write. */
function joinedInWords(stored: string, insertions: readonly Insertion[]): Insertion[] {
  const result: Insertion[] = [];
  for (const insertion of insertions) {
    const last = result.at(-1);
    if (last === undefined || last.to < insertion.from || !isInsideWord(stored, insertion.from)) result.push(insertion);
    else result[result.length - 1] = { ...last, to: insertion.to };
  }
  return result;
}

/** Groups the insertions at a place by the write that made them. */
function writesAt(stored: string, insertions: readonly Insertion[], region: Region, budget: Budget): StoredWrite[] {
  const ofWrites = new Map<string, Region[][]>();
  const ofBase: Region[] = [];
  let at = region.from;
  for (const { from, to, write } of insertions) {
    budget.work--;
    if (from > at) ofBase.push({ from: at, to: from });
    at = to;
    const pieces = ofWrites.get(write) ?? [];
    ofWrites.set(write, pieces);
    const piece = pieces.at(-1);
    if (piece === undefined || (ofBase.at(-1)?.from ?? -1) >= (piece.at(-1)?.to ?? 0)) pieces.push([{ from, to }]);
    else piece.push({ from, to });
  }
  if (at < region.to) ofBase.push({ from: at, to: region.to });
  // Blanks alone could be read as any others.
  const areWords = ofWrites.size <= fewWrites && ofBase.some(({ from, to }) => hasLetter(stored.slice(from, to)));
  const lettersOf = (parts: readonly Region[]): Letters => ({ parts, text: textOf(stored, parts) });
  return [...ofWrites.values()].map((pieces) => {
    const own = lettersOf(pieces.flat());
    const withBase = areWords ? lettersOf([...own.parts, ...ofBase].sort((a, b) => a.from - b.from)) : own;
    return { ...own, withBase, pieces: pieces.length > 1 ? pieces.map(lettersOf) : [] };
  });
}

function textOf(stored: string, parts: readonly Region[]): string {
  return parts.map(({ from, to }) => stored.slice(from, to)).join('');
}

/**
 * Finds the writes of which the client has everything. The longest come first: of two that the client has in another
 * order than the stored text, the shorter one may be a line that two people happened to write.
 */
function writesInClient(
  texts: Texts,
  writes: readonly StoredWrite[],
  place: Place,
  gone: Region[],
  budget: Budget,
): Stretch[] {
  const { base, stored, client } = texts;
  const was = base.slice(place.ofBase.from, place.ofBase.to);
  const addLetters = (letters: Letters, begins: boolean, isExact = false) => {
    const parts = partsInClient(client, letters, place, begins, found, budget, isExact ? null : was);
    gone.push(...parts.gone);
    const isWord = ({ inClient, length }: Stretch) => hasLetter(client.slice(inClient, inClient + length));
    signs.push(...parts.alike.filter((stretch) => !isWord(stretch)));
    add(parts.alike.filter(isWord));
    return parts.alike.length > 0;
  };
  const { ofStored, ofClient } = place;
  const found: Stretch[] = [];
  const signs: Stretch[] = [];
  const add = (stretches: readonly Stretch[]) => {
    for (const stretch of stretches) found.splice(stretchesBefore(found, stretch.inStored), 0, stretch);
    return stretches.length > 0;
  };
  const lines = new ClientLines(client, ofClient, budget);
  const longestFirst = writes.toSorted((a, b) => b.text.length - a.text.length);
  const others = longestFirst.filter(({ parts }) => !add(lines.find(linesOfParts(stored, parts), found)));
  if (found.length > 0) found.splice(0, found.length, ...lines.withNewlines(stored, ofStored, found));
  const text = client.slice(ofClient.from, ofClient.to);
  const known = others.length > fewWrites ? wordsOf(text, budget) : null;
  for (const write of others) {
    if (budget.work <= 0) break;
    const isSmaller = write.text.length <= text.length;
    if (!isSmaller || (known !== null && !mayContain(known, write, place, text, budget))) continue;
    const begins = beginsAlike(place, write);
    // What is left of the base can be found once.
    const inBase = found.length === 0 && addLetters(write.withBase, begins, true);
    if (inBase || addLetters(write, begins)) continue;
    for (const piece of write.pieces) addLetters(piece, begins);
  }
  return withSigns(texts, ofClient, found, signs);
}

/**
 * Adds stretches of signs and blanks, each where the client has the same between the words around it: it may have been
 * found beside other words.
 */
function withSigns(
  { stored, client }: Texts,
  ofClient: Region,
  words: readonly Stretch[],
  signs: readonly Stretch[],
): Stretch[] {
  const found = [...words];
  for (const { inStored, length } of signs) {
    const at = stretchesBefore(found, inStored);
    const [before, after] = [found[at - 1], found[at]];
    const from = before === undefined ? ofClient.from : before.inClient + before.length;
    const inClient = client.indexOf(stored.slice(inStored, inStored + length), from);
    if (inClient !== -1 && inClient + length <= (after?.inClient ?? ofClient.to))
      found.splice(at, 0, { inStored, inClient, length });
  }
  return found;
}

/** Number of writes above which only writes are compared whose words all occur in the client's text. */
const fewWrites = 20;

/** Returns whether the client may have all of a write. Its last word may be continued in the client's text. */
function mayContain(
  known: ReadonlySet<string>,
  write: StoredWrite,
  place: Place,
  text: string,
  budget: Budget,
): boolean {
  if (place.isWords) return true;
  return (beginsAlike(place, write) && text.startsWith(write.text)) || hasWords(known, write.text, budget);
}

/** Returns whether the text of a write begins at the same offset of the base as the client's. */
function beginsAlike({ ofBase, ofStored, isWords }: Place, { parts }: StoredWrite): boolean {
  return isWords === true || ofBase.from === ofBase.to || parts[0]?.from === ofStored.from;
}

/**
 * Finds all of one write in the client's text, between the stretches found before. What others inserted since may be
 * inside its text. Finds nothing if a part of it is missing.
 *
 * @param was the base, whose words may be missing; null if all must be there as they are.
 */
function partsInClient(
  client: string,
  write: Letters,
  { ofClient }: Place,
  begins: boolean,
  found: readonly Stretch[],
  budget: Budget,
  was: string | null,
): Common {
  const alike: Stretch[] = [];
  const gone: Region[] = [];
  let done = 0;
  for (const { gap, parts } of byGap(found, write.parts)) {
    const length = parts.reduce((sum, { from, to }) => sum + to - from, 0);
    const [before, after] = [found[gap - 1], found[gap]];
    const from = before === undefined ? ofClient.from : before.inClient + before.length;
    const between = client.slice(from, after?.inClient ?? ofClient.to);
    const words = wordsOfWrite(
      write.text.slice(done, done + length),
      between,
      begins && before === undefined,
      was,
      budget,
    );
    if (words.found.length === 0) return { alike: [], gone: [] };
    alike.push(...spread(words.found, parts, from));
    gone.push(
      ...spread(words.gone, parts, from).map(({ inStored, length: size }) => ({ from: inStored, to: inStored + size })),
    );
    done += length;
  }
  return { alike, gone };
}

/** Finds the text of a write: all of it, without the blanks around it, or at least what it does not have from the base. */
function wordsOfWrite(
  text: string,
  client: string,
  begins: boolean,
  was: string | null,
  budget: Budget,
): { found: readonly Piece[]; gone: readonly Piece[] } {
  const whole = piecesIn(text, client, begins, budget, was !== null);
  if (whole.length > 0 || was === null) return { found: whole, gone: [] };
  const trimmed = text.trim();
  const start = text.indexOf(trimmed);
  const inner = trimmed === text ? [] : piecesIn(trimmed, client, begins, budget);
  if (inner.length > 0) return { found: inner.map((piece) => ({ ...piece, inLess: piece.inLess + start })), gone: [] };
  return newWordsIn(was, text, client, budget) ?? { found: [], gone: [] };
}

/** Groups the parts of a write by the gap between found stretches in which they are. */
function byGap(found: readonly Stretch[], parts: readonly Region[]): { gap: number; parts: Region[] }[] {
  const groups: { gap: number; parts: Region[] }[] = [];
  for (const part of parts) {
    const gap = stretchesBefore(found, part.from);
    const last = groups.at(-1);
    if (last?.gap === gap) last.parts.push(part);
    else groups.push({ gap, parts: [part] });
  }
  return groups;
}

/** Locates pieces of a write in the stored text; a piece is split where others inserted something. */
function spread(pieces: readonly Piece[], parts: readonly Region[], clientFrom: number): Stretch[] {
  const stretches: Stretch[] = [];
  let partStart = 0;
  let first = 0;
  for (const part of parts) {
    const partEnd = partStart + part.to - part.from;
    for (let index = first; index < pieces.length; index++) {
      const { inLess, inMore, length } = pieces[index] as Piece;
      const [from, to] = [Math.max(inLess, partStart), Math.min(inLess + length, partEnd)];
      if (from < to) {
        const inStored = part.from + from - partStart;
        stretches.push({ inStored, inClient: clientFrom + inMore + from - inLess, length: to - from });
      }
      if (inLess + length > partEnd) break;
      first = index + 1;
    }
    partStart = partEnd;
  }
  return stretches;
}

/** Finds all of a stretch of the client's text in one write, within a region of the stored text. */
function clientInWrite(
  client: string,
  region: Region,
  writes: readonly StoredWrite[],
  place: Place,
  ofStored: Region,
  budget: Budget,
): Stretch[] {
  const text = client.slice(region.from, region.to);
  for (const write of writes) {
    if (budget.work <= 0) break;
    const begins = (place.isWords === true || region.from === place.ofClient.from) && beginsAlike(place, write);
    for (const { text: longer, parts } of [write.withBase, write]) {
      const isInside = parts.every(({ from, to }) => from >= ofStored.from && to <= ofStored.to);
      if (!isInside || text.length > longer.length) continue;
      const whole = { inLess: 0, inMore: 0, length: text.length };
      const pieces = text === longer ? [whole] : piecesIn(text, longer, begins, budget);
      const turned = pieces.map(({ inLess, inMore, length }) => ({ inLess: inMore, inMore: inLess, length }));
      if (turned.length > 0) return spread(turned, parts, region.from);
    }
  }
  return [];
}

/**
 * Slides the stretches so that what lies between two of them is a change of the client, where a comparison could have
 * chosen either position: in `<42>` and a line break before `<2>`, the inserted text may also be read as beginning after
 * the `<`. The first letter of the inserted text would then count as common, and the one after it as removed.
 */
function besideChanges(client: string, stretches: readonly Stretch[], { changes, ofClient }: Place): Stretch[] {
  const slid = stretches.map((stretch) => ({ ...stretch }));
  for (const [at, next] of slid.entries()) {
    const before = slid[at - 1];
    const from = before === undefined ? ofClient.from : before.inClient + before.length;
    const change = changes.find(
      ({ bFrom, bTo }) => bTo - bFrom === next.inClient - from && bFrom < from && bTo >= from,
    );
    if (before === undefined || change === undefined || before.inStored + before.length !== next.inStored) continue;
    const shift = from - change.bFrom;
    if (shift > before.length) continue;
    if (client.slice(change.bFrom, from) !== client.slice(change.bTo, next.inClient)) continue;
    slid[at - 1] = { ...before, length: before.length - shift };
    const { inStored, inClient, length } = next;
    slid[at] = { inStored: inStored - shift, inClient: inClient - shift, length: length + shift };
  }
  return slid.filter(({ length }) => length > 0);
}
