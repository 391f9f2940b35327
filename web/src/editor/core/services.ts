import { Facet } from '@codemirror/state';
import type { LinkTarget } from '@notevault/note-html/links/destination.ts';
import type { EditorStrings } from './strings.ts';

/** Whether a link has a target: `unknown` until the app knows, which is shown like `live`. */
export type LinkStatus = 'live' | 'dangling' | 'unknown';

export interface OpenOptions {
  readonly newTab: boolean;
}

/** Link services that the app provides. */
export interface LinkServices {
  status(link: LinkTarget): LinkStatus;
  /** Opens the target. For a dangling link, the app makes the note. */
  open(link: LinkTarget, options: OpenOptions): void;
  /** Calls the listener when a status may have changed; returns a function that removes it. */
  onChange(listener: () => void): () => void;
}

export interface NoteSuggestion {
  readonly title: string;
  /** Text to write between the brackets. */
  readonly insert: string;
  /** Folder or alias, shown beside the title. */
  readonly detail: string;
}

/** A note that a link names while it is written. */
export interface LinkedNote {
  readonly text: string;
  /** Whether it is the note of the editor, whose own text is newer. */
  readonly isThis: boolean;
}

/** The data of completions. Each call is answered from what the app has, or soon. */
export interface CompletionServices {
  notes(query: string, signal: AbortSignal): Promise<readonly NoteSuggestion[]>;
  /** The note whose headings or blocks a link may name; null when there is none. */
  note(target: string, signal: AbortSignal): Promise<LinkedNote | null>;
  /**
   * Changes another note. `edit` is called again when somebody else wrote meanwhile; null leaves the note as it is. False
   * when nothing could be written, which the app has said then.
   */
  change(target: string, edit: (text: string) => string | null): Promise<boolean>;
  /** Tags without `#`, the most used first. */
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

/** A table of notes that a block asks for. */
export interface QueryTable {
  /** Empty if it has none. */
  readonly name: string;
  /** Titles of the columns behind that of the notes. */
  readonly columns: readonly string[];
  readonly rows: readonly {
    readonly id: string;
    readonly path: string;
    readonly name: string;
    /** One for each column. */
    readonly values: readonly string[];
  }[];
  /** How many notes fit, shown or not. */
  readonly total: number;
  /** Whether it is a list: the values of a note stand behind it. */
  readonly isList: boolean;
  /** Asks for the rows behind these; null at the end, and where the source limits them. */
  readonly more: (() => Promise<QueryTable>) | null;
}

export interface QueryTables {
  readonly tables: readonly QueryTable[];
  /** Parts of the source that were not understood, verbatim. */
  readonly unread: readonly string[];
}

/** Reading and adding what is beside the text. */
export interface ContentServices {
  /** The note or section that a link names; null when there is none. */
  excerpt(link: LinkTarget, signal: AbortSignal): Promise<NoteExcerpt | null>;
  /** An address of our own server for an attachment, by the path as written in the note; null when there is none. */
  mediaUrl(path: string): Promise<string | null>;
  /** Uploads a file and returns the path to write into a link. */
  upload(file: File, onProgress: (progress: UploadProgress) => void, signal: AbortSignal): Promise<string>;
  /** The tables of a block `query` or `base`; throws an error whose `message` says why there is none. */
  queryTables?(kind: 'query' | 'base', source: string): Promise<QueryTables>;
  /** Why something did not work, as a sentence. */
  reasonOf(error: unknown): string;
}

/** Services that the app provides to the editor. Nothing here knows CodeMirror. */
export interface EditorServices {
  readonly links: LinkServices;
  readonly completions: CompletionServices;
  readonly content: ContentServices;
  readonly strings: EditorStrings;
  /** The address of the folder with the sandboxed frames, such as `/frames/`. */
  readonly framesUrl: string;
  /** Lets a template be chosen, which is inserted at the cursor. */
  openTemplates?(): void;
}

/** The services of a view, for extensions and widgets. */
export const services = Facet.define<EditorServices, EditorServices | null>({ combine: (values) => values[0] ?? null });
