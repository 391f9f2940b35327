import type { Backlink } from '@notevault/protocol/links.ts';
import type { NoteLink } from '@notevault/protocol/notes.ts';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import { NIL_UUID, type NoteId } from '@notevault/protocol/values/ids.ts';
import { createYield, type YieldIfDue } from '../../concurrency/yield.ts';
import type { Database, ReadHandle, WriteHandle } from '../../ports/database/database.ts';
import { OpenedValues } from '../../ports/keyring/opened-values.ts';
import type { AttachmentLinkHooks } from '../attachments/attachments.ts';
import type {
  LinkPlanner,
  LinkWrites,
  MovedItem,
  NoteHooks,
  NoteMeta,
  NotePlace,
  NoteWithLinks,
  PreparedLinks,
  WrittenNote,
} from '../notes/notes.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import { backlinksOf, type NoteTexts, readTexts, withContexts } from './edges/backlinks.ts';
import { hasManyLinksTo, resolveAgain } from './edges/resolve-again.ts';
import { noteWithLinks, type OpenedLinks, storedLinksOf } from './edges/stored-links.ts';
import { deleteLinksOf, planLinks } from './edges/write-links.ts';
import { LinkResolver, resolveLinks } from './link-resolver.ts';
import { openTexts, textOf, toNoteLink, unsealOrThrow } from './link-texts.ts';
import * as store from './links.store.ts';
import { applyMove } from './moves/apply-move.ts';
import { planMove } from './moves/link-planner.ts';

/** What the texts of links that were read may take in memory. */
const OPENED_BYTES = 4 * MB;

export type { NoteTexts } from './edges/backlinks.ts';

/**
 * The edges from notes to notes and attachments: updated with each write, and resolved again when names appear or
 * disappear.
 */
export class Links implements NoteHooks, AttachmentLinkHooks {
  readonly #db: Database;
  readonly #resolver: LinkResolver;
  readonly #texts: NoteTexts;
  readonly #opened: OpenedLinks;

  /**
   * @param attachmentExtensions see LinkResolver.
   * @param texts reads the texts around links.
   * @param metas of notes that were read.
   */
  constructor(
    db: Database,
    attachmentExtensions: ReadonlySet<string>,
    texts: NoteTexts,
    metas: OpenedValues<NoteMeta>,
  ) {
    this.#opened = { metas, texts: new OpenedValues(OPENED_BYTES) };
    this.#texts = texts;
    this.#db = db;
    this.#resolver = new LinkResolver(attachmentExtensions);
  }

  /**
   * Returns the edges that point to the note, oldest first, at most 200; with the text around them if requested. Throws
   * `note_not_found`.
   */
  async backlinksOf(vault: OpenVault, id: NoteId, withContext = false): Promise<Backlink[]> {
    const { found, texts } = await this.#db.read(async (handle) => {
      const links = await backlinksOf(handle, vault, id);
      return { found: links, texts: withContext ? await readTexts(handle, this.#texts, vault, links) : null };
    });
    return texts === null ? found.map(({ backlink }) => backlink) : withContexts(this.#texts, vault, found, texts);
  }

  forgetOpened(): void {
    this.#opened.metas.clear();
    this.#opened.texts.clear();
  }

  async countDangling(vault: Pick<OpenVault, 'id'>): Promise<number> {
    return (await this.#db.get(store.countDangling, { vault: vault.id }))?.links ?? 0;
  }

  /** Returns every pair of notes of which the first links to the second. */
  graphEdges(handle: ReadHandle, vault: OpenVault): Promise<GraphEdge[]> {
    return graphEdges(handle, vault, createYield());
  }

  async linksOf(handle: ReadHandle, vault: OpenVault, id: NoteId): Promise<NoteLink[]> {
    const links = (await storedLinksOf(handle, vault, [id])).get(id)?.() ?? [];
    return links.map(({ text, target }) => toNoteLink(text, target));
  }

  noteWithLinks(
    handle: ReadHandle,
    vault: OpenVault,
    at: NotePlace,
    onlySmall = false,
  ): Promise<NoteWithLinks | undefined> {
    return noteWithLinks(handle, vault, at, onlySmall, this.#opened);
  }

  async linksFrom(
    handle: ReadHandle,
    vault: OpenVault,
    note: Pick<WrittenNote, 'id' | 'path' | 'links'>,
  ): Promise<NoteLink[]> {
    const unresolved = note.links.map((link) => ({ note, text: textOf(link) }));
    const links = await resolveLinks(this.#resolver, handle, vault, unresolved, false);
    return links.map(({ text, target }) => toNoteLink(text, target));
  }

  planLinks(handle: WriteHandle, vault: OpenVault, notes: readonly WrittenNote[], bulk: boolean): Promise<LinkWrites> {
    return planLinks(this.#resolver, handle, vault, notes, bulk);
  }

  async deleted(
    handle: WriteHandle,
    vault: OpenVault,
    notes: readonly Pick<WrittenNote, 'id' | 'movedKeys'>[],
  ): Promise<void> {
    const ids = notes.map(({ id }) => id);
    await deleteLinksOf(handle, vault, ids);
    const keys = notes.flatMap(({ movedKeys }) => movedKeys);
    await resolveAgain(this.#resolver, handle, vault, { keys, appeared: [] });
  }

  async namesChanged(
    handle: WriteHandle,
    vault: OpenVault,
    keys: readonly Buffer[],
    appeared: readonly string[],
  ): Promise<void> {
    await resolveAgain(this.#resolver, handle, vault, { keys, appeared });
  }

  hasManyLinksTo(handle: ReadHandle, vault: OpenVault, keys: readonly Buffer[]): Promise<boolean> {
    return hasManyLinksTo(handle, vault, keys);
  }

  async checkReadable(handle: ReadHandle, vault: OpenVault, ids: readonly NoteId[]): Promise<void> {
    for (const { source_id, version, texts } of await handle.allMany(store.findTextsOf, { vault: vault.id }, ids)) {
      unsealOrThrow(() => openTexts(vault, source_id, version, texts));
    }
  }

  planMove(
    handle: ReadHandle,
    vault: OpenVault,
    moves: readonly MovedItem[],
    yieldIfDue: YieldIfDue,
  ): Promise<LinkPlanner> {
    return planMove(this.#resolver, handle, vault, moves, yieldIfDue);
  }

  applyMove(handle: WriteHandle, vault: OpenVault, prepared: PreparedLinks): Promise<void> {
    return applyMove(handle, vault, prepared);
  }
}

/** Edges read by one statement, which blocks the event loop on SQLite. */
const SLICE = 2000;

/** Ids of a note and of another to which it links. */
export type GraphEdge = readonly [source: string, target: string];

/** Returns every pair of notes of which the first links to the second, ordered by the first. */
async function graphEdges(
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
