import type { LinkTarget } from '@notevault/note-html/links/destination.ts';
import { bestMatches } from '@notevault/note-text/names/match.ts';
import { foldPath } from '@notevault/note-text/paths.ts';
import type { Counted, Note } from '@notevault/protocol/notes.ts';
import type { VaultTree } from '@notevault/protocol/sync.ts';
import type { QueryClient } from '@tanstack/react-query';
import { keys } from '../../../data/keys.ts';
import type { UploadResult } from '../../../device/outbox/files.ts';
import type { EditorServices, EditorStrings, LinkStatus } from '../../../editor/index.ts';
import { newAttachmentPath } from '../../../media/attachment-path.ts';
import { BASE } from '../../../platform/base.ts';
import { excerptOf } from './excerpt.ts';
import { linkChoices, linkIndexOf, pathForDangling } from './link-index.ts';

/** The vault of the note, on the server. Everything throws ApiError and ConnectionError. */
export interface NoteServer {
  /** The tree, which is in the queries from then on. */
  tree(): Promise<VaultTree>;
  /** Sorted by use, the most used first. */
  tags(): Promise<readonly Counted[]>;
  /** Null for a note that is gone. */
  note(id: string): Promise<Note | null>;
  /** Makes an empty note; resolves to its id, or that of the note at the path, if there is one. */
  makeNote(path: string): Promise<string>;
  /** Writes what `edit` makes of a note unless somebody else wrote meanwhile; it is then asked again. */
  change(id: string, edit: (text: string) => string | null): Promise<void>;
  /** An address that the elements of a page can load. */
  attachmentUrl(path: string): Promise<string>;
  /**
   * Uploads a file, or keeps it until the server takes it. Throws also if there is something at the path, and the reason of
   * the signal.
   */
  upload(path: string, file: File, onProgress: (sent: number) => void, signal: AbortSignal): Promise<UploadResult>;
}

export interface NoteServicesOptions {
  readonly vault: string;
  readonly noteId: string;
  readonly server: NoteServer;
  /** Query cache of the vault. */
  readonly queries: QueryClient;
  readonly strings: EditorStrings;
  /** Opens a note at a heading or block. */
  openNote(id: string, anchor: string | null, newTab: boolean): void;
  /** Opens the page of an attachment. */
  openFile(id: string, newTab: boolean): void;
  /** Shows that something did not work. */
  reportError(error: unknown): void;
  /** Shows why a file waits here that the server was to have. */
  reportDelay(name: string, error: unknown): void;
  /** Why something did not work, as a sentence. */
  reasonOf(error: unknown): string;
  openTemplates(): void;
}

const SUGGESTIONS = 30;

/** Implements the editor's services with the query cache and the API. */
export class NoteServices implements EditorServices {
  readonly framesUrl = `${BASE}frames/`;
  readonly strings: EditorStrings;
  readonly #options: NoteServicesOptions;
  /** Paths of the uploads under way, in lower case: the tree does not have them yet. */
  readonly #uploading = new Set<string>();

  constructor(options: NoteServicesOptions) {
    this.#options = options;
    this.strings = options.strings;
  }

  readonly links: EditorServices['links'] = {
    status: (link) => this.#status(link),
    open: (link, { newTab }) => void this.#open(link, newTab).catch(this.#options.reportError),
    onChange: (listener) => this.#onTree(listener),
  };

