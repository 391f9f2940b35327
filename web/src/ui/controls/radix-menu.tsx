import * as Radix from '@radix-ui/react-dropdown-menu';
import i18next from 'i18next';
import { Fragment } from 'react';
import { Icon } from './icon.tsx';
import styles from './menu.module.css';
import type { MenuAtProps, MenuProps } from './menu.tsx';

/** A button with its menu, which is open at first if it is. */
export function RadixMenu({ trigger, items, align = 'start', foot, isOpen }: MenuProps & { readonly isOpen: boolean }) {
  return (
    <Radix.Root modal={false} dir={direction()} defaultOpen={isOpen}>
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

/** A menu at a point of the window, open for as long as it is there. */
export function RadixMenuAt({ at, items, close, focus }: MenuAtProps) {
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
