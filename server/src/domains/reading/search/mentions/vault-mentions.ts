import type { Mention, Mentions, MentionsQuery } from '@notevault/protocol/mentions.ts';
import type { NoteId, UserId } from '@notevault/protocol/values/ids.ts';
import { slicesBySize } from '../../../../concurrency/slices.ts';
import type { OpenVault } from '../../../content/vaults/vaults.ts';
import { pageCursorOf, pagePositionOf } from '../query/page-cursor.ts';
import type { VaultQuery } from '../query/vault-query.ts';
import type { SearchDeps } from '../search.ts';
import { TransferList } from '../worker/transfer-list.ts';

/** A page ends after the notes with which it has this many. */
const PAGE_MENTIONS = 50;
/** Maximum notes that are read for a page. */
const PAGE_NOTES = 1000;
/** Notes that are read together: some 20 ms of the search thread. */
const SLICE = { count: 64, bytes: 256 * 1024 };

/** Finds where other notes mention one, a page at a time. Throws `note_not_found`, `invalid_cursor`, `unavailable`. */
export async function vaultMentions(
  deps: SearchDeps,
  index: VaultQuery,
  userId: UserId,
  vault: OpenVault,
  id: NoteId,
  request: MentionsQuery,
): Promise<Mentions> {
  const { worker, notes } = deps;
  const { names } = await notes.mentioned(vault, id);
  const scope = { vault, userId, asked: ['mentions', id] as const };
  const after = pagePositionOf<string>(scope, request.cursor ?? null);
  if (names.length === 0) return { mentions: [], next_cursor: null };
  const page = { after, limit: PAGE_NOTES };
  const naming = await index.ask(vault, (asked) => worker.request('namingNotes', { ...asked, names, page }));
  const mentions: Mention[] = [];
  let read = 0;
  for (const slice of slicesBySize(naming, SLICE, ({ size }) => size)) {
    const ids = slice.map((note) => note.id as NoteId).filter((other) => other !== id);
    mentions.push(...(await mentionsOf(deps, vault, ids, names)));
    read += slice.length;
    if (mentions.length >= PAGE_MENTIONS) break;
  }
  const last = naming[read - 1];
  const isEnd = last === undefined || (read === naming.length && naming.length < PAGE_NOTES);
  return { mentions, next_cursor: isEnd ? null : pageCursorOf(scope, last.id) };
}

async function mentionsOf(
  { db, worker, notes }: SearchDeps,
  vault: OpenVault,
  ids: readonly NoteId[],
  names: readonly string[],
): Promise<Mention[]> {
  const rows = await db.read((handle) => notes.sealedOf(handle, vault, ids));
  const transfer = new TransferList();
  const posted = rows.map((row) => transfer.addNote(row));
  const found = await worker.request('mentionsIn', { key: vault.key.share(0), notes: posted, names }, transfer);
  return found.flatMap(({ id, path, title, mentions }) =>
    mentions.map(({ start, text, context, contextMention }) => {
      return { note_id: id, path, title, start, text, context, context_mention: [...contextMention] };
    }),
  );
}
