import type { ReadHandle } from '../../../ports/database/database.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import type { Target } from '../link-resolver.ts';
import { findEdgesPage, type StoredEdge } from '../links.store.ts';

/** Returns the keys under which an edge's target is looked up; none for a link within its own note. */
export function keysOfEdge(edge: StoredEdge): Buffer[] {
  return [edge.target_key, edge.other_key].filter((key) => key !== null);
}

export function hasTarget(edge: StoredEdge, { note, attachment }: Target): boolean {
  return note === edge.target_note_id && attachment === edge.target_attachment_id;
}

/** The edge with another target. */
export function withTarget(edge: StoredEdge, { note, attachment }: Pick<Target, 'note' | 'attachment'>): StoredEdge {
  return { ...edge, target_note_id: note, target_attachment_id: attachment };
}

/** Maximum number of edges per read: on SQLite a read blocks the event loop. */
export const EDGES_PAGE = 1000;

/** Reads the edges of a note that may have thousands, in order. */
export async function* edgePages(handle: ReadHandle, vault: OpenVault, source: string): AsyncGenerator<StoredEdge[]> {
  for (let from = 0; ; ) {
    const page = await handle.all(findEdgesPage, { vault: vault.id, source, from, limit: EDGES_PAGE });
    yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < EDGES_PAGE) return;
    from = last.ord + 1;
  }
}
