import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { NoteId } from '@notevault/protocol/ids.ts';
import type { ReadHandle } from '../../../ports/database/database.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import type { Target } from '../link-resolver.ts';
import { type LinkText, openTexts } from '../link-texts.ts';
import * as store from '../links.store.ts';
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
  if (stored === undefined) return [];
  const texts = unsealOrThrow(() => openTexts(vault, source, stored.version, stored.texts));
  const paths = new Map<string, string | null>();
  return edges.map((edge) => {
    const { target_note_id: note, revision, meta } = edge;
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
