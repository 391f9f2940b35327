import { type PropertyScalar, type PropertyValue, propertiesOf } from '@notevault/note-text/properties.ts';
import { type Task, tasksOf } from '@notevault/note-text/tasks.ts';

/** File properties, besides the path, that tables of notes can show. */
export interface FileFacts {
  /** Epoch milliseconds. */
  readonly created: number;
  /** The time that the client gave the file. */
  readonly modified: number;
  /** The time of the last write on the server. */
  readonly changed: number;
  /** UTF-8 bytes. */
  readonly size: number;
}

/** Facts about a note that queries read; its words are terms of the index. */
export interface NoteFacts extends FileFacts {
  /** By key, see `propertyKey`; `TAGS` are the tags. */
  readonly properties: ReadonlyMap<string, PropertyValue>;
  readonly tasks: readonly Task[];
}

/** The tags of a note, as a property. */
export const TAGS = 'file.tags';
/** Properties of frontmatter with this prefix are left out: it begins the names of what is known of files. */
export const FILE_PREFIX = 'file.';

const VALUE_BYTES_MAX = 1024;
const NOTE_BYTES_MAX = 8 * 1024;
const KEY_LENGTH_MAX = 100;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Returns the comparison key of a property name, equal for all spellings of it. */
export function propertyKey(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

/** Collects the facts of a note; values are cut to 1 KB, and of very many properties only the first are kept. */
export function factsOf(file: FileFacts, tags: readonly string[], content: string): NoteFacts {
  const properties = new Map<string, PropertyValue>();
  let bytes = 0;
  const add = (key: string, value: PropertyValue) => {
    const cut = cutValue(value);
    bytes += key.length + (Array.isArray(cut) ? cut : [cut]).reduce<number>((sum, item) => sum + bytesOf(item), 0);
    if (bytes <= NOTE_BYTES_MAX && !properties.has(key)) properties.set(key, cut);
  };
  if (tags.length > 0) add(TAGS, tags);
  for (const [name, value] of propertiesOf(content)) {
    const key = propertyKey(name);
    if (key !== '' && key.length <= KEY_LENGTH_MAX && !key.startsWith(FILE_PREFIX)) add(key, value);
  }
  const tasks = tasksOf(content).map(({ line, text, state, due, tags: own }) => ({
    line,
    text,
    state,
    due,
    tags: own,
  }));
  const { created, modified, changed, size } = file;
  return { created, modified, changed, size, properties, tasks };
}

/** Cuts a text to 1 KB, and a list after the items that fit into 1 KB. */
export function cutValue(value: PropertyValue): PropertyValue {
  if (!isList(value)) return cutScalar(value);
  let bytes = 0;
  const items: PropertyScalar[] = [];
  for (const item of value) {
    const cut = cutScalar(item);
    bytes += bytesOf(cut);
    if (bytes > VALUE_BYTES_MAX) break;
    items.push(cut);
  }
  return items;
}

export function isList(value: PropertyValue): value is readonly PropertyScalar[] {
  return Array.isArray(value);
}

function cutScalar(value: PropertyScalar): PropertyScalar {
  if (typeof value !== 'string' || value.length * 3 <= VALUE_BYTES_MAX) return value;
  const utf8 = encoder.encode(value);
  if (utf8.length <= VALUE_BYTES_MAX) return value;
  let end = VALUE_BYTES_MAX;
  // A byte 10xxxxxx continues a character.
  while (((utf8[end] ?? 0) & 0xc0) === 0x80) end--;
  return decoder.decode(utf8.subarray(0, end));
}

function bytesOf(value: PropertyScalar): number {
  return typeof value === 'string' ? encoder.encode(value).length : 8;
}
