import type { Seq } from '@notevault/protocol/values/ids.ts';
import { currentOwner } from '../../concurrency/owner.ts';
import type { FairSemaphore } from '../../concurrency/semaphore.ts';
import type { CacheSnapshot, OpenVault } from '../vaults/vaults.ts';
import { writeJsonList, writeJsonObject } from './json-writer.ts';
import type { SyncDeps } from './sync.deps.ts';
import {
  graphEdgeJson,
  graphNodeJson,
  manifestAttachmentJson,
  manifestNoteJson,
  treeAttachmentJson,
  treeNoteJson,
} from './sync.mapper.ts';

/** A manifest: only its seq if the client already has it, else JSON ready to send. */
export type Manifest = { readonly unchanged: Seq } | { readonly json: readonly Buffer[] };

export interface ManifestQueries {
  /** Returns every live row with hash and seq from one snapshot. Throws rather than leave a row out. */
  manifest(vault: OpenVault, sinceSeq: unknown): Promise<Manifest>;
  /** Returns the file tree from one snapshot, as JSON ready to send. Throws rather than leave an entry out. */
  tree(vault: OpenVault): Promise<readonly Buffer[]>;
  /** Returns every note and which notes link to which, from one snapshot, as JSON ready to send. */
  graph(vault: OpenVault): Promise<readonly Buffer[]>;
}

export function createManifestQueries(deps: SyncDeps, semaphore: FairSemaphore): ManifestQueries {
  const {
    db,
    vaults,
    cache,
    notes: { cache: cachedNotes },
    attachments: { cache: cachedAttachments },
    entries: { folders },
    links,
  } = deps;
  const snapshot = <Result>(vault: OpenVault, body: (snapshot: CacheSnapshot) => Promise<Result>) =>
    semaphore.run(currentOwner(), () => cache.snapshot(vault, body));
  return {
    async manifest(vault, sinceSeq) {
      if (sinceSeq !== undefined) {
        const { changeSeq } = await vaults.feed(db, vault);
        if (sinceSeq === String(changeSeq)) return { unchanged: changeSeq };
      }
      return snapshot(vault, async (snapshot) => {
        const notes = await (await snapshot.rows(cachedNotes)).sorted();
        const files = await (await snapshot.rows(cachedAttachments)).sorted();
        const totals = { total_notes: notes.length, total_attachments: files.length };
        const lists = [
          await writeJsonList('notes', notes, manifestNoteJson),
          await writeJsonList('attachments', files, manifestAttachmentJson),
        ];
        return { json: writeJsonObject({ change_seq: snapshot.changeSeq, ...totals }, lists) };
      });
    },
    tree: (vault) =>
      snapshot(vault, async (snapshot) => {
        const notes = await (await snapshot.rows(cachedNotes)).sorted();
        const files = await (await snapshot.rows(cachedAttachments)).sorted();
        const all = await folders.listAt(snapshot.handle, vault);
        const lists = [
          await writeJsonList('notes', notes, treeNoteJson),
          await writeJsonList('attachments', files, treeAttachmentJson),
        ];
        return writeJsonObject({ change_seq: snapshot.changeSeq, folders: all }, lists);
      }),
    graph: (vault) =>
      snapshot(vault, async (snapshot) => {
        const notes = await (await snapshot.rows(cachedNotes)).sorted();
        const edges = await links.graphEdges(snapshot.handle, vault);
        const lists = [
          await writeJsonList('nodes', notes, graphNodeJson),
          await writeJsonList('edges', edges, graphEdgeJson),
        ];
        return writeJsonObject({ change_seq: snapshot.changeSeq }, lists);
      }),
  };
}
