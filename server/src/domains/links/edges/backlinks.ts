import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { Backlink } from '@notevault/protocol/links.ts';
import type { NoteId } from '@notevault/protocol/values/ids.ts';
import type { ReadHandle } from '../../../ports/database/database.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import { toBacklink } from '../links.mapper.ts';
import * as store from '../links.store.ts';
import { readableMeta, readableTexts } from '../unseal.ts';

const BACKLINKS_MAX = 200;

/** A link from another note, with its place there. */
export interface FoundBacklink {
  readonly backlink: Backlink;
  readonly source: { readonly id: NoteId; readonly version: number; readonly sizeBytes: number };
  /** Its position among the links of the source. */
  readonly ord: number;
}

/** Returns the edges that point to a note, oldest first. Throws `note_not_found`. */
export async function backlinksOf(handle: ReadHandle, vault: OpenVault, id: NoteId): Promise<FoundBacklink[]> {
  const [live, rows] = await Promise.all([
    handle.get(store.findLiveNote, { vault: vault.id, id }),
    handle.all(store.findBacklinks, { vault: vault.id, target: id, limit: BACKLINKS_MAX }),
  ]);
  if (live === undefined) throw new NotevaultError('note_not_found');
  const sources = [...new Set(rows.map((row) => row.source_id))];
  const texts = await handle.allMany(store.findTextsOf, { vault: vault.id }, sources);
  const textsOf = new Map(texts.map((row) => [row.source_id, readableTexts(vault, row)]));
  return rows.map(({ source_id, ord, revision, meta, version, size_bytes }) => ({
    backlink: toBacklink(
      source_id,
      readableMeta(vault, { id: source_id, revision, meta }),
      textsOf.get(source_id)?.[ord] ?? null,
    ),
    source: { id: source_id as NoteId, version: version ?? 0, sizeBytes: size_bytes },
    ord,
  }));
}
