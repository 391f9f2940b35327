import { type Candidate, lookupOf, resolve } from '@notevault/note-text/links/resolve.ts';
import { slicesOf } from '../../../concurrency/slices.ts';
import { createYield, type YieldIfDue } from '../../../concurrency/yield.ts';
import type { ReadHandle } from '../../../ports/database/database.ts';
import type { WrittenNote } from '../notes/notes.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import { type LinkText, readableCandidate } from './link-texts.ts';
import * as store from './links.store.ts';

export interface Target {
  readonly note: string | null;
  readonly attachment: string | null;
  /** The path of the note; null for an attachment. */
  readonly path: string | null;
}
const NONE: ReadonlyMap<string, Candidate> = new Map();
export const DANGLING: Target = { note: null, attachment: null, path: null };

/** Returns the candidates found under any of some keys. */
export type CandidatesAt = (keys: readonly Buffer[]) => Candidate[];

export interface Candidates {
  readonly at: CandidatesAt;
  readonly byId: ReadonlyMap<string, Candidate>;
  /** The seq of each candidate. */
  readonly seqOf: ReadonlyMap<string, number>;
}

/** Returns the blind key of a name. */
export type NameKey = (name: string) => Buffer;

/** Makes the key of each name once: many links have the same. */
export function nameKeys(vault: OpenVault): NameKey {
  const known = new Map<string, Buffer>();
  return (name) => {
    let key = known.get(name);
    if (key === undefined) {
      key = vault.key.blind('name', name);
      known.set(name, key);
    }
    return key;
  };
}

type Reference = Pick<LinkText, 'target' | 'form'>;

/**
 * The extensions of attachments, in lower case and without the dot: a target with one of them prefers an attachment.
 * Targets are resolved with these and the rules of note-text.
 */
export type Extensions = ReadonlySet<string>;

/** Returns the blind keys under which a link's target is looked up; null for a link within its own note. */
export function keysOf(extensions: Extensions, keyOf: NameKey, { target, form }: Reference): Buffer[] | null {
  const lookup = lookupOf(target, form, extensions);
  return lookup.kind === 'self' ? null : lookup.stems.map(keyOf);
}

/** Returns the target, among the candidates, of a link in the note at the path `source`. */
export function targetOf(
  extensions: Extensions,
  link: Reference,
  source: string,
  candidates: readonly Candidate[],
): Target {
  const found = resolve(link, source, candidates, extensions);
  if (found === null) return DANGLING;
  return found.kind === 'note'
    ? { note: found.id, attachment: null, path: found.path }
    : { note: null, attachment: found.id, path: null };
}

/**
 * Reads the candidates by key. Unreadable entries are skipped: their own reads and writes report the damage, and other
 * notes are not affected.
 *
 * @param known candidates by id that need not be opened.
 */
export async function candidatesFor(
  handle: ReadHandle,
  vault: OpenVault,
  keys: readonly Buffer[],
  known: ReadonlyMap<string, Candidate> = NONE,
): Promise<Candidates> {
  const opened = new Map<string, Candidate>();
  const seqOf = new Map<string, number>();
  const byKey = new Map<string, Candidate[]>();
  const looked = new Set<string>();
  // Made while others run between the calls of a long transaction: encoding a hundred thousand keys takes a while.
  for (const slice of slicesOf([...new Set(keys)], SLICE)) {
    const fresh = slice.filter((key) => {
      const before = looked.size;
      return looked.add(key.toString('hex')).size > before;
    });
    if (fresh.length === 0) continue;
    for (const row of await handle.allMany(store.findCandidates, { vault: vault.id }, fresh)) {
      const candidate = opened.get(row.id) ?? known.get(row.id) ?? readableCandidate(vault, row);
      if (candidate === null) continue;
      opened.set(row.id, candidate);
      seqOf.set(row.id, row.seq);
      const key = row.key.toString('hex');
      const under = byKey.get(key);
      if (under === undefined) byKey.set(key, [candidate]);
      else under.push(candidate);
    }
  }
  const at: CandidatesAt = (wanted) => wanted.flatMap((key) => byKey.get(key.toString('hex')) ?? []);
  return { at, byId: opened, seqOf };
}

export function distinct(keys: readonly Buffer[]): Buffer[] {
  return [...new Map(keys.map((key) => [key.toString('hex'), key])).values()];
}

/** Rows read or written between two yields: during a long transaction, others run only between its calls. */
export const SLICE = 512;

/** A link whose target is not known yet, and its note. */
export interface UnresolvedLink {
  readonly note: Pick<WrittenNote, 'id' | 'path'>;
  readonly text: LinkText;
}

export type ResolvedLink<Link extends UnresolvedLink = UnresolvedLink> = Link & {
  /** The keys under which the target is looked up; null for a link within its own note. */
  readonly keys: readonly Buffer[] | null;
  readonly target: Target;
};

/** Items processed between two looks at the time. */
const LOOK_EVERY = 64;

/**
 * Resolves links, with one lookup for all targets; writes nothing.
 *
 * @param bulk whether the transaction is a bulk one and may yield; a short one may await only its handle.
 * @param known candidates by id that were just written, and need not be opened.
 */
export async function resolveLinks<Link extends UnresolvedLink>(
  extensions: Extensions,
  handle: ReadHandle,
  vault: OpenVault,
  links: readonly Link[],
  bulk: boolean,
  known?: ReadonlyMap<string, Candidate>,
): Promise<ResolvedLink<Link>[]> {
  const yieldIfDue = bulk ? createYield() : null;
  const keyOf = nameKeys(vault);
  const keyed = await mapped(links, yieldIfDue, (link) => ({ ...link, keys: keysOf(extensions, keyOf, link.text) }));
  const wanted = keyed.flatMap(({ keys }) => keys ?? []);
  const targetIn = targetsIn(extensions, (await candidatesFor(handle, vault, wanted, known)).at);
  return mapped(keyed, yieldIfDue, (link) => {
    const { note, text, keys } = link;
    const self: Target = { note: note.id, attachment: null, path: note.path };
    return { ...link, target: keys === null ? self : targetIn(text, note.path, keys) };
  });
}

/** Returns a function that finds the target of a link in the note at a path; equal links are resolved once. */
function targetsIn(extensions: Extensions, candidatesAt: CandidatesAt) {
  const known = new Map<string, Target>();
  return (link: LinkText, source: string, keys: readonly Buffer[]): Target => {
    const name = `${link.form}\0${source}\0${link.target}`;
    let target = known.get(name);
    if (target === undefined) {
      target = targetOf(extensions, link, source, candidatesAt(keys));
      known.set(name, target);
    }
    return target;
  };
}

/** Maps each item, in slices of time. */
export async function mapped<Item, Result>(
  items: readonly Item[],
  yieldIfDue: YieldIfDue | null,
  map: (item: Item) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) {
    if (yieldIfDue !== null && results.length % LOOK_EVERY === 0) await yieldIfDue();
    results.push(map(item));
  }
  return results;
}
