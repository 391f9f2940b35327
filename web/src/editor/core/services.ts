import { Facet } from '@codemirror/state';
import type { LinkTarget } from '@notevault/note-html/links/destination.ts';
import type { EditorStrings } from './strings.ts';

/** Whether a link has a target; `unknown` until the app knows, and rendered like `live`. */
export type LinkStatus = 'live' | 'dangling' | 'unknown';

export interface OpenOptions {
  readonly newTab: boolean;
}

/** Link services that the app provides. */
export interface LinkServices {
  status(link: LinkTarget): LinkStatus;
  /** Opens the target. For a dangling link, the app creates the note. */
  open(link: LinkTarget, options: OpenOptions): void;
  /** Calls the listener when a status may have changed; returns a function that removes it. */
  onChange(listener: () => void): () => void;
}

export interface NoteSuggestion {
  readonly title: string;
  /** Text to write between the brackets. */
  readonly insert: string;
  /** Folder or alias of the note, shown beside the title. */
  readonly detail: string;
}

/** A note that a link names while it is written. */
export interface LinkedNote {
  readonly text: string;
  /** Whether it is the edited note, whose text in the editor is newer. */
  readonly isThis: boolean;
}

/** Completion data that the app provides. Calls are answered quickly, mostly from cached data. */
export interface CompletionServices {
  notes(query: string, signal: AbortSignal): Promise<readonly NoteSuggestion[]>;
  /** Resolves to the note whose headings or blocks a link may name; null if there is none. */
  note(target: string, signal: AbortSignal): Promise<LinkedNote | null>;
  /**
   * Edits another note. `edit` is called again if somebody else wrote meanwhile; null leaves the note unchanged.
   * Resolves to false if nothing could be written, after the app has told the user.
   */
  change(target: string, edit: (text: string) => string | null): Promise<boolean>;
  /** Resolves to matching tags without `#`, the most used first. */
  tags(query: string, signal: AbortSignal): Promise<readonly string[]>;
}

/** A note, or a section of it, that another one embeds or that a hover shows. */
export interface NoteExcerpt {
  readonly title: string;
  readonly text: string;
}

export interface UploadProgress {
  readonly sent: number;
  readonly total: number;
}

/** A table of notes, the result of a query block. */
export interface QueryTable {
  /** Title of the table; empty if it has none. */
  readonly name: string;
  /** Titles of the columns after the note's own. */
  readonly columns: readonly string[];
  readonly rows: readonly {
    readonly id: string;
    readonly path: string;
    readonly name: string;
    /** The row's values, one for each column. */
    readonly values: readonly string[];
  }[];
  /** Number of matching notes, shown or not. */
  readonly total: number;
  /** Whether it is shown as a list, with a note's values after its name. */
  readonly isList: boolean;
  /** Loads the following rows; null at the end, and if the query has a limit. */
  readonly more: (() => Promise<QueryTable>) | null;
}

export interface QueryTables {
  readonly tables: readonly QueryTable[];
  /** Parts of the source that could not be parsed, verbatim. */
  readonly unread: readonly string[];
}

/** Services for embedded notes, files and queries. */
export interface ContentServices {
  /** Resolves to the note or section that a link names; null if there is none. */
  excerpt(link: LinkTarget, signal: AbortSignal): Promise<NoteExcerpt | null>;
  /** Resolves to our server's URL for an attachment, by the path as written in the note; null if there is none. */
  mediaUrl(path: string): Promise<string | null>;
  /** Uploads a file and returns the path to write into a link. */
  upload(file: File, onProgress: (progress: UploadProgress) => void, signal: AbortSignal): Promise<string>;
  /** Runs a `query` or `base` block. Throws an error whose `message` tells the user why there is no result. */
  queryTables?(kind: 'query' | 'base', source: string): Promise<QueryTables>;
  /** Returns the reason of a failure, as a sentence for the user. */
  reasonOf(error: unknown): string;
}

/** Services that the app provides to the editor. Nothing here knows CodeMirror. */
export interface EditorServices {
  readonly links: LinkServices;
  readonly completions: CompletionServices;
  readonly content: ContentServices;
  readonly strings: EditorStrings;
  /** URL of the folder with the sandboxed frames, such as `/frames/`. */
  readonly framesUrl: string;
  /** Opens the list of templates; the chosen one is inserted at the cursor. */
  openTemplates?(): void;
}

/** The services of a view, for extensions and widgets. */
export const services = Facet.define<EditorServices, EditorServices | null>({ combine: (values) => values[0] ?? null });
