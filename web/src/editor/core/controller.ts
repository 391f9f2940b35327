import type { Observable } from '../../platform/observable.ts';
import type { KeptCaret } from './caret.ts';
import type { EditorFacts } from './facts.ts';
import type { EditorMode } from './modes.ts';

/** A command that menus, the palette and keys share. */
export type EditorCommand =
  | 'bold'
  | 'italic'
  | 'strikethrough'
  | 'highlight'
  | 'code'
  | 'link'
  | 'note-link'
  | 'insert'
  | 'heading-1'
  | 'heading-2'
  | 'heading-3'
  | 'heading-4'
  | 'heading-5'
  | 'heading-6'
  | 'bullet-list'
  | 'ordered-list'
  | 'task-list'
  | 'quote'
  | 'callout'
  | 'code-block'
  | 'table'
  | 'table-row'
  | 'table-column'
  | 'table-delete-row'
  | 'table-delete-column'
  | 'table-row-up'
  | 'table-row-down'
  | 'table-column-left'
  | 'table-column-right'
  | 'table-align-left'
  | 'table-align-center'
  | 'table-align-right'
  | 'toggle-task'
  | 'undo'
  | 'redo'
  | 'find'
  | 'fold'
  | 'unfold'
  | 'fold-all'
  | 'unfold-all'
  | 'properties';

/** A user's preferences for the appearance of the editor. */
export interface EditorAppearance {
  /** Maximum line width, as a CSS length; `none` for the full width. */
  readonly lineWidth: string;
  readonly hasLineNumbers: boolean;
  readonly isSpellChecked: boolean;
}

/** The app's interface to an editor. It names text and commands, never CodeMirror. */
export interface EditorController extends Disposable {
  readonly mode: EditorMode;
  setMode(mode: EditorMode): void;
  setCanWrite(canWrite: boolean): void;
  setAppearance(appearance: EditorAppearance): void;
  setVim(isOn: boolean): Promise<void>;
  /** The label for screen readers: the title of the note. */
  setLabel(label: string): void;
  /** Takes the focus, and scrolls to the cursor. */
  focus(): void;
  /** Returns the cursor, for a later editor of the same note. */
  caret(): KeptCaret;
  text(): string;
  /** Whether a command applies where the cursor is. */
  canRun(command: EditorCommand): boolean;
  /** Runs a command; false when it does not apply here. */
  run(command: EditorCommand): boolean;
  /** Moves the cursor to an offset, and scrolls it to the top, or just into view. */
  goTo(offset: number, scroll?: 'top' | 'nearest'): void;
  /** Moves the cursor to a range, and highlights the range until the text or the cursor changes. */
  showPlace(from: number, to: number): void;
  /** Moves to a heading (by its text) or a block (`^id`); returns false if the note has no such anchor. */
  goToAnchor(anchor: string): boolean;
  /** Replaces the selection; the cursor moves to an offset in the inserted text, or behind it. */
  insert(text: string, cursor?: number): void;
  /** Uploads files, and inserts links to them at the cursor. */
  insertFiles(files: readonly File[]): Promise<void>;
  /** Prints the note once everything in it is rendered. */
  print(): Promise<void>;
  readonly facts: Observable<EditorFacts>;
  /** Element above the text, which scrolls with it. */
  readonly top: HTMLElement;
}
