import { type Candidate, dependsOnSource } from '@notevault/note-text/links/resolve.ts';
import type { ReadHandle, WriteHandle } from '../../../../ports/database/database.ts';
import { NeedsLongTransaction } from '../../entries/revision-conflict.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import { type Candidates, candidatesFor, distinct, type Extensions, type Target, targetOf } from '../link-resolver.ts';
import { type LinkText, readableMeta, readableTexts } from '../link-texts.ts';
import * as store from '../links.store.ts';
import { findReferringNotes } from './referring-notes.ts';
import { edgePages, hasTarget, keysOfEdge, withTarget } from './stored-links.ts';

/** Maximum links that are processed without slices. */
const MANY = 1000;

/** Names under which entries have appeared or disappeared. */
export interface NameChange {
  readonly keys: readonly Buffer[];
  /** Notes and attachments that are now found under the names, and perhaps were not before. */
  readonly appeared: readonly string[];
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

/** Whether re-resolving the links under these keys needs a long transaction. */
export async function hasManyLinksTo(handle: ReadHandle, vault: OpenVault, keys: readonly Buffer[]): Promise<boolean> {
  return (await handle.allMany(store.findEdgeBeyond, { vault: vault.id, many: MANY }, keys)).length > 0;
}

/** See planTargets. */
export async function resolveAgain(extensions: Extensions, handle: WriteHandle, vault: OpenVault, change: NameChange) {
  const write = await planTargets(extensions, handle, vault, change, true);
  await write();
}

/**
 * Re-resolves every edge that is looked up under one of the names; returns the writes. An edge whose target still
 * exists is only compared with the entries that appeared, so the cost grows with the links to a name, not with the
 * notes of that name. Throws NeedsLongTransaction.
 *
 * @param mayTakeLong false in a short transaction, which thousands of links would make a long one.
 */
export async function planTargets(
  extensions: Extensions,
  handle: WriteHandle,
  vault: OpenVault,
  { keys: given, appeared }: NameChange,
  mayTakeLong: boolean,
): Promise<WriteTargets> {
  const keys = distinct(given);
  const found = await handle.allMany(store.findEdgesByKey, { vault: vault.id, limit: MANY + 1 }, keys);
  if (found.length > MANY) {
    if (!mayTakeLong) throw new NeedsLongTransaction();
    return (except) => resolveManyAgain(extensions, handle, vault, { keys, appeared }, except);
  }
  const sources = await readSources(handle, vault, [...new Set(found.map((edge) => edge.source_id))]);
  const retargets = await retargetsOf(extensions, handle, vault, found, appeared, sources);
  return (except) => writeTargets(handle, vault, retargets, except);
}

/** Reads and writes one note and one slice of its links at a time, to limit memory. */
async function resolveManyAgain(
  extensions: Extensions,
  handle: WriteHandle,
  vault: OpenVault,
  { keys, appeared }: NameChange,
  except?: ReadonlySet<string>,
): Promise<Set<string>> {
  const changed = new Set<string>();
  const names = new Set(keys.map((key) => key.toString('hex')));
  for (const source of await findReferringNotes(handle, vault, keys)) {
    if (except?.has(source)) continue;
    // Unsealed once for all slices of the note's links.
    const sources = await readSources(handle, vault, [source]);
    for await (const page of edgePages(handle, vault, source)) {
      const edges = page.filter((edge) => keysOfEdge(edge).some((key) => names.has(key.toString('hex'))));
      const retargets = await retargetsOf(extensions, handle, vault, edges, appeared, sources);
      for (const id of await writeTargets(handle, vault, retargets)) changed.add(id);
    }
  }
  return changed;
}

async function writeTargets(
  handle: WriteHandle,
  vault: OpenVault,
  retargeted: readonly store.StoredEdge[],
  except?: ReadonlySet<string>,
): Promise<Set<string>> {
  const own = retargeted.filter(({ source_id }) => !except?.has(source_id));
  await handle.runMany(store.overwriteTargets, { vault: vault.id }, own);
  return new Set(own.map(({ source_id }) => source_id));
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

async function retargetsOf(
  extensions: Extensions,
  handle: ReadHandle,
  vault: OpenVault,
  edges: readonly store.StoredEdge[],
  appeared: readonly string[],
  sources: ReadonlyMap<string, Source>,
): Promise<store.StoredEdge[]> {
  if (edges.length === 0) return [];
  const candidates = await candidatesFor(handle, vault, edges.flatMap(keysOfEdge));
  const candidatesOf = competitors(candidates, appeared);
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
