import { mediaKind } from '@notevault/note-html/links/media-kind.ts';
import type { PageFile } from '@notevault/note-html/render/resolver.ts';
import { fileName } from '@notevault/note-text/paths.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { Note } from '@notevault/protocol/notes.ts';
import { pathOf } from '@notevault/protocol/public-url.ts';
import { type NoteId, parseUuid } from '@notevault/protocol/values/ids.ts';
import { lowerBound } from '@notevault/search-index/index/lower-bound.ts';
import { Coalescer } from '../../../concurrency/coalesce.ts';
import type { Tasks } from '../../../concurrency/task-worker.ts';
import { type Compute, TaskLimitError } from '../../../concurrency/worker-pool.ts';
import type { Attachments, OpenFile } from '../../content/attachments/attachments.ts';
import type { Folders } from '../../content/entries/entries.ts';
import type { CachedNote, Notes } from '../../content/notes/notes.ts';
import type { VaultCache } from '../../content/vaults/vaults.ts';
import { folderPage, notePage, type TreeNote, tooCostlyPage } from './page-html.ts';
import type { TextLanguage } from './page-texts.ts';
import type { OpenLink, PublicLinks } from './public-links.ts';
import type { PageTasks } from './tasks.ts';

export interface PagesDeps {
  readonly links: PublicLinks;
  readonly notes: Pick<Notes, 'getById' | 'cache'>;
  readonly attachments: Pick<Attachments, 'openById'>;
  readonly folders: Pick<Folders, 'entry'>;
  readonly cache: Pick<VaultCache, 'snapshot'>;
  readonly compute: Compute<Tasks>;
  readonly publicUrl: string;
}

/** Maximum notes in the tree of a page. */
const LISTED_MAX = 2_000;

/** A page with its status. */
export interface PublicPage {
  readonly html: string;
  readonly status: 200 | 422;
}

/** The pages of public links and their files. Each request finds its link first. */
export class PublicPages {
  readonly #deps: PagesDeps;
  /** The path of this server’s public address, before every address of a page. */
  readonly #base: string;
  readonly #opening = new Coalescer<string, PublicPage>();

  constructor(deps: PagesDeps) {
    this.#deps = deps;
    this.#base = pathOf(deps.publicUrl);
  }

  /** Whether browsers may send cookies by https alone. */
  get isSecure(): boolean {
    return this.#deps.publicUrl.startsWith('https:');
  }

  addressOf(token: string): string {
    return `${this.#base}/s/${encodeURIComponent(token)}`;
  }

