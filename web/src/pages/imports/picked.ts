import { IMPORT_BYTES_MAX, IMPORT_ENTRIES_MAX } from '@notevault/protocol/import-limits.ts';

/** A selected file, with its path below the selected folder. */
export interface PickedFile<F extends { readonly size: number } = File> {
  readonly path: string;
  readonly file: F;
}

export type PickFault = 'empty' | 'too-large' | 'too-many' | 'several-archives';

/** Files or archive selected for import. */
export type ImportSelection<F extends { readonly size: number } = File> =
  | { readonly kind: 'archive'; readonly file: F }
  /** `hidden` is the number of files that are left out because they or their folders are hidden. */
  | { readonly kind: 'files'; readonly files: readonly PickedFile<F>[]; readonly hidden: number }
  | { readonly kind: 'fault'; readonly fault: PickFault };

const ARCHIVE = /\.(zip|jex|tar)$/i;

/** Decides which of the selected files are imported: one archive as it is, or the files of a folder. */
export function pickedOf<F extends { readonly size: number }>(all: readonly PickedFile<F>[]): ImportSelection<F> {
  const archives = all.filter(({ path }) => !path.includes('/') && ARCHIVE.test(path));
  const [archive] = archives;
  if (archive !== undefined && all.length === 1) {
    return archive.file.size > IMPORT_BYTES_MAX ? fault('too-large') : { kind: 'archive', file: archive.file };
  }
  if (archive !== undefined && archives.length === all.length) return fault('several-archives');
  const visible = all.filter(({ path }) => !isHidden(path));
  if (visible.length === 0) return fault('empty');
  if (visible.length > IMPORT_ENTRIES_MAX) return fault('too-many');
  if (visible.reduce((sum, { file }) => sum + file.size, 0) > IMPORT_BYTES_MAX) return fault('too-large');
  return { kind: 'files', files: visible, hidden: all.length - visible.length };
}

function fault(name: PickFault): ImportSelection<never> {
  return { kind: 'fault', fault: name };
}

/** The server leaves these out too: the state of other programs, such as `.obsidian` and `.git`. */
function isHidden(path: string): boolean {
  return path.split('/').some((segment) => segment.startsWith('.'));
}
