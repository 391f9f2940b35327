import type { ParsedLink } from '@notevault/note-text/links/parsed-link.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { Backlink } from '@notevault/protocol/links.ts';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import { NIL_UUID, type NoteId } from '@notevault/protocol/values/ids.ts';
import { contextOf } from '@notevault/search-index/snippets/context.ts';
import type { Tasks } from '../../../concurrency/task-worker.ts';
import type { Compute } from '../../../concurrency/worker-pool.ts';
import { createYield } from '../../../concurrency/yield.ts';
import type { ReadHandle } from '../../../ports/database/database.ts';
import { OpenedValues } from '../../../ports/keyring/opened-values.ts';
import type { AttachmentLinkHooks } from '../attachments/attachments.ts';
import type { NoteHooks, NoteMeta } from '../notes/notes.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import { planCanvases, writeNames } from './canvases/canvas-moves.ts';
import { CanvasReader } from './canvases/canvas-reader.ts';
import { danglingLinks } from './dangling.ts';
import { type CatchUpDeps, LinkCatchUp } from './edges/catch-up.ts';
import { type PendingDeps, PendingResolutions } from './edges/pending-resolutions.ts';
import { type EdgeDeps, resolveAgain } from './edges/resolve-again.ts';
import { noteWithLinks, type OpenedLinks, storedLinksOf } from './edges/stored-links.ts';
import { deleteLinksOf, planLinks } from './edges/write-links.ts';
import { resolveLinks } from './link-resolver.ts';
import { openTexts, readableMeta, readableTexts, textOf, toBacklink, toNoteLink, unsealOrThrow } from './link-texts.ts';
import * as store from './links.store.ts';
import { applyMove, planMove } from './moves/link-planner.ts';
import { withinLimit } from './text-limit.ts';

export interface LinksDeps extends Pick<CatchUpDeps, 'db' | 'extensions'> {
  readonly vaults: CatchUpDeps['vaults'] & PendingDeps['vaults'];
  readonly compute: Compute<Tasks>;
}

/** Memory limit for the opened texts of links that were read. */
const OPENED_BYTES = 4 * MB;

export type Links = ReturnType<typeof createLinks>;

/**
 * The edges from notes to notes and attachments: updated with each write, and resolved again when names appear or
 * disappear.
 *
 * @param texts reads the texts around links.
 * @param metas of notes that were read.
 */
export function createLinks(
  { db, vaults, extensions, compute }: LinksDeps,
  texts: StoredTexts,
  metas: OpenedValues<NoteMeta>,
) {
  const opened: OpenedLinks = { metas, texts: new OpenedValues(OPENED_BYTES) };
  const canvases = new CanvasReader(compute, extensions);
  const pending = new PendingResolutions({ db, vaults, extensions });
  const edges: EdgeDeps = { extensions, pending };
  const catchUp = new LinkCatchUp({ ...edges, db, vaults, texts, canvases });
  return {
    /** Reads links again in vaults that an older version read. */
    catchUp: (signal: AbortSignal) => catchUp.run(signal),
    /** Resolves links again that writes have left to do. */
    resolvePending: (signal: AbortSignal) => pending.run(signal),
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
    /** See danglingLinks. */
    danglingAfter: (handle: ReadHandle, vault: OpenVault, after: LinkPlace, limit: number) =>
      danglingLinks(handle, texts, vault, after, limit),
    async linksOf(handle, vault, id) {
      const links = (await storedLinksOf(handle, vault, [id])).get(id)?.() ?? [];
      return links.map(toNoteLink);
    },
    noteWithLinks: (handle, vault, at, onlySmall = false) => noteWithLinks(handle, vault, at, onlySmall, opened),
    async linksFrom(handle, vault, note) {
      const unresolved = note.links.map((link) => ({ note, text: textOf(link) }));
      return (await resolveLinks(extensions, handle, vault, unresolved, false)).map(toNoteLink);
    },
    planLinks: planLinks.bind(null, edges),
    async deleted(handle, vault, notes) {
      const ids = notes.map(({ id }) => id);
      await deleteLinksOf(handle, vault, ids);
      const keys = notes.flatMap(({ movedKeys }) => movedKeys);
      await resolveAgain(edges, handle, vault, { keys, appeared: [] });
    },
    namesChanged: (handle, vault, keys, appeared) => resolveAgain(edges, handle, vault, { keys, appeared }),
    linksResolved: (vault) => pending.settled(vault),
    async checkReadable(handle, vault, ids) {
      const stored = await handle.allMany(store.findTextsOf, { vault_id: vault.id }, ids);
      for (const { source_id, version, texts } of stored)
        unsealOrThrow(() => openTexts(vault, source_id, version, texts));
    },
    async planMove(handle, vault, moves, yieldIfDue) {
      await catchUp.catchUp(vault);
      await pending.finish(vault);
      return planMove(edges, handle, vault, moves, yieldIfDue);
    },
    applyMove: applyMove.bind(null, edges),
    canvasNames: (vault, text) => canvases.namesIn(vault, text),
    canvasStored: writeNames,
    // Each move plans notes first, which catches up.
    planCanvases: planCanvases.bind(null, canvases, extensions),
    [Symbol.asyncDispose]: () => pending[Symbol.asyncDispose](),
  } satisfies NoteHooks & AttachmentLinkHooks & Record<string | symbol, unknown>;
}

