import { EDGES_PAGE, edgePages } from '../edges/stored-links.ts';
import { findEdgesFrom, type StoredEdge } from '../links.store.ts';
import type { Move } from './move-index.ts';

/**
 * Returns the edges of notes; a note with thousands is read in pages.
 *
 * @param counts how many edges each note has, about.
 */
export async function readEdges(
  { handle, vault, yieldIfDue }: Move,
  counts: ReadonlyMap<string, number>,
): Promise<Map<string, StoredEdge[]>> {
  const edges = new Map<string, StoredEdge[]>();
  for (const group of groupsOf(counts)) {
    await yieldIfDue();
    const rows = await handle.allMany(findEdgesFrom, { vault: vault.id }, group);
    for (const [source, own] of Map.groupBy(rows, (edge) => edge.source_id)) edges.set(source, own);
  }
  for (const [source, count] of counts) {
    if (count <= EDGES_PAGE) continue;
    const own: StoredEdge[] = [];
    for await (const page of edgePages(handle, vault, source)) {
      for (const edge of page) own.push(edge);
      await yieldIfDue();
    }
    edges.set(source, own);
  }
  return edges;
}

/** Groups the notes with few edges so that one read returns about a page. */
function groupsOf(counts: ReadonlyMap<string, number>): string[][] {
  const groups: string[][] = [];
  let left = 0;
  for (const [source, count] of counts) {
    if (count === 0 || count > EDGES_PAGE) continue;
    if (left <= 0) {
      groups.push([]);
      left = EDGES_PAGE;
    }
    groups.at(-1)?.push(source);
    left -= count;
  }
  return groups;
}
