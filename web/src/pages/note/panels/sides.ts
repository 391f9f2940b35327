import type { DifferencePiece } from '@notevault/note-text/diff/difference.ts';

/** Whole lines of two texts beside each other: the same, or with what differs. */
export interface SideBlock {
  readonly isSame: boolean;
  readonly before: readonly DifferencePiece[];
  readonly after: readonly DifferencePiece[];
}

/** Splits a difference into the lines that both texts have, and the lines that differ, in order. */
export function sidesOf(pieces: readonly DifferencePiece[]): SideBlock[] {
  const blocks: SideBlock[] = [];
  let open = { before: [] as DifferencePiece[], after: [] as DifferencePiece[] };
  const isOpenSame = () => [...open.before, ...open.after].every(({ kind }) => kind === 'same');
  const close = () => {
    const isSame = isOpenSame();
    const last = blocks.at(-1);
    if (open.before.length + open.after.length === 0) return;
    if (last?.isSame === isSame) blocks[blocks.length - 1] = joined(last, open, isSame);
    else blocks.push({ ...open, isSame });
    open = { before: [], after: [] };
  };
  for (const { kind, text } of pieces) {
    const lines = kind === 'same' ? text.split(/(?<=\n)/) : [text];
    for (const line of lines) {
      const isBetweenLines = endsLine(open.before) && endsLine(open.after);
      if (isBetweenLines && (kind === 'same' || isOpenSame())) close();
      if (kind !== 'added') open.before.push({ kind, text: line });
      if (kind !== 'removed') open.after.push({ kind, text: line });
    }
  }
  close();
  return blocks;
}

function joined(one: SideBlock, other: Omit<SideBlock, 'isSame'>, isSame: boolean): SideBlock {
  return { isSame, before: [...one.before, ...other.before], after: [...one.after, ...other.after] };
}

function endsLine(pieces: readonly DifferencePiece[]): boolean {
  return pieces.at(-1)?.text.endsWith('\n') ?? true;
}

/** The text of one side of a block. */
export function textOf(pieces: readonly DifferencePiece[]): string {
  return pieces.map(({ text }) => text).join('');
}

/** Both sides of a block, one after the other, each on lines of its own. */
export function bothOf({ before, after }: SideBlock): string {
  const [first, second] = [textOf(before), textOf(after)];
  return first === '' || second === '' || first.endsWith('\n') ? first + second : `${first}\n${second}`;
}
