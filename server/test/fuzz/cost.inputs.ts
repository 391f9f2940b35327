import { MB } from '@notevault/protocol/values/byte-units.ts';
import type { CraftedItem } from '../kit/clients/crafted-updates.ts';
import type { Random } from '../kit/random.ts';

/** A piece of text and how often it is repeated; each `#` in it becomes an increasing number. */
export interface Repeated {
  readonly text: string;
  readonly times: number;
}

/** The left or right neighbour of an item in a crafted update. */
export type Neighbour = 'none' | 'genesis' | 'previous' | 'first' | 'random';

/** A request or update that one account sends. */
export type CostInput =
  | { readonly kind: 'text'; readonly how: 'put' | 'append' | 'merge'; readonly text: readonly Repeated[] }
  | {
      readonly kind: 'update';
      readonly items: number;
      readonly client: 'low' | 'high';
      readonly origin: Neighbour;
      readonly right: Neighbour;
      readonly letters: number;
      readonly seed: number;
    }
  | { readonly kind: 'typing'; readonly edits: number; readonly removes: number; readonly seed: number }
  | { readonly kind: 'read'; readonly path: string; readonly query: string };

const SNIPPETS = [
  ...['plain words\n', '# heading #\n', '[[n#]] ', '[[n#|alias #]]\n', '![[f#.png]] ', '[a#](b#.md) ', '#tag# '],
  ...[
    '[a#][b#]\n\n[b#]: /x#.md\n\n',
    '*',
    '_a ',
    '`',
    '```\n',
    '[',
    '](',
    '<a',
    '<!--',
    '> ',
    '- ',
    '| a ',
    '\\',
    '&amp;',
  ],
  ...[
    '---\n',
    'aliases: [a#]\n',
    'k#: {a: [1, 2]}\n',
    '\u0301',
    '\ud83d\ude00',
    'é',
    '\u0000',
    '\r\n',
    '\t',
    ' ',
    '\n',
  ],
  ...['a'.repeat(1000), '[[', ']]', '%%', '$$', '- [ ] x\n', '1. ', '  ', 'http://x.y/# ', '^block#\n', '\u2028'],
];
const NEIGHBOURS: readonly Neighbour[] = ['none', 'genesis', 'previous', 'first', 'random'];
const READS = [
  ...['/notes', '/notes/list', '/tags', '/vault/tree', '/search', '/sync/changes', '/folders/list', '/notes/types'],
];
const TEXT_MAX = 10 * MB - 1024;
const ITEMS_MAX = 120_000;

/** Makes a new random input. */
export function newInput(random: Random): CostInput {
  switch (random.pick(['text', 'text', 'update', 'update', 'typing', 'read'])) {
    case 'text':
      return { kind: 'text', how: random.pick(['put', 'append', 'merge']), text: fit(newText(random)) };
    case 'update':
      return {
        kind: 'update',
        items: powerOfTen(random, ITEMS_MAX),
        client: random.pick(['low', 'high']),
        origin: random.pick(NEIGHBOURS),
        right: random.pick(NEIGHBOURS),
        letters: powerOfTen(random, 1000),
        seed: random.below(2 ** 30),
      };
    case 'typing':
      return {
        kind: 'typing',
        edits: powerOfTen(random, 20_000),
        removes: random.below(100),
        seed: random.below(2 ** 30),
      };
    default:
      return { kind: 'read', path: random.pick(READS), query: random.pick(SNIPPETS).repeat(1 + random.below(200)) };
  }
}

/** Makes an input similar to one that was costly. */
export function mutated(random: Random, input: CostInput): CostInput {
  switch (input.kind) {
    case 'text': {
      const text = input.text.map((piece) =>
        random.chance(0.5) ? piece : { ...piece, times: scaled(random, piece.times, TEXT_MAX) },
      );
      if (random.chance(0.5)) text.splice(random.below(text.length + 1), 0, ...newText(random).slice(0, 1));
      if (random.chance(0.3) && text.length > 1) text.splice(random.below(text.length), 1);
      return { ...input, how: random.pick([input.how, 'put', 'append', 'merge']), text: fit(text) };
    }
    case 'update':
      return {
        ...input,
        items: scaled(random, input.items, ITEMS_MAX),
        letters: scaled(random, input.letters, 1000),
        origin: random.chance(0.3) ? random.pick(NEIGHBOURS) : input.origin,
        right: random.chance(0.3) ? random.pick(NEIGHBOURS) : input.right,
        client: random.pick(['low', 'high']),
        seed: random.below(2 ** 30),
      };
    case 'typing':
      return {
        ...input,
        edits: scaled(random, input.edits, 20_000),
        removes: random.below(100),
        seed: random.below(2 ** 30),
      };
    case 'read':
      return { ...input, query: (input.query + random.pick(SNIPPETS)).repeat(1 + random.below(2)).slice(0, 4000) };
  }
}

/** The text that the pieces describe. */
export function textOf(pieces: readonly Repeated[]): string {
  let count = 0;
  return pieces
    .map(({ text, times }) =>
      text.includes('#')
        ? Array.from({ length: times }, () => text.replaceAll('#', String(count++))).join('')
        : text.repeat(times),
    )
    .join('');
}

/**
 * The items of a crafted update. Their client ids are unused, so that they depend on the document only by their
 * neighbours.
 */
export function itemsOf(
  input: CostInput & { kind: 'update' },
  random: Random,
  client: number,
  genesis: number,
): CraftedItem[] {
  const letters = 'abcdefghij'
    .repeat(1 + input.letters / 10)
    .slice(0, Math.max(1, Math.min(input.letters, 2e6 / input.items)));
  return Array.from({ length: input.items }, (_, at): CraftedItem => {
    const neighbour = (which: Neighbour): readonly [number, number] | undefined => {
      if (which === 'none' || (at === 0 && which !== 'genesis')) return undefined;
      if (which === 'genesis') return [genesis, 0];
      const earlier = which === 'previous' ? at - 1 : which === 'first' ? 0 : random.below(at);
      return [client, earlier * letters.length];
    };
    const origin = neighbour(input.origin);
    const rightOrigin = neighbour(input.right);
    const hangs = origin === undefined && rightOrigin === undefined ? ([genesis, 0] as const) : origin;
    return {
      client,
      clock: at * letters.length,
      text: letters,
      ...(hangs === undefined ? {} : { origin: hangs }),
      ...(rightOrigin === undefined ? {} : { rightOrigin }),
    };
  });
}

function newText(random: Random): Repeated[] {
  return Array.from({ length: 1 + random.below(4) }, () => ({
    text: random.pick(SNIPPETS),
    times: powerOfTen(random, 2_000_000),
  }));
}

/** Shortens the pieces to the size limit of a note. */
function fit(pieces: readonly Repeated[]): Repeated[] {
  let left = TEXT_MAX;
  return pieces.map(({ text, times }) => {
    // Allows for the digits of the numbers.
    const bytes = Buffer.byteLength(text.replaceAll('#', '#######'), 'utf8');
    const fits = Math.min(times, Math.floor(left / bytes));
    left -= fits * bytes;
    return { text, times: fits };
  });
}

/** Every order of magnitude is equally likely. */
function powerOfTen(random: Random, max: number): number {
  return Math.max(1, Math.floor(max ** (random.below(1000) / 1000)));
}

function scaled(random: Random, value: number, max: number): number {
  return Math.max(1, Math.min(max, Math.round(value * random.pick([0.3, 0.9, 1.1, 2, 5]))));
}
