import { KeptSteps } from './collab/kept-steps.ts';
import { NoteSession, type SessionOptions } from './collab/note-session.ts';
import { othersPresent, type Person, type Presence, presenceOf } from './collab/presence.ts';
import type * as Save from './collab/save-state.ts';
import type { KeptCaret } from './core/caret.ts';
import type * as Control from './core/controller.ts';
import type * as Facts from './core/facts.ts';
import type { EditorMode as Mode } from './core/modes.ts';
import { NoteEditor, type NoteEditorOptions as Options } from './core/note-editor.ts';
import type * as Services from './core/services.ts';
import type { EditorStrings as Strings } from './core/strings.ts';

// The entry of the editor: the rest of the app imports this file, and knows neither CodeMirror nor Yjs.

export type EditorController = Control.EditorController;
export type EditorAppearance = Control.EditorAppearance;
export type EditorCommand = Control.EditorCommand;
export type EditorCaret = KeptCaret;
export type EditorFacts = Facts.EditorFacts;
export type HeadingFact = Facts.HeadingFact;
export type EditorMode = Mode;
export type NoteEditorOptions = Options;
export type EditorServices = Services.EditorServices;
export type LinkServices = Services.LinkServices;
export type LinkStatus = Services.LinkStatus;
export type CompletionServices = Services.CompletionServices;
export type ContentServices = Services.ContentServices;
export type NoteSuggestion = Services.NoteSuggestion;
export type NoteExcerpt = Services.NoteExcerpt;
export type UploadProgress = Services.UploadProgress;
export type EditorStrings = Strings;
export type SaveState = Save.SaveState;
export type SaveWord = Save.SaveWord;
export type SaveProblem = Save.SaveProblem;
export type EditorSession = NoteSession;
export type EditorSessionOptions = SessionOptions;

/** Creates an editor in an element. Dispose of it before removing the element. */
export function createEditor(parent: HTMLElement, options: Options): EditorController {
  return new NoteEditor(parent, options);
}

/** Creates a store for the undo histories of the last closed notes, at most `capacity`. */
export function keepSteps(capacity: number): KeptSteps {
  return new KeptSteps(capacity);
}

/** Opens a note: its document, its copy on this device and its connection. */
export function openSession(options: SessionOptions): NoteSession {
  return new NoteSession(options);
}

/** Returns the presence of a client, to be set as `user` of the session's awareness. */
export function presence(name: string, clientId: number): Presence {
  return presenceOf(name, clientId);
}

/** Returns the other people who have a session's note open, each once. */
export function othersIn({ awareness }: NoteSession, noName: string): readonly Person[] {
  return awareness === null ? [] : othersPresent(awareness, awareness.clientID, noName);
}

/** Renders a PDF into an element, page by page, until the signal aborts. */
export async function drawPdfFile(
  parent: HTMLElement,
  url: string,
  strings: EditorStrings,
  signal: AbortSignal,
): Promise<void> {
  const { drawPdf } = await import('./media/pdf.ts');
  if (!signal.aborted) await drawPdf(parent, url, 1, strings, signal);
}

export type { QueryTable, QueryTables } from './core/services.ts';
