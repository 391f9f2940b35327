import { FAULTS_NAME, LIST_NAME, ListHead, ListLine } from '@notevault/protocol/vault-zip.ts';
import { Compile } from 'typebox/compile';
import { ArchiveError, type ArchiveFile, EntryRefused } from './archive.ts';
import { nameBelow } from './names.ts';

/** The maximum length of a line in characters; a path has at most 4,096 bytes. */
const LINE_MAX = 64 * 1024;

const listHead = Compile(ListHead);
const listLine = Compile(ListLine);

/** Original paths of the files in a vault's zip, as its list names them. */
export interface VaultList {
  readonly files: ReadonlyMap<string, Pick<ListLine, 'path' | 'mtime'>>;
  readonly folders: readonly string[];
  /** Whether a file of the zip belongs to the export and not to the vault. */
  isOwn(name: string): boolean;
}

/**
 * Reads the list in the zip of a vault; null if it has none. One that is damaged or of a later version is a file like any
 * other, and so are several. Throws ArchiveError for one of more entries than a zip may have.
 *
 * @param root the folder that all files are in; empty for none.
 */
export async function readVaultList(
  files: AsyncIterable<ArchiveFile>,
  root: string,
  entriesMax: number,
): Promise<VaultList | null> {
  const lists: ArchiveFile[] = [];
  for await (const file of files) if (nameBelow(root, file.name) === LIST_NAME) lists.push(file);
  const [list, ...others] = lists;
  if (list === undefined || others.length > 0) return null;
  return readLines(list.open(), entriesMax).catch(nullIfRefused);
}

function nullIfRefused(error: unknown): null {
  if (error instanceof EntryRefused) return null;
  throw error;
}

async function readLines(bytes: AsyncIterable<Uint8Array>, entriesMax: number): Promise<VaultList | null> {
  const files = new Map<string, Pick<ListLine, 'path' | 'mtime'>>();
  const folders: string[] = [];
  let isHead = true;
  for await (const text of linesOf(bytes)) {
    const line = parsed(text);
    if (isHead ? !listHead.Check(line) : !listLine.Check(line)) return null;
    if (!isHead) {
      const { name, path, mtime } = line as ListLine;
      if (name.endsWith('/')) folders.push(path);
      else files.set(name, mtime === undefined ? { path } : { path, mtime });
    }
    if (files.size + folders.length > entriesMax) throw new ArchiveError('too_many_entries');
    isHead = false;
  }
  return isHead ? null : { files, folders, isOwn: (name) => name === LIST_NAME || name === FAULTS_NAME };
}

/** Splits at line feeds only: a path may have other separators of lines. */
async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const utf8 = new TextDecoder();
  let rest = '';
  for await (const piece of bytes) {
    const lines = (rest + utf8.decode(piece, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > LINE_MAX) throw new EntryRefused('damaged');
    yield* lines;
  }
  if (rest !== '') yield rest;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
