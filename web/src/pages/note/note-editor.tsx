import { conflictOf } from '@notevault/sync/plan/names.ts';
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import i18next from 'i18next';
import { lazy, Suspense, useEffect, useMemo, useRef } from 'react';
import { api } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { newNote } from '../../data/new-note.ts';
import { meQuery } from '../../data/queries.ts';
import { nameOf, noteName } from '../../data/tree/tree-index.ts';
import { useRole } from '../../data/use-vault.ts';
import { isNew } from '../../device/outbox/outbox-state.ts';
import { unsentChanged } from '../../device/unsent-state.ts';
import type { EditorSession } from '../../editor/index.ts';
import { useLanguage, useTexts } from '../../i18n/use-texts.ts';
import { importOrReload } from '../../page/import-or-reload.ts';
import { BASE } from '../../platform/base.ts';
import { useObservable } from '../../platform/use-observable.ts';
import { saveFile } from '../../ui/controls/save-file.ts';
import { errorText } from '../../ui/feedback/error-text.ts';
import { showToast } from '../../ui/feedback/toast.ts';
import { editorSettings } from '../../workspace/editor-settings.ts';
import { useTabs } from '../../workspace/use-tabs.ts';
import { workspace } from '../../workspace/workspace.ts';
import { useVaultActions } from '../commands/vault-actions.ts';
import { DayBar } from './day-bar.tsx';
import styles from './note-editor.module.css';
import { NoteHead } from './note-head.tsx';
import { NoteMenu } from './note-menu.tsx';
import { noteServer } from './services/note-server.ts';
import { NoteServices } from './services/note-services.ts';
import type { ShownNote } from './shown-note.ts';
import { type Recovery, StateLine } from './state-line.tsx';
import { Title } from './title-field.tsx';
import { TouchTools } from './touch-tools.tsx';
import { UndrawnNote } from './undrawn-note.tsx';
import { useEditor } from './use-editor.ts';
import { useNoteRequests } from './use-note-requests.tsx';
import { useNoteSession, useSessionFact } from './use-note-session.ts';

const ConflictCopy = lazy(() =>
  importOrReload(() => import('./conflict-copy.tsx')).then((module) => ({ default: module.ConflictCopy })),
);

interface NoteEditorProps {
  readonly vaultId: string;
  readonly note: ShownNote;
  readonly isMain: boolean;
  /** Whether its text waits here, in a document of its own. */
  readonly isDraft: boolean;
}

/** A note that is edited live. */
export function NoteEditor(props: NoteEditorProps) {
  const t = useTexts('editor');
  const { data: me } = useSuspenseQuery(meQuery);
  const { vaultId, note } = props;
  const { id, path } = note;
  const session = useNoteSession({ id, vaultId, path }, me.id, me.display_name ?? t('strings.noName'));
  return session === null ? null : <LiveNote {...props} session={session} />;
}

function LiveNote({ vaultId, note, isMain, isDraft, session }: NoteEditorProps & { readonly session: EditorSession }) {
  const inVault = useTexts('vault');
  const place = useRef<HTMLDivElement>(null);
  const open = workspace.note(note.id);
  const { writing } = useObservable(editorSettings);
  const mode = useObservable(open.isReading) ? 'reading' : writing;
  const services = useNoteServices(vaultId, note.id);
  const label = noteName(note.path);
  const role = useRole(vaultId);
  const isMember = role !== 'viewer';
  const { open: openDialog } = useVaultActions();
  const editor = useEditor(place, { note: open, session, services, mode, label, canWrite: isMember });
  const recovery = useRecovery(vaultId, note, session);
  const { isStarred, name, rename, dialog } = useNoteRequests(vaultId, note, open);
  const original = conflictOf(note.path);
  const canWrite = useSessionFact(session, (one) => one.canWrite !== false) && isMember;
  const isLowered = useSessionFact(session, (one) => one.isLowered);
  useEffect(() => {
    open.setEditor(editor);
    return () => open.setEditor(null);
  }, [open, editor]);
  return (
    <div className={styles.note}>
      <div>
        <NoteHead
          path={note.path}
          isMain={isMain}
          open={open}
          session={session}
          isStarred={isStarred}
          star={() => open.ask('star')}
          share={role === 'owner' ? () => openDialog('share') : null}
          days={<DayBar vaultId={vaultId} noteId={note.id} />}
          state={
            <>
              {isDraft && isNew(note.id) ? (
                <span title={inVault('outbox.draft')}>{inVault('outbox.draftBadge')}</span>
              ) : null}
              <StateLine session={session} recovery={recovery} />
            </>
          }
          menu={editor === null ? null : <NoteMenu open={open} editor={editor} isStarred={isStarred} role={role} />}
        />
        {original === null ? null : (
          <Suspense>
            <ConflictCopy
              vaultId={vaultId}
              noteId={note.id}
              original={original}
              session={session}
              canWrite={canWrite}
            />
          </Suspense>
        )}
        {canWrite ? null : (
          <p className={styles.about} role="status">
            {inVault(isLowered ? 'shared.lowered' : 'shared.readOnly')}
          </p>
        )}
      </div>
      <div className={styles.editor}>
        <div ref={place} className={styles.place} data-testid="editor" />
        {editor === null ? <UndrawnNote note={note} /> : null}
      </div>
      {editor === null ? null : (
        <Title open={open} name={name} editor={editor} canRename={mode !== 'reading' && canWrite} rename={rename} />
      )}
      {editor === null || mode === 'reading' || !canWrite ? null : <TouchTools editor={editor} />}
      {dialog}
    </div>
  );
}

