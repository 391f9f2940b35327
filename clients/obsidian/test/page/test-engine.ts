import { ApiError } from '@notevault/client/transport.ts';
import type { VaultClient } from '@notevault/client/vault-client.ts';
import { mergeTexts } from '@notevault/note-text/merge/merge-texts.ts';
import type { Hold } from '@notevault/sync/engine/holds.ts';
import type { StandInApp } from '../stand-in/app.ts';

interface Agreed {
  readonly id: string;
  readonly text: string;
  /** A write without an answer. */
  readonly sent?: { readonly content: string; readonly version: number; readonly text: string } | undefined;
}

/** Minimal sync engine for tests of live notes: it stores the last text that both sides agreed on. */
export class TestEngine {
  readonly #app: StandInApp;
  readonly #vault: VaultClient;
  readonly #held = new Set<string>();
  /** Notes that only a hold may change. */
  readonly #reserved = new Set<string>();
  #busy: Promise<unknown> = Promise.resolve();

  constructor(app: StandInApp, vault: VaultClient) {
    this.#app = app;
    this.#vault = vault;
  }

  /** Both sides have this text of a note. */
  agree(path: string, id: string, text: string): void {
    this.#store(path, { id, text });
  }

  reserve(ids: Promise<readonly string[]>): void {
    void this.#exclusively(async () => {
      for (const id of await ids) this.#reserved.add(id);
    });
  }

  pathOf(id: string): string | undefined {
    return this.#app.vault.getMarkdownFiles().find(({ path }) => this.#load(path)?.id === id)?.path;
  }

  hold(path: string, _text: string): Promise<Hold | null> {
    const at = { path };
    return this.#exclusively(async () => {
      const agreed = this.#load(path);
      if (agreed === null || agreed.sent !== undefined || this.#held.has(path)) return null;
      this.#held.add(path);
      return {
        id: agreed.id,
        text: agreed.text,
        moved: (to) => {
          const known = this.#load(at.path);
          this.#held.delete(at.path);
          localStorage.removeItem(`agreed ${at.path}`);
          at.path = to;
          this.#held.add(to);
          if (known !== null) this.#store(to, known);
        },
        agree: async (text) => this.#store(at.path, { id: agreed.id, text }),
        release: () => {
          this.#held.delete(at.path);
          this.#reserved.delete(agreed.id);
        },
        reserve: () => {
          this.#held.delete(at.path);
          this.#reserved.add(agreed.id);
        },
      };
    });
  }

  /** A file that is not held was renamed. */
  renamed(from: string, to: string): void {
    const known = this.#load(from);
    if (known === null || this.#held.has(from) || this.#held.has(to)) return;
    localStorage.removeItem(`agreed ${from}`);
    this.#store(to, known);
  }

  /** Syncs every note that is not held. Returns whether both sides of each have the same text. */
  sync(): Promise<boolean> {
    return this.#exclusively(async () => {
      let isSame = true;
      for (const file of this.#app.vault.getMarkdownFiles()) {
        const agreed = this.#load(file.path);
        if (agreed === null || this.#held.has(file.path) || this.#reserved.has(agreed.id)) continue;
        isSame = (await this.#syncNote(file, agreed)) && isSame;
      }
      return isSame;
    });
  }

  async #syncNote(file: ReturnType<StandInApp['vault']['getMarkdownFiles']>[number], agreed: Agreed): Promise<boolean> {
    const { id } = agreed;
    let { text: base, sent } = agreed;
    let mine = await this.#app.vault.read(file);
    const head = await this.#vault.readNoteById(id);
    if (head === null) return true;
    if (sent === undefined && mine !== base) {
      sent = { content: mergeTexts(base, mine, head.content), version: head.version, text: mine };
      this.#store(file.path, { id, text: base, sent });
    }
    let theirs = head.content;
    if (sent !== undefined) {
      const { content, version } = sent;
      const mtime = Math.floor(Date.now() / 1000);
      const write = this.#vault.upsertNote({ id, path: head.path, content, version, mtime });
      const written = await write.catch((error: unknown) => {
        // The server has not written it, and no longer has that version.
        if (error instanceof ApiError && error.status === 409) this.#store(file.path, { id, text: base });
        throw error;
      });
      theirs = written.content;
      base = sent.text;
    }
    mine = await this.#app.vault.process(file, (now) => (now === base ? theirs : mergeTexts(base, now, theirs)));
    this.#store(file.path, { id, text: theirs });
    return mine === theirs;
  }

  #exclusively<Result>(run: () => Promise<Result>): Promise<Result> {
    const next = this.#busy.then(run);
    this.#busy = next.catch(() => undefined);
    return next;
  }

  #load(path: string): Agreed | null {
    return JSON.parse(localStorage.getItem(`agreed ${path}`) ?? 'null') as Agreed | null;
  }

  #store(path: string, agreed: Agreed): void {
    localStorage.setItem(`agreed ${path}`, JSON.stringify(agreed));
  }
}
