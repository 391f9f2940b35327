import type { ParsedLink } from '@notevault/note-text/links/parsed-link.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { Backlink } from '@notevault/protocol/links.ts';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import type { NoteId } from '@notevault/protocol/values/ids.ts';
import { contextOf } from '@notevault/search-index/snippets/context.ts';
import { createYield } from '../../../concurrency/yield.ts';
import type { ReadHandle } from '../../../ports/database/database.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import { readableMeta, readableTexts, toBacklink } from '../link-texts.ts';
import * as store from '../links.store.ts';

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

/** Most bytes of texts that are read for one answer; the links of further notes have no context. */
const TEXT_BYTES_MAX = 8 * MB;

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

function withinLimit(sources: readonly Source[]): Source[] {
  let bytes = 0;
  return sources.filter(({ sizeBytes }) => {
    bytes += sizeBytes;
    return bytes <= TEXT_BYTES_MAX;
  });
}
