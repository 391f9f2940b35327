import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { NotevaultClient } from '@notevault/client/notevault-client.ts';
import { fixedToken } from '@notevault/client/tokens.ts';
import { Transport } from '@notevault/client/transport.ts';
import type { VaultClient } from '@notevault/client/vault-client.ts';
import type { SyncOptions, SyncResult } from '@notevault/sync/engine/engine.ts';
import { type Clock, ServerUnreachable } from '@notevault/sync/engine/ports.ts';
import { Approval } from '@notevault/sync/plan/approval.ts';
import type { Setting } from '@notevault/sync/rules/settings-files.ts';
import { nodeUpload } from '../../../cli/src/sync/account/node-upload.ts';
import { type FolderSync, openFolderSync } from '../../../cli/src/sync/run/folder-sync.ts';
import type { Reporter } from '../../../cli/src/sync/run/reporter.ts';
import { newFolderId, writeMarker } from '../../../cli/src/sync/state/folder-marker.ts';
import type { FolderRecord } from '../../../cli/src/sync/state/folder-registry.ts';

const SILENT: Reporter = {
  planned: () => undefined,
  operation: () => undefined,
  preview: () => undefined,
  result: () => undefined,
  note: () => undefined,
};

export interface MachineOptions {
  /** Parent folder of its synced folder and state. */
  readonly home: string;
  readonly url: string;
  readonly key: string;
  readonly vaultId: string;
  readonly settings?: readonly Setting[];
}

/** A machine that syncs a real folder with a vault of a server, one run at a time, on a clock that does not wait. */
export class SyncMachine {
  readonly #options: MachineOptions;
  readonly #record: FolderRecord;
  readonly #vault: VaultClient;
  #ticks = 0;
  #isMarked = false;
  /** The requests of the last run. */
  readonly requests: string[] = [];
  /** Answers a request in the place of the server, or leaves it to the server by null. */
  answer: (url: URL) => Response | null = () => null;
  /** Called before a request is sent, and once it is answered. */
  onRequest: (request: string) => void = () => undefined;
  onAnswer: (request: string) => void = () => undefined;
  /** Added to the wall clock. By default every file counts as written long ago. */
  wallOffset = 60_000;
  /** Called whenever the engine waits. */
  onSleep: () => void = () => undefined;

  constructor(options: MachineOptions) {
    this.#options = options;
    const { url, key, vaultId, settings = [] } = options;
    const folderId = newFolderId();
    this.#record = { folderId, root: this.root, url, vaultId, vaultName: 'Notes', settings, isPaused: false };
    const transport = new Transport(url, fixedToken(key), {
      deviceId: folderId,
      tries: 1,
      upload: nodeUpload,
      fetch: async (input, init) => {
        const at = new URL(String(input));
        const request = `${init?.method} ${at.pathname.replace(/^\/api/, '')}`;
        this.requests.push(request);
        this.onRequest(request);
        const answer = this.answer(at) ?? (await fetch(input, init));
        this.onAnswer(request);
        return answer;
      },
    });
    this.#vault = new NotevaultClient(transport).vault(vaultId);
    for (const folder of [this.root, this.place]) mkdirSync(folder, { recursive: true });
  }

  get record(): FolderRecord {
    return this.#record;
  }

  get root(): string {
    return join(this.#options.home, 'vault');
  }

  get place(): string {
    return join(this.#options.home, 'state');
  }

  at(path: string): string {
    return join(this.root, path);
  }

  put(path: string, content: string | Uint8Array): void {
    mkdirSync(dirname(this.at(path)), { recursive: true });
    writeFileSync(this.at(path), content);
  }

  read(path: string): string {
    return readFileSync(this.at(path), 'utf8');
  }

  move(from: string, to: string): void {
    mkdirSync(dirname(this.at(to)), { recursive: true });
    renameSync(this.at(from), this.at(to));
  }

  remove(path: string): void {
    rmSync(this.at(path), { recursive: true });
  }

  /** The visible files with their contents, by path. */
  get contents(): Map<string, string> {
    return contentsOf(this.root);
  }

  #clock(): Clock {
    return {
      now: () => Date.now() + this.wallOffset,
      ticks: () => this.#ticks,
      uuid: () => crypto.randomUUID(),
      sleep: async (ms) => {
        this.#ticks += ms;
        this.onSleep();
      },
    };
  }

  /** Runs `work` with the engine of this machine, as one run of the program. */
  async open<Result>(work: (sync: FolderSync) => Promise<Result>): Promise<Result> {
    if (!this.#isMarked) await writeMarker(this.root, this.#record);
    this.#isMarked = true;
    const ports = { place: this.place, vault: this.#vault, direction: 'both', reporter: SILENT } as const;
    await using sync = await openFolderSync({ ...ports, record: this.#record, clock: this.#clock() });
    this.requests.length = 0;
    return await work(sync);
  }

  /** Syncs once. */
  run(options: SyncOptions = { approval: new Approval() }): Promise<SyncResult> {
    return this.open(({ engine }) => engine.sync(options));
  }

  /**
   * Syncs once, and then has the stored state of before the answer to its first write: as if it had been killed between
   * that answer and the commit of it.
   */
  async runKilled(): Promise<void> {
    const copy = `${this.place} at the request`;
    this.onRequest = (request) => {
      if (!request.startsWith('GET') && !existsSync(copy)) cpSync(this.place, copy, { recursive: true });
    };
    await this.run();
    this.onRequest = () => undefined;
    assert.ok(existsSync(copy), 'something was sent');
    rmSync(this.place, { recursive: true });
    renameSync(copy, this.place);
  }

  /** Syncs once, and ends without the answer to its first write. */
  async runCut(): Promise<void> {
    this.onAnswer = (request) => {
      if (!request.startsWith('GET')) throw new TypeError('the connection is cut');
    };
    await assert.rejects(this.run(), ServerUnreachable);
    this.onAnswer = () => undefined;
  }

  /** Syncs once, and expects both sides to be equal afterwards, but for what is listed. */
  async sync(unsynced: readonly string[] = []): Promise<SyncResult> {
    const result = await this.run();
    assert.deepEqual([result.kind, result.unsynced.map(({ path }) => path)], ['in step', unsynced]);
    return result;
  }
}

/** The visible files of a folder with their contents, by path. */
export function contentsOf(root: string): Map<string, string> {
  return new Map(pathsOf(root).map((path) => [path, readFileSync(join(root, path), 'utf8')]));
}

/** The visible files of a folder. */
export function pathsOf(root: string): string[] {
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
  return paths.filter((path) => !/(?:^|\/)\./.test(path)).sort();
}
