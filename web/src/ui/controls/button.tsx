import type { ComponentProps } from 'react';
import styles from './button.module.css';

export interface ButtonProps extends ComponentProps<'button'> {
  readonly look?: 'plain' | 'primary' | 'danger' | 'quiet';
  /** Set for a button that shows only an icon; it then needs `aria-label`. */
  readonly isIcon?: boolean;
}

/** A button; it submits a form only if its type says so. */
export function Button({ look = 'plain', isIcon = false, className, type = 'button', ...props }: ButtonProps) {
  return <button {...props} type={type} className={buttonClass(look, isIcon, className)} />;
}

/** The classes of a button, for links that look like one. */
export function buttonClass(look: NonNullable<ButtonProps['look']>, isIcon = false, more?: string): string {
  const classes = [styles.button, look === 'plain' ? undefined : styles[look], isIcon ? styles.icon : undefined, more];
  return classes.filter((name) => name !== undefined).join(' ');
}
