import styles from './progress.module.css';

interface ProgressProps {
  readonly label: string;
  readonly done: number;
  /** Null until it is known. */
  readonly total: number | null;
  /** Describes the numbers in words. */
  readonly about: string | null;
}

/** How far something is. */
export function Progress({ label, done, total, about }: ProgressProps) {
  return (
    <div className={styles.progress}>
      <progress
        className={styles.bar}
        aria-label={label}
        {...(total === null || total === 0 ? {} : { value: Math.min(done, total), max: total })}
      />
      {about === null ? null : <p className={styles.about}>{about}</p>}
    </div>
  );
}
