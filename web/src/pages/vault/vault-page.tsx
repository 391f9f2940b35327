import { Outlet } from '@tanstack/react-router';
import { lazy, type MouseEvent, type RefObject, Suspense, useEffect, useRef, useState } from 'react';
import { useVault, useVaultId } from '../../data/use-vault.ts';
import { loadTexts } from '../../i18n/i18n.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { useLiveVault } from '../../live/use-live-vault.ts';
import { CrashBarrier } from '../../page/crash-barrier.tsx';
import { importOrReload } from '../../page/import-or-reload.ts';
import { rememberVault } from '../../page/last-vault.ts';
import { NotFound } from '../../page/not-found.tsx';
import { BASE } from '../../platform/base.ts';
import { isNarrow, narrow } from '../../platform/narrow.ts';
import { useObservable, useObserved } from '../../platform/use-observable.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Icon } from '../../ui/controls/icon.tsx';
import { loadMenus } from '../../ui/controls/menu.tsx';
import { heldFocus } from '../../ui/dialogs/held-focus.ts';
import { Toasts } from '../../ui/feedback/toasts.tsx';
import { tabsOf } from '../../workspace/kept-tabs.ts';
import { useTabs } from '../../workspace/use-tabs.ts';
import { VaultActionsContext } from '../commands/vault-actions.ts';
import { Places } from './places.tsx';
import { Sidebar } from './sidebar.tsx';
import { UnsentCount } from './unsent-badge.tsx';
import { useActions } from './use-actions.ts';
import styles from './vault-page.module.css';

const loadDialogs = () => importOrReload(() => import('../commands/dialogs.tsx'));
const Dialogs = lazy(() => loadDialogs().then((module) => ({ default: module.Dialogs })));
/** After the page is shown, so that what is typed behind the keys of a dialog reaches it, and a note opens offline. */
const PARTS_MS = 1_500;

const LostVault = lazy(() =>
  importOrReload(() => import('./lost-vault.tsx')).then((module) => ({ default: module.LostVault })),
);

const TabStrip = lazy(() =>
  importOrReload(() => import('./tab-strip.tsx')).then((module) => ({ default: module.TabStrip })),
);

const MAIN = 'main';

/** Preloads modules that are likely to be used next. Failed loads are repeated on use. */
function loadParts(): void {
  const parts = [
    import('../commands/dialogs.tsx'),
    import('../commands/template.ts'),
    import('../../ui/dialogs/confirm-dialog.tsx'),
    import('../note/note-editor.tsx'),
    import('./unsent-dialog.tsx'),
    import('../../device/sign-out.ts'),
    import('./lost-vault.tsx'),
    loadMenus(),
    loadTexts('editor'),
  ];
  void Promise.allSettled(parts);
}

/** A vault: its notes at the side, and a page of it. */
export function VaultPage() {
  const id = useVaultId();
  const vault = useVault();
  const [last, setLast] = useState(vault);
  if (vault !== null && vault !== last) setLast(vault);
  if (vault !== null) return <OpenVault key={id} id={id} />;
  if (last?.id !== id) return <NotFound />;
  return (
    <Suspense>
      <LostVault name={last.name} />
    </Suspense>
  );
}

