import { NIL_UUID } from '@notevault/protocol/values/ids.ts';
import type { YieldIfDue } from '../../../concurrency/yield.ts';
import type { ReadHandle } from '../../../ports/database/database.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import * as store from '../links.store.ts';

/** Edges read by one statement, which blocks the event loop on SQLite. */
const SLICE = 2000;

/** Ids of a note and of another to which it links. */
export type GraphEdge = readonly [source: string, target: string];

/** Returns every pair of notes of which the first links to the second, ordered by the first. */
export async function graphEdges(
  handle: ReadHandle,
  { id: vault }: Pick<OpenVault, 'id'>,
  yieldIfDue: YieldIfDue,
): Promise<GraphEdge[]> {
  const edges: GraphEdge[] = [];
  let [source, ord] = [NIL_UUID, -1];
  let targets = new Set<string>();
  for (;;) {
    const rows = await handle.all(store.findGraphEdges, { vault, source, ord, limit: SLICE });
    for (const row of rows) {
      if (row.source_id !== source) targets = new Set([row.source_id]);
      [source, ord] = [row.source_id, row.ord];
      if (row.target_note_id === null || targets.has(row.target_note_id)) continue;
      targets.add(row.target_note_id);
      edges.push([source, row.target_note_id]);
    }
    if (rows.length < SLICE) return edges;
    await yieldIfDue();
  }
}
