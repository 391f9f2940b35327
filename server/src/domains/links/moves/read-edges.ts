import type { YieldIfDue } from '../../../concurrency/yield.ts';
import type { ReadHandle } from '../../../ports/database/database.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import * as store from '../links.store.ts';

/** Maximum number of edges per read: on SQLite a read blocks the event loop. */
const EDGES = 1000;

/**
 * Returns the edges of notes; a note with thousands is read in pages.
 *
 * @param counts how many edges each note has, about.
 */
export async function readEdges(
  handle: ReadHandle,
  vault: OpenVault,
  counts: ReadonlyMap<string, number>,
  yieldIfDue: YieldIfDue,
): Promise<Map<string, store.StoredEdge[]>> {
  const edges = new Map<string, store.StoredEdge[]>();
  for (const group of groupsOf(counts)) {
    await yieldIfDue();
    const rows = await handle.allMany(store.findEdgesFrom, { vault: vault.id }, group);
    for (const [source, own] of Map.groupBy(rows, (edge) => edge.source_id)) edges.set(source, own);
  }
  for (const [source, count] of counts) {
    if (count > EDGES) edges.set(source, await readManyEdges(handle, vault, source, yieldIfDue));
  }
  return edges;
}

/** Groups the notes with few edges so that one read returns about `EDGES`. */
function groupsOf(counts: ReadonlyMap<string, number>): string[][] {
  const groups: string[][] = [];
  let left = 0;
  for (const [source, count] of counts) {
    if (count === 0 || count > EDGES) continue;
    if (left <= 0) {
      groups.push([]);
      left = EDGES;
    }
    groups.at(-1)?.push(source);
    left -= count;
  }
  return groups;
}

async function readManyEdges(
  handle: ReadHandle,
  vault: OpenVault,
  source: string,
  yieldIfDue: YieldIfDue,
): Promise<store.StoredEdge[]> {
  const edges: store.StoredEdge[] = [];
  for (let from = 0; ; ) {
    await yieldIfDue();
    const page = await handle.all(store.findEdgesPage, { vault: vault.id, source, from, limit: EDGES });
    for (const edge of page) edges.push(edge);
    const last = page.at(-1);
    if (last === undefined || page.length < EDGES) return edges;
    from = last.ord + 1;
  }
}
