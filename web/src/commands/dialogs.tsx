import { bestMatches, isSameName } from '@notevault/note-text/names/match.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useRef, useState } from 'react';
import { recentQuery } from '../data/queries.ts';
import { useTree } from '../data/use-tree.ts';
import { useTexts } from '../i18n/use-texts.ts';
import { Icon } from '../ui/controls/icon.tsx';
import { Picker } from '../ui/controls/picker.tsx';
import { Dialog } from '../ui/dialogs/dialog.tsx';
import { onApple, shownKeys } from '../ui/text/shortcut.ts';
import type { Action, ActionContext, DialogName } from './action.ts';
import { ACTIONS, keysOf, possibleActions } from './actions.ts';
import styles from './dialogs.module.css';
import { TemplateDialog } from './template-dialog.tsx';

export interface DialogsProps {
  readonly name: DialogName;
  readonly context: ActionContext;
  readonly openNote: (id: string) => void;
  readonly createNote: (name: string) => void;
  readonly close: () => void;
}

/** The dialogs of the keyboard: going to a note, running a command, the list of shortcuts. */
export function Dialogs(props: DialogsProps) {
  if (props.name === 'switcher') return <Switcher {...props} />;
  if (props.name === 'template') return <TemplateDialog {...props} />;
  return props.name === 'palette' ? <Palette {...props} /> : <Shortcuts {...props} />;
}

/** Finds a note by its name and folder; a name that no note has makes one. */
function Switcher({ context: { vaultId }, openNote, createNote, close }: DialogsProps) {
  const t = useTexts('vault');
  const index = useTree(vaultId);
  const queries = useQueryClient();
  const [query, setQuery] = useState('');
  const notes = useMemo(() => {
    const recent = (queries.getQueryData(recentQuery(vaultId).queryKey) ?? []).map(({ id }) => id);
    const order = new Map(recent.map((id, at) => [id, at]));
    return index
      .notes()
      .map(({ id, name, parent }) => ({ id, name, detail: parent }))
      .sort((a, b) => (order.get(a.id) ?? Infinity) - (order.get(b.id) ?? Infinity) || 0);
  }, [index, queries, vaultId]);
  const found = bestMatches(notes, query);
  const wanted = query.trim();
  const isNew = wanted !== '' && !found.some(({ name }) => isSameName(name, wanted));
  const run = (act: () => void) => () => {
    close();
    act();
  };
  return (
    <Dialog title={t('switcher.title')} close={close}>
      <Picker
        label={t('switcher.label')}
        value={query}
        change={setQuery}
        none={t('switcher.none')}
        icon={<Icon name="note" size={16} />}
        items={[
          ...found.map(({ id, name, detail }) => ({ id, label: name, more: detail, run: run(() => openNote(id)) })),
          ...(isNew
            ? [
                {
                  id: 'new',
                  label: t('switcher.create', { name: wanted }),
                  icon: <Icon name="add" size={16} />,
                  run: run(() => createNote(wanted)),
                },
              ]
            : []),
        ]}
      />
    </Dialog>
  );
}

function Palette({ context, close }: DialogsProps) {
  const t = useTexts('vault');
  const [query, setQuery] = useState('');
  const chosen = useRef<Action | null>(null);
  const isApple = onApple();
  const actions = possibleActions(context).map((action) => ({
    action,
    name: t(`action.${action.id}`),
    detail: action.id,
  }));
  return (
    <Dialog
      title={t('palette.title')}
      close={close}
      // While the dialog is there, it keeps the focus from everything else.
      closed={() => chosen.current?.run(context)}
    >
      <Picker
        label={t('palette.label')}
        value={query}
        change={setQuery}
        none={t('palette.none')}
        items={bestMatches(actions, query).map(({ action, name }) => {
          const keys = keysOf(action, isApple);
          return {
            id: action.id,
            label: name,
            icon: <Icon name={action.icon} size={16} />,
            ...(keys === undefined ? {} : { more: <kbd>{shownKeys(keys, isApple)}</kbd> }),
            run: () => {
              chosen.current = action;
              close();
            },
          };
        })}
      />
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
