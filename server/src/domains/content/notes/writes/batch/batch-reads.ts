import { folderOf } from '@notevault/note-text/paths.ts';
import type { ResolvedPath, WriteContext } from '../../../entries/entries.ts';
import type { NoteDeps } from '../../notes.deps.ts';
import * as store from '../../notes.store.ts';
import { keysOf, type NoteInput, readsOf, recentOf, type TargetReads } from '../write-target.ts';

/** Reads for the plan of a batch: the rows of many notes in one statement, and each folder once. */
export class BatchReads implements TargetReads {
  readonly #deps: NoteDeps;
  readonly #context: WriteContext;
  readonly #single: TargetReads;
  /** The rows of the notes that were prepared and not planned yet. */
  #rows = new Map<NoteInput, readonly store.FoundRow[]>();
  /** A resolved path in each folder. */
  #folders = new Map<string, ResolvedPath>();

  constructor(deps: NoteDeps, context: WriteContext) {
    this.#deps = deps;
    this.#context = context;
    this.#single = readsOf(deps, context);
  }

  /** Reads the rows of these notes; forgets everything that was read before. */
  async prepare(inputs: readonly NoteInput[]): Promise<void> {
    const { db, clock } = this.#deps;
    const { vault, device } = this.#context;
    const keys = inputs.map(keysOf);
    const rows = await db.allMany(store.findForWrites, { vault: vault.id, ...recentOf(clock, device) }, keys);
    const isById = ({ found }: store.FoundRow) => found === 'id' || found === 'spent';
    const byPath = Map.groupBy(
      rows.filter((row) => !isById(row)),
      (row) => row.path_key.toString('hex'),
    );
    const byId = Map.groupBy(rows.filter(isById), ({ id }) => id);
    const rowsOf = ({ id, pathKey }: (typeof keys)[number]) => [
      ...(byPath.get(pathKey.toString('hex')) ?? []),
      ...(byId.get(id) ?? []),
    ];
    this.#rows = new Map(keys.map((each, index) => [inputs[index] as NoteInput, rowsOf(each)]));
    await this.#resolveFolders(inputs);
  }

  async #resolveFolders(inputs: readonly NoteInput[]): Promise<void> {
    const { db, entries } = this.#deps;
    const isNew = (input: NoteInput) => !this.#rows.get(input)?.some(({ found }) => found === 'here');
    const byFolder = new Map(inputs.filter(isNew).map((input) => [folderOf(input.path), input]));
    const resolved = await entries.resolveAll(db, this.#context.vault, [...byFolder.values()]);
    this.#folders = new Map([...byFolder.keys()].map((folder, index) => [folder, resolved[index] as ResolvedPath]));
  }

  async find(input: NoteInput): Promise<readonly store.FoundRow[]> {
    const rows = this.#rows.get(input);
    this.#rows.delete(input);
    return rows ?? (await this.#single.find(input));
  }

  async resolve(path: string, pathKey: Buffer): Promise<ResolvedPath> {
    const folder = folderOf(path);
    const other = this.#folders.get(folder);
    if (other === undefined) {
      const resolved = await this.#single.resolve(path, pathKey);
      this.#folders.set(folder, resolved);
      return resolved;
    }
    const name = path.slice(folder === '' ? 0 : folder.length + 1);
    const stored = folderOf(other.path);
    return { ...other, path: stored === '' ? name : `${stored}/${name}`, pathKey };
  }
}
