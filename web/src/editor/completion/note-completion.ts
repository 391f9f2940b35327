import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import type { ChangeSpec, EditorState, Extension } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import { bestMatches } from '@notevault/note-text/names/match.ts';
import { scan } from '@notevault/note-text/scan.ts';
import { type CompletionServices, services } from '../core/services.ts';
import { type Block, blocksIn, namingOf, newBlockId } from '../links/blocks.ts';
import { completeSlash, optionIcon } from '../slash/slash-menu.ts';

/**
 * Completes `[[` with notes, headings and blocks, `#` with tags, and `/` with insertions. A chosen block gets an id.
 */
export const noteCompletion: Extension = autocompletion({
  override: [completeLink, completeTag, completeSlash],
  icons: false,
  addToOptions: [{ render: optionIcon, position: 10 }],
  activateOnTyping: true,
  // Enter right after `[[` must still end the line of a list until an option is selected.
  interactionDelay: 50,
});

async function completeLink(context: CompletionContext): Promise<CompletionResult | null> {
  const line = context.state.doc.lineAt(context.pos);
  const open = readOpenLink(line.text.slice(0, context.pos - line.from));
  const source = context.state.facet(services)?.completions;
  if (open === null || source === undefined) return null;
  const signal = abortSignalOf(context);
  const from = line.from + open.from;
  const options = await optionsOf(source, open, context.state, signal);
  return signal.aborted ? null : { from, options, filter: false };
}

async function optionsOf(
  source: CompletionServices,
  open: OpenLink,
  state: EditorState,
  signal: AbortSignal,
): Promise<Completion[]> {
  if (open.kind === 'note') {
    const notes = await source.notes(open.query, signal);
    return notes.map(({ title, detail, insert }) => ({ label: title, detail, apply: applyLink(insert) }));
  }
  const note = await source.note(open.target, signal);
  if (note === null) return [];
  const text = note.isThis ? state.sliceDoc() : note.text;
  if (open.kind === 'block') return blockOptions(text, note.isThis ? null : open.target, state, open.query);
  const headings = scan(text).headings.map((heading) => ({ name: heading.text }));
  return bestMatches(headings, open.query, MAX_ANCHORS).map(({ name }) => ({ label: name, apply: applyLink(name) }));
}

const MAX_ANCHORS = 50;

/** @param target the other note with the blocks; null for the edited note. */
function blockOptions(
  text: string,
  target: string | null,
  { selection: { main } }: EditorState,
  query: string,
): Completion[] {
  const isHere = ({ from, to }: Block) => target === null && from <= main.head && main.head <= to;
  const blocks = blocksIn(text).filter((block) => !isHere(block));
  const candidates = blocks.map((block) => ({ name: block.text, detail: block.id ?? '', block }));
  const fitting = bestMatches(candidates, query, MAX_ANCHORS).map(({ block }) => block);
  const [named, others] = [fitting.filter(({ id }) => id !== null), fitting.filter(({ id }) => id === null)];
  return [...named, ...others].map((block) => ({
    label: block.text.slice(0, 120),
    ...(block.id === null ? {} : { detail: `^${block.id}` }),
    apply: block.id === null ? nameBlock(block, text, target) : applyLink(block.id),
  }));
}

/**
 * Adds an id to a block and writes the link to it, in one edit; for a block of another note, the link is written after
 * the id.
 */
function nameBlock(block: Block, seen: string, target: string | null): NonNullable<Completion['apply']> {
  return (view, _completion, from, to) => {
    const { state } = view;
    const id = newBlockId(seen);
    if (target === null) {
      const naming = namingOf(state.sliceDoc(), block, id);
      if (naming !== null) writeLink(view, naming.id, from, to, { from: naming.at, insert: naming.insert });
      return;
    }
    const typed = state.sliceDoc(from, to);
    let given: string | null = null;
    const edit = (text: string) => {
      const naming = namingOf(text, block, id);
      given = naming?.id ?? null;
      return naming === null ? null : text.slice(0, naming.at) + naming.insert + text.slice(naming.at);
    };
    void state
      .facet(services)
      ?.completions.change(target, edit)
      .then((isDone) => {
        const isStillOpen = view.dom.isConnected && view.state.sliceDoc(from, to) === typed;
        if (isDone && given !== null && isStillOpen) writeLink(view, given, from, to);
      });
  };
}

/** Inserts a completion, and closes the link if it is still open. */
function applyLink(text: string): NonNullable<Completion['apply']> {
  return (view, _completion, from, to) => writeLink(view, text, from, to);
}

function writeLink(view: EditorView, text: string, from: number, to: number, beside?: ChangeSpec): void {
  const { state } = view;
  const rest = state.doc.lineAt(to).text.slice(to - state.doc.lineAt(to).from);
  // The alias of the link, if it has one, stays.
  const [closing = ''] = /^(?:\|[^[\]]*)?\]\]/.exec(rest) ?? [];
  const isClosed = closing !== '';
  const link = { from, to, insert: isClosed ? text : `${text}]]` };
  const changes = state.changes([link, ...(beside === undefined ? [] : [beside])]);
  const anchor = changes.mapPos(to, 1) + closing.length;
  view.dispatch({ changes, selection: { anchor }, userEvent: 'input.complete' });
}

async function completeTag(context: CompletionContext): Promise<CompletionResult | null> {
  const line = context.state.doc.lineAt(context.pos);
  const open = readOpenTag(line.text.slice(0, context.pos - line.from));
  const source = context.state.facet(services)?.completions;
  if (open === null || source === undefined) return null;
  const signal = abortSignalOf(context);
  const tags = await source.tags(open.query, signal);
  if (signal.aborted || tags.length === 0) return null;
  return { from: line.from + open.from, options: tags.map((label) => ({ label })), filter: false };
}

function abortSignalOf(context: CompletionContext): AbortSignal {
  const controller = new AbortController();
  context.addEventListener('abort', () => controller.abort());
  return controller.signal;
}

/** A link that is being written. */
interface OpenLink {
  readonly kind: 'note' | 'heading' | 'block';
  /** Note in which the heading or block is searched; empty for the note itself. */
  readonly target: string;
  readonly query: string;
  /** Where the query begins in the line. */
  readonly from: number;
}

/** Reads the open link at the end of a line's text; null if there is none, or if its alias is being written. */
function readOpenLink(before: string): OpenLink | null {
  const start = before.lastIndexOf('[[');
  if (start < 0) return null;
  const inner = before.slice(start + 2);
  if (inner.length > 300 || /\]\]|\[|\|/.test(inner)) return null;
  const hash = inner.lastIndexOf('#');
  if (hash < 0) return { kind: 'note', target: '', query: inner, from: start + 2 };
  const anchor = inner.slice(hash + 1);
  const target = inner.slice(0, inner.indexOf('#'));
  const isBlock = anchor.startsWith('^');
  const from = start + 2 + hash + (isBlock ? 2 : 1);
  return { kind: isBlock ? 'block' : 'heading', target, query: isBlock ? anchor.slice(1) : anchor, from };
}

/** Reads the open tag at the end of a line's text; null if there is none. */
function readOpenTag(before: string): { readonly query: string; readonly from: number } | null {
  const match = /(?:^|\s)#([\p{L}\p{N}_/-]{0,100})$/u.exec(before);
  if (match === null) return null;
  const [, query = ''] = match;
  // `# ` begins a heading; a lone `#` at the start of a line is more likely one than a tag.
  if (query === '' && before.trimStart() === '#') return null;
  return { query, from: before.length - query.length };
}
