import { useNavigate } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { useStars } from '../../data/stars.ts';
import { renamedPath } from '../../data/tree/moves.ts';
import { nameOf, noteName } from '../../data/tree/tree-index.ts';
import { useTree } from '../../data/use-tree.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { importOrReload } from '../../page/import-or-reload.ts';
import { serverUrl } from '../../platform/base.ts';
import { saveFile } from '../../ui/controls/save-file.ts';
import { errorText } from '../../ui/feedback/error-text.ts';
import { showToast } from '../../ui/feedback/toast.ts';
import type { NoteRequest, OpenNote } from '../../workspace/open-note.ts';
import { useTabs } from '../../workspace/use-tabs.ts';
import { workspace } from '../../workspace/workspace.ts';
import { PublicLinks } from '../sharing/public-links.tsx';
import { useTreeActions } from '../tree/use-tree-actions.ts';
import type { ShownNote } from './shown-note.ts';

const MoveDialog = lazy(() =>
  importOrReload(() => import('../tree/move-dialog.tsx')).then((module) => ({ default: module.MoveDialog })),
);
const RenameDialog = lazy(() =>
  importOrReload(() => import('./rename-dialog.tsx')).then((module) => ({ default: module.RenameDialog })),
);

/** Does what menu, keys and palette ask of an open note. Show `dialog`. */
export function useNoteRequests(
  vaultId: string,
  { id, path, content }: ShownNote,
  open: OpenNote,
): {
  readonly isStarred: boolean;
  /** Of the note, as the tree has it. */
  readonly name: string;
  rename(name: string): Promise<void>;
  readonly dialog: ReactNode;
} {
  const t = useTexts('vault');
  const navigate = useNavigate();
  const index = useTree(vaultId);
  const actions = useTreeActions(vaultId);
  const tabs = useTabs(vaultId);
  const { stars, toggle } = useStars(vaultId);
  const [asking, setAsking] = useState<'rename' | 'move' | 'publicLink' | null>(null);
  const entry = index.byKey(id);
  const text = () => open.editor.get()?.text() ?? content;
  const failed = (error: unknown) => showToast({ kind: 'danger', text: errorText(t, error) });
  const answers: Readonly<Record<NoteRequest, () => void>> = {
    rename: () => setAsking('rename'),
    move: () => setAsking('move'),
    publicLink: () => setAsking('publicLink'),
    star: () => void toggle(id).catch(failed),
    duplicate() {
      if (entry === undefined) return;
      void actions.createNote(entry.parent, t('note.copyOf', { name: entry.name }), text()).then((copy) => {
        if (copy === null) return;
        workspace.note(copy).wantFocus('editor');
        return navigate({ to: '/vaults/$vaultId/notes/$noteId', params: { vaultId, noteId: copy } });
      });
    },
    copyLink() {
      const address = `${serverUrl()}/vaults/${vaultId}/notes/${id}`;
      void navigator.clipboard
        ?.writeText(address)
        .then(() => showToast({ kind: 'plain', text: t('note.linkCopied') }), failed);
    },
    download: () => saveFile(nameOf(path) || 'note.md', new Blob([text()], { type: 'text/markdown' })),
    deleteNote() {
      if (entry === undefined) return;
      // Its editor would say that somebody deleted it.
      void tabs.close(id);
      void actions.remove([entry]);
    },
  };
  useEffect(() => {
    open.answer = (request) => answers[request]();
    return () => {
      open.answer = null;
    };
  });
  const close = () => setAsking(null);
  const dialog =
    asking === null || entry === undefined ? null : (
      <Suspense>
        {asking === 'move' ? (
          <MoveDialog entries={[entry]} index={index} move={(moves) => void actions.move(moves)} close={close} />
        ) : asking === 'publicLink' ? (
          <PublicLinks vaultId={vaultId} target={{ kind: 'note', id, name: entry.name }} close={close} />
        ) : (
          <RenameDialog entry={entry} move={(moves) => void actions.move(moves)} close={close} />
        )}
      </Suspense>
    );
  return {
    isStarred: stars.includes(id),
    name: entry?.name ?? noteName(path),
    async rename(name) {
      if (entry !== undefined) await actions.move([{ kind: 'note', from: entry.path, to: renamedPath(entry, name) }]);
    },
    dialog,
  };
}
