import { syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { barTheme } from './bars.ts';
import { blockTheme } from './blocks.ts';
import { chromeTheme } from './chrome.ts';
import { codeStyle, noteStyle } from './highlight.ts';
import { listTheme } from './lists.ts';
import { panelTheme } from './panels.ts';
import { printTheme } from './print.ts';
import { tableTheme } from './tables.ts';
import { textTheme } from './text.ts';

/** The look of the editor. Colours, sizes and spaces are the custom properties of the app. */
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
