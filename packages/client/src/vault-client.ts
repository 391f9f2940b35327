import type { ActivityItem, ActivityPage, ActivityQuery, ActivityUndone } from '@notevault/protocol/activity.ts';
import type {
  Attachment,
  AttachmentRenamed,
  AttachmentsResponse,
  AttachmentUploaded,
} from '@notevault/protocol/attachments.ts';
import type {
  ExplicitFolders,
  Folder,
  FolderRenamed,
  FolderResponse,
  FoldersResponse,
  NotesInFolder,
} from '@notevault/protocol/folders.ts';
import type { Backlink, BacklinksResponse, DanglingLinks, MovedCount } from '@notevault/protocol/links.ts';
import type { LinkMention, MentionLinked, Mentions } from '@notevault/protocol/mentions.ts';
import type {
  Appended,
  BatchResponse,
  BatchResult,
  Counted,
  Note,
  NoteListed,
  NoteRenamed,
  NoteUpserted,
  NoteVersion,
  RecentNotes,
  TagsResponse,
  UpsertNote,
  VersionsResponse,
} from '@notevault/protocol/notes.ts';
import type { DailyNote } from '@notevault/protocol/personal.ts';
import type { QueryRequest, QueryResponse } from '@notevault/protocol/queries.ts';
import type { RenamedMany, RenameMany } from '@notevault/protocol/rename-many.ts';
import type { SearchRequest, SearchResponse, SearchStatus } from '@notevault/protocol/search.ts';
import type {
  KnownNote,
  KnownNotes,
  Manifest,
  SyncChange,
  SyncChanges,
  VaultGraph,
  VaultTree,
} from '@notevault/protocol/sync.ts';
import type { Tasks, TasksQuery, TaskToggled, ToggleTask } from '@notevault/protocol/tasks.ts';
import type { NewTicket, Ticket } from '@notevault/protocol/tickets.ts';
import type { TrashPage, TrashRestored } from '@notevault/protocol/trash.ts';
import type { RenameTag, ReplaceText, VaultChange } from '@notevault/protocol/vault-changes.ts';
import { type FeedPage, feedPage, followChanges } from './change-feed.ts';
import type { RangedBytes, RangedOptions } from './ranged-read.ts';
import type { SlicedFile, SliceOptions } from './sliced-upload.ts';
import { ApiError, type Body, type Call, encodedPath, type Transport } from './transport.ts';

/** The text of `note_not_found`. The catalogue itself would be most of what a page loads of the protocol. */
const NOTE_NOT_FOUND = 'not found';
/** The text of `activity_not_found`; a vault that is out of reach has another. */
const ACTIVITY_NOT_FOUND = 'not_found';
/** The text of an answer to an operation that the server does not have. */
const UNKNOWN_ROUTE = 'not_found';

/** Bytes to upload. */
export interface Upload {
  /** Returns the bytes; called for each attempt. */
  readonly bytes: () => Body;
  /** Epoch seconds. */
  readonly mtime: number;
  /** The hash of the attachment to replace, or null if there must be none at the path; undefined to replace any. */
  readonly over?: string | null;
}

export interface AttachmentBytes {
  readonly mimeType: string;
  /** SHA-256 of the bytes, lower-case hex. */
  readonly hash: string;
  /** The number of bytes, if the server said it. */
  readonly size: number | null;
  readonly bytes: ReadableStream<Uint8Array>;
}

/** The operations on one vault. All of them throw ApiError and ConnectionError. */
export class VaultClient {
  readonly id: string;
  readonly #transport: Transport;

  constructor(transport: Transport, id: string) {
    this.#transport = transport;
    this.id = id;
  }

