import type { ComponentProps } from 'react';
import { Icon } from './icon.tsx';
import styles from './select.module.css';

/** A choice of few, with the arrow of the app; it needs a label. */
export function Select({ className, ...props }: ComponentProps<'select'>) {
  return (
    <span className={[styles.select, className].filter(Boolean).join(' ')}>
      <select {...props} />
      <Icon name="down" size={14} />
    </span>
  );
}
