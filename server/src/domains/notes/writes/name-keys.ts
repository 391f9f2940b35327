import { aliasKey, noteNameKey } from '@notevault/note-text/links/resolve.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import type { NoteMeta } from '../sealed-note.ts';

/** The key of the name, then those of the aliases. */
export type NameKeys = [name: Buffer, ...aliases: Buffer[]];

/** Every blind key a note is found under: its name's, then its aliases'. */
export function nameKeysOf(vault: OpenVault, note: Pick<NoteMeta, 'path' | 'aliases'>): NameKeys {
  const blind = (name: string) => vault.key.blind('name', name);
  return [blind(noteNameKey(note.path)), ...note.aliases.map((alias) => blind(aliasKey(alias)))];
}
