import * as Radix from '@radix-ui/react-dropdown-menu';
import i18next from 'i18next';
import { Fragment, type ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';
import styles from './menu.module.css';

export interface MenuItem {
  readonly id: string;
  readonly label: string;
  /** What is said of it, smaller, behind the label. */
  readonly about?: string;
  readonly icon?: IconName;
  /** The shortcut, as it is shown. */
  readonly keys?: string;
  readonly isDangerous?: boolean;
  readonly isDisabled?: boolean;
  /** Set in a list of choices. */
  readonly isChecked?: boolean;
  /** Whether a line is drawn above. */
  readonly beginsGroup?: boolean;
  readonly run: () => void;
}

interface MenuProps {
  readonly trigger: ReactNode;
  readonly items: readonly MenuItem[];
  readonly align?: 'start' | 'end';
  /** Said below the items. */
  readonly foot?: string;
}

/** A button that opens a menu. */
export function Menu({ trigger, items, align = 'start', foot }: MenuProps) {
  return (
    <Radix.Root modal={false} dir={direction()}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content className={styles.menu} sideOffset={4} align={align} collisionPadding={8}>
          <MenuItems items={items} />
          {foot === undefined ? null : <Radix.Label className={styles.foot}>{foot}</Radix.Label>}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

interface MenuAtProps {
  readonly at: { readonly x: number; readonly y: number };
  readonly items: readonly MenuItem[];
  readonly close: () => void;
  /** Called after it has closed, to put the focus somewhere. */
  readonly focus: () => void;
}

/** A menu at a point of the window, open for as long as it is there. */
export function MenuAt({ at, items, close, focus }: MenuAtProps) {
  return (
    <Radix.Root open modal={false} dir={direction()} onOpenChange={close}>
      <Radix.Trigger asChild>
        <span style={{ position: 'fixed', insetBlockStart: at.y, left: at.x }} />
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          className={styles.menu}
          align="start"
          collisionPadding={8}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            focus();
          }}
        >
          <MenuItems items={items} />
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

function MenuItems({ items }: Pick<MenuProps, 'items'>) {
  return items.map(({ id, label, about, icon, keys, isDangerous, isDisabled = false, isChecked, beginsGroup, run }) => (
    <Fragment key={id}>
      {beginsGroup === true ? <Radix.Separator className={styles.line} /> : null}
      <Radix.Item
        className={`${styles.item} ${isDangerous === true ? styles.danger : ''}`}
        disabled={isDisabled}
        onSelect={run}
        {...(isChecked === undefined ? {} : { role: 'menuitemradio', 'aria-checked': isChecked })}
      >
        {icon === undefined ? null : <Icon name={icon} size={16} />}
        <span className={styles.label} dir="auto">
          {label}
        </span>
        {about === undefined ? null : (
          <small className={styles.about} dir="auto">
            {about}
          </small>
        )}
        {isChecked === true ? <Icon name="check" size={16} /> : null}
        {keys === undefined ? null : <kbd className={styles.keys}>{keys}</kbd>}
      </Radix.Item>
    </Fragment>
  ));
}

function direction(): 'ltr' | 'rtl' {
  return i18next.dir();
}
