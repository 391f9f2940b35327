import { counted } from '@notevault/protocol/values/counted.ts';
import type { SyncResult } from '@notevault/sync/engine/engine.ts';
import type { Outcome } from '@notevault/sync/engine/outcome.ts';
import type { Operation } from '@notevault/sync/plan/operations.ts';
import { print, printJson, printNote } from '../../print.ts';
import { progressLine } from '../../progress.ts';
import { describe, describeBrake, describeDenied, describeEnd } from './describe.ts';

/** Output of a sync, for a person or a program. */
export interface Reporter {
  planned(operations: readonly Operation[]): void;
  operation(operation: Operation, outcome: Outcome): void;
  /** Reports the operations that a dry run would carry out. */
  preview(operations: readonly Operation[]): void;
  result(result: SyncResult): void;
  /** Reports a change that is not an operation, such as a lost connection. */
  note(text: string): void;
}

/** Returns a reporter that prints one JSON object per line. */
export function jsonReporter(root: string): Reporter {
  const write = (event: string, fields: object) => printJson({ event, ...fields });
  return {
    planned: (operations) => write('planned', { operations: operations.length }),
    operation: (operation, outcome) => write('operation', { ...operation, outcome }),
    preview: (operations) => {
      for (const operation of operations) write('preview', operation);
    },
    result: ({ kind, done, isReadOnly, brakes, unsynced, pending }) =>
      write('result', {
        folder: root,
        state: kind,
        done,
        waiting: pending.length,
        read_only: isReadOnly,
        brakes,
        unsynced,
      }),
    note: (text) => write('note', { text }),
  };
}

/** Reporter for people: progress on standard error, operations on standard output. */
export class PersonReporter implements Reporter {
  readonly #root: string;
  readonly #isWatching: boolean;
  #line = progressLine();
  #of = 0;
  #at = 0;
  #counts = { up: 0, down: 0 };
  #lastSaid = '';

  /** @param isWatching whether to report every operation instead of only totals */
  constructor(root: string, isWatching: boolean) {
    this.#root = root;
    this.#isWatching = isWatching;
  }

  planned(operations: readonly Operation[]): void {
    this.#of = operations.filter((operation) => describe(operation) !== null).length;
    this.#at = 0;
    this.#line = progressLine();
  }

  operation(operation: Operation, outcome: Outcome): void {
    const described = describe(operation);
    if (described === null) return;
    this.#at += 1;
    if (outcome.kind === 'done') this.#counts[described.direction] += 1;
    if (this.#isWatching && outcome.kind === 'done')
      print(`${time()}  ${described.direction.padEnd(4)}  ${described.text}`);
    else this.#line(`Syncing: ${this.#at} of ${this.#of}`, this.#at === this.#of);
  }

  preview(operations: readonly Operation[]): void {
    const lines = operations.map(describe).filter((one) => one !== null);
    for (const { direction, text } of lines) print(`${direction.padEnd(4)}  ${text}`);
    print(
      lines.length === 0 ? 'In sync: nothing to do.' : `${counted(lines.length, 'change')}; dry run, nothing was done.`,
    );
  }

  result({ kind, isReadOnly, brakes, unsynced }: SyncResult): void {
    const { up, down } = this.#counts;
    this.#counts = { up: 0, down: 0 };
    const lines: string[] = [];
    lines.push(`${STATES[kind]}${describeDenied(unsynced)}: ${up} sent, ${down} received.`);
    if (isReadOnly) lines.push('You have read-only access to this vault: changes in this folder stay here.');
    for (const brake of brakes) lines.push(describeBrake(brake));
    lines.push(...describeEnd(kind, this.#root));
    if (unsynced.length > 0) lines.push('Not synced:', ...unsynced.map(({ path, reason }) => `  ${path} ${reason}`));
    const [first = '', ...others] = lines;
    // While watching, repeated lines are left out.
    if (this.#isWatching && others.join('\n') === this.#lastSaid) return;
    this.#lastSaid = others.join('\n');
    for (const line of [this.#isWatching ? `${time()}  ${first}` : first, ...others]) print(line);
  }

  note(text: string): void {
    printNote(`${this.#isWatching ? `${time()}  ` : ''}${text}`);
  }
}

const STATES: Readonly<Record<SyncResult['kind'], string>> = {
  'in step': 'In sync',
  waiting: 'Waiting for your confirmation',
  unsettled: 'Not in sync yet',
  unfinished: 'Not in sync yet',
};

function time(): string {
  return new Date().toLocaleTimeString('en-GB');
}
