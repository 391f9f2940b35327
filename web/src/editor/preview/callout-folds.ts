import { codeFolding, foldEffect, foldedRanges, foldService, syntaxTree, unfoldEffect } from '@codemirror/language';
import type { EditorState, Extension } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import type { SyntaxNode } from '@lezer/common';
import { readCalloutHead } from '@notevault/note-html/callout.ts';
import type { Range } from './reveal.ts';

/** Returns the foldable range of a callout, by an offset in its first line; null if there is no foldable callout. */
export function calloutBody(state: EditorState, at: number): Range | null {
  const first = state.doc.lineAt(at);
  const head = readCalloutHead(first.text);
  if (head === null || head.fold === null || isInCode(state, first.from)) return null;
  let end = first.to;
  for (let number = first.number + 1; number <= state.doc.lines; number++) {
    const line = state.doc.line(number);
    if (!line.text.startsWith('>')) break;
    end = line.to;
  }
  return end === first.to ? null : { from: first.to, to: end };
}

function isInCode(state: EditorState, at: number): boolean {
  for (let node: SyntaxNode | null = syntaxTree(state).resolveInner(at, 1); node; node = node.parent) {
    if (node.name === 'FencedCode' || node.name === 'CodeBlock') return true;
  }
  return false;
}

/** Returns whether the callout whose first line contains an offset is folded. */
export function isFolded(state: EditorState, at: number): boolean {
  const { to } = state.doc.lineAt(at);
  let found = false;
  foldedRanges(state).between(to, to, (from) => {
    found ||= from === to;
  });
  return found;
}

/** Folds or unfolds the callout whose first line contains an offset, without changing the note. */
export function toggleCallout(view: EditorView, at: number): void {
  const body = calloutBody(view.state, at);
  if (body === null) return;
  view.dispatch({ effects: (isFolded(view.state, at) ? unfoldEffect : foldEffect).of(body) });
}

/** Folds the callouts that start folded, marked with `-`. */
export function foldClosedCallouts(view: EditorView): void {
  const { state } = view;
  const effects = [];
  for (let number = 1; number <= state.doc.lines; number++) {
    const line = state.doc.line(number);
    if (!line.text.startsWith('>') || readCalloutHead(line.text)?.fold !== '-') continue;
    const body = calloutBody(state, line.from);
    if (body !== null) effects.push(foldEffect.of(body));
  }
  if (effects.length > 0) view.dispatch({ effects });
}

/** Folding of callouts, and the extensions that all folding needs. */
export const calloutFolds: Extension = [
  codeFolding(),
  foldService.of((state, lineStart) => calloutBody(state, lineStart)),
];
