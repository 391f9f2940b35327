import { blockIdIn, withoutBlockId } from '@notevault/note-text/links/anchors.ts';
import { noteParser } from '../syntax/markdown-language.ts';

/** A paragraph or list item. A link can refer to it once it has an id. */
export interface Block {
  /** First line of the block, without the marks before it and the id. */
  readonly text: string;
  /** Id of the block without `^`; null if it has none. */
  readonly id: string | null;
  readonly from: number;
  /** End of its text, where an id is written. */
  readonly to: number;
}

/** Nodes whose children are not blocks of their own. */
const CLOSED = new Set(['Table', 'FencedCode', 'HTMLBlock', 'Frontmatter', 'FootnoteDefinition']);

/**
 * The blocks of a note, in order; those in quotes only if they have an id. An id on a line of its own names what is
 * before it.
 */
export function blocksIn(note: string): Block[] {
  const blocks: Block[] = [];
  let before = '';
  noteParser.parse(note).iterate({
    enter({ name, from, to, node }) {
      if (name !== 'Paragraph' && name !== 'Task') {
        if (CLOSED.has(name)) before = firstLine(note.slice(from, to));
        return !CLOSED.has(name);
      }
      const source = note.slice(from, to).trimEnd();
      const id = blockIdIn(source.split('\n').at(-1) ?? '');
      const text = firstLine(withoutBlockId(source).replace(/^\[[ xX]\]\s+/, ''));
      const isQuoted = node.parent?.name === 'Blockquote';
      if (id !== null || !isQuoted) blocks.push({ text: text || before, id, from, to: from + source.length });
      before = text;
      return false;
    },
  });
  return blocks.filter(({ text, id }) => text !== '' || id !== null);
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0]?.trim() ?? '';
}

/** Returns an unused block id of six letters and digits. */
export function newBlockId(note: string): string {
  const random = () => [...crypto.getRandomValues(new Uint8Array(6))].map((byte) => (byte % 36).toString(36)).join('');
  let id = random();
  while (note.includes(`^${id}`)) id = random();
  return id;
}

/**
 * Returns where to insert a block's id in a note that may have changed meanwhile; null if the block is gone. A block
 * that got an id meanwhile keeps it, and nothing is inserted.
 */
export function namingOf(note: string, { text, from }: Block, id: string): NewBlockId | null {
  const same = blocksIn(note).filter((one) => one.text === text);
  const [nearest] = same.sort((one, other) => Math.abs(one.from - from) - Math.abs(other.from - from));
  if (nearest === undefined) return null;
  return nearest.id === null
    ? { id, at: nearest.to, insert: ` ^${id}` }
    : { id: nearest.id, at: nearest.to, insert: '' };
}

export interface NewBlockId {
  readonly id: string;
  readonly at: number;
  readonly insert: string;
}
