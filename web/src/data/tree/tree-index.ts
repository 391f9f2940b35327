import type { VaultTree } from '@notevault/protocol/sync.ts';

interface Entry {
  /** Identifies the entry for as long as it exists: a folder by its path, the others by their id. */
  readonly key: string;
  readonly path: string;
  /** The last segment of the path, without `.md` for notes. */
  readonly name: string;
  /** The path of the folder that it is in; empty for the root. */
  readonly parent: string;
}

export interface FolderEntry extends Entry {
  readonly kind: 'folder';
  /** The number of notes in it and below. */
  readonly noteCount: number;
}

export interface NoteEntry extends Entry {
  readonly kind: 'note';
  readonly id: string;
  readonly updatedAt: string;
  /** Other names of it. */
  readonly aliases: readonly string[];
}

export interface AttachmentEntry extends Entry {
  readonly kind: 'attachment';
  readonly id: string;
  readonly size: number;
  readonly mimeType: string | null;
}

export type TreeEntry = FolderEntry | NoteEntry | AttachmentEntry;

const FOLDER_KEY = 'folder:';

export function folderKey(path: string): string {
  return FOLDER_KEY + path;
}

/** Returns the path of the folder that a path is in; empty for the root. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** Returns the last segment of a path. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Returns what a note is called in lists: the last segment of its path without `.md`. */
export function noteName(path: string): string {
  return nameOf(path).replace(/\.md$/i, '');
}

/**
 * Index of a vault's folders and their entries. Folders are sorted when they are first read, so that opening a vault
 * does not sort all of it.
 */
export class TreeIndex {
  readonly changeSeq: number;
  readonly #children = new Map<string, TreeEntry[]>();
  readonly #sorted = new Set<string>();
  readonly #byKey = new Map<string, TreeEntry>();
  readonly #counts = new Map<string, number>();
  readonly #compare: (one: string, other: string) => number;

  /** @param compare orders names as people do. */
  constructor(tree: VaultTree, compare: (one: string, other: string) => number) {
    this.changeSeq = tree.change_seq;
    this.#compare = compare;
    this.#children.set('', []);
    for (const { path } of tree.notes) this.#count(parentOf(path));
    for (const { name } of tree.folders) this.#addFolder(name);
    for (const { id, path, updated_at: updatedAt, aliases = [] } of tree.notes) {
      this.#add({ kind: 'note', key: id, id, path, name: noteName(path), parent: parentOf(path), updatedAt, aliases });
    }
    for (const { id, path, size_bytes: size, mime_type: mimeType } of tree.attachments) {
      this.#add({ kind: 'attachment', key: id, id, path, name: nameOf(path), parent: parentOf(path), size, mimeType });
    }
  }

  /** Folders first, then notes and attachments, each in the order of their names. */
  childrenOf(folder: string): readonly TreeEntry[] {
    const children = this.#children.get(folder) ?? [];
    if (!this.#sorted.has(folder)) {
      children.sort((a, b) => rank(a) - rank(b) || this.#compare(a.name, b.name) || this.#compare(a.path, b.path));
      this.#sorted.add(folder);
    }
    return children;
  }

  byKey(key: string): TreeEntry | undefined {
    return this.#byKey.get(key);
  }

  hasFolder(path: string): boolean {
    return path === '' || this.#byKey.has(folderKey(path));
  }

  /** All folders except the root, in no order. */
  folders(): FolderEntry[] {
    return [...this.#byKey.values()].filter((entry) => entry.kind === 'folder');
  }

  /** All notes, in no order. */
  notes(): NoteEntry[] {
    return [...this.#byKey.values()].filter((entry) => entry.kind === 'note');
  }

  get noteCount(): number {
    return this.#counts.get('') ?? 0;
  }

  /** Counts a note for its folder and all above it. */
  #count(folder: string): void {
    for (let at = folder; ; at = parentOf(at)) {
      this.#counts.set(at, (this.#counts.get(at) ?? 0) + 1);
      if (at === '') return;
    }
  }

  /** Also adds folders above, which need no rows of their own. */
  #addFolder(path: string): void {
    if (path === '' || this.#children.has(path)) return;
    this.#children.set(path, []);
    const noteCount = this.#counts.get(path) ?? 0;
    this.#add({ kind: 'folder', key: folderKey(path), path, name: nameOf(path), parent: parentOf(path), noteCount });
  }

  #add(entry: TreeEntry): void {
    this.#addFolder(entry.parent);
    this.#children.get(entry.parent)?.push(entry);
    this.#byKey.set(entry.key, entry);
  }
}

function rank({ kind }: TreeEntry): number {
  return kind === 'folder' ? 0 : 1;
}
