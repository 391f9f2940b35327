import { addProperties, type Properties } from '@notevault/note-text/frontmatter/add-properties.ts';
import { fileName, fileStem, foldPath } from '@notevault/note-text/paths.ts';
import { utf8Length } from '@notevault/note-text/utf8.ts';

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
const ENDING = /\.[A-Za-z0-9]{1,10}$/;
/** Maximum number of characters of a title that are used for a name. */
const TITLE_MAX = 1000;
/** Maximum bytes of a name, without number and extension, and of the folders above it. */
const NAME_BYTES_MAX = 200;
const FOLDER_BYTES_MAX = 3800;

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

/** The parts of an item that are kept until all items are read. */
interface PartialItem {
  /** The title as the name of a file or folder. */
  readonly name: string;
  readonly parent: string;
  readonly ending: string;
}

/** The items of an export by id, from which the paths of notes and resources follow. */
export class JoplinIndex {
  readonly #notes = new Map<string, PartialItem>();
  readonly #notebooks = new Map<string, PartialItem>();
  readonly #resources = new Map<string, PartialItem>();
  readonly #tags = new Map<string, string>();
  readonly #tagsOf = new Map<string, string[]>();
  readonly #paths = new Map<string, string>();
  readonly #taken = new Set<string>();
  /** By the path without a number: the lowest number that may be free. */
  readonly #numbers = new Map<string, number>();

  add({ id, type, title, fields }: JoplinItem): void {
    const ending = type === ITEM.resource ? ENDING.exec(title)?.[0] : undefined;
    const known = {
      name: cleanName(title.slice(0, title.length - (ending?.length ?? 0)) || (type === ITEM.resource ? id : '')),
      parent: fields.get('parent_id') ?? '',
      ending: ending ?? ENDING.exec(`.${fields.get('file_extension') ?? ''}`)?.[0] ?? '',
    };
    if (type === ITEM.note) this.#notes.set(id, known);
    if (type === ITEM.notebook) this.#notebooks.set(id, known);
    if (type === ITEM.resource) this.#resources.set(id, known);
    if (type === ITEM.tag) this.#tags.set(id, title);
    if (type === ITEM.noteTag) {
      const note = fields.get('note_id') ?? '';
      const tags = this.#tagsOf.get(note) ?? [];
      this.#tagsOf.set(note, tags);
      tags.push(fields.get('tag_id') ?? '');
    }
  }

  get size(): number {
    return this.#notes.size + this.#resources.size;
  }

  /** Gives every note and resource its path, in the order of the export. */
  assignPaths(): void {
    for (const [id, note] of this.#notes) {
      this.#assign(id, this.#folderOf(note.parent), note.name, '.md');
    }
    for (const [id, { name, ending }] of this.#resources) this.#assign(id, 'resources', name, ending);
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
    let bytes = 0;
    for (let at = id; !seen.has(at); ) {
      const notebook = this.#notebooks.get(at);
      if (notebook === undefined) break;
      bytes += utf8Length(notebook.name) + 1;
      if (bytes > FOLDER_BYTES_MAX) break;
      seen.add(at);
      names.unshift(notebook.name);
      at = notebook.parent;
    }
    return names.join('/');
  }

  #assign(id: string, folder: string, stem: string, ending: string): void {
    const pathWith = (number: number) =>
      `${folder === '' ? '' : `${folder}/`}${stem}${number === 1 ? '' : ` ${number}`}${ending}`;
    const first = foldPath(pathWith(1));
    let number = this.#numbers.get(first) ?? 1;
    while (this.#taken.has(foldPath(pathWith(number)))) number++;
    this.#numbers.set(first, number + 1);
    const path = pathWith(number);
    this.#taken.add(foldPath(path));
    this.#paths.set(id, path);
  }
}

function cleanName(title: string): string {
  const name = title
    .slice(0, TITLE_MAX)
    .toWellFormed()
    .normalize('NFC')
    .replace(/[/\\:*?"<>|\p{Cc}]+/gu, '-')
    .replace(/^[.\s]+/, '');
  const cut = Buffer.from(name)
    .subarray(0, NAME_BYTES_MAX)
    .toString()
    .replace(/[.\s\ufffd]+$/, '');
  return cut === '' || cut.toLowerCase() === 'by-id' ? 'Untitled' : cut;
}

/** The text of a note, with its links to other items as links to their paths, and its metadata as frontmatter. */
export function noteText(item: JoplinItem, index: JoplinIndex): string {
  const linked = item.body.replace(
    /(\]\(|(?:src|href)=["'])(?:joplin:\/\/|:\/)([0-9a-f]{32})(?=[)#\s"'])/g,
    (whole, before, to) => {
      const path = index.pathOf(to);
      return path === null ? whole : `${before}${path.split('/').map(encodeURIComponent).join('/')}`;
    },
  );
  return addProperties(linked, propertiesOf(item, index));
}

function propertiesOf({ id, title, fields }: JoplinItem, index: JoplinIndex): Properties {
  const isTodo = fields.get('is_todo') === '1';
  const tags = index.tagsOf(id);
  const properties = {
    title: title === fileStem(index.pathOf(id) ?? '') ? '' : title,
    created: momentOf(fields, 'user_created_time') ?? momentOf(fields, 'created_time'),
    author: fields.get('author'),
    source: fields.get('source_url'),
    ...placeOf(fields),
    due: isTodo ? momentOf(fields, 'todo_due') : null,
    completed: isTodo ? (momentOf(fields, 'todo_completed') ?? false) : null,
    tags: tags.length === 0 ? null : tags,
  };
  return Object.fromEntries(Object.entries(properties).filter(([, value]) => (value ?? '') !== '')) as Properties;
}

/** Returns where a note was written; nothing for the zeros that Joplin writes when it does not know. */
function placeOf(fields: JoplinItem['fields']): Properties {
  const [latitude = '', longitude = ''] = [fields.get('latitude'), fields.get('longitude')];
  return Number(latitude) === 0 && Number(longitude) === 0 ? {} : { latitude, longitude };
}

/** Returns a time of an item as ISO 8601; null for none, which Joplin may write as 0 milliseconds since 1970. */
function momentOf(fields: JoplinItem['fields'], field: string): string | null {
  const value = fields.get(field) ?? '';
  const time = new Date(/^\d+$/.test(value) ? Number(value) : value).getTime();
  return Number.isNaN(time) || time === 0 ? null : new Date(time).toISOString();
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
