import type { Doc } from 'yjs';
import type { Actor } from '../../entries/entries.ts';
import { stateVectorOf } from '../merge/document.ts';
import type { TypedEdits } from './fold.ts';
import { readStateVector, type ScannedUpdate, scanUpdate } from './updates/update-validator.ts';

/** Maximum number of versions of one flush. */
const PARTS_MAX = 4;

/** Edits that make one version: those of a person, or of several who cannot be told apart. */
export interface Part {
  readonly actors: readonly Actor[];
  readonly updates: readonly Uint8Array[];
}

interface Person extends Part {
  readonly scans: readonly ScannedUpdate[];
}

/** Groups edits by person, in the order of their first edits; each with the credential of their last one. */
export function peopleOf(typed: readonly TypedEdits[]): Part[] {
  const people = Map.groupBy(typed, ({ actor: { userId, kind, name } }) => userId ?? `${kind} ${name}`);
  return [...people.values()].map((own) => ({
    actors: own.slice(-1).map(({ actor }) => actor),
    updates: own.flatMap(({ updates }) => updates),
  }));
}

/**
 * Splits edits into parts that can be applied to a document in their order: one for each person, as far as no edit of it
 * depends on edits of people whose part comes later. Those who depend on each other share the last part.
 *
 * @param last the author of the present version, who goes first: their further edits need no version between.
 */
export function partsOf(doc: Doc, typed: readonly TypedEdits[], last: Actor): Part[] {
  const known = readStateVector(stateVectorOf(doc));
  let rest: Person[] = peopleOf(typed)
    .sort((a, b) => Number(isOf(b, last)) - Number(isOf(a, last)))
    .map((part) => ({ ...part, scans: part.updates.map(scanUpdate) }));
  const parts: Part[] = [];
  while (rest.length > 0) {
    const isLast = parts.length === PARTS_MAX - 1;
    const free = isLast ? undefined : rest.find(({ scans }) => isComplete(scans, known));
    const taken = free === undefined ? rest : [free];
    rest = rest.filter((person) => !taken.includes(person));
    for (const { scans } of taken) learn(known, scans);
    parts.push({
      actors: taken.flatMap(({ actors }) => actors),
      updates: taken.flatMap(({ updates }) => updates),
    });
  }
  return parts;
}

function isOf({ actors }: Part, { userId }: Actor): boolean {
  return userId !== undefined && actors.some((actor) => actor.userId === userId);
}

/** Whether updates depend on nothing but themselves and what is known. */
function isComplete(scans: readonly ScannedUpdate[], known: ReadonlyMap<number, number>): boolean {
  const all = new Map(known);
  learn(all, scans);
  return scans.every(({ clients, needs, gaps }) => {
    const ends = [...clients].map(([client, { to }]) => [client, to] as const);
    return [...ends, ...needs, ...gaps].every(([client, below]) => below <= (all.get(client) ?? 0));
  });
}

/** Raises the known clocks by those of updates that follow them without a gap. */
function learn(known: Map<number, number>, scans: readonly ScannedUpdate[]): void {
  const ranges = scans.flatMap(({ clients }) => [...clients]).sort(([, a], [, b]) => a.from - b.from);
  for (const [client, { from, to }] of ranges) {
    const reached = known.get(client) ?? 0;
    if (from <= reached && to > reached) known.set(client, to);
  }
}
