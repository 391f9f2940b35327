import type { Outcome } from '@notevault/sync/engine/outcome.ts';
import { type Operation, replacesEdit } from '@notevault/sync/plan/operations.ts';

/** Kind of change to a file. */
export type Deed = 'created' | 'changed' | 'merged' | 'moved' | 'deleted' | 'kept beside';

export interface Happening {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly direction: 'up' | 'down';
  readonly deed: Deed;
  readonly path: string;
  /** Why it was not done; null for what was. */
  readonly reason: string | null;
}

const MOST = 500;

/** Log of recent sync operations, newest first. */
export class Activity {
  readonly #happenings: Happening[] = [];
  readonly #changed: () => void;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  get all(): readonly Happening[] {
    return this.#happenings.toReversed();
  }

  add(operation: Operation, outcome: Outcome, at: number): void {
    const tellings = outcome.kind === 'changed' ? [] : tellingsOf(operation);
    const reason = outcome.kind === 'refused' ? outcome.reason : null;
    this.#happenings.push(...tellings.map((told) => ({ ...told, at, reason })));
    if (tellings.length === 0) return;
    this.#happenings.splice(0, this.#happenings.length - MOST);
    this.#changed();
  }
}

type Telling = Pick<Happening, 'direction' | 'deed' | 'path'>;

/** Returns an operation as a person is told it, file by file. */
function tellingsOf(operation: Operation): readonly Telling[] {
  if ('moves' in operation) {
    const direction = operation.type === 'moveRemoteMany' ? 'up' : 'down';
    return operation.moves.map(({ to: path }) => ({ direction, deed: 'moved', path }));
  }
  const told = tellingOf(operation);
  return told === null ? [] : [told];
}

/** Describes an operation on a file or folder for people; null if it changes neither side. */
export function tellingOf(operation: Operation): Telling | null {
  switch (operation.type) {
    case 'createRemote':
    case 'makeRemoteFolder':
      return { direction: 'up', deed: 'created', path: operation.path };
    case 'pushContent':
      return { direction: 'up', deed: replacesEdit(operation) ? 'kept beside' : 'changed', path: operation.localPath };
    case 'moveRemote':
    case 'moveRemoteFolder':
      return { direction: 'up', deed: 'moved', path: operation.to };
    case 'deleteRemote':
    case 'removeRemoteFolder':
      return { direction: 'up', deed: 'deleted', path: operation.path };
    case 'writeLocal':
      if (replacesEdit(operation)) return { direction: 'down', deed: 'kept beside', path: operation.path };
      return { direction: 'down', deed: operation.over === null ? 'created' : 'changed', path: operation.path };
    case 'mergeLocal':
      return { direction: 'down', deed: 'merged', path: operation.path };
    case 'moveLocal':
      return { direction: 'down', deed: operation.conflict ? 'kept beside' : 'moved', path: operation.to };
    case 'setAside':
      return { direction: 'down', deed: 'kept beside', path: operation.to };
    case 'moveLocalFolder':
      return { direction: 'down', deed: 'moved', path: operation.to };
    case 'makeLocalFolder':
      return { direction: 'down', deed: 'created', path: operation.path };
    case 'deleteLocal':
    case 'removeLocalFolder':
      return { direction: 'down', deed: 'deleted', path: operation.path };
    default:
      return null;
  }
}

/** Numbers of operations that a sync would carry out. */
export interface Foreseen {
  readonly sent: number;
  readonly fetched: number;
  readonly merged: number;
  readonly keptBeside: number;
  readonly deletedHere: number;
  readonly deletedThere: number;
  readonly equal: number;
}

export function foreseen(operations: readonly Operation[]): Foreseen {
  const count = (holds: (operation: Operation) => boolean) => operations.filter(holds).length;
  return {
    sent: count(({ type }) => type === 'createRemote'),
    fetched: count((operation) => operation.type === 'writeLocal' && operation.conflict !== true),
    merged: count(({ type }) => type === 'pushContent' || type === 'mergeLocal'),
    keptBeside: count((operation) => tellingOf(operation)?.deed === 'kept beside'),
    deletedHere: count(({ type }) => type === 'deleteLocal'),
    deletedThere: count(({ type }) => type === 'deleteRemote'),
    equal: count(({ type }) => type === 'adopt'),
  };
}
