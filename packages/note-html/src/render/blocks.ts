import type { SyntaxNode } from '@lezer/common';
import { readCalloutHead } from '../callout.ts';
import { headingId } from './anchors.ts';
import { codeHtml } from './code.ts';
import { formulaHtml } from './formula.ts';
import { htmlBlockHtml } from './html-block.ts';
import { escapeHtml, openTag, textElement } from './html-text.ts';
import type { NoteWriter, Write, Written } from './note-writer.ts';
import { sourceOf } from './source-of.ts';
import { cell, delimiter, row, table } from './tables.ts';

const NOTHING: Written = { html: '' };
const nothing: Write = () => NOTHING;

const heading: Write = (node, { context, source }) => {
  if (node.from === context.titleAt) return NOTHING;
  const level = Number(node.name.slice(-1));
  const shown = Math.min(6, Math.max(2, level + context.levelShift));
  const words = sourceOf(node, source)
    .split('\n', 1)[0]
    ?.replace(/^[ \t]*#{1,6}[ \t]+|[ \t]+#*[ \t]*$/g, '');
  const attributes = { id: headingId(words ?? ''), dir: 'auto' };
  return { open: openTag(`h${shown}`, attributes), close: `</h${shown}>`, hasText: true };
};

const list: Write = (node, { source }) => {
  if (node.name === 'BulletList') return { open: '<ul>', close: '</ul>' };
  const start = Number(/^\d{1,9}/.exec(source.slice(node.from, node.from + 9))?.[0] ?? 1);
  return { open: openTag('ol', { start: start === 1 ? null : start }), close: '</ol>' };
};

const task: Write = (node, writer) => {
  const isDone = /x/i.test(writer.text(node.from + 1, node.from + 2));
  const box = openTag('input', { type: 'checkbox', disabled: true, checked: isDone || null });
  const attributes = { class: isDone ? 'task done' : 'task', dir: 'auto' };
  return { open: `${openTag('p', attributes)}${box} `, close: '</p>', hasText: true };
};

const code: Write = (node, { source, context }) => {
  const parts = node.getChildren('CodeText').map(({ from, to }) => source.slice(from, to));
  const info = node.getChild('CodeInfo');
  const language = info === null ? '' : source.slice(info.from, info.to);
  return { html: codeHtml(parts.join(''), language, context.findLanguage) };
};

const formula: Write = (node, { source }) => {
  const written = sourceOf(node, source).trim().replace(/^\$\$/, '').replace(/\$\$$/, '');
  return { html: `<div class="formula">${formulaHtml(written.trim(), true)}</div>` };
};

/** A quote, or a callout: a quote whose first line names a kind. One that folds does so without a script. */
const quote: Write = (node, writer) => {
  const end = writer.source.indexOf('\n', node.from);
  const head = readCalloutHead(writer.text(node.from, end < 0 || end > node.to ? node.to : end));
  if (head === null) return { open: '<blockquote>', close: '</blockquote>' };
  const name = head.kind.charAt(0).toUpperCase() + head.kind.slice(1);
  const title = head.title === '' ? escapeHtml(name) : writer.inline(head.title);
  const box = { class: `callout c-${head.look}`, dir: 'auto' };
  if (head.fold === null)
    return { open: `${openTag('div', box)}<p class="callout-title">${title}</p>`, close: '</div>' };
  const open = openTag('details', { ...box, open: head.fold === '+' || null });
  return { open: `${open}<summary class="callout-title">${title}</summary>`, close: '</details>' };
};

/** A paragraph. The first one of a callout begins with its head, which is written already. */
const paragraph: Write = (node, writer) => {
  if (!beginsCallout(node, writer)) return { open: '<p dir="auto">', close: '</p>', hasText: true };
  const written = sourceOf(node, writer.source);
  const end = written.indexOf('\n');
  return { html: end < 0 ? '' : `<p dir="auto">${writer.inline(written.slice(end + 1))}</p>` };
};

function beginsCallout(node: SyntaxNode, { source }: NoteWriter): boolean {
  const { parent } = node;
  if (parent?.name !== 'Blockquote' || source.slice(parent.from, node.from).includes('\n')) return false;
  const end = source.indexOf('\n', parent.from);
  return readCalloutHead(source.slice(parent.from, end < 0 ? source.length : end)) !== null;
}

const footnote: Write = (node, { source }) => {
  const label = node.getChild('FootnoteLabel');
  const id = label === null ? '' : source.slice(label.from + 2, label.to - 2);
  return { open: openTag('div', { class: 'footnote', id: `fn-${id}` }), close: '</div>' };
};

/** Writers of blocks, by node name. */
export const BLOCKS: Readonly<Record<string, Write>> = {
  Paragraph: paragraph,
  ATXHeading1: heading,
  ATXHeading2: heading,
  ATXHeading3: heading,
  ATXHeading4: heading,
  ATXHeading5: heading,
  ATXHeading6: heading,
  SetextHeading1: heading,
  SetextHeading2: heading,
  BulletList: list,
  OrderedList: list,
  ListItem: () => ({ open: '<li>', close: '</li>' }),
  Task: task,
  Blockquote: quote,
  FencedCode: code,
  CodeBlock: code,
  BlockMath: formula,
  HTMLBlock: (node, { source, context }) => ({ html: htmlBlockHtml(sourceOf(node, source), context.links) }),
  HorizontalRule: () => ({ html: '<hr>' }),
  Table: table,
  TableHeader: row,
  TableRow: row,
  TableCell: cell,
  TableDelimiter: delimiter,
  FootnoteDefinition: footnote,
  FootnoteLabel: (node, { source }) => ({ html: textElement('sup', {}, source.slice(node.from + 2, node.to - 2)) }),
  Frontmatter: nothing,
  BlockComment: nothing,
  CommentBlock: nothing,
  ProcessingInstructionBlock: nothing,
  LinkReference: nothing,
};
