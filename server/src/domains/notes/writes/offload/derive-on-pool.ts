import { type Derived, deriveNote } from '@notevault/note-text/derive.ts';
import type { OpenVault } from '../../../vaults/vaults.ts';
import type { NoteDeps } from '../../notes.deps.ts';
import { offload } from './offload.ts';
import { isLargeText } from './task-transfer.ts';

/** Derives the metadata of a text, on a worker thread for a large one. Its headings are left out. */
export async function deriveOnPool(
  deps: Pick<NoteDeps, 'compute'>,
  vault: Pick<OpenVault, 'callerId'>,
  path: string,
  text: string,
): Promise<Omit<Derived, 'headings'>> {
  if (!isLargeText(text)) return deriveNote(path, text);
  return offload(deps, vault, 'deriveText', { path, text }, 2 * text.length, { patient: true });
}