  /** Returns the note at a path; null when there is none. */
  async readNote(path: string): Promise<Note | null> {
    return orNull(this.#get<Note>(`/notes/${encodedPath(path)}`));
  }

  async readNoteById(id: string): Promise<Note | null> {
    return orNull(this.#get<Note>(`/notes/by-id/${id}`));
  }

  async upsertNote(note: UpsertNote): Promise<Note> {
    return (await this.#post<NoteUpserted>('/notes', note)).note;
  }

  /**
   * Writes at most 100 notes independently; returns a result for each, in order.
   *
   * @param isDeliberate whether somebody wants them back that another device may have deleted a moment ago
   */
  async upsertNotes(notes: readonly UpsertNote[], isDeliberate = false): Promise<BatchResult[]> {
    const call = { method: 'POST', path: '/notes/batch', json: { notes }, vault: this.id } as const;
    // The server refuses what a device may only not have heard of.
    return (await this.#transport.json<BatchResponse>({ ...call, isWithoutDevice: isDeliberate })).results;
  }

  async appendToNote(path: string, text: string): Promise<Appended> {
    return this.#post<Appended>('/notes/append', { path, text });
  }

  async renameNote(from: string, to: string, dryRun = false): Promise<NoteRenamed> {
    return this.#post<NoteRenamed>('/notes/rename', { old_path: from, new_path: to, ...dryField(dryRun) });
  }

  /** Renames notes and attachments, all or none; one may take the path that another one has. At most 100. */
  async renameMany(moves: RenameMany['moves']): Promise<RenamedMany> {
    return this.#post<RenamedMany>('/vault/rename-many', { moves });
  }

  async moveNotes(ids: readonly string[], folder: string, dryRun = false): Promise<MovedCount> {
    return this.#post<MovedCount>('/notes/batch-move', { ids, target_folder: folder, ...dryField(dryRun) });
  }

  /** Deletes the note if it exists; with `hash`, only while it has that content. */
  async deleteNote(id: string, hash?: string): Promise<void> {
    await this.#delete(`/notes/by-id/${id}`, hash);
  }

  async deleteNotes(ids: readonly string[]): Promise<void> {
    await this.#post('/notes/batch-delete', { ids });
  }

  /** @param withContext adds the text around each link. */
  async backlinksOf(id: string, withContext = false): Promise<Backlink[]> {
    const query = withContext ? { context: true } : {};
    return (await this.#get<BacklinksResponse>(`/notes/by-id/${id}/backlinks`, query)).backlinks;
  }

  /** Returns a page of the places where other notes name a note without a link. */
  async mentionsOf(id: string, cursor: string | null = null): Promise<Mentions> {
    return this.#get<Mentions>(`/notes/by-id/${id}/mentions`, cursor === null ? {} : { cursor });
  }

  /** Makes a link of a mention of a note; throws `text_changed` if its place reads otherwise. */
  async linkMention(id: string, mention: LinkMention): Promise<MentionLinked> {
    return this.#post<MentionLinked>(`/notes/by-id/${id}/mentions/link`, mention);
  }

  /** Newest first, including the current version. */
  async versionsOf(id: string): Promise<NoteVersion[]> {
    return (await this.#get<VersionsResponse>(`/notes/by-id/${id}/versions`)).versions;
  }

  async readVersion(id: string, version: number): Promise<Note | null> {
    return orNull(this.#get<Note>(`/notes/by-id/${id}/versions/${version}`));
  }

  async restoreVersion(id: string, version: number): Promise<Note> {
    return (await this.#post<NoteUpserted>(`/notes/by-id/${id}/restore`, { version })).note;
  }

  async tags(): Promise<Counted[]> {
    return (await this.#get<TagsResponse>('/tags')).tags;
  }

  /** Newest change first. */
  async recentNotes(limit: number): Promise<NoteListed[]> {
    return (await this.#get<RecentNotes>('/notes/recent', { limit })).notes;
  }

  /** Returns the notes directly inside a folder. */
  async notesIn(folder: string): Promise<NoteListed[]> {
    return (await this.#get<NotesInFolder>('/folders/list', { folder })).notes;
  }

  /** Lists all folders, root first, including implicit folders that exist only because of their contents. */
  async folders(): Promise<Folder[]> {
    return (await this.#get<FoldersResponse>('/folders')).folders;
  }

  /** Paths of explicit folders, which remain when they are empty. */
  async explicitFolders(): Promise<string[]> {
    return (await this.#get<ExplicitFolders>('/folders/explicit')).folders.map(({ name }) => name);
  }

  async createFolder(path: string): Promise<Folder> {
    return (await this.#post<FolderResponse>('/folders', { folder: path })).folder;
  }

  async renameFolder(from: string, to: string, dryRun = false): Promise<FolderRenamed> {
    return this.#post<FolderRenamed>('/folders/rename', { old_path: from, new_path: to, ...dryField(dryRun) });
  }

  /** Deletes an empty folder; with `recursive`, also a folder with contents. */
  async deleteFolder(path: string, { recursive = false } = {}): Promise<void> {
    const query = recursive ? { recursive } : {};
    await this.#transport.json({ method: 'DELETE', path: `/folders/${encodedPath(path)}`, query, vault: this.id });
  }

  async attachmentsIn(folder: string): Promise<Attachment[]> {
    return (await this.#get<AttachmentsResponse>('/attachments', { folder })).attachments;
  }

  async attachments(): Promise<Attachment[]> {
    return (await this.#get<AttachmentsResponse>('/attachments')).attachments;
  }

  /** Returns whether there is a note at a path. The text that the server sends is not read. */
  async hasNote(path: string): Promise<boolean> {
    const call = { method: 'GET', path: `/notes/${encodedPath(path)}`, vault: this.id } as const;
    const answer = await this.#transport.send(call, [404]);
    await answer.body?.cancel();
    return answer.status !== 404;
  }

  /** Streams the bytes of an attachment; null when there is none. */
  async readAttachment(path: string): Promise<AttachmentBytes | null> {
    const call = {
      method: 'GET',
      path: `/attachments/${encodedPath(path)}`,
      query: { raw: 1 },
      vault: this.id,
    } as const;
    const answer = await this.#transport.send(call, [404]);
    if (answer.status === 404) {
      await answer.body?.cancel();
      return null;
    }
    const length = answer.headers.get('content-length');
    return {
      mimeType: answer.headers.get('content-type')?.split(';', 1)[0] ?? 'application/octet-stream',
      hash: (answer.headers.get('etag') ?? '').replaceAll('"', ''),
      size: length === null ? null : Number(length),
      bytes: bytesOf(answer),
    };
  }

  /** Streams bytes to the server while they are read. */
  async putAttachment(path: string, { bytes, mtime, over }: Upload): Promise<Attachment> {
    const headers: Record<string, string> = {
      'content-type': 'application/octet-stream',
      'x-mtime': mtime.toFixed(6),
    };
    if (over === null) headers['if-none-match'] = '*';
    else if (over !== undefined) headers['if-match'] = `"${over}"`;
    const call = { method: 'PUT', path: `/attachments/${encodedPath(path)}`, vault: this.id, bytes, headers } as const;
    return (await this.#transport.json<AttachmentUploaded>(call)).attachment;
  }

  /** Uploads a file in slices: see `uploadInSlices`. */
  async putAttachmentInSlices(file: SlicedFile, options?: SliceOptions): Promise<Attachment> {
    const { uploadInSlices } = await import('./sliced-upload.ts');
    return uploadInSlices(this.#transport, this.id, file, options);
  }

  /** Opens an attachment to read it in ranges: see `readInRanges`. */
  async readAttachmentInRanges(path: string, options?: RangedOptions): Promise<RangedBytes | null> {
    const { readInRanges } = await import('./ranged-read.ts');
    return readInRanges(this.#transport, this.id, path, options);
  }

  /** Makes a URL for one download or upload, which needs no credential for five minutes. */
  async createTicket(ticket: NewTicket): Promise<Ticket> {
    return this.#post<Ticket>('/tickets', ticket);
  }

  async renameAttachment(from: string, to: string): Promise<AttachmentRenamed> {
    return this.#post<AttachmentRenamed>('/attachments/rename', { old_path: from, new_path: to });
  }

  /** Deletes the attachment if it exists; with `hash`, only while it has those bytes. */
  async deleteAttachment(path: string, hash?: string): Promise<void> {
    await this.#delete(`/attachments/${encodedPath(path)}`, hash);
  }

  /** Returns where the daily note of a day (`YYYY-MM-DD`) is or belongs. */
  dailyNote(date: string): Promise<DailyNote> {
    return this.#get<DailyNote>('/vault/daily', { date });
  }

  /** Returns a page of what was deleted and can be restored, newest first; with `path`, only what had that path. */
  async trash(cursor: string | null = null, path?: string, limit?: number): Promise<TrashPage> {
    const query = { cursor: cursor ?? undefined, path, limit };
    return this.#transport.json({ method: 'GET', path: '/trash', query, vault: this.id });
  }

  /** Lists who did what in the vault, newest first. */
  async activity(query: ActivityQuery = {}): Promise<ActivityPage> {
    return this.#get<ActivityPage>('/vault/activity', query);
  }

  /** An activity with its changes and their differences; null when there is none. */
  async readActivity(id: string): Promise<ActivityItem | null> {
    return this.#get<ActivityItem>(`/vault/activity/${id}`).catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 404 && error.code === ACTIVITY_NOT_FOUND) return null;
      throw error;
    });
  }

  /** Undoes an activity, or only answers what that would change. Repeated, it changes nothing more. */
  async undoActivity(id: string, dryRun = false): Promise<ActivityUndone> {
    return this.#post<ActivityUndone>(`/vault/activity/${id}/undo`, { dry_run: dryRun });
  }

  /** Restores a deleted note or attachment, with its id, to the path that it had or to another one. */
  async restoreFromTrash(id: string, path?: string): Promise<TrashRestored> {
    return this.#post<TrashRestored>(`/trash/${id}/restore`, path === undefined ? {} : { path });
  }

  /** Deletes a note or attachment in the trash for good. */
  async deleteFromTrash(id: string): Promise<void> {
    await this.#delete(`/trash/${id}`, undefined);
  }

  /**
   * Every note and attachment; fails when one is damaged, because a copy without it would pass for a whole one, unless
   * damaged ones are to be listed apart.
   */
  async manifest({ damage }: { damage?: 'list' } = {}): Promise<Manifest> {
    return this.#get<Manifest>('/sync/manifest', damage === undefined ? undefined : { unreadable: damage });
  }

  /**
   * Returns which of at most 500 texts are those of the notes at their paths, or of earlier versions of them; null where
   * the server is older and cannot tell.
   */
  async knownNotes(
    notes: readonly { readonly path: string; readonly content_hash: string }[],
  ): Promise<KnownNote[] | null> {
    try {
      return (await this.#post<KnownNotes>('/sync/known', { notes })).notes;
    } catch (error) {
      if (error instanceof ApiError && error.status === 404 && error.code === UNKNOWN_ROUTE) return null;
      throw error;
    }
  }

  /** Every note, and which notes link to which. */
  async graph(): Promise<VaultGraph> {
    return this.#get<VaultGraph>('/vault/graph');
  }

  /** Returns a page of the links without a target. */
  async dangling(cursor: string | null = null, limit?: number): Promise<DanglingLinks> {
    return this.#get<DanglingLinks>('/vault/dangling', { cursor: cursor ?? undefined, limit });
  }

  /** Returns the file tree. Damaged rows are listed apart: their paths are not known, and they were not deleted. */
  async tree(): Promise<VaultTree> {
    return this.#get<VaultTree>('/vault/tree', { unreadable: 'list' });
  }

  /**
   * Returns a page of the change feed. The cursor sent counts as applied by this device. Null when the cursor is no
   * longer valid and the feed has to be read from the start.
   */
  async changes(cursor: string | null, { limit = 500, content = false } = {}): Promise<FeedPage | null> {
    const query = { limit, fields: content ? 'all' : 'meta', ...(cursor === null ? {} : { cursor }) };
    const call = { method: 'GET', path: '/sync/changes', query, vault: this.id } as const;
    const answer = await this.#transport.send(call, [410]);
    const page = await this.#transport.read<SyncChanges>(answer);
    return answer.status === 410 ? null : feedPage(page);
  }

  /** Yields the changes after a cursor, and all later ones: see `followChanges`. */
  follow(cursor: string | null, options: Parameters<typeof followChanges>[2] = {}): AsyncIterable<SyncChange[]> {
    return followChanges(this, cursor, options);
  }

  async search(request: SearchRequest): Promise<SearchResponse> {
    return this.#transport.json({ method: 'POST', path: '/search', json: request, vault: this.id });
  }

  async query(request: QueryRequest): Promise<QueryResponse> {
    return this.#transport.json({ method: 'POST', path: '/vault/query', json: request, vault: this.id });
  }

  /** Returns a page of the tasks: by day, those without one last. */
  async tasks(request: TasksQuery = {}): Promise<Tasks> {
    return this.#get<Tasks>('/vault/tasks', request);
  }

  /** Ticks a task, or gives it another state; throws `text_changed` if its line reads otherwise. */
  async toggleTask(task: ToggleTask): Promise<TaskToggled> {
    return this.#post<TaskToggled>('/vault/tasks/toggle', task);
  }

  /** Gives a tag and those nested in it another name in all notes. A dry run answers the `plan` that the request then names. */
  async renameTag(request: RenameTag): Promise<VaultChange> {
    return this.#post<VaultChange>('/vault/tags/rename', request);
  }

  /** Replaces a text in all notes, by a dry run and its `plan` as `renameTag` does. */
  async replaceText(request: ReplaceText): Promise<VaultChange> {
    return this.#post<VaultChange>('/vault/replace', request);
  }

  async searchStatus(): Promise<SearchStatus> {
    return this.#get<SearchStatus>('/search/status');
  }

  #get<Body>(path: string, query: NonNullable<Call['query']> = {}): Promise<Body> {
    return this.#transport.json({ method: 'GET', path, query, vault: this.id });
  }

  #post<Body>(path: string, json: unknown): Promise<Body> {
    return this.#transport.json({ method: 'POST', path, json, vault: this.id });
  }

  async #delete(path: string, hash: string | undefined): Promise<void> {
    const headers = hash === undefined ? {} : { 'if-match': `"${hash}"` };
    await this.#transport.json({ method: 'DELETE', path, vault: this.id, headers });
  }
}

/** Converts a "not found" error to null; a missing vault is still an error. */
async function orNull<Body>(answer: Promise<Body>): Promise<Body | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404 && error.code === NOTE_NOT_FOUND) return null;
    throw error;
  }
}

/**
 * Holds the body of an answer until it is read: `fetch` cancels that of an answer that was garbage collected, unless it
 * is piped somewhere, and the file would look empty.
 */
function bytesOf(answer: Response): ReadableStream<Uint8Array> {
  const empty = new ReadableStream<Uint8Array>({ start: (controller) => controller.close() });
  return answer.body?.pipeThrough(new TransformStream<Uint8Array, Uint8Array>()) ?? empty;
}

function dryField(dryRun: boolean): { dry_run?: true } {
  return dryRun ? { dry_run: true } : {};
}
