import { bracketMatching, foldGutter, indentUnit } from '@codemirror/language';
import { highlightSelectionMatches, search } from '@codemirror/search';
import { type Compartment, EditorState, type Extension, Prec, RangeSet, RangeSetBuilder } from '@codemirror/state';
import {
  crosshairCursor,
  Decoration,
  type DecorationSet,
  drawSelection,
  dropCursor,
  EditorView,
  highlightActiveLine,
  lineNumbers,
  rectangularSelection,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';
import { MAX_FRONTMATTER } from '@notevault/note-html/grammar/frontmatter.ts';
import { findFrontmatter } from '@notevault/note-text/frontmatter/fence.ts';
import { formatBar } from '../bars/format-bar.ts';
import { noteCompletion } from '../completion/note-completion.ts';
import { fileDrop } from '../files/file-drop.ts';
import { uploads } from '../files/insert-files.ts';
import { linkHover } from '../hover/link-hover.ts';
import { linkClicks } from '../links/link-click.ts';
import { mediaPresses } from '../media/media-widgets.ts';
import { htmlPaste } from '../paste/html-paste.ts';
import { linkPaste } from '../paste/link-paste.ts';
import { plainPasteKeys } from '../paste/plain-paste.ts';
import { calloutFolds } from '../preview/callout-folds.ts';
import { codeParser } from '../syntax/code-parser.ts';
import { noteLanguage } from '../syntax/markdown-language.ts';
import { tablePaste } from '../table/paste.ts';
import { editorTheme } from '../theme/theme.ts';
import type { EditorAppearance } from './controller.ts';
import { foundPlace } from './found-place.ts';
import { noteKeymaps } from './keymaps.ts';
import { noteLanguageAttribute } from './note-language.ts';
import { printing } from './printing.ts';
import { textDirection } from './text-direction.ts';

const hidden = Decoration.replace({});

/**
 * Hides the carriage returns of CRLF lines. They stay in the text, so that offsets match the note; the cursor skips
 * them with the line end.
 */
const carriageReturns = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = find(view);
    }
    update(update: ViewUpdate): void {
      if (update.view.composing) this.decorations = this.decorations.map(update.changes);
      else if (update.docChanged || update.viewportChanged) this.decorations = find(update.view);
    }
  },
  {
    decorations: ({ decorations }) => decorations,
    provide: (plugin) => EditorView.atomicRanges.of((view) => view.plugin(plugin)?.decorations ?? RangeSet.empty),
  },
);

function find(view: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  for (const { from, to } of view.visibleRanges) {
    const text = view.state.doc.sliceString(from, to);
    for (let at = text.indexOf('\r'); at >= 0; at = text.indexOf('\r', at + 1)) {
      builder.add(from + at, from + at + 1, hidden);
    }
  }
  return builder.finish();
}

/** Brackets that are closed automatically; not apostrophes, which prose uses on their own. */
const prose = Prec.high(EditorState.languageData.of(() => [{ closeBrackets: { brackets: ['(', '[', '{', '`'] } }]));

/** The language of notes, with highlighted code. */
export function createLanguage(): Extension {
  return noteLanguage(codeParser);
}

/** Extensions of every view of a note, in all modes, besides the language. */
export const sharedExtensions: Extension = [
  EditorView.lineWrapping,
  editorTheme,
  carriageReturns,
  textDirection,
  noteLanguageAttribute,
  calloutFolds,
  linkClicks,
  mediaPresses,
  foundPlace,
  printing,
];

/** Extensions of an editable view. */
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

/**
 * Reparses the note when frontmatter begins or ends. The parser reuses the tree before a change, so it would not notice
 * that a fence closed further down changes the start of the note.
 */
export function frontmatterWatch(language: Compartment, create: () => Extension): Extension {
  return EditorView.updateListener.of((update) => {
    if (!update.docChanged || bodyStart(update.startState) > 0 === bodyStart(update.state) > 0) return;
    update.view.dispatch({ effects: language.reconfigure(create()) });
  });
}

function bodyStart({ doc }: EditorState): number {
  if (!/^\ufeff?---[ \t]*\r?$/.test(doc.line(1).text)) return 0;
  return findFrontmatter(doc.sliceString(0, Math.min(doc.length, MAX_FRONTMATTER))).bodyStart;
}

/** Default appearance of the editor, until the app sets one. */
export const DEFAULT_APPEARANCE: EditorAppearance = {
  lineWidth: 'var(--measure)',
  hasLineNumbers: false,
  isSpellChecked: true,
};

/** Returns the extensions for an appearance. */
export function appearanceExtensions({ lineWidth, hasLineNumbers, isSpellChecked }: EditorAppearance): Extension {
  return [
    EditorView.editorAttributes.of({ style: `--nv-measure: ${lineWidth}` }),
    EditorView.contentAttributes.of(
      isSpellChecked ? { spellcheck: 'true', autocorrect: 'on', autocapitalize: 'sentences' } : { spellcheck: 'false' },
    ),
    hasLineNumbers ? lineNumbers() : [],
  ];
}
