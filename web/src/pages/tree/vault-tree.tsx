import { useNavigate, useParams } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { folderKey, type TreeEntry, type TreeIndex } from '../../data/tree/tree-index.ts';
import { useTree } from '../../data/use-tree.ts';
import { useRole } from '../../data/use-vault.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { importOrReload } from '../../page/import-or-reload.ts';
import { serverUrl } from '../../platform/base.ts';
import { isNarrow } from '../../platform/narrow.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Icon, type IconName } from '../../ui/controls/icon.tsx';
import { MenuAt } from '../../ui/controls/menu.tsx';
import { Progress } from '../../ui/feedback/progress.tsx';
import { onApple } from '../../ui/text/shortcut.ts';
import type { TabPlace } from '../../workspace/tabs.ts';
import { useTabs } from '../../workspace/use-tabs.ts';
import { workspace } from '../../workspace/workspace.ts';
import { type LinkTarget, PublicLinks } from '../sharing/public-links.tsx';
import { treeMenu } from './tree-menu.ts';
import { TreeView } from './tree-view.tsx';
import { useAddFiles } from './use-add-files.ts';
import { useExpanded } from './use-expanded.ts';
import { type TreeActions, useTreeActions } from './use-tree-actions.ts';
import { useTreeState } from './use-tree-state.ts';
import styles from './vault-tree.module.css';

const MoveDialog = lazy(() =>
  importOrReload(() => import('./move-dialog.tsx')).then((module) => ({ default: module.MoveDialog })),
);

interface VaultTreeProps {
  readonly vaultId: string;
  /** Called when something was opened from the tree. */
  readonly leave: () => void;
}

interface OpenMenu {
  readonly entries: readonly TreeEntry[];
  readonly at: { readonly x: number; readonly y: number };
}

/** Whether an entry is another one or below it. */
function isIn(entry: TreeEntry | undefined, other: TreeEntry): boolean {
  return entry?.key === other.key || (other.kind === 'folder' && entry?.path.startsWith(`${other.path}/`) === true);
}

/** Returns what a public link to an entry shows. */
function targetOf({ kind, key, path, name }: TreeEntry): LinkTarget {
  return kind === 'folder' ? { kind, path, name } : { kind: 'note', id: key, name };
}

/** Tree of a vault's notes, with their actions. */
export function VaultTree({ vaultId, leave }: VaultTreeProps) {
  const t = useTexts('vault');
  const { noteId = null, fileId = null } = useParams({ strict: false });
  const index = useTree(vaultId);
  const role = useRole(vaultId);
  const canWrite = role !== 'viewer';
  const expanded = useExpanded(vaultId);
  const actions = useTreeActions(vaultId);
  const [menu, setMenu] = useState<OpenMenu | null>(null);
  const [moving, setMoving] = useState<readonly TreeEntry[] | null>(null);
  const [linked, setLinked] = useState<LinkTarget | null>(null);
  const { openNote, openFile, openBehind, remove } = useOpening(vaultId, index, actions, leave);
  const adding = useAddFiles(vaultId);
  const tree = useTreeState({
    index,
    canWrite,
    expanded,
    actions,
    current: noteId ?? fileId,
    open: (entry) => {
      if (entry.kind === 'note') openNote(entry.id);
      else if (entry.kind === 'attachment') openFile(entry.id);
    },
    remove,
    openMenu: (entries, at) => setMenu({ entries, at }),
    openBehind,
    addFiles: adding.add,
  });
  useRevealed(index, noteId ?? fileId, tree.reveal);
  const createNote = async (folder: string) => {
    const id = await actions.createNote(folder);
    if (id === null) return;
    if (folder !== '') expanded.expand([folder]);
    workspace.note(id).wantFocus('title');
    openNote(id);
  };
  const createFolder = async (parent: string) => {
    const path = await actions.createFolder(parent);
    if (path === null) return;
    if (parent !== '') expanded.expand([parent]);
    tree.startRenaming(folderKey(path));
  };
  const focusTree = () => document.querySelector<HTMLElement>('[data-tree]')?.focus();
  return (
    <>
      <TreeHead canWrite={canWrite} createNote={() => void createNote('')} createFolder={() => void createFolder('')} />
      <TreeView tree={tree} />
      <Adding {...adding} />
      {menu === null ? null : (
        <MenuAt
          at={menu.at}
          close={() => setMenu(null)}
          focus={focusTree}
          items={treeMenu(t, menu.entries, {
            canWrite,
            isApple: onApple(),
            openNote,
            hasTabs: !isNarrow(),
            openFile,
            createNote: (folder) => void createNote(folder),
            createFolder: (parent) => void createFolder(parent),
            rename: tree.startRenaming,
            move: setMoving,
            cut: tree.cut,
            remove,
            publicLink: role === 'owner' ? (entry) => setLinked(targetOf(entry)) : null,
            linkOf: (id) => `${serverUrl()}/vaults/${vaultId}/notes/${id}`,
          })}
        />
      )}
      {linked === null ? null : <PublicLinks vaultId={vaultId} target={linked} close={() => setLinked(null)} />}
      {moving === null ? null : (
        <Suspense>
          <MoveDialog
            entries={moving}
            index={index}
            move={(moves) => void actions.move(moves)}
            close={() => setMoving(null)}
          />
        </Suspense>
      )}
    </>
  );
}