function OpenVault({ id }: { readonly id: string }) {
  const t = useTexts('vault');
  const sidebar = useSidebar();
  const { context, dialog, question, closeDialog, openNote, createNote } = useActions(id, sidebar.toggle);
  const isNarrow = useObservable(narrow);
  const hasTabs = useObserved(tabsOf(id), ({ ids }) => ids.length > 1) && !isNarrow;
  const typed = useRef('');
  const links = useTabLinks(id);
  useLiveVault(id);
  useEffect(() => rememberVault(id), [id]);
  useEffect(() => {
    const timer = setTimeout(loadParts, PARTS_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div
      className={styles.shell}
      data-sidebar={sidebar.isOpen ? 'open' : 'closed'}
      onClickCapture={links}
      onAuxClickCapture={links}
    >
      <a className={styles.skip} href={`#${MAIN}`}>
        {t('skip')}
      </a>
      <Sidebar vaultId={id} leave={sidebar.leave} hide={sidebar.toggle} context={context} />
      <button
        type="button"
        className={styles.veil}
        aria-label={t('nav.closeSidebar')}
        tabIndex={-1}
        onClick={sidebar.toggle}
      />
      <div className={styles.middle} data-tabs={hasTabs || undefined}>
        {hasTabs ? (
          <nav className={styles.tabs} aria-label={t('tabs.label')}>
            <Suspense>
              <TabStrip vaultId={id} openNote={openNote} find={() => context.open('newTab')} />
            </Suspense>
          </nav>
        ) : null}
        <main id={MAIN} className={styles.main} tabIndex={-1}>
          <SideButton isOpen={sidebar.isOpen} toggle={sidebar.toggle} />
          <CrashBarrier>
            <Suspense>
              <VaultActionsContext value={context}>
                <Outlet />
              </VaultActionsContext>
            </Suspense>
          </CrashBarrier>
        </main>
      </div>
      <Places
        vaultId={id}
        isSideOpen={sidebar.isOpen}
        toggleSide={sidebar.toggle}
        leave={sidebar.leave}
        context={context}
      />
      {dialog === null ? null : (
        <Suspense fallback={<TypedEarly typed={typed} label={t('nav.find')} />}>
          <Dialogs
            name={dialog}
            context={context}
            openNote={openNote}
            createNote={createNote}
            typed={typed}
            close={closeDialog}
          />
        </Suspense>
      )}
      {question}
      <Toasts />
    </div>
  );
}

/** Shows the list of notes where it is hidden, with how much waits for the server. */
function SideButton({ isOpen, toggle }: { readonly isOpen: boolean; readonly toggle: () => void }) {
  const t = useTexts('vault');
  return (
    <div className={styles.bar}>
      <Button look="quiet" isIcon aria-label={t('nav.openSidebar')} aria-expanded={false} onClick={toggle}>
        <Icon name="side" />
        {isOpen ? null : <UnsentCount />}
      </Button>
    </div>
  );
}

interface TypedEarlyProps {
  readonly typed: RefObject<string>;
  readonly label: string;
}

/** Hidden field that takes keys typed while a dialog loads. */
function TypedEarly({ typed, label }: TypedEarlyProps) {
  return (
    <input
      ref={(input) => {
        const { activeElement: before } = document;
        if (input === null || before === null || before === input) return;
        heldFocus.set(input, before);
        input.focus();
      }}
      className="visually-hidden"
      data-dialog-opening
      aria-label={label}
      onChange={({ target }) => {
        typed.current = target.value;
      }}
    />
  );
}

const STORED = 'notevault-sidebar';

/** Whether the list of notes is shown; on a narrow screen it covers the note, and begins closed. */
function useSidebar() {
  const [isOpen, setOpen] = useState(() => !isNarrow() && localStorage.getItem(STORED) !== 'closed');
  const change = (open: boolean) => {
    if (!isNarrow()) localStorage.setItem(STORED, open ? 'open' : 'closed');
    setOpen(open);
  };
  return {
    isOpen,
    toggle: () => change(!isOpen),
    /** Closes the sidebar on narrow screens after something was opened from it. */
    leave: () => {
      if (isNarrow()) setOpen(false);
    },
  };
}

const NOTE = /^\/vaults\/([^/]+)\/notes\/([^/]+)$/;

/** Opens links to notes of a vault in tabs of the app, where the browser would open one of its own. */
function useTabLinks(vaultId: string): (event: MouseEvent) => void {
  const tabs = useTabs(vaultId);
  return (event) => {
    const isOwn = event.button === 1 || (event.button === 0 && (event.ctrlKey || event.metaKey));
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (!isOwn || event.shiftKey || link === null || link.origin !== location.origin || isNarrow()) return;
    const [, vault, note] = NOTE.exec(link.pathname.slice(BASE.length - 1)) ?? [];
    if (vault !== vaultId || note === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    tabs.open(note, 'behind');
  };
}
