import { type ComponentProps, type ReactNode, useId } from 'react';
import styles from './field.module.css';
import { Select } from './select.tsx';

interface FieldTexts {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: ReactNode;
}

export type FieldProps = FieldTexts & ComponentProps<'input'> & { readonly inside?: ReactNode };

/** A labelled input with its hint and its error, which assistive technology reads with it. */
export function Field({ label, hint, error, inside, className, ...props }: FieldProps) {
  const id = useId();
  const input = (
    <input
      {...props}
      id={id}
      className={[styles.input, className].filter(Boolean).join(' ')}
      aria-invalid={error === undefined ? undefined : true}
      aria-describedby={hint === undefined && error === undefined ? undefined : `${id}-about`}
    />
  );
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      {inside === undefined ? (
        input
      ) : (
        <div className={styles.withButton}>
          {input}
          {inside}
        </div>
      )}
      <About id={id} hint={hint} error={error} />
    </div>
  );
}

/** A labelled choice. */
export function Choice({ label, hint, error, className, ...props }: FieldTexts & ComponentProps<'select'>) {
  const id = useId();
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      <Select
        {...props}
        id={id}
        className={styles.choice}
        aria-describedby={hint === undefined ? undefined : `${id}-about`}
      />
      <About id={id} hint={hint} error={error} />
    </div>
  );
}

function About({ id, hint, error }: { readonly id: string; readonly hint: ReactNode; readonly error: ReactNode }) {
  if (hint === undefined && error === undefined) return null;
  return (
    <div id={`${id}-about`}>
      {error === undefined ? null : <p className={styles.error}>{error}</p>}
      {hint === undefined ? null : <p className={styles.hint}>{hint}</p>}
    </div>
  );
}
