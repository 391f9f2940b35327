import type { PickedFile } from './picked.ts';

/** The files of an `<input>`, with their paths when a folder was chosen. */
export function filesOfInput(input: HTMLInputElement): PickedFile[] {
  return Array.from(input.files ?? [], (file) => ({
    path: file.webkitRelativePath === '' ? file.name : file.webkitRelativePath,
    file,
  }));
}

/**
 * The files that were dropped, with those in dropped folders. Call it in the event, because its data is gone afterwards.
 */
export async function filesOfDrop(data: DataTransfer): Promise<PickedFile[]> {
  const dropped = Array.from(data.items, (item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }));
  const files: PickedFile[] = [];
  for (const { entry, file } of dropped) {
    if (entry !== null) await collect(entry, files);
    // A file of another program, which has no place of its own on the disk.
    else if (file !== null) files.push({ path: file.name, file });
  }
  return files;
}

async function collect(entry: FileSystemEntry, files: PickedFile[]): Promise<void> {
  if (isFile(entry)) {
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject));
    files.push({ path: entry.fullPath.replace(/^\//, ''), file });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    // Browsers return up to a hundred at a time, and none at the end.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return;
    for (const child of some) await collect(child, files);
  }
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}
