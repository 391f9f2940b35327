import type { Seq } from '@notevault/protocol/ids.ts';
import { isoTime } from '@notevault/protocol/time.ts';
import { currentOwner } from '../../concurrency/owner.ts';
import type { FairSemaphore } from '../../concurrency/semaphore.ts';
import type { ChangedAttachment } from '../attachments/attachments.ts';
import type { HotNote } from '../notes/notes.ts';
import type { HotKind, HotLook, OpenVault } from '../vaults/vaults.ts';
import { jsonList, jsonObject } from './json.ts';
import type { SyncParts } from './parts.ts';

/** A manifest: nothing but its seq where the client has it already, else JSON ready to be sent. */
export type Manifest = { readonly unchanged: Seq } | { readonly json: readonly Buffer[] };

export interface Manifests {
  /** Every live row with its hash and seq, of one moment. Throws rather than leave one out. */
  manifest(vault: OpenVault, sinceSeq: unknown): Promise<Manifest>;
  /** What a file tree shows, of one moment, as JSON ready to be sent. Throws rather than leave something out. */
  tree(vault: OpenVault): Promise<readonly Buffer[]>;
}

export function createManifests(
  parts: SyncParts,
  attachments: HotKind<ChangedAttachment>,
  builds: FairSemaphore,
): Manifests {
  const {
    db,
    vaults,
    hot,
    notes: { hot: hotNotes },
    folders,
  } = parts;
  const look = <Result>(vault: OpenVault, body: (look: HotLook) => Promise<Result>) =>
    builds.run(currentOwner(), () => hot.look(vault, body));
  return {
    async manifest(vault, sinceSeq) {
      if (sinceSeq !== undefined) {
        const { changeSeq } = await vaults.feed(db, vault);
        if (sinceSeq === String(changeSeq)) return { unchanged: changeSeq };
      }
      return look(vault, async (look) => {
        const notes = await (await look.rows(hotNotes)).sorted();
        const files = await (await look.rows(attachments)).sorted();
        const totals = { total_notes: notes.length, total_attachments: files.length };
        const lists = [await jsonList('notes', notes, noteEntry), await jsonList('attachments', files, fileEntry)];
        return { json: jsonObject({ change_seq: look.changeSeq, ...totals }, lists) };
      });
    },
    tree: (vault) =>
      look(vault, async (look) => {
        const notes = await (await look.rows(hotNotes)).sorted();
        const files = await (await look.rows(attachments)).sorted();
        const all = await folders.listAt(look.handle, vault);
        const lists = [await jsonList('notes', notes, treeNote), await jsonList('attachments', files, treeFile)];
        return jsonObject({ change_seq: look.changeSeq, folders: all }, lists);
      }),
  };
}

// Ids, hashes and times need no escaping. A general serialiser takes several times as long.
function noteEntry({ id, path, hash, head, seq }: HotNote): string {
  return `{"id":"${id}","path":${JSON.stringify(path)},"content_hash":"${hash}","crdt_head":"${head}","seq":${seq}}`;
}

function fileEntry({ id, path, hash, seq }: ChangedAttachment): string {
  return `{"id":"${id}","path":${JSON.stringify(path)},"content_hash":"${hash}","seq":${seq}}`;
}

function treeNote({ id, path, createdAt, updatedAt }: HotNote): string {
  const times = `"created_at":"${isoTime(createdAt)}","updated_at":"${isoTime(updatedAt)}"`;
  return `{"id":"${id}","path":${JSON.stringify(path)},${times}}`;
}

function treeFile({ id, path, sizeBytes, mtime, updatedAt, mimeType }: ChangedAttachment): string {
  return JSON.stringify({
    ...{ id, path, size_bytes: sizeBytes, mtime, updated_at: isoTime(updatedAt), mime_type: mimeType },
  });
}
