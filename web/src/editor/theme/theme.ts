import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { CODE_TOKENS } from '@notevault/note-html/code-tokens.ts';
import { noteTags } from '@notevault/note-html/grammar/syntax-styles.ts';
import { barTheme } from './bars.ts';
import { blockTheme } from './blocks.ts';
import { chromeTheme } from './chrome.ts';
import { listTheme } from './lists.ts';
import { panelTheme } from './panels.ts';
import { tableTheme } from './tables.ts';
import { textTheme } from './text.ts';

/** Print theme: only the text, in black, without controls. */
const printTheme = EditorView.baseTheme({
  '@media print': {
    // Editors of embedded notes. A theme cannot name its own editor in a media query, so the page has the rule for it.
    '.cm-editor': { display: 'block !important' },
    '.cm-scroller': { overflow: 'visible !important', display: 'block !important' },
    '.nv-top': { position: 'static', width: 'auto !important', padding: '0 0 8px' },
    '.cm-content': { maxWidth: 'none', padding: '0', color: '#000' },
    '.cm-gutters, .cm-panels, .cm-tooltip, .cm-cursorLayer, .cm-selectionLayer, .cm-ySelectionCaret': {
      display: 'none !important',
    },
    '.nv-chip-add, .nv-property-remove, .nv-property-footer, .nv-code-copy, .nv-pdf-bar': {
      display: 'none !important',
    },
    '.nv-chip': { whiteSpace: 'normal' },
    '.nv-heading': { breakAfter: 'avoid' },
    '.nv-block, .nv-code-line, .nv-callout': { breakInside: 'avoid' },
    '.nv-link': { color: '#000' },
  },
});

/** Highlighting of markdown, which source mode uses too. */
export const noteStyle = HighlightStyle.define([
  { tag: tags.heading, fontWeight: '650' },
  { tag: tags.strong, fontWeight: '650' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.strikethrough, textDecoration: 'line-through' },
  { tag: [tags.processingInstruction, tags.contentSeparator, tags.labelName], color: 'var(--faint)' },
  { tag: [tags.link, tags.url, noteTags.wikilink, noteTags.hashtag, noteTags.footnote], color: 'var(--accent-ink)' },
  { tag: tags.monospace, fontFamily: 'var(--font-code)' },
  { tag: noteTags.highlight, backgroundColor: 'var(--highlight)' },
  { tag: [noteTags.math, tags.meta], color: 'var(--muted)' },
]);

/** Style of each kind of token, with a contrast of 4.5 : 1 on the code background. */
const CODE_LOOKS: Readonly<Record<keyof typeof CODE_TOKENS, Readonly<Record<string, string>>>> = {
  keyword: { color: 'var(--accent-ink)' },
  string: { color: 'var(--ok)' },
  number: { color: 'var(--warn)' },
  comment: { color: 'var(--faint)' },
  type: { color: 'var(--info)' },
  property: { color: 'var(--text)' },
  function: { fontWeight: '600' },
  invalid: { color: 'var(--danger)' },
};

export const codeStyle = HighlightStyle.define(
  Object.entries(CODE_TOKENS).map(([name, tag]) => ({ tag, ...CODE_LOOKS[name as keyof typeof CODE_TOKENS] })),
);

/** Theme of the editor. Colours, sizes and spaces are the app's custom properties. */
export const editorTheme: Extension = [
  textTheme,
  listTheme,
  blockTheme,
  tableTheme,
  panelTheme,
  barTheme,
  chromeTheme,
  printTheme,
  syntaxHighlighting(noteStyle),
  syntaxHighlighting(codeStyle),
];
