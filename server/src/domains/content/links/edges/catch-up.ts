import { isCanvas } from '@notevault/note-text/canvas/strings.ts';
import { LINKS_VERSION } from '@notevault/note-text/links/parsed-link.ts';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import { NIL_UUID, type NoteId, type Seq } from '@notevault/protocol/values/ids.ts';
import { slicesBySize } from '../../../../concurrency/slices.ts';
import { type Database, pagesOf, type WriteHandle } from '../../../../ports/database/database.ts';
import type { WrittenNote } from '../../notes/notes.ts';
import type { OpenVault, Vaults } from '../../vaults/vaults.ts';
import { writeNames } from '../canvases/canvas-moves.ts';
import type { CanvasReader } from '../canvases/canvas-reader.ts';
import { readableCandidate, readableMeta, readableTexts, sameTexts, textOf } from '../link-texts.ts';
import * as store from '../links.store.ts';
import type { StoredTexts } from '../links.ts';
import type { EdgeDeps } from './resolve-again.ts';
import { planLinks } from './write-links.ts';

const PAGE = 64;
/** Bytes of texts that are read at once. */
const SLICE_BYTES = 4 * MB;

export interface CatchUpDeps extends EdgeDeps {
  readonly db: Database;
  readonly vaults: Pick<Vaults, 'advance' | 'openAsSystem' | 'linksVersion' | 'setLinksVersion' | 'behindInLinks'>;
  readonly texts: StoredTexts;
  readonly canvases: CanvasReader;
}

/**
 * Re-reads the links of vaults last read by an older version, which did not know all link forms. Normally links are
 * read when a note or canvas is written.
 */
export class LinkCatchUp {
  readonly #deps: CatchUpDeps;
  /** New vaults begin with the present version, so none falls behind while this process runs. */
  #isDone = false;

  constructor(deps: CatchUpDeps) {
    this.#deps = deps;
  }

  /** Catches up every vault, one after the other; those that fail are tried again by the next run. */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#isDone) return;
    const { db, vaults } = this.#deps;
    const failures: unknown[] = [];
    for await (const id of vaults.behindInLinks(db, LINKS_VERSION)) {
      if (signal.aborted) return;
      try {
        const vault = await vaults.openAsSystem(id);
        if (vault !== null) await this.catchUp(vault);
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
    this.#isDone = true;
  }

  /** Re-reads the links of a vault and resolves once they are stored. Takes seqs only if any links changed. */
  async catchUp(vault: OpenVault): Promise<void> {
    const { db, vaults } = this.#deps;
    if (this.#isDone || (await vaults.linksVersion(db, vault)) >= LINKS_VERSION) return;
    await this.#readNotes(vault);
    await this.#readCanvases(vault);
    await db.transact((handle) => vaults.setLinksVersion(handle, vault, LINKS_VERSION));
  }

  async #readNotes(vault: OpenVault): Promise<void> {
    const { db } = this.#deps;
    const after = (last?: store.NoteToRead) => ({ vault: vault.id, after: last?.id ?? NIL_UUID, limit: PAGE });
    for await (const page of pagesOf(db, store.findNotesAfter, after)) {
      for (const slice of slicesBySize(page, { bytes: SLICE_BYTES }, ({ size_bytes }) => size_bytes)) {
        const changed = await this.#changedIn(vault, slice);
        if (changed.length > 0) await db.transact((handle) => this.#writeLinks(handle, vault, changed), 'bulk');
      }
    }
  }

  /** Returns the notes whose links differ from the stored ones; leaves out damaged notes. */
  async #changedIn(vault: OpenVault, rows: readonly store.NoteToRead[]): Promise<WrittenNote[]> {
    const { db, texts } = this.#deps;
    const notes = rows.map(({ id, version, size_bytes: sizeBytes }) => ({ id: id as NoteId, version, sizeBytes }));
    const ids = notes.map(({ id }) => id);
    const { contents, stored } = await db.read(async (handle) => ({
      contents: await texts.readableTextsOf(handle, vault, notes),
      stored: await handle.allMany(store.findTextsOf, { vault_id: vault.id }, ids),
    }));
    const storedOf = new Map(stored.map((row) => [row.source_id, row]));
    const changed: WrittenNote[] = [];
    for (const row of rows) {
      const [id, seq] = [row.id as NoteId, row.seq as Seq];
      const [meta, content, had] = [readableMeta(vault, row), contents.get(id), storedOf.get(id)];
      if (meta === null || content === undefined) continue;
      const links = await texts.linksIn(vault, meta.path, content);
      const before = had === undefined ? [] : readableTexts(vault, had);
      if (before === null || sameTexts(before, links.map(textOf))) continue;
      const { path, aliases } = meta;
      changed.push({ id, path, aliases, version: row.version, seq, links, fresh: false, movedKeys: [] });
    }
    return changed;
  }

  async #writeLinks(handle: WriteHandle, vault: OpenVault, notes: readonly WrittenNote[]): Promise<void> {
    const { vaults } = this.#deps;
    // Moves that were planned with the former links are planned again.
    await vaults.advance(handle, vault, { seqs: 1, notes: 0 });
    const ids = notes.map(({ id }) => id);
    const rows = await handle.allMany(store.findRevisions, { vault_id: vault.id }, ids);
    const versionOf = new Map(rows.map(({ id, version }) => [id, version]));
    const same = notes.filter(({ id, version }) => versionOf.get(id) === version);
    await (await planLinks(this.#deps, handle, vault, same, true)).write();
  }

  async #readCanvases(vault: OpenVault): Promise<void> {
    const { db } = this.#deps;
    const after = (last?: store.FileToRead) => ({ vault: vault.id, after: last?.id ?? NIL_UUID, limit: PAGE });
    for await (const page of pagesOf(db, store.findFilesAfter, after)) {
      const names = new Map<store.FileToRead, readonly Buffer[]>();
      for (const row of page) {
        const found = await this.#namesIn(vault, row);
        if (found.length > 0) names.set(row, found);
      }
      if (names.size > 0) await db.transact((handle) => this.#writeNames(handle, vault, names), 'bulk');
    }
  }

  async #namesIn(vault: OpenVault, row: store.FileToRead): Promise<readonly Buffer[]> {
    const { texts, canvases } = this.#deps;
    const file = readableCandidate(vault, { ...row, kind: 'attachment' });
    const text = file === null || !isCanvas(file.path) ? null : await texts.canvasText(vault, row);
    return text === null ? [] : canvases.namesIn(vault, text);
  }

  async #writeNames(handle: WriteHandle, vault: OpenVault, names: ReadonlyMap<store.FileToRead, readonly Buffer[]>) {
    await this.#deps.vaults.advance(handle, vault, { seqs: 1, notes: 0 });
    const ids = [...names.keys()].map(({ id }) => id);
    const rows = await handle.allMany(store.findRevisions, { vault_id: vault.id }, ids);
    const revisionOf = new Map(rows.map(({ id, revision }) => [id, revision]));
    for (const [{ id, revision }, found] of names)
      if (revisionOf.get(id) === revision) await writeNames(handle, vault, id, found);
  }
}