  /**
   * The page of a link, or of a note below a folder’s link; 422 for a note that takes too long to render. Requests that
   * wait for the same page share it. Throws `public_link_not_found`.
   */
  open(link: OpenLink, token: string, noteId: string | null, language: TextLanguage): Promise<PublicPage> {
    return this.#opening.run(`${link.id} ${noteId} ${language}`, async () => {
      const page = await this.#open(link, token, noteId, language);
      await this.#deps.links.used(link);
      return page;
    });
  }

  async #open(link: OpenLink, token: string, noteId: string | null, language: TextLanguage): Promise<PublicPage> {
    try {
      const html = await (link.folder_id === null
        ? this.#note(link, token, noteId)
        : this.#site(link, token, noteId, language));
      return { html, status: 200 };
    } catch (error) {
      if (!(error instanceof TaskLimitError)) return asNotFound(error);
      return { html: tooCostlyPage(language), status: 422 };
    }
  }

  /** A file of a page. Throws `public_link_not_found`. */
  async file(token: string, fileId: string, signature: string): Promise<OpenFile> {
    const { links, attachments } = this.#deps;
    const link = await links.find(token);
    const id = parseUuid(fileId);
    if (id === null || !(await links.gate.isFile(link, id, signature))) {
      throw new NotevaultError('public_link_not_found');
    }
    return await attachments.openById(link.vault, id).catch(asNotFound);
  }

  async #note(link: OpenLink, token: string, noteId: string | null): Promise<string> {
    if (noteId !== null) throw new NotevaultError('public_link_not_found');
    const note = await this.#deps.notes.getById(link.vault, link.note_id as NoteId);
    return await this.#render(link, token, note, null);
  }

  /** A folder as a small site: its tree, its notes, and the links between them. */
  async #site(link: OpenLink, token: string, noteId: string | null, language: TextLanguage): Promise<string> {
    const { notes, folders, cache } = this.#deps;
    const folder = await folders.entry(link.vault, link.folder_id ?? '');
    if (folder === null) throw new NotevaultError('public_link_not_found');
    const prefix = `${folder.path}/`;
    const found = await cache.snapshot(link.vault, async (snapshot) => {
      const inside = notesBelow(prefix, await (await snapshot.rows(notes.cache)).sorted());
      return inside.map(
        ({ id, path, title }): TreeNote => ({
          ...{ title, path: path.slice(prefix.length), href: `${this.addressOf(token)}/n/${id}` },
          isOpen: id === noteId,
        }),
      );
    });
    const name = fileName(folder.path);
    const home = this.addressOf(token);
    const tree = found.slice(0, LISTED_MAX);
    if (noteId === null) return folderPage({ name, home, tree }, found.length > LISTED_MAX, language);
    const id = parseUuid(noteId);
    if (id === null) throw new NotevaultError('public_link_not_found');
    const note = await notes.getById(link.vault, id as NoteId);
    if (!note.path.startsWith(prefix)) throw new NotevaultError('public_link_not_found');
    return await this.#render(link, token, note, { prefix, name, home, tree });
  }

  async #render(
    link: OpenLink,
    token: string,
    note: Note,
    site: { readonly prefix: string; readonly name: string; readonly home: string; readonly tree: TreeNote[] } | null,
  ): Promise<string> {
    const sign = await this.#deps.links.gate.fileSigner(link);
    const notes = new Map<string, string>();
    const files = new Map<string, PageFile>();
    for (const {
      target_text: target,
      target_note_id: id,
      target_path: path,
      target_attachment_id: file,
    } of note.links ?? []) {
      if (file !== null) files.set(target, this.#fileOf(target, token, file, sign(file)));
      else if (id === note.id) notes.set(target, '');
      else if (id !== null && site !== null && path?.startsWith(site.prefix) === true)
        notes.set(target, `${this.addressOf(token)}/n/${id}`);
    }
    const input = { source: note.content, title: note.title, notes, files };
    // A share of its own: many requests for one link wait for each other, not for those of others.
    const compute = this.#deps.compute as Compute<PageTasks>;
    const { output: page } = await compute.run(`public-link ${link.id}`, 'renderPage', input, { patient: true });
    return notePage({ title: note.title, ...page, site });
  }

  #fileOf(target: string, token: string, id: string, signature: string): PageFile {
    const name = fileName(target);
    const kind = mediaKind(name);
    const isMedia = kind === 'audio' || kind === 'video' || (kind === 'image' && !/\.svg$/i.test(name));
    const href = `${this.addressOf(token)}/files/${id}?signature=${signature}`;
    return { href, show: isMedia ? kind : 'download', name };
  }
}

/** Returns the first notes below a folder, one more than are listed, from notes in the order of their paths. */
function notesBelow(prefix: string, sorted: readonly CachedNote[]): CachedNote[] {
  const first = lowerBound(sorted.length, (index) => (sorted[index]?.path ?? '') < prefix);
  return sorted.slice(first, first + LISTED_MAX + 1).filter(({ path }) => path.startsWith(prefix));
}

/** Throws one error for everything that is gone, damaged or moved out of the folder: readers are not told which. */
function asNotFound(error: unknown): never {
  const isGone = error instanceof NotevaultError && /_(?:not_found|unreadable)$/.test(error.code);
  throw isGone ? new NotevaultError('public_link_not_found') : error;
}
