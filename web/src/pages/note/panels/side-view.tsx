import type { DifferencePiece } from '@notevault/note-text/diff/difference.ts';
import { Fragment, type ReactNode } from 'react';
import styles from './sides.module.css';
import type { SideBlock } from './sides.ts';

interface SideViewProps {
  readonly blocks: readonly SideBlock[];
  /** Titles of the texts. */
  readonly names: readonly [before: string, after: string];
  /** Renders the element below a block that differs. */
  readonly below?: (block: SideBlock, at: number) => ReactNode;
}

/** Two texts beside each other, or on a narrow page one below the other, block by block. */
export function SideView({ blocks, names: [before, after], below }: SideViewProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
    <section className={styles.sides} tabIndex={0} aria-label={`${before} · ${after}`}>
      <div className={styles.name}>{before}</div>
      <div className={styles.name}>{after}</div>
      {blocks.map((block, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks have no other name, and none moves
        <Fragment key={at}>
          <Side pieces={block.before} name={before} isSame={block.isSame} />
          {block.isSame ? (
            <Side pieces={block.after} name={after} isSame isSecond />
          ) : (
            <Side pieces={block.after} name={after} isSame={false} />
          )}
          {block.isSame || below === undefined ? null : <div className={styles.below}>{below(block, at)}</div>}
        </Fragment>
      ))}
    </section>
  );
}

interface SideProps {
  readonly pieces: readonly DifferencePiece[];
  readonly name: string;
  readonly isSame: boolean;
  /** The second of two that are the same is neither read out nor shown on a narrow page. */
  readonly isSecond?: boolean;
}

function Side({ pieces, name, isSame, isSecond = false }: SideProps) {
  const label = isSame ? {} : { role: 'group', 'aria-label': name };
  return (
    <div
      className={styles.side}
      dir="auto"
      data-differs={!isSame || undefined}
      aria-hidden={isSecond || undefined}
      {...label}
    >
      {pieces.map(({ kind, text }, at) => {
        const key = `${at} ${kind}`;
        if (kind === 'same') return <span key={key}>{text}</span>;
        return kind === 'added' ? <ins key={key}>{text}</ins> : <del key={key}>{text}</del>;
      })}
    </div>
  );
}
