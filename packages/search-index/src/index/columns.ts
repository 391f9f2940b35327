import type { PropertyValue } from '@notevault/note-text/properties.ts';
import type { Task } from '@notevault/note-text/tasks.ts';
import type { NoteFacts } from '../analysis/note-facts.ts';
import { PackedTexts, packTexts, startOf } from './packed-texts.ts';
import { VarintWriter } from './varint.ts';

/** The values that some notes of a segment have for one property. */
export interface Column {
  /** Numbers of notes, ascending. */
  readonly notes: ArrayLike<number>;
  /** The id of the value of each. */
  readonly values: ArrayLike<number>;
}

/** The facts of a segment's notes, by column. */
export interface SegmentFacts {
  readonly keys: Iterable<string>;
  column(key: string): Column | null;
  /** Returns a value by its id, as JSON. */
  valueJson(id: number): string;
  created(note: number): number;
  modified(note: number): number;
  changed(note: number): number;
  fileSize(note: number): number;
  /** Returns the note's list of tasks as JSON; empty for none. */
  tasksJson(note: number): string;
}

export function tasksIn(facts: SegmentFacts, note: number): readonly Task[] {
  const json = facts.tasksJson(note);
  return json === '' ? [] : (JSON.parse(json) as Task[]);
}

/** The arrays of a frozen segment that hold its facts. */
export interface FactArrays {
  readonly fileCreated: Float64Array;
  readonly fileModified: Float64Array;
  readonly fileChanged: Float64Array;
  readonly fileSizes: Uint32Array;
  /** Sorted keys of properties, see packTexts, and where the entries of each end. */
  readonly columnKeys: Uint8Array;
  readonly columnKeyEnds: Uint32Array;
  readonly columnEnds: Uint32Array;
  readonly columnNotes: Uint32Array;
  readonly columnValues: Uint32Array;
  /** The distinct values as JSON, and where each ends. */
  readonly values: Uint8Array;
  readonly valueEnds: Uint32Array;
  /** The tasks of each note as JSON, and where they end. */
  readonly tasks: Uint8Array;
  readonly taskEnds: Uint32Array;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The facts of a segment that takes notes. */
export class MemoryFacts implements SegmentFacts {
  readonly #notes: NoteFacts[] = [];
  readonly #columns = new Map<string, { notes: number[]; values: number[] }>();
  readonly #values: PropertyValue[] = [];

