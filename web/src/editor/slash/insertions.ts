import type { Command, EditorView } from '@codemirror/view';
import { COMMANDS } from '../commands/commands.ts';
import { type EditorServices, services } from '../core/services.ts';
import { insertFiles } from '../files/insert-files.ts';
import type { SlashPlace } from './open-slash.ts';

export type InsertionName =
  | 'heading-1'
  | 'heading-2'
  | 'heading-3'
  | 'bullet-list'
  | 'ordered-list'
  | 'task'
  | 'quote'
  | 'callout'
  | 'code-block'
  | 'table'
  | 'formula'
  | 'diagram'
  | 'query'
  | 'divider'
  | 'note-link'
  | 'link'
  | 'file'
  | 'date'
  | 'time'
  | 'footnote'
  | 'template';

interface Insertion {
  readonly name: InsertionName;
  /** A path on a grid of 24. */
  readonly icon: string;
  readonly run: Command;
  /** Where it is offered: `block` at the start of a line, `line` also after other line marks, `inline` anywhere. */
  readonly kind: 'block' | 'line' | 'inline';
  /** English synonyms, which find it in every language. */
  readonly words: string;
}

type Row = readonly [InsertionName, Insertion['kind'], Command, words: string, icon: string];

const FRAME = 'M4 5h16v14H4z';
const HEADING = 'M4 6v12M12 6v12M4 12h8';

/** In the order of the menu. */
const ROWS: readonly Row[] = [
  ['heading-1', 'block', COMMANDS['heading-1'], 'h1 title', `${HEADING}M17 10l2.5-1.5V18`],
  ['heading-2', 'block', COMMANDS['heading-2'], 'h2', `${HEADING}M16 11a2 2 0 1 1 3.6 1.2L16 18h4.5`],
  ['heading-3', 'block', COMMANDS['heading-3'], 'h3', `${HEADING}M16 9h4l-2.2 3.4A2.6 2.6 0 1 1 16 17`],
  [
    'bullet-list',
    'line',
    COMMANDS['bullet-list'],
    'ul bullets',
    'M9 6h11M9 12h11M9 18h11M4.5 6h.01M4.5 12h.01M4.5 18h.01',
  ],
  [
    'ordered-list',
    'line',
    COMMANDS['ordered-list'],
    'ol numbers',
    'M10 6h10M10 12h10M10 18h10M4 5l1.5-1v5M4 14.5a1.3 1.3 0 1 1 2 1.2L4 19h2.5',
  ],
  ['task', 'line', COMMANDS['toggle-task'], 'todo checkbox', `${FRAME}M8 12l3 3 5-6`],
  ['quote', 'line', COMMANDS.quote, 'citation', 'M5 5v14M10 8h9M10 12h9M10 16h6'],
  [
    'callout',
    'line',
    COMMANDS.callout,
    'note tip warning admonition',
    'M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0zM12 11v5M12 8h.01',
  ],
  ['code-block', 'block', COMMANDS['code-block'], 'program fence', 'm8 7-5 5 5 5M16 7l5 5-5 5'],
  ['table', 'block', COMMANDS.table, 'grid', `${FRAME}M4 10h16M10 5v14`],
  ['formula', 'block', put('$$\n', '\n$$'), 'math latex equation', 'M18 6V5H6l6 7-6 7h12v-1'],
  ['diagram', 'block', put('```mermaid\ngraph LR\n  ', '\n```'), 'mermaid chart', 'M4 4h6v5H4zM14 15h6v5h-6zM7 9v8h7'],
  [
    'query',
    'block',
    put('```query\ntags: [', ']\ncolumns: [file.modified]\n```'),
    'base list of notes',
    'M4 6h16M7 12h10M10 18h4',
  ],
  ['divider', 'block', put('***\n', ''), 'line rule hr', 'M3 12h18'],
  ['note-link', 'inline', COMMANDS['note-link'], 'wikilink', 'M9 5H5v14h4M15 5h4v14h-4M9 12h6'],
  [
    'link',
    'inline',
    COMMANDS.link,
    'url address',
    'M10 14a4 4 0 0 0 5.7 0l3.3-3.3a4 4 0 0 0-5.7-5.7L12 6.3M14 10a4 4 0 0 0-5.7 0L5 13.3a4 4 0 0 0 5.7 5.7l1.3-1.3',
  ],
  ['file', 'inline', pickFiles, 'image upload attachment', 'M4 5h16v14H4zM4 16l5-5 5 5 2-2 4 4M15.5 9.5h.01'],
  [
    'date',
    'inline',
    putNow((now) => now.toLocaleDateString('sv')),
    'today',
    'M4 6h16v14H4zM4 10.5h16M8 3.5V8M16 3.5V8',
  ],
  [
    'time',
    'inline',
    putNow((now) => now.toLocaleTimeString('sv', { hour: '2-digit', minute: '2-digit' })),
    'now clock',
    'M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0zM12 7v5l3 2',
  ],
  ['footnote', 'inline', putFootnote, 'reference', 'M4 7h8M4 12h10M4 17h6M18 5l-1.5 1M18 5v5'],
  ['template', 'inline', openTemplates, 'snippet', 'M9 9h11v11H9zM15 9V4H4v11h5'],
];

const ALL: readonly Insertion[] = ROWS.map(([name, kind, run, words, icon]) => ({ name, kind, run, words, icon }));

/** Returns the insertions that are possible where a slash is. */
export function insertionsAt(place: SlashPlace, app: EditorServices): readonly Insertion[] {
  return ALL.filter(
    ({ name, kind }) =>
      (place === 'start' || kind === 'inline' || (place === 'marks' && kind === 'line')) &&
      (name !== 'template' || app.openTemplates !== undefined),
  );
}

/** Returns a command that inserts two texts with the cursor between them. */
function put(before: string, after: string): Command {
  return (view) => {
    const { from, to } = view.state.selection.main;
    const changes = { from, to, insert: before + after };
    view.dispatch({
      changes,
      selection: { anchor: from + before.length },
      userEvent: 'input.complete',
      scrollIntoView: true,
    });
    return true;
  };
}

function putNow(text: (now: Date) => string): Command {
  return (view) => put(text(new Date()), '')(view);
}

/** Inserts a footnote reference and its definition at the end of the note, and moves the cursor there. */
function putFootnote(view: EditorView): boolean {
  const { doc, selection } = view.state;
  const text = doc.toString();
  const used = new Set(Array.from(text.matchAll(/\[\^(\d{1,9})\]/g), ([, number]) => Number(number)));
  let number = 1;
  while (used.has(number)) number++;
  const mark = `[^${number}]`;
  const gap = text.endsWith('\n\n') ? '' : text.endsWith('\n') ? '\n' : '\n\n';
  const definition = `${gap}${mark}: `;
  const changes = [
    { from: selection.main.from, insert: mark },
    { from: doc.length, insert: definition },
  ];
  const anchor = doc.length + mark.length + definition.length;
  view.dispatch({ changes, selection: { anchor }, userEvent: 'input.complete', scrollIntoView: true });
  return true;
}

/** Opens a file dialog, and uploads the chosen files to the cursor. */
function pickFiles(view: EditorView): boolean {
  const input = document.createElement('input');
  input.type = 'file';
  input.multiple = true;
  input.addEventListener('change', () => {
    void insertFiles(view, [...(input.files ?? [])], view.state.selection.main.head);
    view.focus();
  });
  input.click();
  return true;
}

function openTemplates(view: EditorView): boolean {
  view.state.facet(services)?.openTemplates?.();
  return true;
}
