import { fileName } from '@notevault/note-text/paths.ts';
import { type ArchiveFile, EntryRefused } from './archive/archive.ts';
import { changedAt, ITEM, idOfFile, JoplinIndex, noteText, parseItem } from './archive/joplin.ts';
import { type PlacedFile, placed, plainFile, refusedFile, type SourceFile, textOf } from './source-file.ts';

/** The files of a Joplin export: a JEX archive or a RAW folder, with the items in its root. */
export interface JoplinExport {
  readonly index: JoplinIndex;
  /** The number of its files. */
  readonly total: number;
}

/** Reads the items of an archive; null when it has none. @param beat is called during the work. */
export async function readJoplin(
  files: AsyncIterable<ArchiveFile>,
  root: string,
  beat: () => Promise<void>,
): Promise<JoplinExport | null> {
  const index = new JoplinIndex();
  let total = 0;
  for await (const file of placed(files, root)) {
    total += 1;
    if (!isItem(file)) continue;
    await beat();
    const item = parseItem(await textOf(file.open()).catch(emptyIfRefused));
    if (item !== null) index.add(item);
  }
  if (index.size === 0) return null;
  index.assignPaths();
  return { index, total };
}

function emptyIfRefused(error: unknown): string {
  if (error instanceof EntryRefused) return '';
  throw error;
}

const ITEM_NAME = /^[0-9a-f]{32}\.md$/;

/** Whether the name of a file, in whichever folder, can be that of an item. */
export function hasItemName(path: string): boolean {
  return ITEM_NAME.test(fileName(path));
}

function isItem({ place }: PlacedFile): boolean {
  return 'path' in place && ITEM_NAME.test(place.path);
}

/** The notes and resources of an export, and other files as they are. */
export async function* joplinFiles(
  files: AsyncIterable<ArchiveFile>,
  root: string,
  { index }: JoplinExport,
): AsyncGenerator<SourceFile> {
  for await (const file of placed(files, root)) {
    yield isItem(file) ? await itemFile(file, index) : resourceFile(file, index);
  }
}

async function itemFile(file: PlacedFile, index: JoplinIndex): Promise<SourceFile> {
  const { name } = file;
  let text: string;
  try {
    text = await textOf(file.open());
  } catch (error) {
    if (error instanceof EntryRefused) return refusedFile(name, null, error.reason);
    throw error;
  }
  const item = parseItem(text);
  if (item === null) return plainFile(file);
  if (item.type !== ITEM.note) return { name, mtime: null, content: { kind: 'none' } };
  const path = index.pathOf(item.id);
  const isEncrypted = item.fields.get('encryption_applied') === '1';
  if (path === null || isEncrypted) return refusedFile(name, null, isEncrypted ? 'encrypted' : 'damaged');
  const mtime = changedAt(item) ?? file.mtime;
  return { name: path, mtime, content: { kind: 'note', path, text: async () => noteText(item, index) } };
}

function resourceFile(file: PlacedFile, index: JoplinIndex): SourceFile {
  const id = 'path' in file.place ? idOfFile(file.place.path) : null;
  const path = id === null ? null : index.pathOf(id);
  return path === null ? plainFile(file) : plainFile({ ...file, name: path, place: { path } });
}
