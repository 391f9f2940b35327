import { bestMatches } from '@notevault/note-text/names/match.ts';
import { nameOrder } from '@notevault/note-text/names/order.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { noteQuery } from '../../data/queries.ts';
import { within } from '../../data/tree/moves.ts';
import { noteName } from '../../data/tree/tree-index.ts';
import { useTree } from '../../data/use-tree.ts';
import { useLanguage, useTexts } from '../../i18n/use-texts.ts';
import { Icon } from '../../ui/controls/icon.tsx';
import { Picker } from '../../ui/controls/picker.tsx';
import { Dialog } from '../../ui/dialogs/dialog.tsx';
import { errorText } from '../../ui/feedback/error-text.ts';
import { showToast } from '../../ui/feedback/toast.ts';
import { useFolders } from '../../workspace/folders.ts';
import { workspace } from '../../workspace/workspace.ts';
import type { ActionContext } from './action.ts';
import { fillTemplate, insertedPart, splitCursor } from './template.ts';

interface TemplateDialogProps {
  readonly context: ActionContext;
  readonly close: () => void;
}

/** Finds a template by its name, and inserts it into the open note. */
export function TemplateDialog({ context: { vaultId, noteId }, close }: TemplateDialogProps) {
  const t = useTexts('vault');
  const language = useLanguage();
  const queries = useQueryClient();
  const index = useTree(vaultId);
  const folder = useFolders(vaultId).templates;
  const [query, setQuery] = useState('');
  const chosen = useRef<string | null>(null);
  const templates = index
    .notes()
    .filter(({ path }) => path.startsWith(within(folder, '')))
    .map(({ id, name, path }) => ({ id, name, detail: path }))
    .sort((a, b) => nameOrder(language)(a.name, b.name));
  const insert = async (id: string) => {
    try {
      const [template, target] = await Promise.all([
        queries.fetchQuery(noteQuery(vaultId, id)),
        noteId === null ? null : queries.fetchQuery(noteQuery(vaultId, noteId)),
      ]);
      const editor = noteId === null ? null : workspace.note(noteId).editor.get();
      if (template === null || editor === null) return;
      const part = insertedPart(template.content, editor.text().trim() === '');
      const filled = fillTemplate(part, { title: noteName(target?.path ?? ''), now: new Date(), language });
      const { text, cursor } = splitCursor(filled);
      editor.insert(text, cursor);
      editor.focus();
    } catch (error) {
      showToast({ text: errorText(t, error), kind: 'danger' });
    }
  };
  return (
    <Dialog
      title={t('template.title')}
      close={close}
      isFinder
      closed={() => {
        if (chosen.current !== null) void insert(chosen.current);
      }}
    >
      <Picker
        label={t('template.label')}
        value={query}
        change={setQuery}
        none={t('template.none', { folder })}
        icon={<Icon name="note" size={16} />}
        items={bestMatches(templates, query).map(({ id, name }) => ({
          id,
          label: name,
          run: () => {
            chosen.current = id;
            close();
          },
        }))}
      />
    </Dialog>
  );
}
