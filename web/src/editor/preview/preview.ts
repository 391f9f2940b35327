import type { Extension } from '@codemirror/state';
import { editedTables } from '../table/edited-tables.ts';
import { blankLines } from './blank-lines.ts';
import { blockField } from './block-field.ts';
import { blockMotion } from './block-motion.ts';
import { previewState } from './preview-state.ts';
import { drawnCode, htmlBlocks, mathBlocks, properties, readingTables } from './render/blocks.ts';
import { codeBlocks } from './render/code.ts';
import { embedBlocks, inlineEmbeds } from './render/embed.ts';
import { headings, rules } from './render/heading.ts';
import { autolinks, links, tags, wikilinks } from './render/link.ts';
import { lists } from './render/list.ts';
import { escapes, marks } from './render/marks.ts';
import { inlineMath } from './render/math.ts';
import { blockIds, comments, footnotes, htmlTags } from './render/note-parts.ts';
import { quoteMarks, quotes } from './render/quote.ts';
import { tableMarks, tableSource } from './render/table.ts';
import { rendererTable } from './renderer.ts';
import { structure } from './structure.ts';
import { visibleWalk } from './visible-walk.ts';

/** Renderers of inline content, by node name. */
export const INLINE_RENDERERS = rendererTable([
  ...[marks, escapes, headings, rules, links, autolinks, wikilinks, tags, lists, quotes, quoteMarks],
  ...[codeBlocks, inlineMath, inlineEmbeds, comments, blockIds, footnotes, htmlTags, tableSource, tableMarks],
]);

/** Renderers of whole blocks. */
export const BLOCK_RENDERERS = [properties, drawnCode, mathBlocks, htmlBlocks, readingTables, embedBlocks];

const blocks = blockField(BLOCK_RENDERERS);

/** The live preview: one pass over the visible text, and one state field for blocks. */
export const livePreview: Extension = [
  ...[previewState, editedTables, structure, blankLines, visibleWalk(INLINE_RENDERERS)],
  ...[blocks, blockMotion(blocks)],
];
