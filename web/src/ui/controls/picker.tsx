import { Command } from 'cmdk';
import type { ReactNode } from 'react';
import styles from './picker.module.css';

export interface PickerItem {
  readonly id: string;
  readonly label: ReactNode;
  /** Shown at the end of the line: a folder, a shortcut. */
  readonly more?: ReactNode;
  readonly icon?: ReactNode;
  readonly run: () => void;
}

interface PickerProps {
  readonly label: string;
  readonly value: string;
  readonly change: (value: string) => void;
  /** What the value fits, best first. */
  readonly items: readonly PickerItem[];
  readonly none: string;
  /** In front of items without one of their own. */
  readonly icon?: ReactNode;
}

/** More would be slow, and nobody reads them. */
const SHOWN = 60;

/** A field with a list of what it may mean, chosen by keys or by pointing. */
export function Picker({ label, value, change, items, none, icon }: PickerProps) {
  return (
    <Command className={styles.root ?? ''} shouldFilter={false} label={label} loop>
      <Command.Input className={styles.input} value={value} onValueChange={change} placeholder={label} autoFocus />
      <Command.List className={styles.list}>
        {items.slice(0, SHOWN).map((item) => (
          <Command.Item key={item.id} value={item.id} onSelect={item.run}>
            {item.icon ?? icon}
            <span className={styles.label} dir="auto">
              {item.label}
            </span>
            {item.more === undefined ? null : <span className={styles.more}>{item.more}</span>}
          </Command.Item>
        ))}
        {items.length === 0 ? <p className={styles.none}>{none}</p> : null}
      </Command.List>
    </Command>
  );
}
