import {
  type CanvasChange,
  type CanvasReference,
  canvasReferences,
  type RewrittenCanvas,
  rewriteCanvas,
} from '@notevault/note-text/canvas/references.ts';
import type { Tasks } from '../../../../concurrency/task-worker.ts';
import { type Compute, TaskLimitError } from '../../../../concurrency/worker-pool.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import { distinct, type Extensions, keysOf, nameKeys } from '../link-resolver.ts';
import type { CanvasTasks } from './tasks.ts';

/** Number of UTF-16 units that take some ten milliseconds to read; longer canvases are read on a worker thread. */
const LARGE_UNITS = 64 * 1024;
const TASK_MS = 10_000;

/** Reads and rewrites the text of canvases. One that takes too long is left as it is, and counts as without references. */
export class CanvasReader {
  readonly #compute: Compute<CanvasTasks>;
  readonly #extensions: Extensions;

  constructor(compute: Compute<Tasks>, extensions: Extensions) {
    this.#compute = compute as Compute<CanvasTasks>;
    this.#extensions = extensions;
  }

  referencesIn(vault: OpenVault, canvas: string): Promise<CanvasReference[]> {
    const run = () => this.#compute.run(vault.callerId, 'canvasReferences', canvas, optionsFor(canvas));
    return this.#read(canvas, canvasReferences, run, []);
  }

  rewrite(vault: OpenVault, canvas: string, changes: readonly CanvasChange[]): Promise<RewrittenCanvas> {
    const run = () => this.#compute.run(vault.callerId, 'rewriteCanvas', { canvas, changes }, optionsFor(canvas));
    return this.#read(canvas, () => rewriteCanvas(canvas, changes), run, { canvas, left: changes.length });
  }

  async namesIn(vault: OpenVault, canvas: string): Promise<Buffer[]> {
    return this.namesOf(vault, await this.referencesIn(vault, canvas));
  }

  /** Returns the blind keys of the names that references may mean. */
  namesOf(vault: OpenVault, references: readonly CanvasReference[]): Buffer[] {
    const keyOf = nameKeys(vault);
    return distinct(
      references.flatMap(({ target }) => keysOf(this.#extensions, keyOf, { target, form: 'wikilink' }) ?? []),
    );
  }

  async #read<Read>(
    canvas: string,
    here: (canvas: string) => Read,
    onPool: () => Promise<{ readonly output: Read }>,
    otherwise: Read,
  ): Promise<Read> {
    if (canvas.length <= LARGE_UNITS) return here(canvas);
    try {
      return (await onPool()).output;
    } catch (error) {
      if (error instanceof TaskLimitError) return otherwise;
      throw error;
    }
  }
}

const optionsFor = ({ length }: string) => ({ bytes: 2 * length, cpuMs: TASK_MS, patient: true });
