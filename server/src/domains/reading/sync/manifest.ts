import type { DanglingLinks } from '@notevault/protocol/links.ts';
import type { Seq } from '@notevault/protocol/values/ids.ts';
import type { FairSemaphore } from '../../../concurrency/semaphore.ts';
import { currentTenant } from '../../../concurrency/tenant.ts';
import type { CacheSnapshot, OpenVault } from '../../content/vaults/vaults.ts';
import { cursorAfter } from './changes.ts';
import { danglingPage } from './dangling.ts';
import { writeJsonList, writeJsonObject } from './json-writer.ts';
import {
  graphEdgeJson,
  graphNodeJson,
  manifestAttachmentJson,
  manifestNoteJson,
  treeAttachmentJson,
  treeNoteJson,
} from './sync.mapper.ts';
import type { SyncDeps } from './sync.ts';

/** A manifest: only its seq if the client already has it, else JSON ready to send. */
export type Manifest = { readonly unchanged: Seq } | { readonly json: readonly Buffer[] };

/** Whether damaged rows are listed, or an error. */
export type Damage = 'list' | 'throw';

export function createManifestQueries(deps: SyncDeps, semaphore: FairSemaphore) {
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
    semaphore.run(currentTenant(), () => cache.snapshot(vault, body));
  /** All notes and attachments, by path. */
  const contents = async (snapshot: CacheSnapshot, damage: Damage) => {
    const read = damage === 'list' ? snapshot.rowsWithDamage : snapshot.rows;
    const notes = await read(cachedNotes);
    const files = await read(cachedAttachments);
    const unreadable = [...notes.unreadable, ...files.unreadable];
    // An empty list is left out: most vaults never have one.
    const damaged = unreadable.length === 0 ? {} : { unreadable };
    return { notes: await notes.sorted(), files: await files.sorted(), damaged };
  };
  return {
    /** Returns every live row from one snapshot; a damaged one throws, or is listed apart on request. */
    async manifest(vault: OpenVault, sinceSeq: unknown, damage: Damage = 'throw'): Promise<Manifest> {
      if (sinceSeq !== undefined) {
        const { changeSeq } = await vaults.feed(db, vault);
        if (sinceSeq === String(changeSeq)) return { unchanged: changeSeq };
      }
      return snapshot(vault, async (snapshot) => {
        const { notes, files, damaged } = await contents(snapshot, damage);
        const totals = { total_notes: notes.length, total_attachments: files.length };
        const lists = [
          await writeJsonList('notes', notes, manifestNoteJson),
          await writeJsonList('attachments', files, manifestAttachmentJson),
        ];
        return { json: writeJsonObject({ change_seq: snapshot.changeSeq, ...totals, ...damaged }, lists) };
      });
    },
    /** Returns the file tree from one snapshot, as JSON ready to send; of damaged rows see manifest. */
    tree: (vault: OpenVault, damage: Damage = 'throw'): Promise<readonly Buffer[]> =>
      snapshot(vault, async (snapshot) => {
        const { notes, files, damaged } = await contents(snapshot, damage);
        const all = await folders.listAt(snapshot.handle, vault);
        const lists = [
          await writeJsonList('notes', notes, treeNoteJson),
          await writeJsonList('attachments', files, treeAttachmentJson),
        ];
        const { changeSeq } = snapshot;
        const position = { change_seq: changeSeq, resume_cursor: cursorAfter(vault, changeSeq) };
        return writeJsonObject({ ...position, folders: all, ...damaged }, lists);
      }),
    /** Returns a page of the links without a target. Throws `invalid_cursor`. */
    dangling: (vault: OpenVault, cursor: string | null, limit: number): Promise<DanglingLinks> =>
      snapshot(vault, (snapshot) => danglingPage(deps, snapshot, vault, cursor, limit)),
    /** Returns every note and which notes link to which, from one snapshot, as JSON ready to send. */
    graph: (vault: OpenVault): Promise<readonly Buffer[]> =>
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