  add(facts: NoteFacts): void {
    const note = this.#notes.push(facts) - 1;
    for (const [key, value] of facts.properties) {
      const column = this.#columns.get(key) ?? { notes: [], values: [] };
      this.#columns.set(key, column);
      column.notes.push(note);
      column.values.push(this.#values.push(value) - 1);
    }
  }

  get keys(): Iterable<string> {
    return this.#columns.keys();
  }
  column(key: string): Column | null {
    return this.#columns.get(key) ?? null;
  }
  valueJson(id: number): string {
    return JSON.stringify(this.#values[id] ?? null);
  }
  created(note: number): number {
    return this.#notes[note]?.created ?? 0;
  }
  modified(note: number): number {
    return this.#notes[note]?.modified ?? 0;
  }
  changed(note: number): number {
    return this.#notes[note]?.changed ?? 0;
  }
  fileSize(note: number): number {
    return this.#notes[note]?.size ?? 0;
  }
  tasksJson(note: number): string {
    const tasks = this.#notes[note]?.tasks ?? [];
    return tasks.length === 0 ? '' : JSON.stringify(tasks);
  }
}

/** The facts of a frozen segment. */
export class FrozenFacts implements SegmentFacts {
  readonly #arrays: FactArrays;
  readonly #keys: PackedTexts;

  constructor(arrays: FactArrays) {
    this.#arrays = arrays;
    this.#keys = new PackedTexts(arrays.columnKeys, arrays.columnKeyEnds);
  }

  get keys(): Iterable<string> {
    return Array.from({ length: this.#keys.length }, (_, index) => this.#keys.at(index));
  }
  column(key: string): Column | null {
    const index = this.#keys.lowerBound(key);
    if (index >= this.#keys.length || this.#keys.at(index) !== key) return null;
    const { columnEnds, columnNotes, columnValues } = this.#arrays;
    const [start, end] = [startOf(columnEnds, index), columnEnds[index]];
    return { notes: columnNotes.subarray(start, end), values: columnValues.subarray(start, end) };
  }
  valueJson(id: number): string {
    const { values, valueEnds } = this.#arrays;
    return decoder.decode(values.subarray(startOf(valueEnds, id), valueEnds[id]));
  }
  created(note: number): number {
    return this.#arrays.fileCreated[note] ?? 0;
  }
  modified(note: number): number {
    return this.#arrays.fileModified[note] ?? 0;
  }
  changed(note: number): number {
    return this.#arrays.fileChanged[note] ?? 0;
  }
  fileSize(note: number): number {
    return this.#arrays.fileSizes[note] ?? 0;
  }
  tasksJson(note: number): string {
    const { tasks, taskEnds } = this.#arrays;
    const [start, end] = [startOf(taskEnds, note), taskEnds[note] ?? 0];
    return start === end ? '' : decoder.decode(tasks.subarray(start, end));
  }
}

const ENTRIES_PER_STEP = 5000;

/**
 * Merges the facts of segments.
 *
 * @param noteNumbers for each segment and note its number in the result; -1 for one that is left out.
 */
export function* mergeFacts(
  segments: readonly SegmentFacts[],
  noteNumbers: readonly Int32Array[],
): Generator<void, FactArrays> {
  const columns = yield* mergeColumns(segments, noteNumbers);
  const created: number[] = [];
  const modified: number[] = [];
  const changed: number[] = [];
  const sizes: number[] = [];
  const tasks = new VarintWriter(1 << 12);
  const taskEnds: number[] = [];
  for (const [index, facts] of segments.entries()) {
    const numbers = noteNumbers[index] ?? new Int32Array();
    for (let note = 0; note < numbers.length; note++) {
      if (note % ENTRIES_PER_STEP === ENTRIES_PER_STEP - 1) yield;
      if ((numbers[note] ?? -1) < 0) continue;
      created.push(facts.created(note));
      modified.push(facts.modified(note));
      changed.push(facts.changed(note));
      sizes.push(facts.fileSize(note));
      const json = facts.tasksJson(note);
      if (json !== '') tasks.append(encoder.encode(json));
      taskEnds.push(tasks.length);
    }
  }
  return {
    ...columns,
    fileCreated: Float64Array.from(created),
    fileModified: Float64Array.from(modified),
    fileChanged: Float64Array.from(changed),
    fileSizes: Uint32Array.from(sizes),
    tasks: tasks.toBytes(),
    taskEnds: Uint32Array.from(taskEnds),
  };
}

function* mergeColumns(segments: readonly SegmentFacts[], noteNumbers: readonly Int32Array[]) {
  const keys: string[] = [];
  const columnEnds: number[] = [];
  const columnNotes: number[] = [];
  const columnValues: number[] = [];
  const values = new DistinctValues(segments);
  for (const key of [...new Set(segments.flatMap((facts) => [...facts.keys]))].sort()) {
    const before = columnNotes.length;
    for (const [index, facts] of segments.entries()) {
      const column = facts.column(key);
      for (let at = 0; column !== null && at < column.notes.length; at++) {
        if (at % ENTRIES_PER_STEP === ENTRIES_PER_STEP - 1) yield;
        const note = noteNumbers[index]?.[column.notes[at] ?? 0] ?? -1;
        if (note < 0) continue;
        columnNotes.push(note);
        columnValues.push(values.idOf(index, column.values[at] ?? 0));
      }
    }
    // Notes that had the property may all be gone.
    if (columnNotes.length === before) continue;
    keys.push(key);
    columnEnds.push(columnNotes.length);
    yield;
  }
  const packed = packTexts(keys);
  return {
    columnKeys: packed.utf8,
    columnKeyEnds: packed.ends,
    columnEnds: Uint32Array.from(columnEnds),
    columnNotes: Uint32Array.from(columnNotes),
    columnValues: Uint32Array.from(columnValues),
    values: values.json.toBytes(),
    valueEnds: Uint32Array.from(values.ends),
  };
}

/** Gives equal values of several segments one id. */
class DistinctValues {
  readonly json = new VarintWriter(1 << 12);
  readonly ends: number[] = [];
  readonly #segments: readonly SegmentFacts[];
  readonly #idOfJson = new Map<string, number>();
  /** New ids by old ids, for each segment. */
  readonly #known: readonly Map<number, number>[];

  constructor(segments: readonly SegmentFacts[]) {
    this.#segments = segments;
    this.#known = segments.map(() => new Map());
  }

  idOf(segment: number, id: number): number {
    const known = this.#known[segment]?.get(id);
    if (known !== undefined) return known;
    const json = this.#segments[segment]?.valueJson(id) ?? 'null';
    const same = this.#idOfJson.get(json) ?? this.#add(json);
    this.#known[segment]?.set(id, same);
    return same;
  }

  #add(json: string): number {
    this.json.append(encoder.encode(json));
    const id = this.ends.push(this.json.length) - 1;
    this.#idOfJson.set(json, id);
    return id;
  }
}
