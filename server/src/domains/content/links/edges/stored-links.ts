import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { NoteId } from '@notevault/protocol/values/ids.ts';
import { pagesOf, type ReadHandle } from '../../../../ports/database/database.ts';
import type { OpenedValues } from '../../../../ports/keyring/opened-values.ts';
import { type NoteMeta, type NotePlace, type NoteWithLinks, openNoteMeta } from '../../notes/notes.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import type { Target } from '../link-resolver.ts';
import {
  type LinkText,
  type OpenedLink,
  openTexts,
  readableMeta,
  type SealedNote,
  toNoteLink,
  unsealOrNull,
  unsealOrThrow,
} from '../link-texts.ts';
import * as store from '../links.store.ts';
import { findEdgesPage, type SourcedTexts, type StoredEdge } from '../links.store.ts';
import {
  type EdgePart,
  findNoteById,
  findNoteByPath,
  findSmallNoteById,
  findSmallNoteByPath,
} from '../note-with-links.store.ts';

export interface StoredLink extends OpenedLink {
  readonly age: number;
}

/** Cache of values that were opened for reads of notes. */
export interface OpenedLinks {
  readonly metas: OpenedValues<NoteMeta>;
  readonly texts: OpenedValues<LinkText[]>;
}

/**
 * Reads the links of notes in order, with the paths of their targets; returns a function for each that opens them, which
 * throws `note_unreadable`.
 */
export async function storedLinksOf(
  handle: ReadHandle,
  vault: OpenVault,
  sources: readonly NoteId[],
): Promise<ReadonlyMap<NoteId, () => StoredLink[]>> {
  const [texts, edges] = await Promise.all([
    handle.allMany(store.findTextsOf, { vault_id: vault.id }, sources),
    handle.allMany(store.findEdgesOf, { vault: vault.id }, sources),
  ]);
  const textsOf = new Map(texts.map((row) => [row.source_id, row]));
  const edgesOf = Map.groupBy(edges, (edge) => edge.source_id);
  const open = (source: NoteId): StoredLink[] => {
    const stored = textsOf.get(source);
    if (stored === undefined) return [];
    const own = edgesOf.get(source) ?? [];
    const links = openLinks(vault, { source, ...stored }, own);
    return links.map(({ text, target }, index) => ({ text, target, age: own[index]?.age ?? 0 }));
  };
  return new Map(sources.map((source) => [source, () => open(source)]));
}

/**
 * Reads a live note at a path or with an id, still sealed, with its links; optionally only a small one. Throws
 * `note_unreadable`.
 */
export async function noteWithLinks(
  handle: ReadHandle,
  vault: OpenVault,
  at: NotePlace,
  onlySmall: boolean,
  opened: OpenedLinks,
): Promise<NoteWithLinks | undefined> {
  const [byId, byPath] = onlySmall ? [findSmallNoteById, findSmallNoteByPath] : [findNoteById, findNoteByPath];
  const parts =
    'id' in at
      ? await handle.all(byId, { vault: vault.id, key: at.id })
      : await handle.all(byPath, { vault: vault.id, key: at.pathKey });
  const note = parts.find((part) => part.ord === null);
  if (note === undefined) return undefined;
  const { id: source, texts, texts_version: version } = note;
  if (texts === null || version === null) return { note, links: [] };
  const edges = parts.filter((part) => part.ord !== null).sort((a, b) => a.ord - b.ord);
  const links = openLinks(vault, { source, texts, version }, edges, opened);
  return { note, links: links.map(toNoteLink) };
}

function openLinks(
  vault: OpenVault,
  { source, version, texts: sealedTexts }: SourcedTexts,
  edges: readonly EdgePart[],
  opened: OpenedLinks | null = null,
): OpenedLink[] {
  const texts = unsealOrThrow(() => {
    const open = () => openTexts(vault, source, version, sealedTexts);
    return opened === null ? open() : opened.texts.open(vault.key, source, version, sealedTexts, open);
  });
  const paths = new Map<string, string | null>();
  return edges.map((edge) => {
    const { id: note, revision, meta } = edge;
    if (note !== null && revision !== null && meta !== null && !paths.has(note)) {
      paths.set(note, metaOf(vault, { id: note, revision, meta }, opened)?.path ?? null);
    }
    const path = note === null ? null : (paths.get(note) ?? null);
    const text = texts[edge.ord];
    if (text === undefined) throw new NotevaultError('note_unreadable');
    return { text, target: { note, attachment: edge.attachment_id, path } };
  });
}

function metaOf(vault: OpenVault, row: SealedNote, opened: OpenedLinks | null): NoteMeta | null {
  if (opened === null) return readableMeta(vault, row);
  const { id, revision, meta } = row;
  return unsealOrNull(() =>
    opened.metas.open(vault.key, id, revision, meta, () => openNoteMeta(vault, id, revision, meta)),
  );
}

/** Returns the keys under which an edge's target is looked up; none for a link within its own note. */
export function keysOfEdge(edge: StoredEdge): Buffer[] {
  return [edge.target_key, edge.other_key].filter((key) => key !== null);
}

export function hasTarget(edge: StoredEdge, { note, attachment }: Target): boolean {
  return note === edge.target_note_id && attachment === edge.target_attachment_id;
}

export function withTarget(edge: StoredEdge, { note, attachment }: Pick<Target, 'note' | 'attachment'>): StoredEdge {
  return { ...edge, target_note_id: note, target_attachment_id: attachment };
}

/** Maximum number of edges per read: on SQLite a read blocks the event loop. */
export const EDGES_PAGE = 1000;

/** Reads the edges of a note that may have thousands, in order. */
export function edgePages(handle: ReadHandle, { id: vault }: OpenVault, source: string): AsyncGenerator<StoredEdge[]> {
  const after = (last?: StoredEdge) => ({ vault, source, from: (last?.ord ?? -1) + 1, limit: EDGES_PAGE });
  return pagesOf(handle, findEdgesPage, after);
}
