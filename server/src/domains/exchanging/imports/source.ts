import { LIST_NAME } from '@notevault/protocol/vault-zip.ts';
import { ArchiveError, type ArchiveFile, type ArchiveLimits, UnpackMeter } from './archive/archive.ts';
import { isArchiveName, openArchive, openInnerArchives } from './archive/inner-archives.ts';
import type { RangeReader } from './archive/range-reader.ts';
import { readVaultList, type VaultList } from './archive/vault-list.ts';
import { hasItemName, joplinFiles, readJoplin } from './joplin-source.ts';
import { placed, plainFile, type SourceFile } from './source-file.ts';

/** Files to import, in the same order each time. */
export interface Source {
  readonly total: number | null;
  /** The folder that all files are in, which they lose; null when there is none. */
  readonly root: string | null;
  /** Folders to create even if nothing is in them. */
  readonly folders: readonly string[];
  files(): AsyncIterable<SourceFile>;
}

/** The parts of an import that opening a source uses. */
export interface SourceHost {
  /** Stores unpacked archives until the import ends. */
  store(bytes: AsyncIterable<Uint8Array>): Promise<RangeReader>;
  /** Keeps the claim on the import during long work. */
  beat(): Promise<void>;
}

/**
 * Opens an archive by its first bytes, and decides by the names in it how it is imported: an archive of archives as the
 * files of these, the zip of a vault by its list, an export of Joplin by its items. Throws ArchiveError.
 */
export async function openSource(reader: RangeReader, limits: ArchiveLimits, host: SourceHost): Promise<Source> {
  const unpacked = new UnpackMeter(limits, reader.size);
  // An archive is read several times, and each reading is limited by itself.
  const meter = () => new UnpackMeter(limits, reader.size, unpacked);
  let archive = await openArchive(reader, limits.entries);
  if (archive === null) throw new ArchiveError('unsupported_archive');
  let survey = archive.kind === 'tar' ? JOPLIN : await surveyOf(archive.files(meter()));
  if (survey.isOfArchives) {
    archive = await openInnerArchives(archive, unpacked, limits.entries, host.store);
    survey = await surveyOf(archive.files(meter()));
  }
  const { files, total } = archive;
  const { root, hasList, hasItems } = survey;
  const source = { total, root: root === '' ? null : root, folders: [] };
  const list = hasList ? await readVaultList(files(meter()), root, limits.entries) : null;
  if (list !== null) return { ...source, folders: list.folders, files: () => listedFiles(files(meter()), root, list) };
  const joplin = hasItems ? await readJoplin(files(meter()), root, host.beat) : null;
  if (joplin !== null)
    return { ...source, total: joplin.total, files: () => joplinFiles(files(meter()), root, joplin) };
  if (archive.kind === 'tar') throw new ArchiveError('unsupported_archive');
  return { ...source, files: () => plainFiles(files(meter()), root) };
}

interface Survey {
  /** The folder that all files are in; empty when there is none. */
  readonly root: string;
  readonly isOfArchives: boolean;
  readonly hasList: boolean;
  readonly hasItems: boolean;
}

/** A tar is imported only as an export of Joplin. */
const JOPLIN: Survey = { root: '', isOfArchives: false, hasList: false, hasItems: true };

/** Looks at the names of the files that can be imported. */
async function surveyOf(files: AsyncIterable<ArchiveFile>): Promise<Survey> {
  let root: string | null = null;
  let [isOfArchives, hasList, hasItems] = [true, false, false];
  for await (const { name, place } of placed(files, '')) {
    if ('refused' in place) continue;
    const [top = '', ...below] = place.path.split('/');
    if (below.length === 0 || (root !== null && root !== top)) root = '';
    else root = top;
    isOfArchives &&= isArchiveName(place.path);
    hasList ||= name.endsWith(LIST_NAME);
    hasItems ||= hasItemName(place.path);
  }
  return { root: root ?? '', isOfArchives: isOfArchives && root !== null, hasList, hasItems };
}

async function* plainFiles(files: AsyncIterable<ArchiveFile>, root: string): AsyncGenerator<SourceFile> {
  for await (const file of placed(files, root)) yield plainFile(file);
}

/** The files of a vault's zip, at the paths of its list. */
async function* listedFiles(
  files: AsyncIterable<ArchiveFile>,
  root: string,
  list: VaultList,
): AsyncGenerator<SourceFile> {
  for await (const file of placed(files, root, (name) => list.files.get(name)?.path)) {
    const { name } = file;
    const { path = name, mtime = file.mtime } = list.files.get(name) ?? {};
    if (list.isOwn(name)) yield { name, mtime, content: { kind: 'none' } };
    else yield plainFile({ ...file, name: path, mtime });
  }
}
