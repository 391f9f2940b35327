import { type Candidate, dependsOnSource } from '@notevault/note-text/links/resolve.ts';
import type { ReadHandle, WriteHandle } from '../../../../ports/database/database.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import { type Candidates, candidatesFor, distinct, type Extensions, type Target, targetOf } from '../link-resolver.ts';
import { type LinkText, readableMeta, readableTexts } from '../link-texts.ts';
import * as store from '../links.store.ts';
import type { PendingResolutions } from './pending-resolutions.ts';
import { hasTarget, keysOfEdge, withTarget } from './stored-links.ts';

/** Maximum links that one transaction resolves again. */
export const RESOLVED_AT_ONCE = 1000;

/** Names under which entries have appeared or disappeared. */
export interface NameChange {
  readonly keys: readonly Buffer[];
  /** Notes and attachments that are now found under the names, and perhaps were not before. */
  readonly appeared: readonly string[];
}

export interface EdgeDeps {
  readonly extensions: Extensions;
  readonly pending: Pick<PendingResolutions, 'add' | 'addSince' | 'nextSeq'>;
}

/**
 * Writes the new targets of edges, except for notes whose edges are replaced; returns the notes with a changed target.
 */
export type WriteTargets = (except?: ReadonlySet<string>) => Promise<ReadonlySet<string>>;

/** A note whose links are re-resolved. */
interface Source {
  readonly texts: readonly LinkText[];
  /** Opens its path, which few links need; null if it is unreadable. */
  path(): string | null;
}

/** See planTargets. */
export async function resolveAgain(deps: EdgeDeps, handle: WriteHandle, vault: OpenVault, change: NameChange) {
  const write = await planTargets(deps, handle, vault, change);
  await write();
}

/**
 * Re-resolves every edge that is looked up under one of the names; returns the writes. If there are many, they are left
 * to PendingResolutions, and none counts as changed. An edge whose target still exists is only compared with the entries
 * that appeared, so the cost grows with the links to a name, not with the notes of that name.
 */
export async function planTargets(
  { extensions, pending }: EdgeDeps,
  handle: WriteHandle,
  vault: OpenVault,
  { keys: given, appeared }: NameChange,
): Promise<WriteTargets> {
  const keys = distinct(given);
  const found = await handle.allMany(store.findEdgesByKey, { vault: vault.id, limit: RESOLVED_AT_ONCE + 1 }, keys);
  if (found.length > RESOLVED_AT_ONCE) {
    return async () => {
      await pending.add(handle, vault, { keys, appeared });
      return new Set();
    };
  }
  const retargets = await retargetsOf(extensions, handle, vault, found, () => appeared);
  return (except) => writeTargets(handle, vault, retargets, except);
}

export async function writeTargets(
  handle: WriteHandle,
  vault: OpenVault,
  retargeted: readonly store.StoredEdge[],
  except?: ReadonlySet<string>,
): Promise<Set<string>> {
  const own = retargeted.filter(({ source_id }) => !except?.has(source_id));
  await handle.runMany(store.overwriteTargets, { vault: vault.id }, own);
  return new Set(own.map(({ source_id }) => source_id));
}

export function sourcesOf(edges: readonly store.StoredEdge[]): string[] {
  return [...new Set(edges.map((edge) => edge.source_id))];
}

/** Returns notes by id; unreadable ones are left out. */
async function readSources(handle: ReadHandle, vault: OpenVault, ids: readonly string[]) {
  const sources = new Map<string, Source>();
  for (const row of await handle.allMany(store.findSources, { vault: vault.id }, ids)) {
    const texts = readableTexts(vault, { ...row, source_id: row.id });
    let path: string | null = null;
    const pathOf = () => {
      path ??= readableMeta(vault, row)?.path ?? null;
      return path;
    };
    if (texts !== null) sources.set(row.id, { texts, path: pathOf });
  }
  return sources;
}

/**
 * Returns those of some edges whose target changes, with their new target.
 *
 * @param appearedOf the entries among the candidates that the edges were not compared with before.
 */
export async function retargetsOf(
  extensions: Extensions,
  handle: ReadHandle,
  vault: OpenVault,
  edges: readonly store.StoredEdge[],
  appearedOf: (candidates: Candidates) => readonly string[],
): Promise<store.StoredEdge[]> {
  if (edges.length === 0) return [];
  const sources = await readSources(handle, vault, sourcesOf(edges));
  const candidates = await candidatesFor(handle, vault, edges.flatMap(keysOfEdge));
  const candidatesOf = competitors(candidates, appearedOf(candidates));
  return [...Map.groupBy(edges, (edge) => edge.source_id)].flatMap(([id, own]) => {
    const source = sources.get(id);
    return source === undefined ? [] : [...retargetsIn(extensions, source, own, candidatesOf)];
  });
}

function competitors({ at, byId }: Candidates, appeared: readonly string[]): (edge: store.StoredEdge) => Candidate[] {
  const news = appeared.map((id) => byId.get(id)).filter((candidate) => candidate !== undefined);
  return (edge) => {
    const former = edge.target_note_id ?? edge.target_attachment_id;
    if (former === null) return news;
    const holder = appeared.includes(former) ? undefined : byId.get(former);
    return holder === undefined ? at(keysOfEdge(edge)) : [holder, ...news];
  };
}

/** Returns those edges of a note whose target changes, with their new target. */
function retargetsIn(
  extensions: Extensions,
  source: Source,
  edges: readonly store.StoredEdge[],
  candidatesOf: (edge: store.StoredEdge) => Candidate[],
): Iterable<store.StoredEdge> {
  // An edge is found under each of its keys.
  const retargeted = new Map<number, store.StoredEdge>();
  // A note may contain the same link thousands of times.
  const known = new Map<string, Target>();
  for (const edge of edges) {
    const text = source.texts[edge.ord];
    if (text === undefined) continue;
    const name = `${text.form} ${edge.target_note_id ?? edge.target_attachment_id} ${text.target}`;
    const target = known.get(name) ?? targetFrom(extensions, source, text, candidatesOf(edge));
    if (target === null) continue;
    known.set(name, target);
    if (!hasTarget(edge, target)) retargeted.set(edge.ord, withTarget(edge, target));
  }
  return retargeted.values();
}

/** Null if the target depends on the path of the link's note, and that is unreadable. */
function targetFrom(extensions: Extensions, source: Source, text: LinkText, candidates: readonly Candidate[]) {
  const path = dependsOnSource(text, candidates) ? source.path() : '';
  return path === null ? null : targetOf(extensions, text, path, candidates);
}
