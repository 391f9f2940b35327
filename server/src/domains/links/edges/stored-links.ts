import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { NoteId } from '@notevault/protocol/values/ids.ts';
import type { ReadHandle } from '../../../ports/database/database.ts';
import type { StoredNote } from '../../notes/notes.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import type { Target } from '../link-resolver.ts';
import { type LinkText, openTexts } from '../link-texts.ts';
import type { SourcedTexts } from '../links.store.ts';
import * as store from '../links.store.ts';
import { type EdgePart, findNoteById, findNoteByPath } from '../note-with-links.store.ts';
import { readableMeta, unsealOrThrow } from '../unseal.ts';

/** A link of a note, as stored. */
export interface StoredLink {
  readonly text: LinkText;
  readonly age: number;
  readonly target: Target;
}

/** Reads the links of a note in order, with the paths of their targets. Throws `note_unreadable`. */
export async function storedLinksOf(handle: ReadHandle, vault: OpenVault, source: NoteId): Promise<StoredLink[]> {
  const [stored, edges] = await Promise.all([
    handle.get(store.findTexts, { vault: vault.id, source }),
    handle.all(store.findEdges, { vault: vault.id, source }),
  ]);
  return stored === undefined ? [] : openLinks(vault, { source, ...stored }, edges);
}

/** Reads a live note at a path or with an id, still sealed, with its links. Throws `note_unreadable`. */
export async function noteWithLinks(
  handle: ReadHandle,
  vault: OpenVault,
  at: { readonly pathKey: Buffer } | { readonly id: NoteId },
): Promise<{ readonly note: StoredNote; readonly links: StoredLink[] } | undefined> {
  const parts =
    'id' in at
      ? await handle.all(findNoteById, { vault: vault.id, key: at.id })
      : await handle.all(findNoteByPath, { vault: vault.id, key: at.pathKey });
  const note = parts.find((part) => part.ord === null);
  if (note === undefined) return undefined;
  const { id: source, texts, texts_version: version } = note;
  if (texts === null || version === null) return { note, links: [] };
  const edges = parts.filter((part) => part.ord !== null).sort((a, b) => a.ord - b.ord);
  return { note, links: openLinks(vault, { source, texts, version }, edges) };
}

function openLinks(
  vault: OpenVault,
  { source, version, texts: sealedTexts }: SourcedTexts,
  edges: readonly EdgePart[],
): StoredLink[] {
  const texts = unsealOrThrow(() => openTexts(vault, source, version, sealedTexts));
  const paths = new Map<string, string | null>();
  return edges.map((edge) => {
    const { target_note_id: note, target_revision: revision, target_meta: meta } = edge;
    if (note !== null && revision !== null && meta !== null && !paths.has(note)) {
      paths.set(note, readableMeta(vault, { id: note, revision, meta })?.path ?? null);
    }
    const path = note === null ? null : (paths.get(note) ?? null);
    const target = { note, attachment: edge.target_attachment_id, path };
    return { text: texts[edge.ord] ?? missingText(), age: edge.age, target };
  });
}

function missingText(): never {
  throw new NotevaultError('note_unreadable');
}
