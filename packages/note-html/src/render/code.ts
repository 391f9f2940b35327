import type { Parser } from '@lezer/common';
import { highlightTree, tagHighlighter } from '@lezer/highlight';
import { CODE_TOKENS } from '../code-tokens.ts';
import { escapeHtml, openTag, textElement } from './html-text.ts';

/** Finds the parser of a language by the info of a fence. */
export type FindLanguage = (info: string) => Parser | null;

/** Longer code has no colours. */
const LONGEST = 50_000;

const highlighter = tagHighlighter(
  Object.entries(CODE_TOKENS).flatMap(([name, tags]) => tags.map((tag) => ({ tag, class: `t-${name}` }))),
);

/** Renders a block of code, with the name of its language. Diagrams are code too: they are drawn by scripts. */
export function codeHtml(code: string, info: string, findLanguage: FindLanguage): string {
  const name = info.split(/\s/, 1)[0] ?? '';
  const parser = code.length > LONGEST ? null : findLanguage(info);
  const label = name === '' ? '' : textElement('figcaption', {}, name);
  const text = parser === null ? escapeHtml(code) : colouredHtml(code, parser);
  return `<figure class="code">${label}<pre tabindex="0"><code>${text}</code></pre></figure>`;
}

function colouredHtml(code: string, parser: Parser): string {
  const parts: string[] = [];
  let at = 0;
  highlightTree(parser.parse(code), highlighter, (from, to, classes) => {
    parts.push(escapeHtml(code.slice(at, from)), openTag('span', { class: classes }));
    parts.push(escapeHtml(code.slice(from, to)), '</span>');
    at = to;
  });
  parts.push(escapeHtml(code.slice(at)));
  return parts.join('');
}
