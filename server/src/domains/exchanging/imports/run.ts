import { createHash } from 'node:crypto';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import type { UserId } from '@notevault/protocol/values/ids.ts';
import type { WriteContext } from '../../content/entries/entries.ts';
import type { OpenVault } from '../../content/vaults/vaults.ts';
import { EntryRefused } from './archive/archive.ts';
import { Destination, type Placement } from './destination.ts';
import type { ImportDeps } from './imports.ts';
import { addRenamed, addSkipped, type Progress, type SkipReason } from './progress.ts';
import type { Source } from './source.ts';
import type { SourceFile } from './source-file.ts';

/** Maximum notes per transaction, and maximum characters of them held in memory. */
const BATCH_NOTES = 50;
const BATCH_LENGTH = 4 * MB;
/** Files and folders between two saves of the progress; later ones are repeated after a crash. */
const SAVE_EVERY = 50;

const NO_EXISTING = { match: null, noneMatch: '*' } as const;

export interface Run {
  /** The id of the import, which is its activity item too. */
  readonly id: string;
  readonly userId: UserId;
  readonly vault: OpenVault;
  readonly source: Source;
  readonly dryRun: boolean;
  /** Mutable during the run. */
  readonly progress: Progress;
  readonly extensions: ReadonlySet<string>;
  /** Saves the progress; resolves to false when the import was cancelled or another process runs it. */
  save(): Promise<boolean>;
  /** Keeps the claim on the import during long work. */
  readonly beat: () => Promise<void>;
}

interface PendingNote {
  readonly from: string;
  readonly path: string;
  readonly content: string;
  readonly mtime: number;
}

/**
 * Imports the remaining files of a source. Files that an interrupted run wrote are found in the vault and not written
 * again. Resolves to false when it was stopped. Throws ArchiveError.
 */
export async function runImport(deps: ImportDeps, run: Run): Promise<boolean> {
  const { vault, source, dryRun, progress } = run;
  progress.total = source.total;
  progress.report.root = source.root;
  // The report says which folder is removed before anything is written.
  if (!(await run.save())) return false;
  if (!dryRun) progress.danglingBefore ??= await deps.links.countDangling(vault);
  const importer = new Importer(deps, run, await Destination.of(deps, vault));
  let at = 0;
  for await (const file of source.files()) {
    at += 1;
    if (at <= progress.done) continue;
    await importer.add(file);
    if (at - progress.done < SAVE_EVERY && !importer.isFull) continue;
    await importer.flush();
    progress.done = at;
    if (!(await run.save())) return false;
  }
  await importer.flush();
  progress.done = at;
  progress.total = at;
  for (const [index, folder] of source.folders.entries()) {
    if (index % SAVE_EVERY === 0 && !(await run.save())) return false;
    await importer.addFolder(folder);
  }
  if (!dryRun) {
    const dangling = await deps.links.countDangling(vault);
    progress.report.dangling = Math.max(0, dangling - (progress.danglingBefore ?? 0));
  }
  return true;
}

/** Writes files into a vault, or only counts them in a dry run. */
class Importer {
  readonly #deps: ImportDeps;
  readonly #run: Run;
  readonly #destination: Destination;
  #pending: PendingNote[] = [];
  #length = 0;
  #noMoreNotes = false;

  constructor(deps: ImportDeps, run: Run, destination: Destination) {
    this.#deps = deps;
    this.#run = run;
    this.#destination = destination;
  }

  get isFull(): boolean {
    return this.#pending.length >= BATCH_NOTES || this.#length >= BATCH_LENGTH;
  }

