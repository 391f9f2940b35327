import { slicesOf } from '../../../concurrency/slices.ts';
import type { WriteHandle } from '../../../ports/database/database.ts';
import type { PreparedLinks } from '../../notes/notes.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import { SLICE } from '../link-resolver.ts';
import * as store from '../links.store.ts';

/** What `applyMove` writes: plain data, because it may be spooled to disk. */
export interface PreparedEdges extends PreparedLinks {
  /** Edges that get another target under the same keys. */
  readonly retargets: readonly store.StoredEdge[];
  /** Edges that get other keys or another target. */
  readonly changed: store.StoredEdge[];
  /** Notes whose edges are all replaced. */
  readonly cleared: string[];
  readonly edges: store.StoredEdge[];
  readonly texts: store.SourcedTexts[];
}

/** Updates the edges of a move, inside its transaction. */
export async function applyMove(handle: WriteHandle, vault: OpenVault, links: PreparedLinks): Promise<void> {
  // Only this domain prepares moves.
  const { retargets, changed, cleared, edges, texts } = links as PreparedEdges;
  for (const slice of slicesOf(retargets, SLICE))
    await handle.runMany(store.overwriteTargets, { vault: vault.id }, slice);
  for (const slice of slicesOf(changed, SLICE)) await handle.runMany(store.overwriteEdges, { vault: vault.id }, slice);
  await handle.runMany(store.deleteEdgesOf, { vault: vault.id }, cleared);
  for (const slice of slicesOf(edges, SLICE)) await handle.runMany(store.insertEdgesOf, { vault: vault.id }, slice);
  for (const slice of slicesOf(texts, SLICE)) await handle.runMany(store.putTextsOf, { vault: vault.id }, slice);
}
