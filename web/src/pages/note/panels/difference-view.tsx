import type { DifferencePiece } from './difference.ts';
import styles from './panels.module.css';

/** Two texts as one, with what was added and what was removed. */
export function DifferenceView({ pieces }: { readonly pieces: readonly DifferencePiece[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
    <pre className={styles.difference} dir="auto" tabIndex={0}>
      {pieces.map(({ kind, text }, at) => {
        const key = `${at} ${kind}`;
        if (kind === 'added') return <ins key={key}>{text}</ins>;
        return kind === 'removed' ? <del key={key}>{text}</del> : <span key={key}>{text}</span>;
      })}
    </pre>
  );
}
