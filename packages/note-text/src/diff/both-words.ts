/**
 * Keeps words whole that both sides of a merge changed: the stored word first, then a space and the client's. Of two
 * values of a mark, one is kept. All offsets count UTF-16 units.
 */

import type { Budget } from './budget.ts';
import { type Common, commonStretches, type Place } from './common.ts';
import { type ChangeMap, type Conflict, wordConflicts } from './conflicts.ts';
import type { Edit } from './diff.ts';
import type { Hunk } from './myers.ts';
import type { Mark } from './places.ts';
import {
  type Insertion,
  insertionsIn,
  joined,
  type Region,
  removalsIn,
  type Stretch,
  type Texts,
  without,
} from './runs.ts';
import { endsLine, joinsWords } from './tokens.ts';
import { isInsideWord, type Phrase } from './whole-words.ts';

/** A value of the stored text that another one replaced, and where it stood. */
export interface Replacement {
  readonly at: number;
  readonly stored: string;
  readonly kind: Mark['kind'];
}

/** A stretch of the client's text to insert. */
interface Insert {
  readonly at: number;
  readonly text: string;
  /** Whether a space must part it from the text before. */
  readonly isBeside: boolean;
  /** Whether it continues the word before it in the client's text, or the word behind it continues it. */
  readonly goesOn: { readonly before: boolean; readonly behind: boolean };
  readonly endsLine: boolean;
}

/** The changes of both sides, by letters. */
export interface Changes {
  readonly client: ChangeMap;
  readonly stored: ChangeMap;
}

/**
 * The resolution of a conflict: edits of the stored text, the values that they replace, and the client's changes that
 * they cover.
 */
export interface Resolution {
  readonly edits: readonly Edit[];
  readonly replaced: readonly Replacement[];
  readonly made: readonly Hunk[];
}

/**
 * Resolves the conflicts of a phrase: all of it at once where the client goes on from what it wrote before, which it may
 * have put into other words of the phrase; else word by word.
 */
export function bothPhrases(
  texts: Texts,
  { client, stored }: Conflict<Phrase>,
  changes: Changes,
  budget: Budget,
): Resolution[] {
  const isPhrase = client.some(({ own }) => own.words.length > 1) || stored.some(({ words }) => words.length > 1);
  const whole = isPhrase ? bothWords(texts, { client, stored }, changes, budget) : null;
  if (whole?.isAlike) return [whole];
  const words = client.flatMap(({ own }) => own.words);
  const found = wordConflicts(
    texts,
    words,
    stored.flatMap((phrase) => phrase.words),
  );
  return found.map((conflict) => bothWords(texts, conflict, changes, budget));
}

function bothWords(
  texts: Texts,
  conflict: Conflict,
  changes: Changes,
  budget: Budget,
): Resolution & { readonly isAlike: boolean } {
  const { stored, client } = texts;
  const place = regionsOf(conflict, changes);
  const { ofStored, ofClient } = place;
  const made = conflict.client.flatMap(({ own }) => own.parts);
  const [was, is] = [stored.slice(ofStored.from, ofStored.to), client.slice(ofClient.from, ofClient.to)];
  if (was === is) return { edits: [], replaced: [], made, isAlike: true };
  const kind = conflict.stored[0]?.mark?.kind;
  if (kind !== undefined && conflict.client[0]?.own.mark != null) {
    if (kind === 'target' && texts.keepsTargets === true) return { edits: [], replaced: [], made, isAlike: false };
    const edits = [{ at: ofStored.from, remove: was.length, insert: is }];
    return { edits, replaced: [{ at: ofStored.from, stored: was, kind }], made, isAlike: false };
  }
  const { alike, gone } = alikeWords(texts, place, budget);
  const removals = place.changes.flatMap(({ aFrom, aTo }) => removalsIn(texts.runs, { from: aFrom, to: aTo }));
  const kept = [
    ...conflict.stored.map(({ whole }) => ({ from: whole.bFrom, to: whole.bTo })),
    ...alike.map(({ inStored, length }) => ({ from: inStored, to: inStored + length })),
  ];
  const removed = without(joined(removals.map(({ at, remove }) => ({ from: at, to: at + remove }))), joined(kept));
  const inserts = insertsOf(texts, conflict, alike);
  const edits = withSpaces(stored, ofStored, joined([...removed, ...gone]), inserts);
  return { edits, replaced: [], made, isAlike: alike.length > 0 };
}

function regionsOf({ client, stored }: Conflict, changes: Changes): Place {
  const [own, others] = [client.map(({ own }) => own.whole), stored.map(({ whole }) => whole)];
  const [first, last] = [others[0] as Hunk, others.at(-1) as Hunk];
  const [ownFirst, ownLast] = [own[0] as Hunk, own.at(-1) as Hunk];
  const ofBase = { from: Math.min(first.aFrom, ownFirst.aFrom), to: Math.max(last.aTo, ownLast.aTo) };
  const [mapped, ofClient] = [changes.stored.region(ofBase), changes.client.region(ofBase)];
  return {
    ofBase,
    ofStored: { from: Math.min(mapped.from, first.bFrom), to: Math.max(mapped.to, last.bTo) },
    ofClient: { from: Math.min(ofClient.from, ownFirst.bFrom), to: Math.max(ofClient.to, ownLast.bTo) },
    changes: own,
    isWords: true,
  };
}

/** Finds what both sides wrote alike, comparing whole words: a word may consist of letters of the base and of a write. */
function alikeWords(texts: Texts, place: Place, budget: Budget): Common {
  const own = insertionsIn(texts.insertions, place.ofStored);
  const insertions: Insertion[] = [];
  for (const insertion of own) {
    // A word of letters of several writes is that of the first one.
    const from = Math.max(insertion.from, insertions.at(-1)?.to ?? 0);
    if (from < insertion.to) insertions.push(...wholeWords(texts.stored, { ...insertion, from }, place.ofStored));
  }
  return commonStretches({ ...texts, insertions }, place, budget);
}