  readonly completions: EditorServices['completions'] = {
    notes: async (query) => {
      const tree = this.#tree;
      return tree === undefined ? [] : linkChoices(tree, query, SUGGESTIONS);
    },
    note: async (target) => {
      const note = await this.#named(target);
      return note === null ? null : { text: note.content, isThis: note.id === this.#options.noteId };
    },
    change: async (target, edit) => {
      const note = await this.#named(target);
      if (note === null) return false;
      try {
        await this.#options.server.change(note.id, edit);
        return true;
      } catch (error) {
        this.#options.reportError(error);
        return false;
      }
    },
    tags: async (query) => {
      const tags = await this.#options.server.tags();
      return bestMatches(tags, query, SUGGESTIONS).map(({ name }) => name);
    },
  };

  readonly content: EditorServices['content'] = {
    excerpt: async (link) => {
      const note = await this.#noteOf(link);
      const text = note === null ? null : excerptOf(note.content, link.anchor);
      return note === null || text === null ? null : { title: note.title, text };
    },
    mediaUrl: async (path) => {
      const found = this.#resolve({ target: path, anchor: null, form: 'markdown' });
      return found?.kind === 'attachment' ? this.#options.server.attachmentUrl(found.path) : null;
    },
    // The query module is loaded with the first query.
    queryTables: async (kind, source) =>
      (await import('../../queries/query-tables.ts')).queryTables(this.#options.vault, kind, source),
    reasonOf: (error) => this.#options.reasonOf(error),
    upload: async (file, onProgress, signal) => {
      const { vault, server, queries } = this.#options;
      const stored = new Set(this.#tree?.attachments.map((attachment) => foldPath(attachment.path)));
      const isTaken = (one: string) => stored.has(foldPath(one)) || this.#uploading.has(foldPath(one));
      const path = newAttachmentPath(this.#path, file.name, isTaken);
      this.#uploading.add(foldPath(path));
      try {
        const report = (sent: number) => onProgress({ sent, total: file.size });
        const { isStored, delay } = await server.upload(path, file, report, signal);
        if (delay !== null) this.#options.reportDelay(file.name, delay);
        // The link must be live at once. What waits is in the tree already.
        if (isStored) await queries.invalidateQueries({ queryKey: keys.tree(vault) });
      } finally {
        this.#uploading.delete(foldPath(path));
      }
      return path;
    },
  };

  openTemplates(): void {
    this.#options.openTemplates();
  }

  get #tree(): VaultTree | undefined {
    return this.#options.queries.getQueryData<VaultTree>(keys.tree(this.#options.vault));
  }

  get #note(): Note | null {
    const { queries, vault, noteId } = this.#options;
    return queries.getQueryData<Note | null>(keys.note(vault, noteId)) ?? null;
  }

  /** Current path of the note, which may be moved while it is open. */
  get #path(): string {
    return this.#tree?.notes.find(({ id }) => id === this.#options.noteId)?.path ?? this.#note?.path ?? '';
  }

  #resolve(link: LinkTarget): { kind: 'note' | 'attachment'; id: string; path: string } | null {
    const tree = this.#tree;
    const found = tree === undefined ? null : linkIndexOf(tree).resolve(link, this.#path);
    if (found !== null) return found;
    // An alias that was written after the tree was read: the server knows it.
    const known = this.#note?.links.find(({ target_text: text, dangling }) => !dangling && text === link.target);
    const { target_note_id: id, target_path: path } = known ?? {};
    return id && path ? { kind: 'note', id, path } : null;
  }

  #status(link: LinkTarget): LinkStatus {
    if (this.#tree === undefined) return 'unknown';
    return this.#resolve(link) === null ? 'dangling' : 'live';
  }

  async #open(link: LinkTarget, newTab: boolean): Promise<void> {
    const { server, openNote, openFile } = this.#options;
    const found = this.#resolve(link);
    if (found?.kind === 'note') openNote(found.id, link.anchor, newTab);
    else if (found !== null) openFile(found.id, newTab);
    else if (link.target.trim() !== '') {
      openNote(await server.makeNote(pathForDangling(link.target, this.#path)), null, newTab);
    }
  }

  async #noteOf(link: LinkTarget): Promise<Note | null> {
    const { server } = this.#options;
    await server.tree();
    const found = this.#resolve(link);
    return found?.kind === 'note' ? server.note(found.id) : null;
  }

  #named(target: string): Promise<Note | null> {
    return this.#noteOf({ target: target.trim(), anchor: null, form: 'wikilink' });
  }

  #onTree(listener: () => void): () => void {
    const { queries, vault, noteId } = this.#options;
    const watched = new Set([JSON.stringify(keys.tree(vault)), JSON.stringify(keys.note(vault, noteId))]);
    return queries.getQueryCache().subscribe(({ type, query }) => {
      if (type === 'updated' && query.state.status === 'success' && watched.has(query.queryHash)) listener();
    });
  }
}