/** Returns the editor's services, the same object while the note is open: a new one would make a new editor. */
function useNoteServices(vault: string, noteId: string): NoteServices {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const language = useLanguage();
  const tabs = useTabs(vault);
  const { open } = useVaultActions();
  const latest = useRef({ tabs, open });
  useEffect(() => {
    latest.current = { tabs, open };
  });
  return useMemo(
    () =>
      new NoteServices({
        vault,
        noteId,
        server: noteServer(vault, queries),
        queries,
        strings: i18next.getResource(language, 'editor', 'strings'),
        openNote(id, anchor, newTab) {
          const hash = anchor ?? '';
          // The address of the open note names its heading already, or changes without the page being made anew.
          if (id === noteId && !newTab && workspace.note(id).goToAnchor(hash)) return;
          if (newTab && hash !== '') workspace.note(id).goToAnchor(hash);
          latest.current.tabs.open(id, newTab ? 'behind' : 'here', hash);
        },
        openFile(fileId, newTab) {
          if (newTab) window.open(`${BASE}vaults/${vault}/files/${fileId}`, '_blank', 'noopener');
          else void navigate({ to: '/vaults/$vaultId/files/$fileId', params: { vaultId: vault, fileId } });
        },
        reportError: (error) => showToast({ text: reasonIn(language, error), kind: 'danger' }),
        reportDelay(name, error) {
          const failed = i18next.getFixedT(language, 'editor')('strings.uploadFailed');
          showToast({ text: `${failed}: ${name}. ${reasonIn(language, error)}`, kind: 'danger' });
        },
        reasonOf: (error) => reasonIn(language, error),
        openTemplates: () => latest.current.open('template'),
      }),
    [vault, noteId, queries, navigate, language],
  );
}

function reasonIn(language: string, error: unknown): string {
  return errorText(i18next.getFixedT(language, 'vault'), error);
}

/** Ways to recover a text that the server refuses. */
function useRecovery(vault: string, { path, id }: ShownNote, session: EditorSession): Recovery {
  const t = useTexts('editor');
  const errors = useTexts('vault');
  const queries = useQueryClient();
  const navigate = useNavigate();
  return {
    /** Saves the text as a new note beside this one, and opens that. */
    async keepAsNewNote(content) {
      const time = new Date().toISOString().slice(0, 16).replace('T', ' ').replace(':', '.');
      const beside = `${path.replace(/\.md$/i, '')} (${time}).md`;
      try {
        const kept = await api.vault(vault).upsertNote(newNote(beside, content, Date.now() / 1000));
        queries.setQueryData(keys.note(vault, kept.id), kept);
        await session.forget();
        unsentChanged();
        showToast({ text: t('recover.kept', { path: kept.path }), kind: 'plain' });
        await navigate({ to: '/vaults/$vaultId/notes/$noteId', params: { vaultId: vault, noteId: kept.id } });
      } catch (error) {
        showToast({ text: errorText(errors, error), kind: 'danger' });
      }
    },
    saveAsFile: (content) => saveFile(nameOf(path), new Blob([content], { type: 'text/markdown' })),
    /** Stashes the text, which can be undone, and shows the server's text. */
    async stash() {
      const content = session.text.toString();
      const { hasUnsent } = session.state;
      const stashed = await session.startOver();
      if (stashed.length === 0) {
        // A text that could not be stored here is saved as a file.
        if (hasUnsent) this.saveAsFile(content);
        return;
      }
      unsentChanged();
      const undo = () => session.unstash(stashed).then(unsentChanged);
      showToast({
        text: t('recover.setAside', { name: noteName(path) }),
        kind: 'plain',
        action: {
          label: errors('undo'),
          run: () =>
            void undo().catch((error: unknown) => showToast({ text: errorText(errors, error), kind: 'danger' })),
        },
      });
    },
    /** Gives up the text of a deleted note, and goes to the vault. */
    async leave() {
      await session.forget();
      unsentChanged();
      queries.removeQueries({ queryKey: keys.deviceNote(id) });
      await navigate({ to: '/vaults/$vaultId', params: { vaultId: vault } });
    },
  };
}