/** Widens an insertion to whole words, without the blanks around them. */
function wholeWords(stored: string, insertion: Insertion, { from: first, to: last }: Region): Insertion[] {
  let [from, to] = [Math.max(insertion.from, first), Math.min(insertion.to, last)];
  while (from < to && isBlank(stored.charAt(from))) from++;
  while (to > from && isBlank(stored.charAt(to - 1))) to--;
  if (from === to) return [];
  while (from > first && isInsideWord(stored, from)) from--;
  while (to < last && isInsideWord(stored, to)) to++;
  return [{ ...insertion, from, to }];
}

const isBlank = (text: string) => /^[ \t]+$/.test(text);

/**
 * Returns the client's words that the stored side lacks, and where they go: beside words that both have, else behind
 * the stored ones.
 */
function insertsOf({ stored, client }: Texts, conflict: Conflict, alike: readonly Stretch[]): Insert[] {
  const inserts: Insert[] = [];
  let index = 0;
  for (const { own, met } of conflict.client) {
    const { bFrom, bTo } = own.whole;
    const behind = endOfWords(stored, met.whole);
    let [from, after] = [bFrom, -1];
    while (from < bTo || after === -1) {
      while (index < alike.length && endInClient(alike[index]) <= from) index++;
      const next = alike[index];
      const isNext = next !== undefined && next.inClient < bTo;
      const to = isNext ? next.inClient : bTo;
      if (to > from) {
        // What the client has in this order stays in it.
        const at = after === -1 ? (isNext ? next.inStored : Math.min(behind, next?.inStored ?? behind)) : after;
        const goesOn = {
          before: after !== -1 && isInsideWord(client, from),
          behind: isNext && isInsideWord(client, to),
        };
        const text = client.slice(from, to);
        inserts.push({ at, text, isBeside: after === -1 && !isNext, goesOn, endsLine: endsLine(client, to) });
      }
      if (!isNext) break;
      from = endInClient(next);
      after = next.inStored + next.length;
    }
  }
  return inserts;
}

function endInClient(stretch: Stretch | undefined): number {
  return stretch === undefined ? 0 : stretch.inClient + stretch.length;
}

/** Returns the end of the stored words, without trailing blanks and line breaks. */
function endOfWords(stored: string, { bFrom, bTo }: Hunk): number {
  let end = bTo;
  while (end > bFrom && /\s/.test(stored.charAt(end - 1))) end--;
  return end;
}

/** Turns the removals and insertions in a region into edits that keep words and lines apart. */
function withSpaces(stored: string, region: Region, removed: readonly Region[], inserts: readonly Insert[]): Edit[] {
  const edits: Edit[] = removed.map(({ from, to }) => ({ at: from, remove: to - from, insert: '' }));
  const ordered = inserts.toSorted((a, b) => a.at - b.at);
  const kept = without(without([{ from: region.from, to: region.to + 1 }], removed), ordered.map(gapOf));
  /** The end of the text so far, and what was removed or inserted since. */
  let last = region.from === 0 ? '\n' : stored.charAt(region.from - 1);
  let [end, isTorn, isSeam, goesOn] = [region.from, false, false, false];
  const pieces = [
    ...kept.map((piece) => ({ at: piece.from, piece })),
    ...ordered.map((insert) => ({ at: insert.at, insert })),
  ];
  pieces.sort((a, b) => a.at - b.at || Number('piece' in a) - Number('piece' in b));
  for (const [index, { at, ...next }] of pieces.entries()) {
    isTorn = last !== '\n' && (isTorn || stored.slice(end, at).includes('\n'));
    if ('insert' in next) {
      const behind = pieces[index + 1];
      const isBlankBehind = behind !== undefined && 'piece' in behind && /\s/.test(stored.charAt(behind.at));
      const text = insertedText(next.insert, last).replace(isBlankBehind ? /[ \t]+$/ : /$/, '');
      edits.push({ at, remove: 0, insert: text });
      isTorn = next.insert.endsLine && last === '\n' && !text.endsWith('\n');
      [last, end, isSeam, goesOn] = [text.at(-1) ?? last, at, true, next.insert.goesOn.behind];
      continue;
    }
    const sign = stored.charAt(at);
    if (isSeam && /\s/.test(last) && isBlank(stored.slice(at, next.piece.to))) {
      edits.push({ at, remove: next.piece.to - at, insert: '' });
      end = next.piece.to;
      continue;
    }
    if (isTorn && sign !== '\n' && sign !== '') edits.push({ at, remove: 0, insert: '\n' });
    else if ((isSeam || at > end) && !goesOn && areGlued(last, sign)) edits.push({ at, remove: 0, insert: ' ' });
    [last, end, isTorn, isSeam, goesOn] = [stored.charAt(next.piece.to - 1), next.piece.to, false, false, false];
  }
  return edits.filter(({ remove, insert }) => remove > 0 || insert !== '');
}

const gapOf = ({ at }: Insert): Region => ({ from: at, to: at });

function insertedText({ text, isBeside, goesOn }: Insert, last: string): string {
  if (goesOn.before) return text;
  if (/\s/.test(last)) return text.replace(/^[ \t]+/, '');
  const isApart = isBeside ? /^\s/.test(text) : !areGlued(last, text.charAt(0));
  return isApart ? text : ` ${text}`;
}

function areGlued(before: string, after: string): boolean {
  return joinsWords(before.charCodeAt(0)) && joinsWords(after.charCodeAt(0));
}
