import type { EditorCaret, EditorController, EditorMode, EditorSession } from '../editor/index.ts';
import { type Observable, ObservableValue } from '../platform/observable.ts';
import { changeEditorSettings, editorSettings } from './editor-settings.ts';
import { type ExcerptPlace, placeOfExcerpt } from './excerpt-place.ts';

/** Element that a command opens and focuses. */
export type FocusTarget = 'editor' | 'title' | 'panel';

/** Requests to the page of a note. */
export const NOTE_REQUESTS = [
  ...(['rename', 'move', 'duplicate', 'star', 'copyLink', 'publicLink', 'download', 'deleteNote'] as const),
] as const;
export type NoteRequest = (typeof NOTE_REQUESTS)[number];

/** A note that is open in this tab, was, or is about to be; for all that is not its editor: panels, palette, tree. */
export class OpenNote {
  readonly #mayFocus: () => boolean;
  readonly #editor = new ObservableValue<EditorController | null>(null);
  readonly #isReading = new ObservableValue(false);
  #focusTitle: (() => void) | null = null;
  #focus: FocusTarget | null = null;
  #anchor = '';
  #cursor: number | null = null;
  #place: ExcerptPlace | null = null;

  /** Its document; null while it is not open. */
  readonly session = new ObservableValue<EditorSession | null>(null);
  /** Its editor; null while there is none. */
  readonly editor: Observable<EditorController | null> = this.#editor;
  /** Whether it is read; else it is edited in the mode of the settings. */
  readonly isReading: Observable<boolean> = this.#isReading;
  /** Answers requests to the note; null while its page is not mounted. */
  answer: ((request: NoteRequest) => void) | null = null;
  /** Where the cursor was in its last editor. */
  caret: EditorCaret | undefined;
  /** A name that was being typed when its field was made anew. */
  typedTitle: string | null = null;

  /** @param mayFocus whether it may take the focus: not while keys are meant for something else. */
  constructor(mayFocus: () => boolean = () => true) {
    this.#mayFocus = mayFocus;
  }

  /** Records the editor, and runs the requests made before it was ready. */
  setEditor(editor: EditorController | null): void {
    this.#editor.set(editor);
    if (editor === null) return;
    this.focusIfWanted();
    const anchor = this.#anchor;
    this.#anchor = '';
    if (this.#showPlace(editor)) return;
    if (this.#cursor !== null) editor.goTo(this.#cursor, 'nearest');
    this.#cursor = null;
    if (anchor !== '') editor.goToAnchor(anchor);
  }

  get mode(): EditorMode {
    return this.isReading.get() ? 'reading' : editorSettings.get().writing;
  }

  /** Reading is a matter of this note; how notes are edited, of all. */
  setMode(mode: EditorMode): void {
    if (mode !== 'reading') changeEditorSettings({ writing: mode });
    this.#isReading.set(mode === 'reading');
  }

  /** Shows the note in a mode; if it is shown so, as it is edited: `preview` is the usual mode. */
  toggleMode(mode: EditorMode): void {
    if (this.mode !== mode) this.setMode(mode);
    else this.setMode(mode === 'reading' ? editorSettings.get().writing : 'preview');
  }

  /** Asks something of the page of the note. */
  ask(request: NoteRequest): void {
    this.answer?.(request);
  }

  /** Requests the focus before the note is shown; the first part to appear takes it. */
  wantFocus(target: FocusTarget): void {
    this.#focus = target;
  }

  /** Records how the title takes the focus; null while it is not there. */
  setTitle(focus: (() => void) | null): void {
    this.#focusTitle = focus;
  }

  /** Gives the editor or the title the focus if that was asked for and nothing else has it. */
  focusIfWanted(): void {
    const editor = this.#editor.get();
    if (editor === null) return;
    if (this.takeFocus('editor')) editor.focus();
    if (this.#focusTitle !== null && this.takeFocus('title')) this.#focusTitle();
  }

  /** Asks for a place to be shown that was found in the text, the next time that the note is gone to. */
  wantPlace(place: ExcerptPlace): void {
    this.#place = place;
  }

  /** Shows the place that is wanted, if it is still there. */
  #showPlace(editor: EditorController): boolean {
    const found = this.#place === null ? null : placeOfExcerpt(editor.text(), this.#place);
    this.#place = null;
    if (found !== null) editor.showPlace(found.from, found.to);
    return found !== null;
  }

  /** Asks for the focus at an offset of its text, before there is an editor. */
  wantCursor(offset: number): void {
    this.#cursor = offset;
  }

  /** Whether the focus is wanted here and may be taken; it is asked for once. */
  takeFocus(target: FocusTarget): boolean {
    if (this.#focus !== target || !this.#mayFocus()) return false;
    this.#focus = null;
    return true;
  }

  /** Goes to a heading or block, as soon as there is an editor; false if the note has none of that name. */
  goToAnchor(anchor: string): boolean {
    const editor = this.editor.get();
    if (editor !== null) return this.#showPlace(editor) || (anchor !== '' && editor.goToAnchor(anchor));
    this.#anchor = anchor;
    return true;
  }
}
