import type { ReactNode } from 'react';
import styles from './notice.module.css';

/** A message in the page: an error, which is announced at once, or a result. */
export function Notice({ kind, children }: { readonly kind: 'danger' | 'ok' | 'plain'; readonly children: ReactNode }) {
  const look = kind === 'plain' ? '' : ` ${styles[kind]}`;
  return (
    <div role={kind === 'danger' ? 'alert' : 'status'} className={`${styles.notice}${look}`}>
      {children}
    </div>
  );
}
