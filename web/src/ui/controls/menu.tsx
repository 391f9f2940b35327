import {
  type ButtonHTMLAttributes,
  cloneElement,
  type KeyboardEvent,
  lazy,
  type ReactElement,
  Suspense,
  useState,
} from 'react';
import type { IconName } from './icon.tsx';

export interface MenuItem {
  readonly id: string;
  readonly label: string;
  /** Smaller text behind the label. */
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

export interface MenuProps {
  readonly trigger: ReactElement<ButtonHTMLAttributes<HTMLButtonElement>>;
  readonly items: readonly MenuItem[];
  readonly align?: 'start' | 'end';
  /** Said below the items. */
  readonly foot?: string;
}

export interface MenuAtProps {
  readonly at: { readonly x: number; readonly y: number };
  readonly items: readonly MenuItem[];
  readonly close: () => void;
  /** Called after it has closed, to put the focus somewhere. */
  readonly focus: () => void;
}

/** Whether what draws menus is there. It is loaded when one is likely to be opened: no page needs it to be shown. */
let isLoaded = false;
export const loadMenus = () =>
  import('./radix-menu.tsx').then((module) => {
    isLoaded = true;
    return module;
  });
const RadixMenu = lazy(() => loadMenus().then((module) => ({ default: module.RadixMenu })));
const RadixMenuAt = lazy(() => loadMenus().then((module) => ({ default: module.RadixMenuAt })));

/** A button that opens a menu. */
export function Menu(props: MenuProps) {
  const [isDrawn, setDrawn] = useState(isLoaded);
  const [isOpen, setOpen] = useState(false);
  const load = () => void loadMenus().catch(() => undefined);
  const open = () => {
    setOpen(true);
    setDrawn(true);
  };
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowDown') return;
    event.preventDefault();
    open();
  };
  const closed = { 'aria-haspopup': 'menu', 'aria-expanded': isOpen } as const;
  const button = cloneElement(props.trigger, {
    ...closed,
    onPointerEnter: load,
    onFocus: load,
    onClick: open,
    onKeyDown: press,
  });
  if (!isDrawn) return button;
  return (
    <Suspense fallback={button}>
      <RadixMenu {...props} isOpen={isOpen} />
    </Suspense>
  );
}

/** A menu at a point of the window, open for as long as it is there. */
export function MenuAt(props: MenuAtProps) {
  return (
    <Suspense>
      <RadixMenuAt {...props} />
    </Suspense>
  );
}
