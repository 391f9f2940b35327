import type { Candidate } from '@notevault/note-text/links/resolve.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import { KeyringError } from '../../ports/keyring/keyring.ts';
import { attachmentPath } from '../attachments/attachments.ts';
import { type NoteMeta, openNoteMeta } from '../notes/notes.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import { type LinkText, openTexts } from './link-texts.ts';

/** The columns of a note's row that its path and aliases need. */
export interface SealedNote {
  readonly id: string;
  readonly revision: number;
  readonly meta: Buffer;
}

export function readableMeta(vault: OpenVault, row: SealedNote): NoteMeta | null {
  return unsealOrNull(() => openNoteMeta(vault, row.id, row.revision, row.meta));
}

/** Returns the candidate of a row found by a link lookup. */
export function readableCandidate(
  vault: OpenVault,
  row: SealedNote & { readonly kind: Candidate['kind'] },
): Candidate | null {
  const { kind, id } = row;
  if (kind === 'note') {
    const meta = readableMeta(vault, row);
    return meta === null ? null : { kind, id, path: meta.path, aliases: meta.aliases };
  }
  const path = unsealOrNull(() => attachmentPath(vault, row));
  return path === null ? null : { kind, id, path, aliases: [] };
}

export function readableTexts(
  vault: OpenVault,
  row: { source_id: string; version: number; texts: Buffer },
): LinkText[] | null {
  return unsealOrNull(() => openTexts(vault, row.source_id, row.version, row.texts));
}

export function readableSource(vault: OpenVault, row: SealedNote & { version: number; texts: Buffer }) {
  const meta = readableMeta(vault, row);
  const texts = readableTexts(vault, { ...row, source_id: row.id });
  return meta === null || texts === null ? null : { path: meta.path, texts };
}

/** Returns null where another note's stored bytes are damaged: that note's own reads and writes report it. */
export function unsealOrNull<T>(open: () => T): T | null {
  try {
    return open();
  } catch (error) {
    if (error instanceof KeyringError || error instanceof NotevaultError) return null;
    throw error;
  }
}

/** Throws `note_unreadable` where the note's own stored bytes are damaged: unreadable data is an error, never empty. */
export function unsealOrThrow<T>(open: () => T): T {
  try {
    return open();
  } catch (error) {
    if (error instanceof KeyringError) throw new NotevaultError('note_unreadable', {}, error);
    throw error;
  }
}