/** Returns the effects of opening and deleting an entry on the rest of the page. */
function useOpening(vaultId: string, index: TreeIndex, actions: TreeActions, leave: () => void) {
  const navigate = useNavigate();
  const { noteId, fileId } = useParams({ strict: false });
  const tabs = useTabs(vaultId);
  const openNote = (id: string, place: TabPlace = 'here') => {
    tabs.open(id, place);
    leave();
  };
  const openFile = (id: string) => {
    void navigate({ to: '/vaults/$vaultId/files/$fileId', params: { vaultId, fileId: id } });
    leave();
  };
  /** Closes a note before it is deleted: its editor would otherwise report a deletion. */
  const remove = (entries: readonly TreeEntry[]) => {
    const current = index.byKey(noteId ?? fileId ?? '');
    if (entries.some((entry) => isIn(current, entry))) {
      if (current?.kind === 'note' && entries.length === 1 && entries[0]?.kind === 'note') void tabs.close(current.id);
      else void navigate({ to: '/vaults/$vaultId', params: { vaultId } });
    }
    void actions.remove(entries);
  };
  const openBehind = (entry: TreeEntry) => {
    if (entry.kind === 'note') tabs.open(entry.id, 'behind');
  };
  return { openNote, openFile, openBehind, remove };
}

interface TreeHeadProps {
  readonly canWrite: boolean;
  readonly createNote: () => void;
  readonly createFolder: () => void;
}

function TreeHead({ canWrite, createNote, createFolder }: TreeHeadProps) {
  const t = useTexts('vault');
  const button = (label: string, icon: IconName, press: () => void) => (
    <Button look="quiet" isIcon aria-label={label} title={label} onClick={press}>
      <Icon name={icon} size={16} />
    </Button>
  );
  return (
    <div className={styles.section}>
      <h2>{t('nav.notes')}</h2>
      {canWrite ? button(t('nav.newNote'), 'add', createNote) : null}
      {canWrite ? button(t('nav.newFolder'), 'folder', createFolder) : null}
    </div>
  );
}

/** How far files are that are being added. */
function Adding({ progress, stop }: Pick<ReturnType<typeof useAddFiles>, 'progress' | 'stop'>) {
  const t = useTexts('vault');
  if (progress === null) return null;
  return (
    <div className={styles.adding}>
      <Progress label={t('files.adding')} done={progress.sent} total={progress.total} about={t('files.adding')} />
      <Button onClick={stop}>{t('cancel')}</Button>
    </div>
  );
}

/**
 * Shows the entry whose page is open, once for each page: a folder that is closed afterwards stays closed, also when
 * the tree changes.
 *
 * @param current the entry's key; null if no page of an entry is open.
 */
function useRevealed(index: TreeIndex, current: string | null, reveal: (entry: TreeEntry) => void): void {
  const revealed = useRef<string | null>(null);
  useEffect(() => {
    if (current === revealed.current) return;
    const entry = current === null ? undefined : index.byKey(current);
    // The tree may not have been read yet, or the note may be new.
    if (current !== null && entry === undefined) return;
    revealed.current = current;
    if (entry !== undefined) reveal(entry);
  });
}
