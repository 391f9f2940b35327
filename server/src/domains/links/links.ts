import type { Backlink } from '@notevault/protocol/links.ts';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import { NIL_UUID, type NoteId } from '@notevault/protocol/values/ids.ts';
import { createYield } from '../../concurrency/yield.ts';
import type { Database, ReadHandle } from '../../ports/database/database.ts';
import { OpenedValues } from '../../ports/keyring/opened-values.ts';
import type { AttachmentLinkHooks } from '../attachments/attachments.ts';
import type { NoteHooks, NoteMeta } from '../notes/notes.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import { backlinksOf, type NoteTexts, readTexts, withContexts } from './edges/backlinks.ts';
import { hasManyLinksTo, resolveAgain } from './edges/resolve-again.ts';
import { noteWithLinks, type OpenedLinks, storedLinksOf } from './edges/stored-links.ts';
import { deleteLinksOf, planLinks } from './edges/write-links.ts';
import { type Extensions, resolveLinks } from './link-resolver.ts';
import { openTexts, textOf, toNoteLink, unsealOrThrow } from './link-texts.ts';
import * as store from './links.store.ts';
import { applyMove, planMove } from './moves/link-planner.ts';

/** What the texts of links that were read may take in memory. */
const OPENED_BYTES = 4 * MB;

export type { NoteTexts } from './edges/backlinks.ts';

export type Links = ReturnType<typeof createLinks>;

/**
 * The edges from notes to notes and attachments: updated with each write, and resolved again when names appear or
 * disappear.
 *
 * @param texts reads the texts around links.
 * @param metas of notes that were read.
 */
export function createLinks(db: Database, extensions: Extensions, texts: NoteTexts, metas: OpenedValues<NoteMeta>) {
  const opened: OpenedLinks = { metas, texts: new OpenedValues(OPENED_BYTES) };
  return {
    /**
     * Returns the edges that point to the note, oldest first, at most 200; with the text around them if requested. Throws
     * `note_not_found`.
     */
    async backlinksOf(vault: OpenVault, id: NoteId, withContext = false): Promise<Backlink[]> {
      const { found, around } = await db.read(async (handle) => {
        const links = await backlinksOf(handle, vault, id);
        return { found: links, around: withContext ? await readTexts(handle, texts, vault, links) : null };
      });
      return around === null ? found.map(({ backlink }) => backlink) : withContexts(texts, vault, found, around);
    },
    forgetOpened(): void {
      opened.metas.clear();
      opened.texts.clear();
    },
    countDangling: async (vault: Pick<OpenVault, 'id'>): Promise<number> =>
      (await db.get(store.countDangling, { vault: vault.id }))?.links ?? 0,
    graphEdges,
    async linksOf(handle, vault, id) {
      const links = (await storedLinksOf(handle, vault, [id])).get(id)?.() ?? [];
      return links.map(({ text, target }) => toNoteLink(text, target));
    },
    noteWithLinks: (handle, vault, at, onlySmall = false) => noteWithLinks(handle, vault, at, onlySmall, opened),
    async linksFrom(handle, vault, note) {
      const unresolved = note.links.map((link) => ({ note, text: textOf(link) }));
      const links = await resolveLinks(extensions, handle, vault, unresolved, false);
      return links.map(({ text, target }) => toNoteLink(text, target));
    },
    planLinks: planLinks.bind(null, extensions),
    async deleted(handle, vault, notes) {
      const ids = notes.map(({ id }) => id);
      await deleteLinksOf(handle, vault, ids);
      const keys = notes.flatMap(({ movedKeys }) => movedKeys);
      await resolveAgain(extensions, handle, vault, { keys, appeared: [] });
    },
    namesChanged: (handle, vault, keys, appeared) => resolveAgain(extensions, handle, vault, { keys, appeared }),
    hasManyLinksTo,
    async checkReadable(handle, vault, ids) {
      for (const { source_id, version, texts } of await handle.allMany(
        store.findTextsOf,
        { vault_id: vault.id },
        ids,
      )) {
        unsealOrThrow(() => openTexts(vault, source_id, version, texts));
      }
    },
    planMove: planMove.bind(null, extensions),
    applyMove,
  } satisfies NoteHooks & AttachmentLinkHooks & Record<string, unknown>;
}

/** Edges read by one statement, which blocks the event loop on SQLite. */
const SLICE = 2000;

/** Ids of a note and of another to which it links. */
export type GraphEdge = readonly [source: string, target: string];

/** Returns every pair of notes of which the first links to the second, ordered by the first. */
async function graphEdges(handle: ReadHandle, { id: vault }: Pick<OpenVault, 'id'>): Promise<GraphEdge[]> {
  const yieldIfDue = createYield();
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
