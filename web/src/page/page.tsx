import { type ReactNode, useEffect } from 'react';
import styles from './page.module.css';

interface PageProps {
  readonly title: string;
  /** Buttons beside the title. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A page beside the tree, with its title in the window. */
export function Page({ title, actions, children }: PageProps) {
  useWindowTitle(title);
  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <h1>{title}</h1>
        {actions}
      </header>
      {children}
    </div>
  );
}

/** Names the window while the component is there. */
export function useWindowTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Notevault`;
  }, [title]);
}
