import { type Candidate, lookupOf, resolve } from '@notevault/note-text/links/resolve.ts';
import type { ReadHandle } from '../../ports/database/database.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import type { LinkText } from './link-texts.ts';
import * as store from './links.store.ts';
import { readableCandidate } from './unseal.ts';

/** Where an edge points. */
export interface Target {
  readonly note: string | null;
  readonly attachment: string | null;
  /** Of the note; null for an attachment. */
  readonly path: string | null;
}
export const DANGLING: Target = { note: null, attachment: null, path: null };

/** Candidates found under any of the keys asked for. */
export type CandidatesAt = (keys: readonly Buffer[]) => Candidate[];

/** Candidates by key, and each by its id. */
export interface Candidates {
  readonly at: CandidatesAt;
  readonly byId: ReadonlyMap<string, Candidate>;
}

/** @param attachmentExtensions lower case, without the dot: a target that ends in one means an attachment first. */
export function createLinkResolver(attachmentExtensions: ReadonlySet<string>) {
  /** The names a link is looked up by, blinded; null for a link into its own note. */
  function keysOf(vault: OpenVault, link: Pick<LinkText, 'target' | 'form'>): Buffer[] | null {
    const lookup = lookupOf(link.target, link.form, attachmentExtensions);
    return lookup.kind === 'self' ? null : lookup.stems.map((stem) => vault.key.blind('name', stem));
  }

  /** Candidates by key. What cannot be opened is no candidate: its own reads and writes say so, other notes go on. */
  async function candidatesFor(handle: ReadHandle, vault: OpenVault, keys: readonly Buffer[]): Promise<Candidates> {
    const rows = await handle.allMany(store.findCandidates, { vault: vault.id }, distinct(keys));
    const opened = new Map<string, Candidate>();
    const byKey = new Map<string, Candidate[]>();
    for (const row of rows) {
      const candidate = opened.get(row.id) ?? readableCandidate(vault, row);
      if (candidate === null) continue;
      opened.set(row.id, candidate);
      const key = row.key.toString('hex');
      const under = byKey.get(key);
      if (under === undefined) byKey.set(key, [candidate]);
      else under.push(candidate);
    }
    const at: CandidatesAt = (asked) => asked.flatMap((key) => byKey.get(key.toString('hex')) ?? []);
    return { at, byId: opened };
  }

  function targetOf(link: Pick<LinkText, 'target' | 'form'>, source: string, candidates: readonly Candidate[]): Target {
    const found = resolve(link, source, candidates, attachmentExtensions);
    if (found === null) return DANGLING;
    return found.kind === 'note'
      ? { note: found.id, attachment: null, path: found.path }
      : { note: null, attachment: found.id, path: null };
  }

  /** targetOf for the links of one note after the other: one that says the same again is not resolved again. */
  function targets(candidates: CandidatesAt) {
    const known = new Map<string, Target>();
    return (link: Pick<LinkText, 'target' | 'form'>, source: string, keys: readonly Buffer[]): Target => {
      const name = `${link.form}\0${source}\0${link.target}`;
      let target = known.get(name);
      if (target === undefined) {
        target = targetOf(link, source, candidates(keys));
        known.set(name, target);
      }
      return target;
    };
  }

  return { keysOf, candidatesFor, targetOf, targets };
}

export function distinct(keys: readonly Buffer[]): Buffer[] {
  return [...new Map(keys.map((key) => [key.toString('hex'), key])).values()];
}
