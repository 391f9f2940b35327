import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { NoteId } from '@notevault/protocol/ids.ts';
import type { Backlink } from '@notevault/protocol/links.ts';
import type { ReadHandle } from '../../../ports/database/database.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import { toBacklink } from '../links.mapper.ts';
import * as store from '../links.store.ts';
import { readableMeta, readableTexts } from '../unseal.ts';

const BACKLINKS_MAX = 200;

/** Returns the edges that point to a note, oldest first. Throws `note_not_found`. */
export async function backlinksOf(handle: ReadHandle, vault: OpenVault, id: NoteId): Promise<Backlink[]> {
  const [live, rows] = await Promise.all([
    handle.get(store.findLiveNote, { vault: vault.id, id }),
    handle.all(store.findBacklinks, { vault: vault.id, target: id, limit: BACKLINKS_MAX }),
  ]);
  if (live === undefined) throw new NotevaultError('note_not_found');
  const sources = [...new Set(rows.map((row) => row.source_id))];
  const texts = await handle.allMany(store.findTextsOf, { vault: vault.id }, sources);
  const textsOf = new Map(texts.map((row) => [row.source_id, readableTexts(vault, row)]));
  return rows.map(({ source_id, ord, revision, meta }) =>
    toBacklink(
      source_id,
      readableMeta(vault, { id: source_id, revision, meta }),
      textsOf.get(source_id)?.[ord] ?? null,
    ),
  );
}
