import type { NoteId } from '@notevault/protocol/values/ids.ts';
import { createYield } from '../../../concurrency/yield.ts';
import type { ReadHandle } from '../../../ports/database/database.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import { readableMeta, readableTexts } from './link-texts.ts';
import * as store from './links.store.ts';
import type { LinkPlace, NoteTexts } from './links.ts';
import { withinLimit } from './text-limit.ts';

export interface DanglingPage {
  readonly links: readonly {
    readonly note: NoteId;
    readonly path: string;
    readonly line: number | null;
    readonly target: string;
  }[];
  /** Null when no link is behind it. */
  readonly next: LinkPlace | null;
}

/** Edges read by one statement, which blocks the event loop on SQLite. */
const SLICE = 2000;

/** Returns links without a target behind a place, by note and position. Links of damaged notes are left out. */
export async function danglingLinks(
  handle: ReadHandle,
  texts: NoteTexts,
  vault: OpenVault,
  after: LinkPlace,
  limit: number,
): Promise<DanglingPage> {
  const { places, next } = await findPlaces(handle, vault, after, limit);
  const ids = [...new Set(places.map(({ source }) => source))];
  const [notes, sealed] = await Promise.all([
    handle.allMany(store.findSourceNotes, { vault_id: vault.id }, ids),
    handle.allMany(store.findTextsOf, { vault_id: vault.id }, ids),
  ]);
  const targets = new Map(sealed.map((row) => [row.source_id, readableTexts(vault, row)]));
  const metas = new Map(notes.map((row) => [row.id, readableMeta(vault, row)]));
  const lines = await linesOf(handle, texts, vault, notes, metas);
  const links = places.flatMap(({ source, ord }) => {
    const [path, target] = [metas.get(source)?.path, targets.get(source)?.[ord]?.target];
    if (path === undefined || target === undefined) return [];
    return { note: source as NoteId, path, target, line: lines.get(source)?.(ord) ?? null };
  });
  return { links, next };
}

async function findPlaces(handle: ReadHandle, { id: vault }: OpenVault, after: LinkPlace, limit: number) {
  const yieldIfDue = createYield();
  const places: LinkPlace[] = [];
  for (let { source, ord } = after; ; ) {
    const rows = await handle.all(store.findEdgesAfter, { vault, source, ord, limit: SLICE });
    for (const { source_id, ord: at, target_key, target_note_id, target_attachment_id } of rows) {
      [source, ord] = [source_id, at];
      if (target_key === null || target_note_id !== null || target_attachment_id !== null) continue;
      places.push({ source, ord });
      if (places.length === limit) return { places, next: { source, ord } };
    }
    if (rows.length < SLICE) return { places, next: null };
    await yieldIfDue();
  }
}

/** The line of each link of notes by its position; nothing for notes that are damaged, or beyond the limit. */
async function linesOf(
  handle: ReadHandle,
  { readableTextsOf, linksIn }: NoteTexts,
  vault: OpenVault,
  notes: readonly store.SourceNote[],
  metas: ReadonlyMap<string, { readonly path: string } | null>,
): Promise<ReadonlyMap<string, (ord: number) => number | undefined>> {
  const sources = notes.map(({ id, version, size_bytes }) => {
    return { id: id as NoteId, version: version ?? 0, sizeBytes: size_bytes };
  });
  const texts = await readableTextsOf(handle, vault, withinLimit(sources));
  const lines = new Map<string, (ord: number) => number | undefined>();
  for (const [id, text] of texts) {
    const links = await linksIn(vault, metas.get(id)?.path ?? '', text);
    lines.set(id, (ord) => {
      const link = links[ord];
      return link === undefined ? undefined : text.slice(0, link.start).split('\n').length;
    });
  }
  return lines;
}