  add({ name, mtime, content }: SourceFile): Promise<void> {
    return this.#attempt(name, async () => {
      if (content.kind === 'refused') throw new EntryRefused(content.reason);
      if (content.kind === 'note') await this.#addNote(name, content.path, await content.text(), mtime);
      if (content.kind === 'attachment') await this.#addAttachment(name, content.path, content.bytes, mtime);
    });
  }

  async addFolder(path: string): Promise<void> {
    if (this.#run.dryRun) return;
    await this.#attempt(path, () => this.#deps.folders.create(this.#context(), path));
  }

  async #attempt(name: string, write: () => Promise<unknown>): Promise<void> {
    try {
      await write();
    } catch (error) {
      const reason = reasonOf(error);
      if (reason === null) throw error;
      addSkipped(this.#run.progress, name, reason);
    }
  }

  /** Writes the notes that wait. */
  async flush(): Promise<void> {
    const notes = this.#pending;
    [this.#pending, this.#length] = [[], 0];
    if (notes.length > 0) await this.#write(notes);
  }

  async #addNote(from: string, path: string, content: string, mtime: number | null): Promise<void> {
    if (this.#noMoreNotes) throw new EntryRefused('limit_exceeded');
    const placement = this.#place(from, path, createHash('sha256').update(content).digest('hex'));
    if (placement.exists) return;
    this.#pending.push({ from, path: placement.path, content, mtime: mtime ?? this.#deps.clock.now() / 1000 });
    this.#length += content.length;
  }

  async #addAttachment(from: string, path: string, bytes: () => AsyncIterable<Uint8Array>, mtime: number | null) {
    const { vault, dryRun, progress, extensions } = this.#run;
    if (!extensions.has(/\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '')) throw new EntryRefused('type_not_allowed');
    if (!vault.plan.attachments_enabled) throw new EntryRefused('limit_exceeded');
    if (!dryRun && !this.#destination.isTaken(path)) {
      const hash = await this.#upload(path, bytes, mtime);
      this.#destination.add(path, hash);
      progress.report.attachments += 1;
      return;
    }
    const placement = this.#place(from, path, await hashOf(beating(bytes(), this.#run.beat)));
    if (placement.exists) return;
    if (!dryRun) await this.#upload(placement.path, bytes, mtime);
    progress.report.attachments += 1;
  }

  /** Resolves to the hash of the bytes. */
  async #upload(path: string, bytes: () => AsyncIterable<Uint8Array>, mtime: number | null): Promise<string> {
    const upload = {
      path: () => path,
      mtime: () => mtime ?? undefined,
      bytes: beating(bytes(), this.#run.beat),
      declaredBytes: null,
    };
    const written = await this.#deps.attachments.upload(this.#context(), () => upload, NO_EXISTING);
    return written.content_hash;
  }

  /** Finds the path of a file and records it. Throws EntryRefused where there is none. */
  #place(from: string, path: string, hash: string): Placement {
    const placement = this.#destination.place(path, hash);
    if (placement === null) throw new EntryRefused('conflict');
    if (placement.exists) this.#run.progress.report.unchanged += 1;
    else this.#destination.add(placement.path, hash);
    if (placement.path !== path) addRenamed(this.#run.progress, from, placement.path);
    return placement;
  }

  async #write(notes: readonly PendingNote[]): Promise<void> {
    const { dryRun, progress } = this.#run;
    if (dryRun) {
      progress.report.notes += notes.length;
      return;
    }
    const sent = notes.map(({ path, content, mtime }) => ({ path, content, mtime }));
    try {
      const results = await this.#deps.notes.upsertMany(this.#context(), sent);
      for (const [index, { status }] of results.entries()) {
        if (status === 'ok') progress.report.notes += 1;
        else addSkipped(progress, notes[index]?.from ?? '', status === 'conflict' ? 'conflict' : 'damaged');
      }
    } catch (error) {
      if (reasonOf(error) !== 'limit_exceeded') throw error;
      // Some of them may still fit into the plan.
      if (notes.length > 1) for (const note of notes) await this.#write([note]);
      else {
        this.#noMoreNotes = true;
        for (const { from } of notes) addSkipped(progress, from, 'limit_exceeded');
      }
    }
  }

  #context<Result>(): WriteContext<Result> {
    const { vault, id, userId } = this.#run;
    const actor = { kind: 'session', name: 'Import', userId };
    return { vault, actor, device: null, origin: { action: 'import', item: id } };
  }
}

/** Why a file is left out; null for an error that ends or interrupts the import. */
function reasonOf(error: unknown): SkipReason | null {
  if (error instanceof EntryRefused) return error.reason;
  if (!(error instanceof NotevaultError)) return null;
  switch (error.code) {
    case 'limit_exceeded':
      return 'limit_exceeded';
    case 'extension_not_allowed':
    case 'mime_not_allowed':
      return 'type_not_allowed';
    case 'body_too_large':
    case 'file_too_large':
    case 'note_too_large':
      return 'too_large';
    case 'conflict':
    case 'version_conflict':
      return 'conflict';
    case 'validation':
      return 'unsafe_path';
    case 'note_unreadable':
    case 'attachment_unreadable':
      return 'damaged';
    default:
      return null;
  }
}

/** Passes bytes on and keeps the claim on the import meanwhile. */
export async function* beating(
  bytes: AsyncIterable<Uint8Array>,
  beat: () => Promise<void>,
): AsyncGenerator<Uint8Array> {
  for await (const piece of bytes) {
    await beat();
    yield piece;
  }
}

async function hashOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of bytes) hash.update(piece);
  return hash.digest('hex');
}
