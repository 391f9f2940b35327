import type { ParsedLink } from '@notevault/note-text/links/parsed-link.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { Backlink } from '@notevault/protocol/links.ts';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import type { NoteId } from '@notevault/protocol/values/ids.ts';
import { plainText } from '@notevault/search-index/snippets/plain-text.ts';
import { createYield } from '../../../concurrency/yield.ts';
import type { ReadHandle } from '../../../ports/database/database.ts';
import { KeyringError } from '../../../ports/keyring/keyring.ts';
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

/** Reads the texts of notes, and the links in them; bound to notes in app/. */
export interface NoteTexts {
  textsOf(handle: ReadHandle, vault: OpenVault, notes: readonly Source[]): Promise<ReadonlyMap<NoteId, string>>;
  /** The links of a text in order; those of a long one are read on another thread. */
  linksIn(vault: OpenVault, path: string, text: string): Promise<readonly ParsedLink[]>;
}
type Source = FoundBacklink['source'];

/** Most bytes of texts that are read for one answer; the links of further notes have no context. */
const TEXT_BYTES_MAX = 8 * MB;
const CONTEXT_MAX = 200;
const LABEL_MAX = 80;
/** Characters of the text beside a link that are read: markdown is longer than what a reader sees of it. */
const BESIDE = 400;

type Texts = ReadonlyMap<NoteId, string>;

/** Reads the texts of the linking notes; those that are damaged or beyond the limit are left out. */
export async function readTexts(
  handle: ReadHandle,
  { textsOf }: NoteTexts,
  vault: OpenVault,
  found: readonly FoundBacklink[],
): Promise<Texts> {
  const sources = withinLimit([...new Map(found.map(({ source }) => [source.id, source])).values()]);
  const read = (some: readonly Source[]) => textsOf(handle, vault, some).catch(nullIfDamaged);
  const texts = await read(sources);
  if (texts !== null) return texts;
  const readable = new Map<NoteId, string>();
  for (const source of sources) for (const [id, text] of (await read([source])) ?? []) readable.set(id, text);
  return readable;
}

function nullIfDamaged(error: unknown): null {
  if (error instanceof KeyringError || error instanceof NotevaultError) return null;
  throw error;
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

/** The paragraph around a link as a reader sees it, at most 200 characters, and where in it the link is. */
export function contextOf(text: string, { start, end }: Pick<ParsedLink, 'start' | 'end'>) {
  const label = shorten(plainText(text.slice(start, end)), LABEL_MAX);
  const room = CONTEXT_MAX - label.length;
  const before = beside(text.slice(Math.max(0, start - BESIDE), start).replace(/^[\s\S]*\n(?:---)?\s*\n/, ''));
  const after = beside(text.slice(end, end + BESIDE).replace(/\n(?:---)?\s*\n[\s\S]*$/, ''));
  // What one side does not need is left to the other.
  const left = Math.min(before.length, Math.max(Math.floor(room / 2), room - after.length));
  const lead = before
    .slice(before.length - left)
    .toWellFormed()
    .replace(/^\S*\ufffd/, '');
  const tail = shorten(after, room - lead.length);
  return {
    context: `${lead}${label}${tail}`,
    context_link: [lead.length, lead.length + label.length],
    offset: start,
  };
}

/** The plain form of a part, with the spaces that separate it from what is beside it. */
function beside(part: string): string {
  const plain = plainText(part);
  if (plain === '') return /\s/.test(part) ? ' ' : '';
  return `${/^\s/.test(part) ? ' ' : ''}${plain}${/\s$/.test(part) ? ' ' : ''}`;
}

/** The first characters of a text, without half of a surrogate pair. */
function shorten(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, text.length > length && last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}
