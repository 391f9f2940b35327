import { useParams } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useTree } from '../../data/use-tree.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { useObservable } from '../../platform/use-observable.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Icon } from '../../ui/controls/icon.tsx';
import { MenuAt, type MenuItem } from '../../ui/controls/menu.tsx';
import { tabsOf } from '../../workspace/kept-tabs.ts';
import { existingTabs, moveTab } from '../../workspace/tabs.ts';
import { useTabs } from '../../workspace/use-tabs.ts';
import styles from './tab-strip.module.css';

interface TabStripProps {
  readonly vaultId: string;
  /** Opens a note, with the focus in its text. */
  readonly openNote: (id: string) => void;
  /** Lets a note be found that is opened in a tab. */
  readonly find: () => void;
}

interface OpenMenu {
  readonly id: string;
  readonly at: { readonly x: number; readonly y: number };
}

/** The notes that have a tab. One of them is a tab stop; arrows go through the others. */
export function TabStrip({ vaultId, openNote, find }: TabStripProps) {
  const t = useTexts('vault');
  const { noteId } = useParams({ strict: false });
  const index = useTree(vaultId);
  const tabs = tabsOf(vaultId);
  const { ids, shown } = useObservable(tabs);
  const actions = useTabs(vaultId);
  const list = useRef<HTMLDivElement>(null);
  const [menu, setMenu] = useState<OpenMenu | null>(null);
  useEffect(() => tabs.set(existingTabs(tabs.get(), (id) => index.byKey(id) !== undefined)), [tabs, index]);
  useEffect(() => {
    if (noteId !== undefined) tabOf(list.current, noteId)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [noteId]);
  const stop = noteId !== undefined && ids.includes(noteId) ? noteId : ids[0];
  const move = (id: string, place: number) => tabs.set(moveTab(tabs.get(), id, place));
  const focus = (id: string | undefined) => tabOf(list.current, id)?.focus();
  const close = (id: string) => {
    const at = ids.indexOf(id);
    void actions.close(id).then(() => focus(tabs.get().ids[Math.min(at, tabs.get().ids.length - 1)]));
  };
  const press = (event: KeyboardEvent, id: string, at: number) => {
    const { key, shiftKey } = event;
    const step = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0;
    if (step !== 0 && shiftKey) move(id, at + step * inlineStep());
    else if (step !== 0) focus(ids.at((at + step * inlineStep()) % ids.length));
    else if (key === 'Home') focus(ids[0]);
    else if (key === 'End') focus(ids.at(-1));
    else if (key === 'Delete' || key === 'Backspace') close(id);
    else return;
    event.preventDefault();
  };
  const items = (id: string) => tabMenu(t, { id, ids, tabs, move, openNote, actions });
  return (
    <div className={styles.strip}>
      <div ref={list} className={styles.tabs} role="tablist" aria-label={t('tabs.label')}>
        {ids.map((id, at) => (
          <Tab
            key={id}
            id={id}
            name={index.byKey(id)?.name}
            isFocused={id === noteId}
            isShown={noteId !== undefined && shown.includes(id)}
            isStop={id === stop}
            open={() => openNote(id)}
            close={() => void actions.close(id)}
            press={(event) => press(event, id, at)}
            drop={(dropped) => move(dropped, at)}
            openMenu={(at) => setMenu({ id, at })}
          />
        ))}
      </div>
      <Button look="quiet" isIcon aria-label={t('tabs.find')} title={t('tabs.find')} onClick={find}>
        <Icon name="add" />
      </Button>
      {menu === null ? null : (
        <MenuAt at={menu.at} close={() => setMenu(null)} focus={() => focus(menu.id)} items={items(menu.id)} />
      )}
    </div>
  );
}

const DRAGGED = 'application/x-notevault-tab';

function tabOf(list: HTMLElement | null, id: string | undefined): HTMLElement | null {
  return id === undefined ? null : (list?.querySelector<HTMLElement>(`[data-tab="${CSS.escape(id)}"]`) ?? null);
}

/** Returns the step to the next tab on the right: in right-to-left languages that is the previous one. */
function inlineStep(): 1 | -1 {
  return document.dir === 'rtl' ? -1 : 1;
}

interface TabProps {
  readonly id: string;
  /** Undefined while the note is not known. */
  readonly name: string | undefined;
  readonly isFocused: boolean;
  readonly isShown: boolean;
  /** Whether it is the tab stop. */
  readonly isStop: boolean;
  readonly open: () => void;
  readonly close: () => void;
  readonly press: (event: KeyboardEvent) => void;
  /** Called with the tab that was dropped here. */
  readonly drop: (id: string) => void;
  readonly openMenu: (at: OpenMenu['at']) => void;
}

function Tab({ id, name, isFocused, isShown, isStop, open, close, press, drop, openMenu }: TabProps) {
  const t = useTexts('vault');
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: all of it can be done by the keys and the menu of the tab
    <div
      role="presentation"
      className={styles.tab}
      data-focused={isFocused || undefined}
      data-shown={isShown || undefined}
      draggable
      onDragStart={(event) => {
        event.dataTransfer.setData(DRAGGED, id);
        event.dataTransfer.effectAllowed = 'move';
      }}
      onDragOver={(event) => {
        if (event.dataTransfer.types.includes(DRAGGED)) event.preventDefault();
      }}
      onDrop={(event) => drop(event.dataTransfer.getData(DRAGGED))}
      // A press of the wheel would scroll.
      onMouseDown={(event) => event.button === 1 && event.preventDefault()}
      onAuxClick={(event) => event.button === 1 && close()}
      onContextMenu={(event) => {
        event.preventDefault();
        const { left, bottom } = event.currentTarget.getBoundingClientRect();
        openMenu({ x: left, y: bottom });
      }}
    >
      <button
        type="button"
        role="tab"
        data-tab={id}
        aria-selected={isFocused}
        aria-description={t('tabs.keys')}
        tabIndex={isStop ? 0 : -1}
        dir="auto"
        title={name}
        onClick={open}
        onKeyDown={press}
      >
        {name ?? '…'}
      </button>
      <button
        type="button"
        className={styles.close}
        tabIndex={-1}
        aria-hidden="true"
        title={t('tabs.close')}
        onClick={close}
      >
        <Icon name="close" size={12} />
      </button>
    </div>
  );
}

interface TabMenuProps extends Pick<TabStripProps, 'openNote'> {
  readonly id: string;
  readonly ids: readonly string[];
  readonly tabs: ReturnType<typeof tabsOf>;
  readonly move: (id: string, place: number) => void;
  readonly actions: ReturnType<typeof useTabs>;
}

function tabMenu(t: TFunction<'vault'>, { id, ids, tabs, move, openNote, actions }: TabMenuProps): MenuItem[] {
  const at = ids.indexOf(id);
  const closeOthers = () => {
    openNote(id);
    tabs.set({ ...tabs.get(), ids: [id], shown: [id], at: 0 });
  };
  return [
    { id: 'close', label: t('tabs.close'), icon: 'close', run: () => void actions.close(id) },
    { id: 'others', label: t('tabs.closeOthers'), run: closeOthers },
    {
      id: 'beside',
      label: t('tabs.beside'),
      icon: 'panel',
      isDisabled: ids.length < 2,
      beginsGroup: true,
      run: () => actions.open(id, 'beside'),
    },
    { id: 'left', label: t('tabs.toLeft'), isDisabled: at === 0, run: () => move(id, at - 1) },
    { id: 'right', label: t('tabs.toRight'), isDisabled: at === ids.length - 1, run: () => move(id, at + 1) },
  ];
}
