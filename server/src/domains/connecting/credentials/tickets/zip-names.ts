import { nameFault, portableName } from '@notevault/note-text/file-names.ts';
import { ancestorsOf, fileName, folderOf, foldPath, joinPath, numberedPath } from '@notevault/note-text/paths.ts';
import { FAULTS_NAME, LIST_NAME } from '@notevault/protocol/vault-zip.ts';

/** The names in a zip of a vault's paths: the paths themselves, unless a system cannot hold a file of that name. */
export class ZipNames {
  readonly #names = new Map<string, string>();
  readonly #taken = new Set([LIST_NAME, FAULTS_NAME].map(foldPath));

  /** @param paths all that will be named, so that a changed name takes none of theirs. */
  constructor(paths: Iterable<string>) {
    for (const path of paths) {
      // Start at the root: renaming a folder renames its contents.
      for (const each of [path, ...ancestorsOf(path)].reverse()) {
        if (!this.#isPortable(each)) break;
        this.#set(each, each);
      }
    }
  }

  nameOf(path: string): string {
    const known = path === '' ? '' : this.#names.get(foldPath(path));
    return known ?? this.#set(path, this.#freeName(path));
  }

  #freeName(path: string): string {
    const wanted = joinPath(this.nameOf(folderOf(path)), portableName(fileName(path)));
    for (let number = 1; ; number++) {
      const name = numberedPath(wanted, number);
      if (!this.#taken.has(foldPath(name))) return name;
    }
  }

  #isPortable(path: string): boolean {
    const key = foldPath(path);
    if (this.#taken.has(key)) return this.#names.has(key);
    return nameFault(fileName(path)) === null;
  }

  #set(path: string, name: string): string {
    const key = foldPath(path);
    this.#names.set(key, name);
    this.#taken.add(foldPath(name));
    return name;
  }
}
