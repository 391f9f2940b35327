import { fileStem, folderOf } from '@notevault/note-text/paths.ts';
import type { PropertyValue } from '@notevault/note-text/properties.ts';
import { cutValue, TAGS } from '../analysis/note-facts.ts';
import type { Segment } from '../index/segment.ts';
import { type TypedValue, typedText, typedValues } from './typed-value.ts';
import type { Zone } from './zone.ts';

/** Built-in file columns; all other names are property names. */
export const FILE_COLUMNS = [
  'file.name',
  'file.path',
  'file.folder',
  'file.created',
  'file.modified',
  'file.size',
  TAGS,
  'file.links',
  'file.backlinks',
] as const;

/** The columns for which a query needs `NoteLinks`. */
export const LINK_COLUMNS: readonly string[] = ['file.links', 'file.backlinks'];
export const DATE_COLUMNS: readonly string[] = ['file.created', 'file.modified'];

/** Links between notes, by id. */
export interface NoteLinks {
  readonly links: ReadonlyMap<string, readonly string[]>;
  readonly backlinks: ReadonlyMap<string, readonly string[]>;
  pathOf(id: string): string | null;
}

/** Reads one column of the notes of a segment. */
export interface ColumnReader {
  /** Null for a note without a value. */
  typed(note: number): readonly TypedValue[] | null;
  /** The value by which a note is sorted, where it is found without the others. */
  first?(note: number): TypedValue | null;
  /** Returns the value as answers show it. */
  value(note: number): PropertyValue | null;
}

export function columnReader(segment: Segment, name: string, zone: Zone, links: NoteLinks | null): ColumnReader {
  const { facts } = segment;
  const text = (of: (note: number) => string): ColumnReader => ({
    typed: (note) => [typedText(of(note))],
    value: of,
  });
  const time = (of: (note: number) => number): ColumnReader => ({
    typed: (note) => [{ kind: 'date', key: of(note) }],
    value: (note) => new Date(of(note)).toISOString(),
  });
  switch (name) {
    case 'file.name':
      return text((note) => fileStem(segment.path(note)));
    case 'file.path':
      return text((note) => segment.path(note));
    case 'file.folder':
      return text((note) => folderOf(segment.path(note)));
    case 'file.created':
      return time((note) => facts.created(note));
    case 'file.modified':
      return time((note) => facts.modified(note));
    case 'file.size':
      return {
        typed: (note) => [{ kind: 'number', key: facts.fileSize(note) }],
        value: (note) => facts.fileSize(note),
      };
    case 'file.links':
      return linkReader(segment, links, (id) => links?.links.get(id) ?? []);
    case 'file.backlinks':
      return linkReader(segment, links, (id) => links?.backlinks.get(id) ?? []);
    default:
      return propertyReader(segment, name, zone);
  }
}

/** Returns the paths of the notes, with `.md` and without; a number is how many there are. */
function linkReader(segment: Segment, links: NoteLinks | null, idsOf: (id: string) => readonly string[]): ColumnReader {
  const count = (note: number): TypedValue | null => {
    const { length } = idsOf(segment.id(note));
    return length === 0 ? null : { kind: 'number', key: length };
  };
  const paths = (note: number) => idsOf(segment.id(note)).flatMap((id) => links?.pathOf(id) ?? []);
  return {
    typed(note) {
      const first = count(note);
      if (first === null) return null;
      const names = paths(note).flatMap((path) => [typedText(path), typedText(path.replace(/\.md$/i, ''))]);
      return [first, ...names];
    },
    first: count,
    value(note) {
      const own = paths(note);
      return own.length === 0 ? null : cutValue(own);
    },
  };
}

function propertyReader({ facts, size }: Segment, key: string, zone: Zone): ColumnReader {
  const column = facts.column(key);
  const valueAt = new Int32Array(size).fill(-1);
  for (let at = 0; column !== null && at < column.notes.length; at++) {
    valueAt[column.notes[at] ?? 0] = column.values[at] ?? -1;
  }
  const known = new Map<number, readonly TypedValue[]>();
  const value = (id: number) => JSON.parse(facts.valueJson(id)) as PropertyValue;
  return {
    typed(note) {
      const id = valueAt[note] ?? -1;
      if (id < 0) return null;
      const typed = known.get(id) ?? typedValues(value(id), zone);
      known.set(id, typed);
      return typed;
    },
    value(note) {
      const id = valueAt[note] ?? -1;
      return id < 0 ? null : value(id);
    },
  };
}
