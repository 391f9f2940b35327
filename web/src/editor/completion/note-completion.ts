import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import type { Extension } from '@codemirror/state';
import { bestMatches } from '@notevault/note-text/names/match.ts';
import { type CompletionServices, services } from '../core/services.ts';
import { readOpenLink, readOpenTag } from './open-construct.ts';

/** Completes `[[` with notes, headings and blocks, and `#` with tags. */
export const noteCompletion: Extension = autocompletion({
  override: [completeLink, completeTag],
  icons: false,
  activateOnTyping: true,
  // Enter right after `[[` in a list must still end the line until a choice was made.
  interactionDelay: 50,
});

async function completeLink(context: CompletionContext): Promise<CompletionResult | null> {
  const line = context.state.doc.lineAt(context.pos);
  const open = readOpenLink(line.text.slice(0, context.pos - line.from));
  const source = context.state.facet(services)?.completions;
  if (open === null || source === undefined) return null;
  const signal = abortSignalOf(context);
  const from = line.from + open.from;
  const options = await optionsOf(source, open, signal);
  return signal.aborted ? null : { from, options, filter: false };
}

async function optionsOf(
  source: CompletionServices,
  open: NonNullable<ReturnType<typeof readOpenLink>>,
  signal: AbortSignal,
): Promise<Completion[]> {
  if (open.kind === 'note') {
    const notes = await source.notes(open.query, signal);
    return notes.map(({ title, detail, insert }) => ({ label: title, detail, apply: applyLink(insert) }));
  }
  const all =
    open.kind === 'heading' ? await source.headings(open.target, signal) : await source.blocks(open.target, signal);
  const fitting = bestMatches(
    all.map((name) => ({ name })),
    open.query,
    50,
  );
  return fitting.map(({ name }) => ({ label: name, apply: applyLink(name) }));
}

/** Writes a choice, and closes the link if it is not closed yet. */
function applyLink(text: string): NonNullable<Completion['apply']> {
  return (view, _completion, from, to) => {
    const isClosed = view.state.doc.sliceString(to, to + 2) === ']]';
    view.dispatch({
      changes: { from, to, insert: isClosed ? text : `${text}]]` },
      selection: { anchor: from + text.length + 2 },
      userEvent: 'input.complete',
    });
  };
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
