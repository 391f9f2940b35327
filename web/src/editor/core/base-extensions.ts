import { bracketMatching, foldGutter, indentUnit } from '@codemirror/language';
import { highlightSelectionMatches, search } from '@codemirror/search';
import { EditorState, type Extension, Prec } from '@codemirror/state';
import {
  crosshairCursor,
  drawSelection,
  dropCursor,
  EditorView,
  highlightActiveLine,
  rectangularSelection,
} from '@codemirror/view';
import { formatBar } from '../bars/format-bar.ts';
import { noteCompletion } from '../completion/note-completion.ts';
import { fileDrop } from '../files/file-drop.ts';
import { uploads } from '../files/insert-files.ts';
import { linkHover } from '../hover/link-hover.ts';
import { linkClicks } from '../links/link-click.ts';
import { htmlPaste } from '../paste/html-paste.ts';
import { linkPaste } from '../paste/link-paste.ts';
import { plainPasteKeys } from '../paste/plain-paste.ts';
import { calloutFolds } from '../preview/callout-folds.ts';
import { codeParser } from '../syntax/code-parser.ts';
import { noteLanguage } from '../syntax/markdown-language.ts';
import { tablePaste } from '../table/paste.ts';
import { editorTheme } from '../theme/theme.ts';
import { carriageReturns } from './carriage-returns.ts';
import { foundPlace } from './found-place.ts';
import { noteKeymaps } from './keymaps.ts';
import { noteLanguageAttribute } from './note-language.ts';
import { printing } from './printing.ts';
import { textDirection } from './text-direction.ts';

/** In prose, an apostrophe is no quote that must be closed. */
const prose = Prec.high(EditorState.languageData.of(() => [{ closeBrackets: { brackets: ['(', '[', '{', '`'] } }]));

/** The language of notes, with highlighted code. */
export function createLanguage(): Extension {
  return noteLanguage(codeParser);
}

/** What every view of a note has, in all modes, beside the language. */
export const sharedExtensions: Extension = [
  EditorView.lineWrapping,
  editorTheme,
  carriageReturns,
  textDirection,
  noteLanguageAttribute,
  calloutFolds,
  linkClicks,
  foundPlace,
  printing,
];

/** What a view has that can be edited. */
export const editingExtensions: Extension = [
  prose,
  EditorState.allowMultipleSelections.of(true),
  EditorState.tabSize.of(4),
  indentUnit.of('    '),
  drawSelection(),
  dropCursor(),
  rectangularSelection(),
  crosshairCursor(),
  bracketMatching(),
  foldGutter(),
  highlightActiveLine(),
  highlightSelectionMatches(),
  search({ top: true }),
  noteCompletion,
  formatBar,
  linkHover,
  uploads,
  plainPasteKeys,
  tablePaste,
  linkPaste,
  fileDrop,
  htmlPaste,
  noteKeymaps,
];