/** A place among the links of a vault: a note, and the position among its links. */
export interface LinkPlace {
  readonly source: string;
  readonly ord: number;
}

/** Edges read by one statement, which blocks the event loop on SQLite. */
const SLICE = 2000;

export type GraphEdge = readonly [source: string, target: string];

/** Returns every pair of notes in which the first links to the second, ordered by the first. */
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

const BACKLINKS_MAX = 200;

/** A link from another note, with its place there. */
export interface FoundBacklink {
  readonly backlink: Backlink;
  readonly source: { readonly id: NoteId; readonly version: number; readonly sizeBytes: number };
  /** Its position among the links of the source. */
  readonly ord: number;
}

/** Oldest first. Throws `note_not_found`. */
export async function backlinksOf(handle: ReadHandle, vault: OpenVault, id: NoteId): Promise<FoundBacklink[]> {
  const [live, rows] = await Promise.all([
    handle.get(store.findLiveNote, { vault: vault.id, id }),
    handle.all(store.findBacklinks, { vault: vault.id, target: id, limit: BACKLINKS_MAX }),
  ]);
  if (live === undefined) throw new NotevaultError('note_not_found');
  const sources = [...new Set(rows.map((row) => row.source_id))];
  const texts = await handle.allMany(store.findTextsOf, { vault_id: vault.id }, sources);
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

/** Reads the texts of notes, without damaged ones, and the links in them; bound to notes in app/. */
export interface NoteTexts {
  readableTextsOf(handle: ReadHandle, vault: OpenVault, notes: readonly Source[]): Promise<Texts>;
  /** The links of a text in order; those of a long one are read on another thread. */
  linksIn(vault: OpenVault, path: string, text: string): Promise<readonly ParsedLink[]>;
}
type Source = FoundBacklink['source'];

/** The texts of stored notes and canvases; bound in app/. */
export interface StoredTexts extends NoteTexts {
  /** Null for one that cannot be read. */
  canvasText(vault: OpenVault, file: { blob_id: string | null; size_bytes: number }): Promise<string | null>;
}

type Texts = ReadonlyMap<NoteId, string>;

/** Reads the texts of the linking notes; those that are damaged or beyond the limit are left out. */
export function readTexts(
  handle: ReadHandle,
  { readableTextsOf }: NoteTexts,
  vault: OpenVault,
  found: readonly FoundBacklink[],
): Promise<Texts> {
  const sources = withinLimit([...new Map(found.map(({ source }) => [source.id, source])).values()]);
  return readableTextsOf(handle, vault, sources);
}

export async function withContexts(
  { linksIn }: NoteTexts,
  vault: OpenVault,
  found: readonly FoundBacklink[],
  texts: Texts,
): Promise<Backlink[]> {
  const yieldIfDue = createYield();
  const links = new Map<NoteId, readonly ParsedLink[]>();
  const backlinks: Backlink[] = [];
  for (const { backlink, source, ord } of found) {
    const text = texts.get(source.id);
    if (text !== undefined && !links.has(source.id)) {
      await yieldIfDue();
      links.set(source.id, await linksIn(vault, backlink.source_path ?? '', text));
    }
    const link = links.get(source.id)?.[ord];
    const context = text === undefined || link === undefined ? NO_CONTEXT : contextOf(text, link);
    backlinks.push({ ...backlink, ...context });
  }
  return backlinks;
}

const NO_CONTEXT = { context: null, context_link: null, offset: null };
