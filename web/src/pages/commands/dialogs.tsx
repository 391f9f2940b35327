import { lazy, type RefObject, Suspense, useRef } from 'react';
import { useTree } from '../../data/use-tree.ts';
import { useVault, useVaultId } from '../../data/use-vault.ts';
import { loadTexts } from '../../i18n/i18n.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { importOrReload } from '../../page/import-or-reload.ts';
import { Picker } from '../../ui/controls/picker.tsx';
import { Dialog } from '../../ui/dialogs/dialog.tsx';
import { onApple, shownKeys } from '../../ui/text/shortcut.ts';
import type { TabPlace } from '../../workspace/tabs.ts';
import type { Action, ActionContext, DialogName } from './action.ts';
import { keysOf } from './actions.ts';
import { ACTIONS } from './all-actions.ts';
import styles from './dialogs.module.css';
import { Finder, useCommands, useTyped } from './finder.tsx';
import { TemplateDialog } from './template-dialog.tsx';

const CalendarDialog = lazy(() =>
  importOrReload(() => import('./calendar-dialog.tsx')).then((module) => ({ default: module.CalendarDialog })),
);

const ShareDialog = lazy(async () => {
  const load = importOrReload(() => import('../sharing/share-dialog.tsx'));
  const [module] = await Promise.all([load, loadTexts('sharing')]);
  return { default: module.ShareDialog };
});

export interface DialogsProps {
  readonly name: DialogName;
  readonly context: ActionContext;
  readonly openNote: (id: string, place: TabPlace, heading?: string) => void;
  readonly createNote: (name: string, place: TabPlace) => void;
  /** Text typed while the dialogs were loading. */
  readonly typed: RefObject<string>;
  readonly close: () => void;
}

/** Tab in which a result opens. */
const PLACES: Partial<Record<DialogName, TabPlace>> = { switcher: 'here', newTab: 'tab', beside: 'beside' };

/** The dialogs of the keyboard: going to a note, running a command, the list of shortcuts. */
export function Dialogs(props: DialogsProps) {
  const place = PLACES[props.name];
  if (place !== undefined) return <Finder {...props} place={place} />;
  if (props.name === 'share') return <Share noteId={props.context.noteId} close={props.close} />;
  if (props.name === 'calendar') {
    return (
      <Suspense>
        <CalendarDialog {...props} />
      </Suspense>
    );
  }
  if (props.name === 'template') return <TemplateDialog {...props} />;
  return props.name === 'palette' ? <Palette {...props} /> : <Shortcuts {...props} />;
}

function Share({ noteId, close }: { readonly noteId: string | null; readonly close: () => void }) {
  const vault = useVault();
  const entry = useTree(useVaultId()).byKey(noteId ?? '');
  const note = entry?.kind === 'note' ? { kind: entry.kind, id: entry.id, name: entry.name } : null;
  return vault === null ? null : (
    <Suspense>
      <ShareDialog vault={vault} note={note} close={close} />
    </Suspense>
  );
}

function Palette({ context, typed, close }: DialogsProps) {
  const t = useTexts('vault');
  const [query, setQuery] = useTyped(typed);
  const then = useRef<(() => void) | null>(null);
  const commands = useCommands(context, query, (act) => () => {
    then.current = act;
    close();
  });
  return (
    <Dialog
      title={t('palette.title')}
      close={close}
      // While the dialog is there, it keeps the focus from everything else.
      closed={() => then.current?.()}
      isFinder
    >
      <Picker label={t('palette.label')} value={query} change={setQuery} none={t('palette.none')} items={commands} />
    </Dialog>
  );
}

function Shortcuts({ close }: DialogsProps) {
  const t = useTexts('vault');
  return (
    <Dialog title={t('shortcuts.title')} close={close}>
      <h3>{t('shortcuts.everywhere')}</h3>
      <KeyList actions={ACTIONS.filter(({ command }) => command === undefined)} />
      <h3>{t('shortcuts.editor')}</h3>
      <KeyList actions={ACTIONS.filter(({ command }) => command !== undefined)} />
      <p className={styles.hint}>{t('shortcuts.note')}</p>
      <p className={styles.hint}>{t(onApple() ? 'shortcuts.treeOnMac' : 'shortcuts.tree')}</p>
    </Dialog>
  );
}

/** The actions that have keys. */
function KeyList({ actions }: { readonly actions: readonly Action[] }) {
  const t = useTexts('vault');
  const isApple = onApple();
  return (
    <dl className={styles.keys}>
      {actions.map((action) => {
        const keys = keysOf(action, isApple);
        return keys === undefined ? null : (
          <div key={action.id}>
            <dt>{t(`action.${action.id}`)}</dt>
            <dd>
              <kbd>{shownKeys(keys, isApple)}</kbd>
            </dd>
          </div>
        );
      })}
    </dl>
  );
}
