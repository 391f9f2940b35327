import { fileName, foldPath } from '@notevault/note-text/paths.ts';

/*
 * The items of an export of Joplin: files named by their ids, of a title, a body, and fields. Notes name each other,
 * their notebook and their resources by ids.
 */

/** The kinds of items that an import uses, by Joplin's numbers. */
export const ITEM = { note: 1, notebook: 2, resource: 4, tag: 5, noteTag: 6 } as const;

export interface JoplinItem {
  readonly id: string;
  readonly type: number;
  readonly title: string;
  readonly body: string;
  readonly fields: ReadonlyMap<string, string>;
}

const ID = /^[0-9a-f]{32}$/;
const TITLE_MAX = 120;
const DEPTH_MAX = 32;

/** Reads an item; null for a file that is none. */
export function parseItem(text: string): JoplinItem | null {
  const lines = text.replaceAll('\r\n', '\n').trimEnd().split('\n');
  const fields = new Map<string, string>();
  let at = lines.length;
  while (at > 0) {
    const field = /^([a-z_]+):(?: (.*))?$/.exec(lines[at - 1] ?? '');
    if (field === null) break;
    fields.set(field[1] ?? '', field[2] ?? '');
    at -= 1;
  }
  const [id = '', type] = [fields.get('id'), Number(fields.get('type_'))];
  if (!ID.test(id) || !Number.isInteger(type)) return null;
  // An item without title and body consists of its fields.
  if (at === 0) return { id, type, title: '', body: '', fields };
  const [title = '', ...body] = lines.slice(0, at);
  return { id, type, title, body: body.join('\n').replace(/^\n/, '').replace(/\n$/, ''), fields };
}

/** What is kept of an item until all are known. */
interface Known {
  readonly title: string;
  readonly parent: string;
  readonly extension: string;
}

/** The items of an export by id, from which the paths of notes and resources follow. */
export class JoplinIndex {
  readonly #notes = new Map<string, Known>();
  readonly #notebooks = new Map<string, Known>();
  readonly #resources = new Map<string, Known>();
  readonly #tags = new Map<string, string>();
  readonly #tagsOf = new Map<string, string[]>();
  readonly #paths = new Map<string, string>();
  readonly #taken = new Set<string>();

  add({ id, type, title, fields }: JoplinItem): void {
    const known = {
      title: title.slice(0, TITLE_MAX).toWellFormed(),
      parent: fields.get('parent_id') ?? '',
      extension: fields.get('file_extension') ?? '',
    };
    if (type === ITEM.note) this.#notes.set(id, known);
    if (type === ITEM.notebook) this.#notebooks.set(id, known);
    if (type === ITEM.resource) this.#resources.set(id, known);
    if (type === ITEM.tag) this.#tags.set(id, title);
    if (type === ITEM.noteTag) {
      const note = fields.get('note_id') ?? '';
      this.#tagsOf.set(note, [...(this.#tagsOf.get(note) ?? []), fields.get('tag_id') ?? '']);
    }
  }

  get size(): number {
    return this.#notes.size + this.#resources.size;
  }

  /** Gives every note and resource its path, in the order of the export. */
  assignPaths(): void {
    for (const [id, note] of this.#notes) {
      const folder = this.#folderOf(note.parent);
      this.#assign(id, folder, cleanName(note.title), '.md');
    }
    for (const [id, { title, extension }] of this.#resources) {
      const own = /\.([A-Za-z0-9]{1,10})$/.exec(title)?.[1] ?? extension;
      const stem = cleanName(title.replace(/\.[A-Za-z0-9]{1,10}$/, '') || id);
      this.#assign(id, 'resources', stem, own === '' ? '' : `.${own}`);
    }
  }

  /** The path of a note or resource; null for an id of neither. */
  pathOf(id: string): string | null {
    return this.#paths.get(id) ?? null;
  }

  tagsOf(id: string): string[] {
    return (this.#tagsOf.get(id) ?? []).flatMap((tag) => this.#tags.get(tag) ?? []);
  }

  #folderOf(id: string): string {
    const names: string[] = [];
    const seen = new Set<string>();
    for (let at = id; names.length < DEPTH_MAX && !seen.has(at); ) {
      const notebook = this.#notebooks.get(at);
      if (notebook === undefined) break;
      seen.add(at);
      names.unshift(cleanName(notebook.title));
      at = notebook.parent;
    }
    return names.join('/');
  }

  #assign(id: string, folder: string, stem: string, ending: string): void {
    for (let number = 1; ; number++) {
      const name = `${stem}${number === 1 ? '' : ` ${number}`}${ending}`;
      const path = folder === '' ? name : `${folder}/${name}`;
      const key = foldPath(path);
      if (this.#taken.has(key)) continue;
      this.#taken.add(key);
      this.#paths.set(id, path);
      return;
    }
  }
}

/** A title as the name of a file or folder. */
function cleanName(title: string): string {
  const name = title
    .replace(/[/\\:*?"<>|\p{Cc}]+/gu, '-')
    .replace(/^[.\s]+|[.\s]+$/g, '')
    .slice(0, 60)
    .toWellFormed()
    .trim();
  return name === '' || name.toLowerCase() === 'by-id' ? 'Untitled' : name;
}

/** The text of a note, with its links to other items as links to their paths, and its tags in frontmatter. */
export function noteText({ id, body }: JoplinItem, index: JoplinIndex): string {
  const linked = body.replace(
    /(\]\(|(?:src|href)=["'])(?:joplin:\/\/|:\/)([0-9a-f]{32})(?=[)#\s"'])/g,
    (whole, before, to) => {
      const path = index.pathOf(to);
      return path === null ? whole : `${before}${path.split('/').map(encodeURIComponent).join('/')}`;
    },
  );
  const tags = index.tagsOf(id);
  if (tags.length === 0 || linked.startsWith('---\n')) return linked;
  return `---\ntags: ${JSON.stringify(tags)}\n---\n${linked}`;
}

/** Epoch seconds of the last change by the user. */
export function changedAt({ fields }: JoplinItem): number | null {
  const time = Date.parse(fields.get('user_updated_time') ?? fields.get('updated_time') ?? '');
  return Number.isFinite(time) ? time / 1000 : null;
}

/** The id in the name of an item's or resource's file. */
export function idOfFile(name: string): string | null {
  const stem = fileName(name).replace(/\.[^.]*$/, '');
  return ID.test(stem) ? stem : null;
}
