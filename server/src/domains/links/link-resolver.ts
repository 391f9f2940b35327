import { type Candidate, lookupOf, resolve } from '@notevault/note-text/links/resolve.ts';
import type { ReadHandle } from '../../ports/database/database.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import { slicesOf } from './edges/slices.ts';
import type { LinkText } from './link-texts.ts';
import * as store from './links.store.ts';
import { readableCandidate } from './unseal.ts';

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

/** Candidates by key, and by id. */
export interface Candidates {
  readonly at: CandidatesAt;
  readonly byId: ReadonlyMap<string, Candidate>;
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

/** Finds the targets of links by the rules of note-text. */
export class LinkResolver {
  readonly #attachmentExtensions: ReadonlySet<string>;

  /**
   * @param attachmentExtensions lower case, without the dot: a target with one of these extensions prefers an
   * attachment.
   */
  constructor(attachmentExtensions: ReadonlySet<string>) {
    this.#attachmentExtensions = attachmentExtensions;
  }

  /** Returns the blind keys under which a link's target is looked up; null for a link within its own note. */
  keysOf(keyOf: NameKey, link: Reference): Buffer[] | null {
    const lookup = lookupOf(link.target, link.form, this.#attachmentExtensions);
    return lookup.kind === 'self' ? null : lookup.stems.map(keyOf);
  }

  /** Returns the target, among the candidates, of a link in the note at the path `source`. */
  targetOf(link: Reference, source: string, candidates: readonly Candidate[]): Target {
    const found = resolve(link, source, candidates, this.#attachmentExtensions);
    if (found === null) return DANGLING;
    return found.kind === 'note'
      ? { note: found.id, attachment: null, path: found.path }
      : { note: null, attachment: found.id, path: null };
  }
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
  const byKey = new Map<string, Candidate[]>();
  for (const slice of slicesOf(distinct(keys))) {
    for (const row of await handle.allMany(store.findCandidates, { vault: vault.id }, slice)) {
      const candidate = opened.get(row.id) ?? known.get(row.id) ?? readableCandidate(vault, row);
      if (candidate === null) continue;
      opened.set(row.id, candidate);
      const key = row.key.toString('hex');
      const under = byKey.get(key);
      if (under === undefined) byKey.set(key, [candidate]);
      else under.push(candidate);
    }
  }
  const at: CandidatesAt = (wanted) => wanted.flatMap((key) => byKey.get(key.toString('hex')) ?? []);
  return { at, byId: opened };
}

export function distinct(keys: readonly Buffer[]): Buffer[] {
  return [...new Map(keys.map((key) => [key.toString('hex'), key])).values()];
}
