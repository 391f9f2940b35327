import { aliasKey, noteNameKey } from '@notevault/note-text/links/resolve.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import type { NoteMeta } from '../sealed-note.ts';
import type { NoteRowDraft } from './build-note-row.ts';
import type { WriteTarget } from './write-target.ts';

/** The key of the name, then those of the aliases. */
export type NameKeys = [name: Buffer, ...aliases: Buffer[]];

/** Returns the blind keys under which links find a note: of its name, then of its aliases. */
export function nameKeysOf(vault: OpenVault, note: Pick<NoteMeta, 'path' | 'aliases'>): NameKeys {
  return [vault.key.blind('name', noteNameKey(note.path)), ...aliasKeysOf(vault, note)];
}

function aliasKeysOf(vault: OpenVault, { aliases }: Pick<NoteMeta, 'aliases'>): Buffer[] {
  return aliases.map((alias) => vault.key.blind('name', aliasKey(alias)));
}

/** Returns the name keys under which the note is newly found, and those under which it no longer is. */
export function movedKeysOf(vault: OpenVault, target: WriteTarget, next: NoteRowDraft): Buffer[] {
  const now = [next.nameKey, ...aliasKeysOf(vault, next.meta)];
  if (target.kind !== 'live') return now;
  const before = nameKeysOf(vault, target.note.meta);
  const hex = (keys: Buffer[]) => new Set(keys.map((key) => key.toString('hex')));
  const [had, has] = [hex(before), hex(now)];
  return [
    ...before.filter((key) => !has.has(key.toString('hex'))),
    ...now.filter((key) => !had.has(key.toString('hex'))),
  ];
}
